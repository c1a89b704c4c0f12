/* test_real_games.c: real records, where the corpus is (KM_CORPUS, or ../shared/corpus): 200 games are parsed, replayed
 * and their HBS followed by the fast path, and at every move compared with a slow one that shares nothing with it: a
 * flood-fill board, and HBS computed from the bare stones by its definition in GMP. */
#include "kifumill/archive_reader.h"
#include "kifumill/hbs_trajectory.h"
#include "kifumill/sgf.h"
#include "slow_board.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

enum { GAMES_A_SOURCE = 25 };

static const char *const sources[] = {"human-kgs.tar.zst", "human-fox.tar.zst",   "human-pro.tar.zst",   "human-tom.tar.zst",
                                      "ai-winrate.tar.gz", "odd-sizes.tar.bz2",   "odd-encoding.7z",     "human-sample.zip"};

static const char *corpus_folder(void) {
  const char *folder = getenv("KM_CORPUS");
  return folder ? folder : "../shared/corpus";
}

static void assert_same_position(const slow_board *slow, const km_board *board, const km_hbs *hbs, km_hbs_variant variant) {
  unsigned n = board->rows;
  km_hbs_value s, layers[KM_HBS_RINGS_MAX + 1];
  km_err err = {0};
  for (unsigned p = 0; p < n * n; p++)
    assert_int_equal(slow->stone[p], km_board_stone(board, (uint16_t)p));
  assert_int_equal(km_hbs_of_board(&s, layers, slow->stone, n, variant, &err), KM_OK);
  km_hbs_value fast = km_hbs_s(hbs);
  assert_memory_equal(&s, &fast, sizeof s);
  for (unsigned k = 0; k < km_hbs_n_layers(n, variant); k++) {
    km_hbs_value layer = km_hbs_layer(hbs, k);
    assert_memory_equal(&layers[k], &layer, sizeof layer);
  }
}

/* Both paths along one game; returns the number of positions compared. */
static unsigned compare_game(const km_game *game, km_hbs_variant variant) {
  static km_replay replay;
  static km_hbs_geometry geometry;
  static km_hbs hbs;
  static slow_board slow;
  km_replay_options options = {.mode = KM_REPLAY_STRICT};
  if (km_hbs_geometry_init(&geometry, game->rows, game->cols, variant, NULL) != KM_OK)
    return 0; /* a rectangle */
  slow_init(&slow, game->rows, game->cols);
  km_replay_init(&replay, game, &options);
  km_hbs_init(&hbs, &geometry);
  km_hbs_load(&hbs, &replay.board);
  unsigned n = 0;
  uint32_t next_setup = 0;
  for (;;) {
    for (; next_setup < game->n_setup && game->setup[next_setup].ply <= replay.ply; next_setup++)
      slow_setup(&slow, game->setup[next_setup].colour, game->setup[next_setup].point);
    assert_same_position(&slow, &replay.board, &hbs, variant);
    n++;
    if (km_replay_step(&replay) != KM_OK)
      return n;
    km_hbs_follow(&hbs, &replay);
    const km_move *move = &game->moves[replay.ply - 1];
    slow_play(&slow, move->colour, move->point);
  }
}

/* The first GAMES_A_SOURCE games of an archive, after skipping some so that sources differ in kind of game. */
static unsigned compare_source(const char *path, km_hbs_variant variant, unsigned *n_games) {
  km_inputs *inputs;
  km_archive_reader *reader;
  km_arena arena;
  km_err err = {0};
  unsigned n_positions = 0, n = 0;
  if (km_inputs_open(&inputs, &path, 1, NULL, &err) != KM_OK)
    fail_msg("%s", err.msg);
  assert_int_equal(km_archive_open(&reader, inputs, 0, &err), KM_OK);
  km_arena_init(&arena);
  km_entry entry;
  for (unsigned i = 0; n < GAMES_A_SOURCE && km_archive_next(reader, &entry, &err) == KM_OK; i++) {
    if (!entry.bytes || i % 7)
      continue;
    km_arena_reset(&arena);
    km_sgf_reader *sgf;
    km_sgf_record record;
    assert_int_equal(km_sgf_open(&sgf, entry.bytes, entry.n_bytes, NULL, &arena, &err), KM_OK);
    if (km_sgf_next(sgf, &record, &err) != KM_OK || record.refused != KM_REASON_NONE)
      continue;
    n_positions += compare_game(&record.game, variant);
    n++;
  }
  km_archive_close(reader);
  km_inputs_free(inputs);
  km_arena_clear(&arena);
  *n_games += n;
  return n_positions;
}

static void test_two_hundred_real_games(void **state) {
  (void)state;
  if (access(corpus_folder(), R_OK)) {
    print_message("skipped: no corpus at %s (set KM_CORPUS)\n", corpus_folder());
    skip();
  }
  static const char *const variants[] = {"default", "canon-desc-value", "white", "fixed-asc-edge"};
  unsigned n_games = 0, n_positions = 0;
  for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
    char path[512];
    km_hbs_variant variant;
    assert_int_equal(km_hbs_variant_parse(&variant, variants[i % 4], NULL), KM_OK);
    snprintf(path, sizeof path, "%s/%s", corpus_folder(), sources[i]);
    n_positions += compare_source(path, variant, &n_games);
  }
  print_message("%u games, %u positions compared\n", n_games, n_positions);
  assert_true(n_games >= 200);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_two_hundred_real_games)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
