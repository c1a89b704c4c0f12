# kifu-ingest: outputs that exist, cannot be made or do not fit: one line, exit 1, nothing under a final name, no rest.
game=$ROOT/tests/cases/inputs/P44.sgf
big=$ROOT/tools/games/selfplay-19x19.tar.zst
run kifu-ingest --quiet -o games.h5 $game
for f in games.h5 games.ledger.tsv games.summary.json; do
  mkdir one; cp $f one/; (cd one; cp $game game.sgf)
  run kifu-ingest --quiet -o one/games.h5 $game
  run ls one
  rm -r one
done
run kifu-ingest --quiet --force -o games.h5 $game
run ls -A
run kifu-ingest -o nowhere/games.h5 $game
run kifu-ingest -o . $game
mkdir games2.h5
run kifu-ingest --force -o games2.h5 $game
run kifu-ingest -o /dev/full $game
rmdir games2.h5
# --dry-run writes nothing, even beside outputs that exist
run bash -c "kifu-ingest --dry-run $game | head -1"
run bash -c "kifu-ingest --dry-run $game > /dev/full"
# no room for the file: 64 KiB and less, counted in blocks of 1 KiB
mkdir small
for blocks in 1 8 40; do
  run bash -c "ulimit -f $blocks; kifu-ingest --quiet -o small/games.h5 $big"
  run ls -A small
done
run kifu-ingest --quiet -o small/games.h5 $big
run ls -A small
