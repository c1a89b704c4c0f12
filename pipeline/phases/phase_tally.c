/* phase_tally.c: counting, and a bootstrap whose replicate means are kept, so that differences are paired. */
#include "phase_tally.h"

#include "kifumill/batch.h"
#include "kifumill/score.h"
#include "kifumill/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- counting
 * ---------------------------------------------------------------------------------------------------- */

static void free_tally(km_tally *tally) {
  if (!tally)
    return;
  for (size_t i = 0; i < tally->n_examples; i++)
    free(tally->examples[i].log2);
  free(tally->by_move);
  free(tally->comparison.groups);
  free(tally);
}

static km_tally *new_tally(void) {
  km_tally *tally = calloc(1, sizeof *tally);
  if (!tally)
    return NULL;
  tally->by_move = calloc(3 * KM_PHASES_PLIES, sizeof *tally->by_move);
  if (!tally->by_move) {
    free(tally);
    return NULL;
  }
  tally->middle = tally->by_move + KM_PHASES_PLIES;
  tally->endgame = tally->middle + KM_PHASES_PLIES;
  return tally;
}

void km_tallies_clear(km_tallies *tallies) {
  for (unsigned size = 0; size <= KM_BOARD_MAX; size++) {
    free_tally(tallies->of_size[size]);
    tallies->of_size[size] = NULL;
  }
}

static void count_breaks(km_tally *tally, const km_phase_game *g, km_division conventional) {
  tally->changes[g->changes.n < KM_TALLY_CHANGES ? g->changes.n : KM_TALLY_CHANGES]++;
  for (size_t i = 0; i < g->changes.n; i++) {
    uint32_t at = g->changes.at[i];
    tally->by_move[at]++;
    tally->by_fraction[(uint64_t)at * KM_TALLY_FRACTIONS / g->n]++;
    tally->phase_changes[(at >= conventional.at[0]) + (at >= conventional.at[1])]++;
  }
  uint32_t a = conventional.at[0] < g->n ? conventional.at[0] : g->n,
           b = conventional.at[1] < g->n ? conventional.at[1] : g->n;
  tally->phase_positions[0] += a;
  tally->phase_positions[1] += b - a;
  tally->phase_positions[2] += g->n - b;
  if (g->state != KM_CUT_DONE)
    return;
  tally->n_divided++;
  tally->middle[g->three.at[0]]++;
  tally->endgame[g->three.at[1]]++;
}

static km_status add_comparison(km_tally *tally, const km_phase_game *g, km_err *err) {
  km_comparison *c = &tally->comparison;
  if (!c->groups && !(c->groups = calloc(KM_COMPARE_GROUPS, sizeof *c->groups)))
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for the comparison");
  km_compare_group *group = &c->groups[c->n_games++ % KM_COMPARE_GROUPS];
  for (int m = 0; m < KM_METHODS; m++) {
    group->n[m] += g->has_method[m];
    for (int k = 0; g->has_method[m] && k < KM_NEARNESSES; k++)
      group->sum[m][k] += g->nearness[m][k];
  }
  return KM_OK;
}

/* Copies the game's series and breaks into one block. */
static km_status make_example(km_example *example, const km_phase_game *g, uint64_t rank, km_err *err) {
  size_t n_breaks = g->changes.n + g->reference.n;
  double *log2 = malloc(g->n * sizeof *log2 + n_breaks * sizeof(uint32_t));
  if (!log2)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for examples");
  uint32_t *breaks = (uint32_t *)(void *)(log2 + g->n);
  memcpy(log2, g->log2, g->n * sizeof *log2);
  memcpy(breaks, g->changes.at, g->changes.n * sizeof *breaks);
  if (g->reference.n)
    memcpy(breaks + g->changes.n, g->reference.at, g->reference.n * sizeof *breaks);
  *example = (km_example){.rank = rank,
                          .game = g->game,
                          .n = g->n,
                          .middle = g->three.at[0],
                          .endgame = g->three.at[1],
                          .changes = {breaks, g->changes.n},
                          .reference = {breaks + g->changes.n, g->reference.n},
                          .log2 = log2};
  return KM_OK;
}

/* The games of least rank, by rank. Games that end before the conventional endgame show little. */
static km_status offer_example(const km_tallies *tallies, km_tally *tally, const km_phase_game *g,
                               km_err *err) {
  if (g->state != KM_CUT_DONE || km_divide_conventional(tallies->shared->at19, g->size).at[1] >= g->n)
    return KM_OK;
  uint64_t rank = km_example_rank(tallies->shared, g->game);
  size_t place = tally->n_examples;
  while (place > 0 && tally->examples[place - 1].rank > rank)
    place--;
  if (place == KM_EXAMPLES)
    return KM_OK;
  km_example example;
  km_status status = make_example(&example, g, rank, err);
  if (status != KM_OK)
    return status;
  if (tally->n_examples == KM_EXAMPLES)
    free(tally->examples[--tally->n_examples].log2);
  memmove(&tally->examples[place + 1], &tally->examples[place], (tally->n_examples - place) * sizeof example);
  tally->examples[place] = example;
  tally->n_examples++;
  return KM_OK;
}

km_status km_tallies_add(km_tallies *tallies, const km_phase_game *g, km_err *err) {
  tallies->n_games++;
  tallies->n_positions += g->n;
  tallies->n_state[g->state]++;
  if (g->state == KM_CUT_NO_SERIES)
    return KM_OK;
  if (!tallies->of_size[g->size] && !(tallies->of_size[g->size] = new_tally()))
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for the summary");
  km_tally *tally = tallies->of_size[g->size];
  tally->n_games++;
  tally->n_positions += g->n;
  if (g->state == KM_CUT_TOO_LONG)
    return KM_OK;
  count_breaks(tally, g, km_divide_conventional(tallies->shared->at19, g->size));
  km_status status = offer_example(tallies, tally, g, err);
  if (!g->compared || status != KM_OK)
    return status;
  tallies->n_labels_used += tallies->shared->labels ? g->reference.n : 0;
  return add_comparison(tally, g, err);
}

/* ---- comparing
 * --------------------------------------------------------------------------------------------------- */

enum { LANES = KM_BOOTSTRAP_LANES, CELLS = KM_METHODS * KM_NEARNESSES };

/* Of replicates side by side: sums of all groups, each taken as often as the replicate says. */
typedef struct lane_sums {
  double n[KM_METHODS][LANES], sum[KM_METHODS][KM_NEARNESSES][LANES];
} lane_sums;

static void add_weighted(double sum[LANES], const double weight[LANES], double value) {
  for (int i = 0; i < LANES; i++)
    sum[i] += weight[i] * value;
}

/* The groups of a size. Values are finite: those of weight 0 add nothing. */
static void add_groups(lane_sums *sums, const km_tallies *tallies, unsigned size, uint64_t first) {
  const km_comparison *c = &tallies->of_size[size]->comparison;
  uint64_t seed = tallies->shared->options->run.seed;
  size_t n = c->n_games < KM_COMPARE_GROUPS ? (size_t)c->n_games : KM_COMPARE_GROUPS;
  for (size_t i = 0; c->groups && i < n; i++) {
    uint32_t times[LANES] = {1};
    double weight[LANES];
    if (first != UINT64_MAX)
      km_bootstrap_weights(times, seed, (uint64_t)size << 32 | i, first);
    for (int r = 0; r < LANES; r++)
      weight[r] = times[r];
    for (int m = 0; m < KM_METHODS; m++) {
      if (c->groups[i].n[m] == 0)
        continue;
      add_weighted(sums->n[m], weight, c->groups[i].n[m]);
      for (int k = 0; k < KM_NEARNESSES; k++)
        add_weighted(sums->sum[m][k], weight, c->groups[i].sum[m][k]);
    }
  }
}

/* The middle 95 % of the defined ones among n values, stride apart; column has room for n. */
static void interval(km_interval *to, const double *values, size_t n, size_t stride, double *column) {
  size_t n_defined = 0;
  for (size_t r = 0; r < n; r++)
    if (!isnan(values[r * stride]))
      column[n_defined++] = values[r * stride];
  km_sort(column, n_defined);
  to->low = km_quantile(column, n_defined, 0.025);
  to->high = km_quantile(column, n_defined, 0.975);
}

static uint64_t compared_games(const km_tallies *tallies, unsigned size) {
  uint64_t n = 0;
  for (unsigned s = size ? size : 1; s <= (size ? size : KM_BOARD_MAX); s++)
    n += tallies->of_size[s] ? tallies->of_size[s]->comparison.n_games : 0;
  return n;
}

/* The replicates of one size: means and differences, CELLS a replicate; the last one is the games themselves.
 */
typedef struct replicates {
  const km_tallies *tallies;
  unsigned size;
  size_t n;
  double *means, *differences; /* n + 1 times CELLS */
} replicates;

/* Replicates from block * LANES on; in the last block the games themselves. */
static km_status replicate_task(void *ctx, int thread, size_t block, km_err *err) {
  (void)thread, (void)err;
  const replicates *all = ctx;
  size_t first = block * LANES, n_lanes = first >= all->n          ? 1
                                          : all->n - first < LANES ? all->n - first
                                                                   : LANES;
  lane_sums sums = {{{0}}, {{{0}}}};
  for (unsigned s = all->size ? all->size : 1; s <= (all->size ? all->size : KM_BOARD_MAX); s++)
    if (all->tallies->of_size[s])
      add_groups(&sums, all->tallies, s, first < all->n ? first : UINT64_MAX);
  for (size_t lane = 0; lane < n_lanes; lane++) {
    size_t row = (first < all->n ? first + lane : all->n) * CELLS;
    for (size_t cell = 0; cell < CELLS; cell++) {
      size_t m = cell / KM_NEARNESSES, k = cell % KM_NEARNESSES;
      double n = sums.n[m][lane], mean = n > 0 ? sums.sum[m][k][lane] / n : (double)NAN;
      all->means[row + cell] = mean;
      all->differences[row + cell] = all->means[row + KM_METHOD_HBS * KM_NEARNESSES + k] - mean;
    }
  }
  return KM_OK;
}

km_status km_tallies_compare(const km_tallies *tallies, unsigned size, km_compare_result *result,
                             km_err *err) {
  enum { FEW_GAMES = 512 }; /* done by the time that other threads have woken */
  const km_phases_options *options = tallies->shared->options;
  size_t n = (size_t)options->replicates;
  *result = (km_compare_result){.n_games = compared_games(tallies, size)};
  if (result->n_games == 0)
    return KM_OK;
  double *memory = malloc((n + 1) * (2 * CELLS + 1) * sizeof *memory),
         *column = memory; /* room for one column */
  if (!memory)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for %zu replicates", n);
  replicates all = {tallies, size, n, memory + n + 1, memory + (n + 1) * (CELLS + 1)};
  int n_threads = result->n_games < FEW_GAMES ? 1 : options->run.threads;
  km_status status = km_parallel_for((n + LANES - 1) / LANES + 1, n_threads, replicate_task, &all, err);
  for (size_t m = 0; m < KM_METHODS && status == KM_OK; m++) {
    result->has_method[m] = !isnan(all.means[n * CELLS + m * KM_NEARNESSES]);
    for (size_t k = 0; k < KM_NEARNESSES; k++) {
      size_t cell = m * KM_NEARNESSES + k;
      result->mean[m][k].value = all.means[n * CELLS + cell];
      result->difference[m][k].value = all.differences[n * CELLS + cell];
      interval(&result->mean[m][k], all.means + cell, n, CELLS, column);
      interval(&result->difference[m][k], all.differences + cell, n, CELLS, column);
    }
  }
  free(memory);
  return status;
}
