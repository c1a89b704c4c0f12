# kifu-ingest: --version, --help, and every kind of wrong option: one line, exit 2, nothing written.
game=$ROOT/tests/cases/inputs/P44.sgf
run kifu-ingest --version
run kifu-ingest --help
run kifu-ingest
run kifu-ingest --quiet
run kifu-ingest --bogus $game
run kifu-ingest -z $game
run kifu-ingest --output
run kifu-ingest -o '' $game
run kifu-ingest --force=yes $game
run kifu-ingest -j x $game
run kifu-ingest -j -1 $game
run kifu-ingest --seed -1 $game
run kifu-ingest --size 0 $game
run kifu-ingest --size 19,,9 $game
run kifu-ingest --size 13x53 $game
run kifu-ingest --min-moves -1 $game
run kifu-ingest --max-moves 1e9 $game
run kifu-ingest --min-moves 1.5 $game
run kifu-ingest --min-rank 9z $game
run kifu-ingest --handicap 9..2 $game
run kifu-ingest --komi 6.5.5 $game
run kifu-ingest --since 1990-13 $game
run kifu-ingest --until yesterday $game
run kifu-ingest --result maybe $game
run kifu-ingest --rules go $game
run kifu-ingest --suicide yes $game
run kifu-ingest --illegal keep $game
run kifu-ingest --dedup bytes $game
run kifu-ingest --encoding nosuch $game
run kifu-ingest --encoding UTF-16 $game
run kifu-ingest --max-entry 1Q $game
run kifu-ingest --max-ratio 0 $game
run kifu-ingest --max-depth 17 $game
run ls -A
