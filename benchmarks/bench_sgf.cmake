km_add_benchmark(bench_sgf SOURCES ${CMAKE_CURRENT_LIST_DIR}/bench_sgf.c LINK km_sgf km_goban)
