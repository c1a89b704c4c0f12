/* test_real_ingest.c: real archives, where the corpus is (KM_CORPUS, or ../shared/corpus): every record is accounted
 * for, and the win-rates found in records agree with their results. The counts are those of scripts that share nothing
 * with the reader, or were looked at one by one. */
#include "ingest_stage.h"

#include "kifumill/games_store.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static char folder[] = "/tmp/km-real-XXXXXX";
static char games_path[64], ledger_path[64];

static const char *corpus_folder(void) {
  const char *path = getenv("KM_CORPUS");
  return path ? path : "../shared/corpus";
}

static km_stage_outcome ingest(const char *archive) {
  char path[512];
  const char *inputs[] = {path};
  km_ingest_options options;
  km_stage_outcome outcome = {0};
  km_err err = {0};
  snprintf(path, sizeof path, "%s/%s", corpus_folder(), archive);
  if (access(path, R_OK) != 0) {
    print_message("skipped: no %s (set KM_CORPUS)\n", path);
    skip();
  }
  km_ingest_stage.defaults(&options);
  options.run.inputs = inputs;
  options.run.n_inputs = 1;
  options.run.output = games_path;
  options.run.force = 1;
  options.run.messages = NULL;
  options.run.command = "kifu-ingest";
  options.run.config_text = "";
  options.dedup = KM_DEDUP_OFF;
  if (km_ingest_run(&options, &outcome, &err) != KM_OK)
    fail_msg("%s", err.msg);
  return outcome;
}

/* Lines of the ledger that begin so. */
static unsigned n_lines(const char *begin) {
  char *line = NULL;
  size_t room = 0;
  unsigned n = 0;
  FILE *file = fopen(ledger_path, "r");
  assert_non_null(file);
  while (getline(&line, &room, file) > 0)
    n += strncmp(line, begin, strlen(begin)) == 0;
  free(line);
  fclose(file);
  return n;
}

static void test_every_record_has_its_place(void **state) {
  (void)state;
  static const struct {
    const char *archive;
    unsigned n_records, n_refused;
    struct {
      const char *begin;
      unsigned n;
    } lines[3];
  } archives[] = {
      {"human-sample.zip", 2000, 0, {{"repaired\tinvalid_utf8\t", 295}, {"repaired\tsame_colour\t", 10}}},
      {"odd-sizes.tar.bz2", 1884, 193, {{"refused\tno_moves\t", 190}, {"refused\tnot_go\t", 3}, {"cut\tafter_end\t", 97}}},
      {"odd-encoding.7z", 823, 286, {{"refused\tnot_go\t", 250}, {"refused\tno_moves\t", 36}, {"input\tnot_sgf\t", 13}}},
  };
  for (size_t i = 0; i < sizeof archives / sizeof *archives; i++) {
    km_stage_outcome o = ingest(archives[i].archive);
    unsigned n_refused = n_lines("refused\t");
    print_message("%s: %llu records, %llu games, %u refused\n", archives[i].archive, (unsigned long long)o.n_records,
                  (unsigned long long)o.n_games, n_refused);
    assert_int_equal(o.n_records, archives[i].n_records);
    assert_int_equal(n_refused, archives[i].n_refused);
    assert_int_equal(o.n_records, o.n_games + n_refused);
    for (int k = 0; k < 3 && archives[i].lines[k].begin; k++)
      assert_int_equal(n_lines(archives[i].lines[k].begin), archives[i].lines[k].n);
  }
}

/* Of the games with a winner: how many end with a win-rate in one form, and in how many it names the winner. */
typedef struct agreement {
  unsigned n, n_agree;
} agreement;

static void test_win_rates_agree_with_results(void **state) {
  (void)state;
  static const char *const names[] = {"", "KataGo's training", "adversary match", "SBKV", "Lizzie"};
  agreement of[5] = {{0, 0}};
  unsigned n_with = 0;
  km_games *games;
  km_err err = {0};
  km_arena arena;
  km_stage_outcome o = ingest("ai-winrate.tar.gz");
  assert_int_equal(o.n_games, 1403);
  assert_int_equal(km_games_open(&games, games_path, &err), KM_OK);
  km_arena_init(&arena);
  for (uint64_t i = 0; i < km_games_count(games); i++) {
    km_game game;
    km_arena_reset(&arena);
    assert_int_equal(km_games_game(games, i, &arena, &game, &err), KM_OK);
    n_with += game.n_evals > 0;
    if (!game.n_evals || (game.winner != KM_WINNER_BLACK && game.winner != KM_WINNER_WHITE))
      continue;
    const km_eval *last = &game.evals[game.n_evals - 1];
    of[last->source].n++;
    of[last->source].n_agree += (last->black_win > 0.5f) == (game.winner == KM_WINNER_BLACK);
  }
  km_arena_clear(&arena);
  km_games_close(games);
  for (int s = 1; s < 5; s++)
    print_message("%s: the last of %u games' win-rates names the winner in %u\n", names[s], of[s].n, of[s].n_agree);
  assert_int_equal(n_with, 1403);
  assert_int_equal(of[KM_EVAL_KATAGO_TRAINING].n, 179);
  assert_int_equal(of[KM_EVAL_KATAGO_TRAINING].n_agree, 172); /* 4 of random play, 3 that the loser judged */
  assert_int_equal(of[KM_EVAL_ADVERSARY].n, 1099);
  assert_int_equal(of[KM_EVAL_ADVERSARY].n_agree, 1098);
  assert_int_equal(of[KM_EVAL_SBKV].n, 3);
  assert_int_equal(of[KM_EVAL_SBKV].n_agree, 3);
}

static int make_folder(void **state) {
  (void)state;
  if (!mkdtemp(folder))
    return -1;
  snprintf(games_path, sizeof games_path, "%s/games.h5", folder);
  snprintf(ledger_path, sizeof ledger_path, "%s/games.ledger.tsv", folder);
  return 0;
}
static int remove_folder(void **state) {
  (void)state;
  char command[64];
  snprintf(command, sizeof command, "rm -rf %s", folder);
  return system(command);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_record_has_its_place),
      cmocka_unit_test(test_win_rates_agree_with_results),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
