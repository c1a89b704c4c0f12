# kifu-report on the command line: what it says, what it refuses.
printf 'kind\tcode\tsource\tentry\tgame\tbyte\tdetail\nrefused\tno_moves\ta.zip\tb.sgf\t1\t0\t\n' >games.ledger.tsv
printf '{"records": 2, "games": 1, "refused": 1, "moves": 9, "by_size": {"9x9": 1}}' >games.summary.json
run kifu-report --plots off -o report .
run kifu-report --plots off -o report .
run kifu-report --plots off -o report --force --quiet games.summary.json
run kifu-report
run kifu-report --plots some .
run kifu-report -o other nowhere
run kifu-report -o other games.summary.json games.summary.json
echo text >notes.txt
run kifu-report -o other notes.txt
run kifu-report -o notes.txt .
run kifu-report -o nowhere/report .
run ls
run grep -c '<section' report/index.html
