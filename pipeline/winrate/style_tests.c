/* style_tests.c: index, permutation tests and map from the players' sums.
 *
 * A trajectory is Black's places and then White's, of one channel (log2) or of all layers; a place that fewer than five games of
 * the half reach is left out. */
#include "styles_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_GAMES = 5, LEAST_PLAYERS = 5 };

/* Index
 * ---------------------------------------------------------------------------------------------------------------- */

void km_styles_index(const km_styles *styles, unsigned index, km_style_index *out) {
  km_moments all = {0};
  double n_groups = 0, within = 0, squares = 0, between = 0;
  for (size_t i = 0; i < styles->n_players; i++) {
    const km_moments *m = &styles->players[i].index[index];
    km_moments_merge(&all, m);
    within += m->m2;
    squares += m->n * m->n;
    n_groups += m->n > 0;
  }
  for (size_t i = 0; i < styles->n_players; i++) {
    const km_moments *m = &styles->players[i].index[index];
    if (m->n > 0)
      between += m->n * (m->mean - all.mean) * (m->mean - all.mean);
  }
  *out = (km_style_index){all.n > 0 ? all.mean : NAN, NAN, NAN, NAN};
  if (!(n_groups > 1) || !(all.n > n_groups))
    return;
  double ms_within = within / (all.n - n_groups), ms_between = between / (n_groups - 1);
  double size = (all.n - squares / all.n) / (n_groups - 1), variance = fmax(0, (ms_between - ms_within) / size);
  out->sd_within = sqrt(ms_within);
  out->sd_between = sqrt(variance);
  if (variance + ms_within > 0)
    out->icc = variance / (variance + ms_within);
}

double km_styles_correlation(const km_styles *styles) {
  double n = 0, mean[2] = {0}, xx = 0, yy = 0, xy = 0;
  for (size_t i = 0; i < styles->n_players; i++) {
    const km_moments *m = styles->players[i].index;
    if (!(m[0].n > 0) || !(m[1].n > 0))
      continue;
    n++;
    double dx = m[0].mean - mean[0], dy = m[1].mean - mean[1];
    mean[0] += dx / n;
    mean[1] += dy / n;
    xx += dx * (m[0].mean - mean[0]);
    yy += dy * (m[1].mean - mean[1]);
    xy += dx * (m[1].mean - mean[1]);
  }
  return n > 2 && xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : NAN;
}

/* Trajectories
 * ---------------------------------------------------------------------------------------------------------------- */

static size_t trajectory_length(const km_styles *s, int of_layers) {
  return 2 * KM_WR_PLACES * (of_layers ? s->options.n_layers : 1);
}

/* half STYLE_HALVES: of all games. */
static void trajectory(const km_styles *s, size_t player, unsigned half, int of_layers, double *out) {
  unsigned first = of_layers ? 1 : 0, end = of_layers ? style_channels(s) : 1;
  for (unsigned colour = 0; colour < 2; colour++)
    for (unsigned place = 0; place < KM_WR_PLACES; place++)
      for (unsigned k = first; k < end; k++) {
        km_moments m;
        if (half == STYLE_HALVES)
          km_styles_mean(s, player, colour, place, k, &m);
        else
          m = style_curve(s, player, half, colour)[place * style_channels(s) + k];
        *out++ = m.n >= LEAST_GAMES ? m.mean : NAN;
      }
}

/* Distances between n objects: the halves of players, two and two. NULL when memory is out. */
static double *half_distances(const km_styles *s, const uint32_t *players, size_t n_players, int of_layers) {
  size_t length = trajectory_length(s, of_layers), n = STYLE_HALVES * n_players;
  double *x = malloc(n * length * sizeof *x), *distance = malloc(n * n * sizeof *distance);
  if (x && distance) {
    for (size_t i = 0; i < n; i++)
      trajectory(s, players[i / STYLE_HALVES], (unsigned)(i % STYLE_HALVES), of_layers, x + i * length);
    km_distance_matrix(distance, x, n, length);
  } else {
    free(distance);
    distance = NULL;
  }
  free(x);
  return distance;
}

/* Players whose halves share places enough for a distance to everyone: both halves have been met as Black. */
static size_t able_players(const km_styles *s, uint64_t source, uint32_t *players) {
  size_t n = 0;
  for (size_t i = 0; i < s->n_players; i++) {
    int able = source == 0 || style_source(s, i) == source;
    for (unsigned half = 0; half < STYLE_HALVES; half++)
      able = able && style_curve(s, i, half, 0)->n >= LEAST_GAMES;
    if (able)
      players[n++] = (uint32_t)i;
  }
  return n;
}

/* Tests
 * ---------------------------------------------------------------------------------------------------------------- */

static km_status run_test(const km_styles *s, const uint32_t *players, km_workers workers, km_style_test *test, km_err *err) {
  size_t n = STYLE_HALVES * test->n_players;
  uint32_t *label = malloc(n * sizeof *label);
  double *distance = half_distances(s, players, test->n_players, test->of_layers);
  km_status status = KM_OK;
  if (!label || !distance) {
    status = km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for the distances of %zu curves", n);
  } else {
    for (size_t i = 0; i < n; i++)
      label[i] = players[i / STYLE_HALVES];
    test->n_objects = n;
    km_permutation_options options = {s->options.seed, s->options.n_permutations, workers};
    status = km_permutation_test(&test->result, distance, label, n, &options, err);
  }
  free(label);
  free(distance);
  return status;
}

/* A player for each distinct main source, in the order of players. */
static size_t list_sources(const km_styles *s, uint32_t *of, size_t most) {
  size_t n = 0;
  for (size_t i = 0; i < s->n_players && n < most; i++) {
    size_t k = 0;
    while (k < n && style_source(s, of[k]) != style_source(s, i))
      k++;
    if (k == n)
      of[n++] = (uint32_t)i;
  }
  return n;
}

km_status km_styles_test(const km_styles *styles, km_workers workers, km_style_test tests[KM_WR_TESTS_MAX], size_t *n,
                         km_err *err) {
  uint32_t sources[KM_WR_TESTS_MAX / 2];
  size_t n_sources = list_sources(styles, sources, KM_WR_TESTS_MAX / 2 - 1);
  uint32_t *players = malloc((styles->n_players ? styles->n_players : 1) * sizeof *players);
  km_status status = players ? KM_OK : km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for players");
  *n = 0;
  for (size_t i = 0; i <= n_sources && status == KM_OK; i++) {
    if (i == 1 && n_sources == 1) /* all of them are from it */
      break;
    uint32_t source_of = i ? sources[i - 1] : KM_WR_NO_PLAYER;
    size_t n_players = able_players(styles, i ? style_source(styles, source_of) : 0, players);
    if (n_players < LEAST_PLAYERS)
      continue;
    for (int of_layers = 0; of_layers < 2 && status == KM_OK; of_layers++) {
      tests[*n] = (km_style_test){.of_layers = of_layers, .source_of = source_of, .n_players = n_players};
      status = run_test(styles, players, workers, &tests[(*n)++], err);
    }
  }
  free(players);
  return status;
}

/* Map
 * ---------------------------------------------------------------------------------------------------------------- */

typedef struct separation {
  double ratio;
  uint32_t player;
} separation;

static int most_separated(const void *a, const void *b) {
  const separation *x = a, *y = b;
  if (x->ratio != y->ratio)
    return x->ratio > y->ratio ? -1 : 1;
  return x->player < y->player ? -1 : x->player > y->player;
}

/* Mean distance to the halves of others over the distance between the own halves. */
static void separations(const double *distance, const uint32_t *players, size_t n_players, separation *out) {
  size_t n = STYLE_HALVES * n_players;
  for (size_t i = 0; i < n_players; i++) {
    double others = 0, own = distance[2 * i * n + 2 * i + 1];
    for (size_t half = 2 * i; half < 2 * i + 2; half++)
      for (size_t j = 0; j < n; j++)
        others += j / 2 == i ? 0 : distance[half * n + j];
    out[i] = (separation){others / (2.0 * (double)(n - 2)) / fmax(own, 1e-300), players[i]};
  }
  qsort(out, n_players, sizeof *out, most_separated);
}

static km_status scale_map(const km_styles *s, km_style_map *map, km_err *err) {
  size_t length = trajectory_length(s, 0);
  double *x = malloc(map->n * length * sizeof *x), distance[KM_WR_MAP_PLAYERS * KM_WR_MAP_PLAYERS];
  if (!x)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for the map of players");
  for (size_t i = 0; i < map->n; i++)
    trajectory(s, map->player[i], STYLE_HALVES, 0, x + i * length);
  km_distance_matrix(distance, x, map->n, length);
  free(x);
  return km_classical_scaling(map->place, map->share, distance, map->n, 2, err);
}

km_status km_styles_map(const km_styles *styles, km_style_map *map, km_err *err) {
  *map = (km_style_map){.share = {NAN, NAN}};
  size_t room = styles->n_players ? styles->n_players : 1;
  uint32_t *players = malloc(room * sizeof *players);
  separation *order = malloc(room * sizeof *order);
  size_t n = players ? able_players(styles, 0, players) : 0;
  double *distance = n >= LEAST_PLAYERS ? half_distances(styles, players, n, 0) : NULL;
  km_status status = KM_OK;
  if (!players || !order || (n >= LEAST_PLAYERS && !distance)) {
    status = km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for the map of players");
  } else if (distance) {
    separations(distance, players, n, order);
    map->n = n < KM_WR_MAP_PLAYERS ? n : KM_WR_MAP_PLAYERS;
    for (size_t i = 0; i < map->n; i++)
      map->player[i] = order[i].player;
    status = scale_map(styles, map, err);
  }
  free(players);
  free(order);
  free(distance);
  return status;
}
