/* changepoint.c: the public functions: options by name, one series, a given segmentation, the whole penalty
 * path. */
#include "cp_workspace.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const cost_names[] = {"l2", "linear", "l1", "normal", "rank"};
static const char *const search_names[] = {"exact", "pelt", "binseg", "window"};
static const char *const penalty_names[] = {"bic", "mbic", "aic", "hannan-quinn", "value"};
static const char *const noise_names[] = {"vn", "mad"};

#define COUNT(a) (sizeof(a) / sizeof *(a))

static const char *name_of(const char *const *names, size_t n, unsigned i) {
  return i < n ? names[i] : "unknown";
}

static int find_name(const char *const *names, size_t n, const char *name) {
  for (size_t i = 0; i < n; i++)
    if (!strcmp(names[i], name))
      return (int)i;
  return -1;
}

const char *km_changepoint_cost_name(km_changepoint_cost cost) {
  return name_of(cost_names, COUNT(cost_names), (unsigned)cost);
}
const char *km_changepoint_search_name(km_changepoint_search search) {
  return name_of(search_names, COUNT(search_names), (unsigned)search);
}
const char *km_changepoint_penalty_name(km_changepoint_penalty penalty) {
  return name_of(penalty_names, COUNT(penalty_names), (unsigned)penalty);
}
const char *km_changepoint_noise_name(km_changepoint_noise noise) {
  return name_of(noise_names, COUNT(noise_names), (unsigned)noise);
}

bool km_changepoint_cost_parse(const char *name, km_changepoint_cost *cost) {
  int i = find_name(cost_names, COUNT(cost_names), name);
  if (i >= 0)
    *cost = (km_changepoint_cost)i;
  return i >= 0;
}
bool km_changepoint_search_parse(const char *name, km_changepoint_search *search) {
  int i = find_name(search_names, COUNT(search_names), name);
  if (i >= 0)
    *search = (km_changepoint_search)i;
  return i >= 0;
}
bool km_changepoint_penalty_parse(const char *name, km_changepoint_penalty *penalty) {
  int i = find_name(penalty_names, COUNT(penalty_names), name);
  if (i >= 0)
    *penalty = (km_changepoint_penalty)i;
  return i >= 0;
}
bool km_changepoint_noise_parse(const char *name, km_changepoint_noise *noise) {
  int i = find_name(noise_names, COUNT(noise_names), name);
  if (i >= 0)
    *noise = (km_changepoint_noise)i;
  return i >= 0;
}

km_changepoint_options km_changepoint_defaults(void) {
  return (km_changepoint_options){.n_changes = -1};
}

km_changepoint *km_changepoint_new(void) {
  km_changepoint *w = calloc(1, sizeof *w);
  if (w)
    km_arena_init(&w->arena);
  return w;
}

void km_changepoint_free(km_changepoint *w) {
  if (!w)
    return;
  km_arena_clear(&w->arena);
  free(w->inverse);
  free(w->nodes);
  free(w->steps);
  free(w->path_breaks);
  free(w);
}

static size_t power_of_two(size_t n) {
  size_t room = 64;
  while (room < n)
    room *= 2;
  return room;
}

double *cp_doubles(km_changepoint *w, size_t n, km_err *err) {
  double *p = km_arena_alloc(&w->arena, power_of_two(n) * sizeof *p);
  if (!p)
    km_err_set(err, KM_ERR_NOMEM, 0, "no memory for %zu values of a series", n);
  return p;
}

uint32_t *cp_indices(km_changepoint *w, size_t n, km_err *err) {
  uint32_t *p = km_arena_alloc(&w->arena, power_of_two(n) * sizeof *p);
  if (!p)
    km_err_set(err, KM_ERR_NOMEM, 0, "no memory for %zu indices of a series", n);
  return p;
}

/* Σ cost of the segmentation in c->breaks, and Σ length term into *extra. */
static double direct_total(cp_series *c, double *extra) {
  double cost = 0;
  *extra = 0;
  if (c->n == 0)
    return 0;
  size_t from = 0;
  for (size_t i = 0; i <= c->n_breaks; i++) {
    size_t to = i < c->n_breaks ? c->breaks[i] : c->n;
    cost += cp_direct_cost(c, from, to);
    if (c->length_term)
      *extra += c->length_term[c->n - (to - from)];
    from = to;
  }
  return cost;
}

/* Runs the search on the prepared series. */
static km_status search(km_changepoint *w, const km_changepoint_options *options, bool *found, km_err *err) {
  cp_series *c = &w->series;
  int k = options->n_changes;
  bool room = c->n >= 2 && c->min_size <= c->n / 2;
  c->n_breaks = 0;
  *found = k <= 0 || room;
  if (!room || k == 0)
    return KM_OK;
  switch (options->search) {
  case KM_SEARCH_EXACT:
    return k >= 0 ? cp_fixed(w, (size_t)k, found, err) : cp_exact(w, err);
  case KM_SEARCH_PELT:
    return k >= 0 ? cp_fixed(w, (size_t)k, found, err) : cp_pelt(w, err);
  case KM_SEARCH_BINSEG:
    return cp_binseg(w, k, found, err);
  case KM_SEARCH_WINDOW:
    return cp_window(w, k, found, err);
  }
  return km_err_set(err, KM_ERR_USAGE, 0, "unknown change-point search %d", (int)options->search);
}

static void report(cp_series *c, bool found, km_changepoints *out) {
  if (!found)
    c->n_breaks = 0;
  double extra, cost = direct_total(c, &extra);
  *out = (km_changepoints){.breaks = c->breaks, .n_breaks = c->n_breaks, .found = found, .sigma2 = c->sigma2};
  out->beta = c->beta;
  out->cost = found ? cost : NAN;
  out->total = found ? cost + c->beta * (double)c->n_breaks + extra : NAN;
}

km_status km_changepoint_find(km_changepoint *w, const km_series *series,
                              const km_changepoint_options *options, km_changepoints *out, km_err *err) {
  km_status status = cp_prepare(w, series, options, err);
  if (status == KM_OK && options->n_changes < 0)
    status = cp_set_penalty(w, series, options, err);
  bool found = false;
  if (status == KM_OK)
    status = search(w, options, &found, err);
  if (status == KM_OK)
    report(&w->series, found, out);
  return status;
}

km_status km_changepoint_find_fixed(km_changepoint *w, size_t n_changes, km_changepoints *out, km_err *err) {
  cp_series *c = &w->series;
  const km_changepoint_options options = {.search = KM_SEARCH_EXACT,
                                          .n_changes = n_changes < INT_MAX ? (int)n_changes : INT_MAX};
  bool found = false;
  c->beta = 0;
  c->sigma2 = NAN;
  c->length_term = NULL;
  km_status status = cp_check_size(c->n, c->n_channels, true, err);
  if (status == KM_OK)
    status = search(w, &options, &found, err);
  if (status == KM_OK)
    report(c, found, out);
  return status;
}

km_status km_changepoint_evaluate(km_changepoint *w, const km_series *series,
                                  const km_changepoint_options *options, const km_changepoints *breaks,
                                  double *cost, km_err *err) {
  km_status status = cp_prepare(w, series, options, err);
  if (status != KM_OK)
    return status;
  cp_series *c = &w->series;
  uint32_t previous = 0;
  for (size_t i = 0; i < breaks->n_breaks; i++) {
    uint32_t at = breaks->breaks[i];
    if (at <= previous || at >= c->n)
      return km_err_set(err, KM_ERR_USAGE, 0,
                        "break %u (number %zu) is not after the one before and below %zu", at, i, c->n);
    c->breaks[i] = previous = at;
  }
  c->n_breaks = breaks->n_breaks;
  double extra;
  *cost = direct_total(c, &extra);
  return KM_OK;
}

km_status km_changepoint_sigma2(km_changepoint *w, const km_series *series,
                                const km_changepoint_options *options, double *sigma2, km_err *err) {
  km_status status = cp_prepare(w, series, options, err);
  if (status != KM_OK)
    return status;
  double total = 0;
  for (size_t channel = 0; channel < series->n_channels; channel++)
    total += cp_noise(series->y + channel * series->n, series->n, options, w->series.scratch);
  *sigma2 = total / (double)series->n_channels;
  return KM_OK;
}

/* The path
 * ----------------------------------------------------------------------------------------------------------
 */

/* array with room for needed items; NULL (and array is kept) when memory is out. */
static void *reserve(void *array, size_t *capacity, size_t needed, size_t item_bytes, km_err *err) {
  if (array && needed <= *capacity)
    return array;
  size_t room = power_of_two(needed);
  void *more = realloc(array, room * item_bytes);
  if (more)
    *capacity = room;
  else
    km_err_set(err, KM_ERR_NOMEM, 0, "no memory for %zu items of a penalty path", room);
  return more;
}

static km_status reserve_node(km_changepoint *w, size_t n_breaks, km_err *err) {
  cp_node *nodes = reserve(w->nodes, &w->nodes_capacity, w->n_nodes + 1, sizeof *nodes, err);
  if (!nodes)
    return KM_ERR_NOMEM;
  w->nodes = nodes;
  uint32_t *breaks = reserve(w->path_breaks, &w->path_capacity, w->path_used + n_breaks, sizeof *breaks, err);
  if (!breaks)
    return KM_ERR_NOMEM;
  w->path_breaks = breaks;
  return KM_OK;
}

/* The optimum at beta as one more node, not linked yet. */
static km_status add_node(km_changepoint *w, const km_changepoint_options *options, double beta,
                          km_err *err) {
  cp_series *c = &w->series;
  km_arena_block *block = w->arena.current; /* what the search takes from the arena is given back */
  size_t used = w->arena.used;
  bool found;
  c->beta = beta;
  km_status status = search(w, options, &found, err);
  w->arena.current = block;
  w->arena.used = used;
  if (status == KM_OK)
    status = reserve_node(w, c->n_breaks, err);
  if (status != KM_OK)
    return status;
  km_changepoints result;
  report(c, found, &result);
  w->nodes[w->n_nodes++] = (cp_node){w->path_used, c->n_breaks, 0, beta, result.cost};
  if (c->n_breaks)
    memcpy(w->path_breaks + w->path_used, c->breaks, c->n_breaks * sizeof *c->breaks);
  w->path_used += c->n_breaks;
  return KM_OK;
}

/* The penalty at which a and b (fewer changes) cost the same. */
static double crossing(const cp_node *a, const cp_node *b) {
  return (b->cost - a->cost) / (double)(a->n_breaks - b->n_breaks);
}

/* Between neighbours a and b = next of a, asks at the penalty where both cost the same. What is found there
 * with a number of changes between theirs is optimal, too, and goes between them; otherwise nothing is
 * between them. */
static km_status fill_path(km_changepoint *w, const km_changepoint_options *options, km_err *err) {
  for (size_t a = 0; w->nodes[a].next;) {
    size_t b = w->nodes[a].next, middle = w->n_nodes, more = w->nodes[a].n_breaks,
           fewer = w->nodes[b].n_breaks;
    if (more <= fewer + 1) {
      a = b;
      continue;
    }
    km_status status = add_node(w, options, crossing(&w->nodes[a], &w->nodes[b]), err);
    if (status != KM_OK)
      return status;
    size_t between = w->nodes[middle].n_breaks;
    if (between < more && between > fewer) {
      w->nodes[a].next = middle;
      w->nodes[middle].next = b;
    } else {
      w->n_nodes--;
      w->path_used -= between;
      a = b;
    }
  }
  return KM_OK;
}

static km_status list_steps(km_changepoint *w, double beta_max, size_t *n_steps, km_err *err) {
  km_changepoint_step *list = reserve(w->steps, &w->steps_capacity, w->n_nodes, sizeof *list, err);
  if (!list)
    return KM_ERR_NOMEM;
  w->steps = list;
  size_t count = 0;
  double from = w->nodes[0].beta;
  for (const cp_node *node = w->nodes;; node = w->nodes + node->next) {
    double to = node->next ? crossing(node, w->nodes + node->next) : beta_max;
    to = to < from       ? from
         : to > beta_max ? beta_max
                         : to; /* rounding, where one meets the end of the range */
    km_changepoints found = {
        .breaks = w->path_breaks + node->offset, .n_breaks = node->n_breaks, .found = true};
    found.cost = node->cost;
    found.beta = from;
    found.total = node->cost + from * (double)node->n_breaks;
    found.sigma2 = NAN;
    list[count++] = (km_changepoint_step){from, to, found};
    from = to;
    if (!node->next)
      break;
  }
  *n_steps = count;
  return KM_OK;
}

km_status km_changepoint_path(km_changepoint *w, const km_series *series,
                              const km_changepoint_options *options, const double beta_range[2],
                              const km_changepoint_step **steps, size_t *n_steps, km_err *err) {
  double low = beta_range[0], high = beta_range[1];
  if (!(low >= 0 && low <= high && isfinite(high)))
    return km_err_set(err, KM_ERR_USAGE, 0,
                      "a penalty path goes from a number of at least 0 up, not from %g to %g", low, high);
  if (options->search != KM_SEARCH_EXACT && options->search != KM_SEARCH_PELT)
    return km_err_set(err, KM_ERR_USAGE, 0, "a penalty path needs an exact search, not %s",
                      km_changepoint_search_name(options->search));
  km_changepoint_options free_changes = *options;
  free_changes.n_changes = -1;
  km_status status = cp_prepare(w, series, &free_changes, err);
  if (status != KM_OK)
    return status;
  w->n_nodes = w->path_used = 0;
  status = add_node(w, &free_changes, low, err);
  if (status == KM_OK)
    status = add_node(w, &free_changes, high, err);
  if (status != KM_OK)
    return status;
  if (w->nodes[0].n_breaks > w->nodes[1].n_breaks) /* else one segmentation is optimal throughout */
    w->nodes[0].next = 1;
  status = fill_path(w, &free_changes, err);
  if (status == KM_OK)
    status = list_steps(w, high, n_steps, err);
  if (status == KM_OK)
    *steps = w->steps;
  return status;
}
