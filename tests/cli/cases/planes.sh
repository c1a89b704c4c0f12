# kifu-planes: its help, a run, runs that cannot be, parts by hand and by the script for clusters.
kifu-ingest --quiet -o games.h5 "$ROOT"/tests/golden/games/r9_*.sgf
run kifu-planes --help
run kifu-planes games.h5 -o rows --board 9 -j1
run kifu-planes games.h5 -o rows --board 9
run kifu-planes games.h5 -o other
run kifu-planes games.h5 -o other --board nine
run kifu-planes games.h5 -o other --board 9 --split 0.9,0.2
run kifu-planes games.h5 -o other --board 9 --layout alphago-48 --layout-options capture2
run kifu-planes games.h5 -o other --board 9 --memory 1M -j1
run kifu-planes games.h5 -o other --board 9 --codec lzma
run kifu-planes games.h5 -o other --board 9 --shuffle maybe
run kifu-planes games.h5 -o other --board 9 --players nobody
run kifu-planes missing.h5 -o other
run kifu-planes games.h5 -o games.h5 --board 9
run kifu-planes -o other
run ls
run kifu-planes games.h5 -o parts --board 9 --rows-per-shard 300 --part 1/2 -j1
run kifu-planes games.h5 -o parts --board 9 --rows-per-shard 300 --part merge
run kifu-planes games.h5 -o parts --board 9 --rows-per-shard 300 --part 2/2
rm -r parts
for task in 3 1 2; do
  SLURM_ARRAY_TASK_ID=$task SLURM_ARRAY_TASK_COUNT=3 SLURM_ARRAY_TASK_MIN=1 \
    "$ROOT"/tools/slurm/planes.sbatch games.h5 parts --quiet --board 9 --rows-per-shard 300
done
kifu-planes --quiet games.h5 -o whole --board 9 --rows-per-shard 300
run diff -r parts whole
run kifu-verify --quiet parts
run "$ROOT"/tools/slurm/planes.sbatch games.h5
