km_add_benchmark(bench_feed SOURCES bench_feed.c LINK km_feed)
