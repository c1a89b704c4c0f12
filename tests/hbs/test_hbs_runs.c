/* test_hbs_runs.c: what is derived of runs against the same ply by ply, over random boards of 1×1 to 37×37
 * and games of one position and more; with moves that change nothing, change two layers, or empty the board.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kifumill/hash.h"
#include "kifumill/hbs_runs.h"

enum { SEED = 5150, LENGTH_MAX = 160, LIMBS = KM_HBS_LIMBS_MAX, LAYERS = KM_HBS_RINGS_MAX + 1, M_MAX = 400 };

/* A series both ways. */
typedef struct game {
  km_hbs_geometry geometry;
  km_hbs hbs;
  size_t n;
  uint64_t s[LENGTH_MAX * LIMBS], layer[LENGTH_MAX * LIMBS * LAYERS];
  km_hbs_runs runs[1 + LAYERS]; /* S, layers */
  uint32_t ply[1 + LAYERS][LENGTH_MAX];
  uint64_t value[1 + LAYERS][LENGTH_MAX * LIMBS];
} game;

static void record(game *g, size_t ply) {
  km_hbs_record(&g->hbs, (km_hbs_series){g->s, g->layer}, ply);
  km_hbs_runs_record(&g->runs[0], &g->runs[1], &g->hbs, (uint32_t)ply);
}

/* One move: of the other colour, a stone, a capture, or set-up that leaves another board. */
static void move(game *g, uint64_t bits) {
  unsigned n_points = (unsigned)g->geometry.n * g->geometry.n;
  uint16_t points[4];
  for (unsigned i = 0; i < 4; i++)
    points[i] = (uint16_t)(km_mix64(bits + i) % n_points);
  if (bits % 31 == 0)
    km_hbs_init(&g->hbs, &g->geometry);
  if (bits % 3 == 0)
    km_hbs_set(&g->hbs, points[0], KM_BLACK);
  if (bits % 11 == 0)
    km_hbs_set_many(&g->hbs, points, 4, bits % 2 ? KM_EMPTY : KM_BLACK);
}

static game *make_game(unsigned size, uint64_t i) {
  game *g = calloc(1, sizeof *g);
  assert_non_null(g);
  km_hbs_variant variant = {.centre = size % 2 ? KM_HBS_CENTRE15 : KM_HBS_NO_CENTRE,
                            .direction = i % 2 ? KM_HBS_CANON : KM_HBS_CW};
  assert_int_equal(km_hbs_geometry_init(&g->geometry, size, size, variant, NULL), KM_OK);
  g->n = i < 3 ? i + 1 : 1 + km_mix64(SEED + i) % LENGTH_MAX;
  for (size_t k = 0; k <= LAYERS; k++)
    g->runs[k] = (km_hbs_runs){99, g->ply[k], g->value[k]}; /* of another game */
  km_hbs_init(&g->hbs, &g->geometry);
  km_hbs_set(&g->hbs, 0, KM_BLACK); /* a handicap stone */
  record(g, 0);
  for (size_t t = 1; t < g->n; t++) {
    move(g, km_mix64(SEED * i + 1000 * size + t));
    record(g, t);
  }
  return g;
}

/* A series of n values is that of its runs, of which no two neighbours are equal. */
static void assert_series(const km_hbs_runs *runs, const uint64_t *series, size_t stride, size_t n,
                          unsigned n_limbs) {
  assert_true(runs->n >= 1 && runs->n <= n && runs->ply[0] == 0);
  for (size_t i = 0, t = 0; i < runs->n; i++) {
    size_t end = i + 1 < runs->n ? runs->ply[i + 1] : n;
    assert_true(t < end);
    for (; t < end; t++)
      assert_memory_equal(series + t * stride, runs->value + i * n_limbs, n_limbs * sizeof *series);
  }
}
typedef void (*check)(game *g, uint64_t i);
static void for_all_games(check run) {
  print_message("seed %d\n", SEED);
  for (unsigned size = 1; size <= 37; size++)
    for (uint64_t i = 0; i < 12; i++) {
      game *g = make_game(size, i);
      run(g, i);
      free(g);
    }
}

static void check_recorded(game *g, uint64_t i) {
  (void)i;
  unsigned n_limbs = g->geometry.n_limbs, row = n_limbs * g->geometry.n_layers;
  assert_series(&g->runs[0], g->s, n_limbs, g->n, n_limbs);
  for (unsigned k = 0; k < g->geometry.n_layers; k++)
    assert_series(&g->runs[1 + k], g->layer + k * n_limbs, row, g->n, n_limbs);
  for (size_t k = 1; k < g->runs[0].n; k++)
    assert_memory_not_equal(g->runs[0].value + k * n_limbs, g->runs[0].value + (k - 1) * n_limbs,
                            n_limbs * sizeof(uint64_t));
}
static void runs_are_the_series(void **state) {
  (void)state;
  for_all_games(check_recorded);
}

static void check_differences(game *g, uint64_t i) {
  static uint64_t expected[LENGTH_MAX * LIMBS], value[2 * LENGTH_MAX * LIMBS];
  static uint32_t ply[2 * LENGTH_MAX];
  unsigned n_limbs = g->geometry.n_limbs;
  km_hbs_runs out = {0, ply, value};
  static const size_t windows[] = {1, 2, 3, 10, 200};
  size_t w = windows[i % 5];
  km_hbs_delta_clip(expected, g->s, g->n, n_limbs, w);
  km_hbs_runs_delta(&out, &g->runs[0], n_limbs, g->n, w);
  assert_series(&out, expected, n_limbs, g->n, n_limbs);
}
static void differences(void **state) {
  (void)state;
  for_all_games(check_differences);
}

static void check_fractions(game *g, uint64_t i) {
  static const uint32_t Ms[] = {1, 2, 7, 100, 159, M_MAX};
  double every[LENGTH_MAX], expanded[LENGTH_MAX], log2[LENGTH_MAX], expected[M_MAX + 1], value[M_MAX + 1];
  uint32_t first[LENGTH_MAX], place[M_MAX + 1], M = Ms[i % 6];
  km_hbs_fraction at[M_MAX + 1];
  unsigned n_limbs = g->geometry.n_limbs;
  km_hbs_log2_series(every, g->s, g->n, n_limbs);
  km_hbs_runs_log2(log2, &g->runs[0], n_limbs);
  km_hbs_runs_expand(expanded, g->runs[0].ply, log2, g->runs[0].n, g->n);
  assert_memory_equal(every, expanded, g->n * sizeof *every);
  for (int align = KM_HBS_LINEAR; align <= KM_HBS_NEAREST; align++) {
    km_hbs_runs_double out = {0, place, value};
    km_hbs_fractions(at, g->n, M, (km_hbs_align)align);
    km_hbs_runs_first(first, g->n, at, M);
    km_hbs_at_fractions_double(expected, every, at, M);
    km_hbs_runs_at_fractions(&out, &g->runs[0], log2, at, first, M);
    assert_true(out.n >= 1 && out.n <= M + 1 && place[0] == 0);
    for (size_t k = 0, j = 0; k < out.n; k++)
      for (size_t end = k + 1 < out.n ? place[k + 1] : M + 1; j < end; j++)
        assert_memory_equal(&expected[j], &value[k], sizeof *value);
  }
}
static void logarithms_and_fractions(void **state) {
  (void)state;
  for_all_games(check_fractions);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(runs_are_the_series),
      cmocka_unit_test(differences),
      cmocka_unit_test(logarithms_and_fractions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
