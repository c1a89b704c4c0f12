km_add_benchmark(bench_planes SOURCES bench_planes.c flat_games.c LINK km_planes)
