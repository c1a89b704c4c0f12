# kifu-hbs as people call it: summary, refusals of overwriting, bad usage, bad input
kifu-ingest --quiet "$ROOT"/tools/games/selfplay-9x9.7z
run kifu-hbs games.h5
run ls
run kifu-hbs games.h5
run kifu-hbs --force --quiet --variant both --layers --by length,result games.h5 -o out/hbs.h5
run kifu-hbs --force --quiet --variant both --layers --by length,result -j 3 games.h5 -o two.h5
run kifu-hbs --force --quiet --variant both --layers --by length,result -j 1 games.h5 -o one.h5
run cmp one.h5 two.h5
run cmp one.summary.json two.summary.json
run kifu-hbs
run kifu-hbs games.h5 games.h5
run kifu-hbs --variant cw-fixed --force games.h5
run kifu-hbs --by shoe-size --force games.h5
run kifu-hbs --window 0 --force games.h5
run kifu-hbs --codec rar --force games.h5
run kifu-hbs --colour red --force games.h5
run kifu-hbs missing.h5 -o x.h5
echo "no store" >text.h5
run kifu-hbs text.h5 -o x.h5
run kifu-hbs hbs.h5 -o x.h5
run kifu-hbs games.h5 -o /dev/full
run ls
