# kifu-ingest: options from a YAML file; the command line goes before it; errors name the line.
game=$ROOT/tests/cases/inputs/P44.sgf
cat > good.yaml <<'Y'
seed: 7
ingest:
  size: '9,13'
  dedup: off
planes:
  board: 19
Y
run kifu-ingest --quiet --config good.yaml -o a.h5 $game
run cut -f2,7 a.ledger.tsv
run kifu-ingest --quiet --config=good.yaml --size 19 -o b.h5 $game
run cut -f2,7 b.ledger.tsv
try() { printf "$1" > bad.yaml; run kifu-ingest --config bad.yaml -o c.h5 $game; }
try 'ingest:\n  sizes: 9\n'
try 'ingest:\n  min-moves: many\n'
try 'ingest:\n  min-moves: -3\n'
try 'ingest:\n  rules: chess\n'
try 'ingest: 5\n'
try 'ingest:\n  size: [9\n'
try 'ingest:\n\tsize: 9\n'
try '\xff\xff'
try 'config: other.yaml\n'
run kifu-ingest --config missing.yaml -o c.h5 $game
run bash -c 'ls c.* 2>/dev/null'
