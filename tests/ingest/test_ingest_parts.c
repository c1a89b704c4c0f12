/* test_ingest_parts.c: filters, choice among copies, ledger lines. */
#include "dedup.h"
#include "ingest_filter.h"
#include "ledger.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static km_game sample_game(void) {
  km_game game = {.rows = 19, .cols = 19, .handicap = 0, .winner = KM_WINNER_BLACK, .ending = KM_ENDING_SCORE, .margin = 2.5f,
                  .komi = 6.5f, .black_rank = {7, 'd'}, .white_rank = {1, 'p'}, .date = {1995, 6, 0, 2}, .n_moves = 200};
  return game;
}

/* The option that a game fails, "" for none, "usage" when the texts are wrong. */
static const char *failed(km_filter_texts texts, km_filter_result result, const km_game *game) {
  km_filter filter = {.result = (int)result, .min_moves = 1, .max_moves = 1000};
  km_err err = {0};
  if (km_filter_parse(&filter, &texts, &err) != KM_OK)
    return "usage";
  const char *option = km_filter_test(&filter, game);
  return option ? option : "";
}

static void test_filters(void **state) {
  (void)state;
  km_game game = sample_game();
#define FAILED(...) failed((km_filter_texts){__VA_ARGS__}, KM_FILTER_RESULT_ANY, &game)
  assert_string_equal(FAILED(.sizes = "9,19"), "");
  assert_string_equal(FAILED(.sizes = "13x19"), "size");
  assert_string_equal(FAILED(.sizes = "19x"), "usage");
  assert_string_equal(FAILED(.sizes = "0"), "usage");
  assert_string_equal(FAILED(.min_rank = "7d"), "");
  assert_string_equal(FAILED(.min_rank = "8d"), "min-rank");
  assert_string_equal(FAILED(.min_rank = "strong"), "usage");
  assert_string_equal(FAILED(.handicap = "0"), "");
  assert_string_equal(FAILED(.handicap = "2..9"), "handicap");
  assert_string_equal(FAILED(.handicap = "9..2"), "usage");
  assert_string_equal(FAILED(.komi = "5.5..7.5"), "");
  assert_string_equal(FAILED(.komi = "7.."), "komi");
  /* June 1995 without a day: in as long as it may be */
  assert_string_equal(FAILED(.since = "1995-06-20"), "");
  assert_string_equal(FAILED(.since = "1995-07"), "since");
  assert_string_equal(FAILED(.until = "1995-06-01"), "");
  assert_string_equal(FAILED(.until = "1995-05-31"), "until");
  assert_string_equal(FAILED(.until = "1995"), "");
  assert_string_equal(FAILED(.since = "June"), "usage");
  game.date.precision = 0;
  assert_string_equal(FAILED(.since = "1900"), "since");
  game.komi = NAN;
  assert_string_equal(FAILED(.komi = "..100"), "komi");
#undef FAILED
  game.winner = KM_WINNER_UNKNOWN;
  assert_string_equal(failed((km_filter_texts){0}, KM_FILTER_RESULT_KNOWN, &game), "result");
  game.winner = KM_WINNER_DRAW;
  assert_string_equal(failed((km_filter_texts){0}, KM_FILTER_RESULT_KNOWN, &game), "");
  assert_string_equal(failed((km_filter_texts){0}, KM_FILTER_RESULT_DECIDED, &game), "result");
  assert_string_equal(failed((km_filter_texts){0}, KM_FILTER_RESULT_RESIGN, &game), "result");
}

static int by_index(void *ctx, uint64_t a, uint64_t b) {
  const int *rank = ctx; /* place of each game in the order of names */
  return rank[a] - rank[b];
}

/* The copy kept of five, whatever the order in which they come. */
static void test_kept_copy_does_not_depend_on_order(void **state) {
  (void)state;
  enum { N = 5 };
  const uint32_t quality[N] = {10, 30, 30, 30, 20};
  const uint64_t content[N] = {1, 9, 5, 5, 0};
  int rank[N] = {0, 1, 3, 2, 4};
  for (unsigned seed = 0; seed < 200; seed++) {
    unsigned order[N] = {0, 1, 2, 3, 4};
    for (unsigned i = N; i > 1; i--) {
      unsigned k = (unsigned)km_random_below(km_random(seed, i, 0, KM_PURPOSE_SHUFFLE), i), t = order[i - 1];
      order[i - 1] = order[k];
      order[k] = t;
    }
    km_dedup *dedup = km_dedup_new(by_index, rank);
    unsigned n_lost = 0;
    for (unsigned i = 0; i < N; i++) {
      uint64_t loser;
      km_dedup_copy copy = {{7, 7}, order[i], content[order[i]], quality[order[i]]};
      assert_int_equal(km_dedup_add(dedup, &copy, &loser, NULL), KM_OK);
      n_lost += loser != UINT64_MAX;
    }
    assert_int_equal(n_lost, N - 1);
    assert_int_equal(km_dedup_kept(dedup, (km_hash128){7, 7}), 3);
    km_dedup_free(dedup);
  }
}

static void test_half_a_million_games_need_little_memory(void **state) {
  (void)state;
  km_dedup *dedup = km_dedup_new(by_index, NULL);
  for (uint64_t i = 0; i < 500000; i++) {
    uint64_t loser;
    km_dedup_copy copy = {{km_mix64(i), km_mix64(~i)}, i, 0, 0};
    assert_int_equal(km_dedup_add(dedup, &copy, &loser, NULL), KM_OK);
    assert_true(loser == UINT64_MAX);
  }
  assert_true(km_dedup_bytes(dedup) < 200u << 20);
  for (uint64_t i = 0; i < 500000; i += 1000)
    assert_int_equal(km_dedup_kept(dedup, (km_hash128){km_mix64(i), km_mix64(~i)}), i);
  assert_true(km_dedup_kept(dedup, (km_hash128){1, 1}) == UINT64_MAX);
  km_dedup_free(dedup);
}

static void test_ledger_lines_are_whole(void **state) {
  (void)state;
  char path[] = "/tmp/km-ledger-XXXXXX";
  close(mkstemp(path));
  km_ledger ledger;
  km_err err = {0};
  assert_int_equal(km_ledger_open(&ledger, path, 1, &err), KM_OK);
  km_place place = {"a\tb", "c\nd\\e", 3};
  assert_int_equal(km_ledger_add(&ledger, &place, &(km_finding){KM_REASON_STRAY_BYTE, 17, "x\ry"}, &err), KM_OK);
  assert_int_equal(km_ledger_add(&ledger, &place, &(km_finding){KM_REASON_NO_MOVES, 0, NULL}, &err), KM_OK);
  assert_int_equal(km_ledger_finish(&ledger, &err), KM_OK);
  assert_int_equal(ledger.counts[KM_REASON_NO_MOVES], 1);
  char text[512] = "";
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  text[fread(text, 1, sizeof text - 1, file)] = 0;
  fclose(file);
  unlink(path);
  assert_string_equal(text, "kind\tcode\tsource\tentry\tgame\tbyte\tdetail\n"
                            "repaired\tstray_byte\ta\\tb\tc\\nd\\\\e\t3\t17\tx\\ry\n"
                            "refused\tno_moves\ta\\tb\tc\\nd\\\\e\t3\t0\t\n");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_filters),
      cmocka_unit_test(test_kept_copy_does_not_depend_on_order),
      cmocka_unit_test(test_half_a_million_games_need_little_memory),
      cmocka_unit_test(test_ledger_lines_are_whole),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
