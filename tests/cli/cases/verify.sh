# Whole outputs are ok; what is missing, cut, altered, foreign or of other games is named.
#
# Digests, sizes and names of datasets are left out of the record: they are a matter of the formats.
cat >verify <<'SCRIPT'
#!/bin/bash
set -o pipefail
kifu-verify "$@" 2>&1 | sed -E -e 's/[0-9a-f]{32}/DIGEST/g' -e 's/[0-9]+ bytes/N bytes/g' -e 's/= [0-9]+/= N/g' \
  -e 's#(dataset )?/[a-z_/]+( is altered|: chunk [0-9]+)#something\2#' -e 's/chunk [0-9]+/chunk N/' \
  -e 's#has no (dataset|object) /[a-z_/]*: .*#has damaged metadata#'
SCRIPT
chmod +x verify
check() { run ./verify "$@"; }
set_byte() { printf "$3" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none; }

cp "$ROOT"/tests/golden/games/r9*.sgf .
mkdir run
kifu-ingest --quiet -o run/games.h5 r9_*.sgf
kifu-ingest --quiet -o other.h5 r9h_*.sgf
kifu-hbs --quiet --layers -o run/hbs.h5 run/games.h5
kifu-planes --quiet --board 9 --rows-per-shard 100 --symmetries random -o run/shards run/games.h5

check run
check run --deep
check --quiet run
check run/games.h5 run/hbs.h5 run/shards --deep --sample 3
check run/hbs.h5
check run/shards/manifest.json

# the sizes that kifu-run noted
cp -r run noted
mkdir noted/.kifu-run noted/report
echo page >noted/report/index.html
echo '{"files": {"games.ledger.tsv": 1, "report/index.html": 5, "phases.csv": 10, "games.h5": '$(stat -c %s run/games.h5)'}}' >noted/.kifu-run/ingest.json
echo '[' >noted/.kifu-run/hbs.json
check noted

# of other games
check run/hbs.h5 run/shards other.h5
check --games other.h5 run/hbs.h5
# nothing to check
check missing.h5 run/games.h5
check r9_107.sgf
mkdir empty
check empty
check
check run --sample 0
check run/hbs.h5 --deep
check --games missing.h5 run/hbs.h5

# altered, cut, missing, foreign
cp -r run bad
shard=$(cd bad/shards && ls train-*.h5 | tail -n 1)
size=$(stat -c %s bad/shards/$shard)
set_byte bad/shards/$shard $((size / 4)) x
rm bad/shards/train-00000.h5
cp other.h5 bad/shards/stray.h5
head -c 3000 run/hbs.h5 >bad/hbs.h5
check bad
cp run/hbs.h5 bad/hbs.h5
size=$(stat -c %s bad/hbs.h5)
set_byte bad/hbs.h5 $((size / 2)) x
echo '{' >bad/hbs.summary.json
check bad/hbs.h5 bad/games.h5
check bad
