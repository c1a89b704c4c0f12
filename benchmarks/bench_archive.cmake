km_add_benchmark(bench_archive SOURCES bench_archive.c LINK km_archive km::zstd)
