km_add_benchmark(bench_planes48 SOURCES bench_planes48.c flat_games.c LINK km_planes)
