km_add_benchmark(bench_replay SOURCES bench_replay.c LINK km_goban)
