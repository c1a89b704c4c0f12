km_add_benchmark(bench_store SOURCES bench_store.c flat_games.c LINK km_store km_hbs km_goban)
