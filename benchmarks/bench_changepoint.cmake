km_add_benchmark(bench_changepoint SOURCES bench_changepoint.c LINK km_changepoint km_stats m)
