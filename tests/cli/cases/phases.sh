# kifu-phases as people call it
kifu-ingest --quiet "$ROOT"/tools/games/selfplay-9x9.7z "$ROOT"/tools/games/selfplay-13x13.zip
kifu-hbs --quiet games.h5
run kifu-phases hbs.h5 games.h5
run head -4 phases.csv
run kifu-phases hbs.h5 games.h5
run kifu-phases --force --quiet -j 1 --seed 9 hbs.h5 games.h5 -o one.h5
run kifu-phases --force --quiet -j 3 --seed 9 hbs.h5 games.h5 -o two.h5
run cmp one.h5 two.h5
run cmp one.csv two.csv
run cmp one.summary.json two.summary.json
printf 'source,entry,ply\nselfplay-9x9.7z,nobody.sgf,10\n' >labels.csv
run kifu-phases --force --reference labels.csv hbs.h5 games.h5
run kifu-phases --force --reference labels.csv hbs.h5
printf 'source,ply\n' >labels.csv
run kifu-phases --force --reference labels.csv hbs.h5 games.h5
run kifu-phases
run kifu-phases --signal layers --force hbs.h5
run kifu-phases --signal layer:two --force hbs.h5
run kifu-phases --penalty cheap --force hbs.h5
run kifu-phases --reference conventional:9,3 --force hbs.h5
run kifu-phases --cost l3 --force hbs.h5
run kifu-phases --colour white --force hbs.h5
run kifu-phases missing.h5 -o x.h5
run kifu-phases games.h5 -o x.h5
kifu-ingest --quiet --force "$ROOT"/tools/games/selfplay-9x9.7z -o other.h5
run kifu-phases --force hbs.h5 other.h5
run ls
