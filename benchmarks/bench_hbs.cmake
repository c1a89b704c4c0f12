km_add_benchmark(bench_hbs SOURCES bench_hbs.c flat_games.c LINK km_hbs km_stats km_goban)
