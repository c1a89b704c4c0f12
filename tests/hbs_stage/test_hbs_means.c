/* test_hbs_means.c: /mean and hbs.summary.json against sums by GMP integers over the trajectories of the same
 * file: every curve, every quantity, every place. */
#include "stage_fixture.h"

#include "hbs_curves.h"
#include "hbs_stage.h"

#include "kifumill/hbs_store.h"
#include "kifumill/table.h"

#include <gmp.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SUM = 6, SQUARE = 11, WINDOW = 7, FRACTIONS = 30 };

/* Everything of a file, read at once. */
typedef struct means {
  km_h5 *file;
  uint64_t n_curves, n_values;
  uint8_t *colour, *size, *by_fraction, *by, *quantity, *layer;
  uint32_t *stratum, *first_place, *n_rows;
  uint64_t *n_games, *denominator, *first_row;
  uint64_t *n, *sum, *square;
  double *mean, *deviation, *error, *q1, *median, *q3;
  uint8_t *heap;
  uint64_t *names;
} means;

static void *column(km_h5 *file, const char *name, km_type type, uint32_t width, uint64_t *n_rows) {
  km_column c = {.name = name, .type = type, .inner_rank = width > 1, .inner = {width}};
  void *rows = NULL;
  uint64_t n = 0;
  km_err err = {0};
  if (km_h5_read_all(file, &c, (size_t)1 << 30, &rows, &n, &err) != KM_OK)
    fail_msg("%s", err.msg);
  if (n_rows)
    *n_rows = n;
  return rows;
}

static void open_means(means *m, const char *path) {
  km_err err = {0};
  if (km_h5_open(&m->file, path, KM_HBS_FORMAT, &err) != KM_OK)
    fail_msg("%s", err.msg);
#define CURVE(field, type) m->field = column(m->file, "/mean/curve/" #field, type, 1, &m->n_curves)
  CURVE(colour, KM_U8);
  CURVE(size, KM_U8);
  CURVE(by_fraction, KM_U8);
  CURVE(by, KM_U8);
  CURVE(quantity, KM_U8);
  CURVE(layer, KM_U8);
  CURVE(stratum, KM_U32);
  CURVE(first_place, KM_U32);
  CURVE(n_rows, KM_U32);
  CURVE(n_games, KM_U64);
  CURVE(denominator, KM_U64);
  CURVE(first_row, KM_U64);
#undef CURVE
#define VALUE(field, type, width) m->field = column(m->file, "/mean/value/" #field, type, width, &m->n_values)
  VALUE(n, KM_U64, 1);
  VALUE(sum, KM_U64, SUM);
  VALUE(square, KM_U64, SQUARE);
  VALUE(mean, KM_F64, 1);
  VALUE(deviation, KM_F64, 1);
  VALUE(error, KM_F64, 1);
  VALUE(q1, KM_F64, 1);
  VALUE(median, KM_F64, 1);
  VALUE(q3, KM_F64, 1);
#undef VALUE
  m->heap = column(m->file, "/mean/text/heap", KM_U8, 1, NULL);
  m->names = column(m->file, "/mean/text/offset", KM_U64, 1, NULL);
}

static void close_means(means *m) {
  void *all[] = {m->colour,    m->size,        m->by_fraction, m->by,      m->quantity,    m->layer,
                 m->stratum,   m->first_place, m->n_rows,      m->n_games, m->denominator, m->n,
                 m->first_row, m->sum,         m->square,      m->mean,    m->error,       m->deviation,
                 m->q1,        m->heap,        m->median,      m->names,   m->q3};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    free(all[i]);
  km_h5_close(m->file);
}

static void stratum_name(const means *m, uint64_t curve, char name[256]) {
  uint64_t from = m->names[m->stratum[curve]], to = m->names[m->stratum[curve] + 1];
  snprintf(name, 256, "%.*s", (int)(to - from), (const char *)m->heap + from);
}

/* Two's complement limbs as an integer. */
static void import(mpz_t z, const uint64_t *limbs, size_t n) {
  mpz_import(z, n, -1, 8, 0, 0, limbs);
  if (limbs[n - 1] >> 63) {
    mpz_t modulus;
    mpz_init_set_ui(modulus, 1);
    mpz_mul_2exp(modulus, modulus, 64 * n);
    mpz_sub(z, z, modulus);
    mpz_clear(modulus);
  }
}

/* One game as the test sees it. */
typedef struct game_series {
  km_hbs_store_series series; /* its own copies */
  char result[16], length[24];
  uint8_t size;
} game_series;

typedef struct corpus {
  game_series *games;
  uint64_t n;
  unsigned n_layers; /* columns of the file */
} corpus;

static void *copy_of(const void *from, size_t n_bytes) {
  void *to = malloc(n_bytes);
  assert_non_null(to);
  return memcpy(to, from, n_bytes);
}

static void open_corpus(corpus *c, const char *hbs_path, const char *games_path, unsigned colour) {
  km_hbs_store *hbs;
  km_games *games;
  assert_int_equal(km_hbs_store_open(&hbs, hbs_path, NULL), KM_OK);
  assert_int_equal(km_games_open(&games, games_path, NULL), KM_OK);
  km_hbs_store_cursor *cursor = km_hbs_store_cursor_new(hbs);
  c->n = km_games_count(games);
  c->games = calloc(c->n, sizeof *c->games);
  c->n_layers = km_hbs_store_schema(hbs)->shape.n_layers;
  for (uint64_t i = 0; i < c->n; i++) {
    game_series *g = &c->games[i];
    km_game info;
    assert_int_equal(km_games_info(games, i, &info, NULL), KM_OK);
    assert_int_equal(km_hbs_store_game(cursor, &(km_hbs_store_what){i, colour, 1}, &g->series, NULL), KM_OK);
    g->series.s = copy_of(g->series.s, g->series.n * 16);
    g->series.log2 = copy_of(g->series.log2, g->series.n * 8);
    g->series.layers = copy_of(g->series.layers, g->series.n * 16 * c->n_layers);
    g->size = info.rows;
    snprintf(g->result, sizeof g->result, "%s",
             info.winner == 1    ? "black"
             : info.winner == -1 ? "white"
                                 : "unknown");
    snprintf(g->length, sizeof g->length, "%u-%u", info.n_moves / 50 * 50, info.n_moves / 50 * 50 + 49);
  }
  km_hbs_store_cursor_free(cursor);
  km_hbs_store_close(hbs);
  km_games_close(games);
}

static void close_corpus(corpus *c) {
  for (uint64_t i = 0; i < c->n; i++) {
    free((void *)(uintptr_t)c->games[i].series.s);
    free((void *)(uintptr_t)c->games[i].series.log2);
    free((void *)(uintptr_t)c->games[i].series.layers);
  }
  free(c->games);
}

/* The exact value of a game at ply t, as sums count it; doubles times 2^52. */
static void value_at_ply(mpz_t z, const corpus *c, const game_series *g, const means *m, uint64_t curve,
                         uint64_t t) {
  const uint64_t *s = g->series.s;
  unsigned side = m->layer[curve], k = (g->size - side) / 2;
  mpz_t other;
  mpz_init(other);
  switch ((km_quantity)m->quantity[curve]) {
  case KM_OF_S:
    import(z, s + 2 * t, 2);
    break;
  case KM_OF_LOG2:
    mpz_set_d(z, g->series.log2[t] * 0x1p52);
    break;
  case KM_OF_DELTA:
    import(z, s + 2 * t, 2);
    import(other, s + 2 * (t - WINDOW), 2);
    mpz_sub(z, z, other);
    break;
  case KM_OF_D1:
    import(z, s + 2 * t, 2);
    import(other, s + 2 * (t - 1), 2);
    mpz_sub(z, z, other);
    break;
  case KM_OF_D2:
    import(z, s + 2 * t, 2);
    import(other, s + 2 * (t - 1), 2);
    mpz_submul_ui(z, other, 2);
    import(other, s + 2 * (t - 2), 2);
    mpz_add(z, z, other);
    break;
  case KM_OF_LAYER:
    import(z, g->series.layers + (t * c->n_layers + k) * 2, 2);
    break;
  default:
    mpz_set_d(z, km_hbs_log2(g->series.layers + (t * c->n_layers + k) * 2, 2) * 0x1p52);
  }
  mpz_clear(other);
}

/* Linear between plies, over the denominator FRACTIONS; exact for S only. */
static void value_at_fraction(mpz_t z, const game_series *g, uint64_t j) {
  uint64_t T = g->series.n - 1, q = j * T / FRACTIONS, r = j * T % FRACTIONS;
  mpz_t next;
  mpz_init(next);
  import(z, g->series.s + 2 * q, 2);
  if (r)
    import(next, g->series.s + 2 * (q + 1), 2);
  mpz_mul_ui(z, z, FRACTIONS - r);
  mpz_addmul_ui(z, next, r);
  mpz_clear(next);
}

static int belongs(const game_series *g, const means *m, uint64_t curve, const char *name) {
  if (g->size != m->size[curve])
    return 0;
  if (m->by[curve] == KM_BY_RESULT)
    return !strcmp(name, "all") || !strcmp(name, g->result);
  return !strcmp(name, g->length);
}

static void check_place(const corpus *c, const means *m, uint64_t curve, uint64_t place, const char *name) {
  uint64_t row = m->first_row[curve] + place - m->first_place[curve], n = 0;
  mpz_t sum, square, z;
  mpz_inits(sum, square, z, NULL);
  for (uint64_t i = 0; i < c->n; i++) {
    const game_series *g = &c->games[i];
    if (!belongs(g, m, curve, name) || (!m->by_fraction[curve] && place >= g->series.n))
      continue;
    if (m->by_fraction[curve])
      value_at_fraction(z, g, place);
    else
      value_at_ply(z, c, g, m, curve, place);
    mpz_add(sum, sum, z);
    mpz_addmul(square, z, z);
    n++;
  }
  assert_int_equal(m->n[row], n);
  import(z, m->sum + row * SUM, SUM);
  assert_int_equal(mpz_cmp(z, sum), 0);
  import(z, m->square + row * SQUARE, SQUARE);
  assert_int_equal(mpz_cmp(z, square), 0);
  double mean = mpz_get_d(sum) / (double)n / (double)m->denominator[curve];
  assert_true(fabs(m->mean[row] - mean) <= 1e-14 * fabs(mean));
  mpz_clears(sum, square, z, NULL);
}

static km_hbs_options *means_options(const char *output, const char *games) {
  km_hbs_options *o = stage_options(&km_hbs_stage, output, games, NULL);
  o->layers = 1;
  o->by = "length";
  o->strata = 1000;
  o->window = WINDOW;
  o->fractions = FRACTIONS;
  return o;
}

static void sums_are_exact(void **state) {
  (void)state;
  km_hbs_options *o = means_options(scratch("m.hbs.h5"), bundled_games());
  run_stage(&km_hbs_stage, o);
  means m = {0};
  corpus c = {0};
  open_means(&m, scratch("m.hbs.h5"));
  open_corpus(&c, scratch("m.hbs.h5"), bundled_games(), 0);
  uint64_t n_checked = 0, of_quantity[KM_QUANTITIES] = {0};
  for (uint64_t curve = 0; curve < m.n_curves; curve++) {
    char name[256];
    stratum_name(&m, curve, name);
    if (m.by_fraction[curve] && m.quantity[curve] != KM_OF_S)
      continue; /* doubles between doubles are rounded */
    for (uint64_t i = 0; i < m.n_rows[curve];
         i += m.by[curve] == KM_BY_RESULT && strcmp(name, "all") ? 37 : 5, n_checked++)
      check_place(&c, &m, curve, m.first_place[curve] + i, name);
    of_quantity[m.quantity[curve]]++;
  }
  for (int q = 0; q < KM_QUANTITIES; q++)
    assert_true(of_quantity[q] > 0);
  assert_true(n_checked > 1000);
  close_corpus(&c);
  close_means(&m);
  free(o);
}

/* The strata of a kind hold all games of a size between them, and "others" what is beyond the limit. */
static void strata_share_the_games(void **state) {
  (void)state;
  km_hbs_options *o = means_options(scratch("s.hbs.h5"), bundled_games());
  o->by = "length,komi,player";
  o->strata = 2;
  o->layers = 0;
  run_stage(&km_hbs_stage, o);
  means m = {0};
  open_means(&m, scratch("s.hbs.h5"));
  uint64_t whole[KM_BOARD_MAX + 1] = {0}, parts[KM_BY_COUNT][KM_BOARD_MAX + 1] = {{0}};
  unsigned n_others = 0;
  for (uint64_t curve = 0; curve < m.n_curves; curve++) {
    char name[256];
    stratum_name(&m, curve, name);
    if (m.quantity[curve] != KM_OF_LOG2 || m.by_fraction[curve])
      continue;
    if (m.by[curve] == KM_BY_RESULT && !strcmp(name, "all"))
      whole[m.size[curve]] = m.n_games[curve];
    else
      parts[m.by[curve]][m.size[curve]] += m.n_games[curve];
    n_others += !strcmp(name, "others");
  }
  for (unsigned size = 9; size <= 19; size += size == 9 ? 4 : 6)
    for (int by = 0; by < KM_BY_COUNT; by++)
      if (by == KM_BY_RESULT || by == KM_BY_LENGTH || by == KM_BY_KOMI || by == KM_BY_PLAYER)
        assert_int_equal(parts[by][size], whole[size]);
  assert_true(whole[19] > 200 && whole[13] == 60 && whole[9] > 100);
  assert_true(n_others > 0);
  close_means(&m);
  free(o);
}

static double at(const json_t *array, size_t i) {
  const json_t *value = json_array_get(array, i);
  return json_is_null(value) ? (double)NAN : json_number_value(value);
}

static void same_numbers(const json_t *array, const double *values, size_t skip, size_t n) {
  assert_int_equal(json_array_size(array), skip + n);
  for (size_t i = 0; i < skip + n; i++)
    if (i < skip || isnan(values[i - skip]))
      assert_true(isnan(at(array, i)));
    else
      assert_true(fabs(at(array, i) - values[i - skip]) <= 1e-11 * fabs(values[i - skip]));
}

/* The summary's numbers are those of /mean, rounded. */
static void summary_agrees(void **state) {
  (void)state;
  km_hbs_options *o = means_options(scratch("m.hbs.h5"), bundled_games());
  run_stage(&km_hbs_stage, o);
  means m = {0};
  open_means(&m, scratch("m.hbs.h5"));
  json_t *json = read_json(scratch("m.hbs.summary.json")), *curves = json_object_get(json, "curves"), *curve;
  size_t k, n_found = 0;
  json_array_foreach(curves, k, curve) {
    int by_fraction = !strcmp(json_string_value(json_object_get(curve, "align")), "fraction");
    const char *stratum = json_string_value(json_object_get(curve, "stratum"));
    const char *by = json_string_value(json_object_get(curve, "by"));
    assert_string_equal(!strcmp(by, "all") ? stratum : "all", "all");
    for (uint64_t i = 0; i < m.n_curves; i++) {
      char name[256];
      stratum_name(&m, i, name);
      if (m.size[i] != json_integer_value(json_object_get(curve, "size")) ||
          m.by_fraction[i] != by_fraction || strcmp(name, stratum) ||
          (m.by[i] == KM_BY_LENGTH) != !strcmp(by, "length"))
        continue;
      uint64_t row = m.first_row[i], n = m.n_rows[i];
      switch ((km_quantity)m.quantity[i]) {
      case KM_OF_LOG2:
        same_numbers(json_object_get(curve, "mean"), m.mean + row, 0, n);
        same_numbers(json_object_get(curve, "sd"), m.deviation + row, 0, n);
        same_numbers(json_object_get(curve, "se"), m.error + row, 0, n);
        same_numbers(json_object_get(curve, "median"), m.median + row, 0, n);
        n_found++;
        break;
      case KM_OF_DELTA:
        same_numbers(json_object_get(json_object_get(curve, "delta"), "mean"), m.mean + row,
                     n ? m.first_place[i] : 0, n);
        break;
      case KM_OF_LOG2_LAYER: {
        json_t *layer =
            json_array_get(json_object_get(curve, "layers"), (size_t)(m.size[i] - m.layer[i]) / 2);
        assert_int_equal(json_integer_value(json_object_get(layer, "side")), m.layer[i]);
        same_numbers(json_object_get(layer, "mean"), m.mean + row, 0, n);
        break;
      }
      default:
        break;
      }
    }
  }
  assert_int_equal(n_found, json_array_size(curves));
  json_decref(json);
  close_means(&m);
  free(o);
}

/* Differences of the mean logarithm, steps of S and first stones, counted over the games. */
static void counts_agree(void **state) {
  (void)state;
  km_hbs_options *o = means_options(scratch("m.hbs.h5"), bundled_games());
  run_stage(&km_hbs_stage, o);
  corpus c = {0};
  open_corpus(&c, scratch("m.hbs.h5"), bundled_games(), 0);
  json_t *json = read_json(scratch("m.hbs.summary.json")), *list = json_object_get(json, "curves"), *object;
  size_t k;
  json_array_foreach(list, k, object) {
    if (strcmp(json_string_value(json_object_get(object, "by")), "all") ||
        strcmp(json_string_value(json_object_get(object, "align")), "move"))
      continue;
    const json_t *d1 = json_object_get(object, "d1"), *d2 = json_object_get(object, "d2");
    for (size_t t = 2; t < json_array_size(d1); t += 11) {
      double sum = 0, n = 0;
      for (uint64_t i = 0; i < c.n; i++)
        if (c.games[i].size == json_integer_value(json_object_get(object, "size")) &&
            t < c.games[i].series.n) {
          sum += c.games[i].series.log2[t] - c.games[i].series.log2[t - 1];
          n++;
        }
      assert_float_equal(at(d1, t), sum / n, 1e-9);
      assert_float_equal(at(d2, t), at(d1, t) - at(d1, t - 1), 1e-9);
    }
  }
  list = json_object_get(json, "steps");
  json_array_foreach(list, k, object) {
    uint64_t rising = 0, falling = 0, moves = 0;
    for (uint64_t i = 0; i < c.n; i++)
      for (uint64_t t = 1;
           c.games[i].size == json_integer_value(json_object_get(object, "size")) && t < c.games[i].series.n;
           t++, moves++) {
        const uint64_t *s = c.games[i].series.s + 2 * t;
        unsigned __int128 now = (unsigned __int128)s[1] << 64 | s[0],
                          before = (unsigned __int128)s[-1] << 64 | s[-2];
        rising += now > before;
        falling += now < before;
      }
    assert_int_equal(json_integer_value(json_object_get(object, "moves")), moves);
    assert_int_equal(json_integer_value(json_object_get(object, "rising")), rising);
    assert_int_equal(json_integer_value(json_object_get(object, "falling")), falling);
    assert_true(json_integer_value(json_object_get(object, "falling_without_capture")) > 0);
  }
  list = json_object_get(json, "first_stone");
  json_array_foreach(list, k, object) {
    const json_t *counts = json_object_get(object, "counts");
    uint64_t seen = (uint64_t)json_integer_value(json_object_get(object, "never"));
    unsigned side = (unsigned)json_integer_value(json_object_get(object, "side"));
    for (size_t t = 0; t < json_array_size(counts); t++) {
      uint64_t n = 0;
      for (uint64_t i = 0; i < c.n; i++) {
        const game_series *g = &c.games[i];
        const uint64_t *layer = g->series.layers + 2 * ((g->size - side) / 2);
        size_t first = 0;
        if (g->size != json_integer_value(json_object_get(object, "size")))
          continue;
        while (first < g->series.n && !(layer[first * 2 * c.n_layers] | layer[first * 2 * c.n_layers + 1]))
          first++;
        n += first == t && first < g->series.n;
      }
      assert_int_equal(json_integer_value(json_array_get(counts, t)), n);
      seen += n;
    }
    assert_int_equal(seen, json_integer_value(json_object_get(object, "games")));
  }
  json_decref(json);
  close_corpus(&c);
  free(o);
}

/* Held ends: every place has all games, and quartiles are left out. */
static void ends_held(void **state) {
  (void)state;
  km_hbs_options *o = means_options(scratch("h.hbs.h5"), bundled_games());
  o->ends = KM_MEAN_HOLD;
  o->align = KM_ALIGN_MOVE;
  o->by = NULL;
  run_stage(&km_hbs_stage, o);
  means m = {0};
  open_means(&m, scratch("h.hbs.h5"));
  for (uint64_t i = 0; i < m.n_curves; i++) {
    assert_int_equal(m.by_fraction[i], 0);
    for (uint64_t r = m.first_row[i]; r < m.first_row[i] + m.n_rows[i]; r++) {
      assert_int_equal(m.n[r], m.n_games[i]);
      assert_true(isnan(m.median[r]));
    }
  }
  close_means(&m);
  free(o);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sums_are_exact), cmocka_unit_test(strata_share_the_games),
      cmocka_unit_test(summary_agrees), cmocka_unit_test(counts_agree),
      cmocka_unit_test(ends_held),
  };
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
