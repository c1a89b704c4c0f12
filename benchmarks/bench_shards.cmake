km_add_benchmark(bench_shards SOURCES bench_shards.c flat_games.c LINK km_planes_stage)
