# kifu-winrate: what it says of itself, a small run and its table, wrong usage, outputs that are there.
run kifu-winrate --help
kifu-ingest --quiet -o games.h5 "$ROOT"/tools/games/selfplay-9x9.7z "$ROOT"/tools/games/selfplay-13x13.zip
printf 'source,entry,ply,black_winrate\nselfplay-9x9.7z,gnugo-00116.sgf,5,0.25\nselfplay-9x9.7z,none.sgf,5,0.5\n' >rates.csv
run kifu-winrate games.h5 --board 9 --features hbs --replicates 20 -o w.json
run head -4 w.csv
run ls
run kifu-winrate games.h5 --board 9 -o w.json
run kifu-winrate games.h5 --board 9 --features hbs --external rates.csv --quiet --replicates 0 -o e.json
run grep -o '"name":"rates.csv"[^[]*' e.json
run kifu-winrate
run kifu-winrate games.h5 --features hbs,opening
run kifu-winrate games.h5 --sample every:0
run kifu-winrate games.h5 --folds 1
run kifu-winrate games.h5 --variant white
run kifu-winrate games.h5 --board 19 -o x.json
run kifu-winrate absent.h5 -o x.json
run kifu-winrate rates.csv -o x.json
run kifu-winrate games.h5 rates.csv --board 9 -o x.json
run ls
