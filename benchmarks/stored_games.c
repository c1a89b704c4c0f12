/* stored_games.c: see stored_games.h. */
#include "stored_games.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "flat_games.h"
#include "kifumill/games_store.h"
#include "kifumill/move_hash.h"

static void check(km_status status, const km_err *err) {
  if (status != KM_OK)
    bench_die(err->msg);
}

static void make_store(stored_games *stored, const bench_options *options, size_t limit) {
  flat_games games;
  km_games_writer *writer;
  km_err err;
  const km_store_origin origin = {"benchmark", "", 0, "games of a benchmark"};
  flat_games_load(&games, options->input, limit);
  snprintf(stored->label, sizeof stored->label, "%s", games.label);
  check(km_games_writer_open(&writer, stored->path, &origin, 1, &err), &err);
  for (size_t i = 0; i < games.n_games; i++) {
    km_game_hash hash;
    km_game_hash_compute(&games.games[i], KM_OPENING_MOVES, &hash);
    km_game_keys keys = {hash.canonical, hash.opening};
    check(km_games_writer_add(writer, &games.games[i], &keys, NULL, &err), &err);
  }
  check(km_games_writer_finish(writer, 1, NULL, &err), &err);
  flat_games_clear(&games);
}

void stored_games_open(stored_games *games, const bench_options *options, size_t limit) {
  size_t n = options->input ? strlen(options->input) : 0;
  snprintf(games->folder, sizeof games->folder, "%s/kifumill-bench.XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
  if (!mkdtemp(games->folder))
    bench_die("cannot make a scratch folder");
  if (n > 3 && strcmp(options->input + n - 3, ".h5") == 0) {
    const char *slash = strrchr(options->input, '/');
    snprintf(games->path, sizeof games->path, "%s", options->input);
    snprintf(games->label, sizeof games->label, "%.150s", slash ? slash + 1 : options->input);
    return;
  }
  snprintf(games->path, sizeof games->path, "%s/games.h5", games->folder);
  make_store(games, options, limit);
}

void stored_games_empty(const char *folder) {
  DIR *dir = opendir(folder);
  for (struct dirent *e; dir && (e = readdir(dir));)
    unlinkat(dirfd(dir), e->d_name, 0);
  if (dir)
    closedir(dir);
}

void stored_games_close(stored_games *games) {
  stored_games_empty(games->folder);
  rmdir(games->folder);
}
