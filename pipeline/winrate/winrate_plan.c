/* winrate_plan.c: sampling, splitting and cutting, without any state but the plan. */
#include "winrate_plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const km_wr_phase_names[KM_WR_PHASES] = {"opening", "middle", "endgame"};

static km_status read_sample(km_wr_plan *plan, const char *text, km_err *err) {
  static const char *const kinds[] = {"all", "every:", "per-game:"};
  char *end;
  if (strcmp(text, "all") == 0) {
    plan->sample = KM_WR_SAMPLE_ALL;
    return KM_OK;
  }
  for (int kind = KM_WR_SAMPLE_EVERY; kind <= KM_WR_SAMPLE_PER_GAME; kind++) {
    size_t n = strlen(kinds[kind]);
    if (strncmp(text, kinds[kind], n) != 0 || text[n] < '0' || text[n] > '9')
      continue;
    unsigned long k = strtoul(text + n, &end, 10);
    if (*end || k < 1 || k > 1000000)
      break;
    plan->sample = (km_wr_sample_kind)kind;
    plan->sample_k = (uint32_t)k;
    return KM_OK;
  }
  return km_err_set(err, KM_ERR_USAGE, 0, "--sample %.40s: all, every:K or per-game:K, K from 1 to 1000000", text);
}

static km_status read_split(km_wr_plan *plan, const char *text, km_err *err) {
  double share[3], sum = 0;
  const char *at = text;
  for (int i = 0; i < 3; i++) {
    char *end;
    share[i] = strtod(at, &end);
    sum += share[i];
    if (end == at || !(share[i] >= 0) || *end != (i < 2 ? ',' : 0))
      return km_err_set(err, KM_ERR_USAGE, 0, "--split %.40s: three shares like 0.9,0.05,0.05", text);
    at = end + 1;
  }
  if (!(fabs(sum - 1) < 1e-9) || share[0] <= 0 || share[2] <= 0)
    return km_err_set(err, KM_ERR_USAGE, 0, "--split %.40s: the shares sum to 1, and train and test have some", text);
  plan->split[0] = share[0];
  plan->split[1] = share[0] + share[1];
  return KM_OK;
}

/* points: of the board; the plies given are those of 19×19. */
static km_status read_phases(km_wr_plan *plan, const char *text, unsigned points, km_err *err) {
  char *end;
  unsigned long middle = strtoul(text, &end, 10), endgame = 0;
  int good = end != text && *end == ',';
  if (good)
    endgame = strtoul(end + 1, &end, 10);
  if (!good || *end || middle < 1 || endgame <= middle || endgame > 1000000 || strspn(text, "0123456789,") != strlen(text))
    return km_err_set(err, KM_ERR_USAGE, 0,
                      "--phases %.40s: the first ply of the middle game and of the endgame, like 50,150", text);
  uint32_t first = (uint32_t)((2 * middle * points + 361) / 722), second = (uint32_t)((2 * endgame * points + 361) / 722);
  plan->phase[1] = first ? first : 1;
  plan->phase[2] = second > plan->phase[1] ? second : plan->phase[1] + 1;
  return KM_OK;
}

km_status km_wr_plan_init(km_wr_plan *plan, const km_winrate_options *options, km_err *err) {
  /* Most 19×19 games are over before 300 moves; other boards in proportion to their points. */
  unsigned points = (unsigned)(options->board * options->board), last = (points * 300 + 360) / 361;
  *plan = (km_wr_plan){.seed = options->run.seed, .kept_share = 1, .folds = (unsigned)options->folds,
                       .bucket_plies = (uint32_t)options->bucket, .n_segments = 1};
  if (plan->folds == 1 || plan->folds > KM_WR_FOLDS_MAX)
    return km_err_set(err, KM_ERR_USAGE, 0, "--folds %u: 0 for one split, or 2 to %d", plan->folds, KM_WR_FOLDS_MAX);
  plan->segment_plies = 20 * ((last + 319) / 320);
  plan->n_buckets = (last + plan->bucket_plies - 1) / plan->bucket_plies + 1;
  km_status status = read_sample(plan, options->sample, err);
  if (status == KM_OK)
    status = read_split(plan, options->split, err);
  return status == KM_OK ? read_phases(plan, options->phases, points, err) : status;
}

uint64_t km_wr_plan_positions(const km_wr_plan *plan, uint32_t n_moves) {
  switch (plan->sample) {
  case KM_WR_SAMPLE_EVERY:
    return n_moves / plan->sample_k + 1;
  case KM_WR_SAMPLE_PER_GAME:
    return n_moves + UINT64_C(1) < plan->sample_k ? n_moves + UINT64_C(1) : plan->sample_k;
  case KM_WR_SAMPLE_ALL:
  default:
    return n_moves + UINT64_C(1);
  }
}

km_wr_sampler km_wr_sampler_start(const km_wr_plan *plan, uint64_t identity, uint32_t n_moves) {
  return (km_wr_sampler){identity, n_moves + 1, (uint32_t)km_wr_plan_positions(plan, n_moves)};
}

/* per-game: exactly k of the n positions, each k-subset alike: position by position with probability k_left / n_left. */
int km_wr_sampler_takes(const km_wr_plan *plan, km_wr_sampler *sampler, uint32_t ply) {
  if (plan->sample != KM_WR_SAMPLE_PER_GAME)
    return plan->sample == KM_WR_SAMPLE_ALL || ply % plan->sample_k == 0;
  uint64_t bits = km_random(plan->seed, sampler->identity, ply, KM_PURPOSE_SAMPLE);
  int takes = km_random_below(bits, sampler->n_left) < sampler->k_left;
  sampler->n_left -= sampler->n_left > 1;
  sampler->k_left -= takes;
  return takes;
}

int km_wr_plan_keeps(const km_wr_plan *plan, uint64_t identity) {
  uint64_t bits = km_random(plan->seed, identity, UINT32_MAX, KM_PURPOSE_SAMPLE);
  return km_random_unit(bits) < plan->kept_share;
}

unsigned km_wr_plan_part(const km_wr_plan *plan, km_hash128 split_key) {
  uint64_t bits = km_random(plan->seed, split_key.low, split_key.high, KM_PURPOSE_SPLIT);
  if (plan->folds)
    return (unsigned)km_random_below(bits, plan->folds);
  double u = km_random_unit(bits);
  return u < plan->split[0] ? 0 : u < plan->split[1] ? 1 : 2;
}

unsigned km_wr_n_fittings(const km_wr_plan *plan) { return plan->folds ? plan->folds : 1; }

km_wr_role km_wr_role_of(const km_wr_plan *plan, unsigned fitting, unsigned part) {
  if (plan->folds)
    return part == fitting ? KM_WR_HELD : KM_WR_TRAIN; /* the fitting behind the last has no such part */
  return part == 0 ? KM_WR_TRAIN : part == 1 ? KM_WR_VALID : KM_WR_HELD;
}

int km_wr_fitting_for(const km_wr_plan *plan, unsigned part) {
  if (plan->folds)
    return (int)part;
  return part == 2 ? 0 : -1;
}

void km_wr_plan_segments(km_wr_plan *plan, const uint64_t *won, const uint64_t *lost) {
  plan->n_segments = 1;
  plan->segment[0] = 0;
  for (size_t i = 1; i < KM_WR_SEGMENTS_MAX; i++)
    if (won[i] >= KM_WR_SEGMENT_GAMES && lost[i] >= KM_WR_SEGMENT_GAMES)
      plan->segment[plan->n_segments++] = (uint32_t)i * plan->segment_plies;
}

size_t km_wr_plan_segment_of(const km_wr_plan *plan, uint32_t ply) {
  size_t i = ply / plan->segment_plies;
  return i < plan->n_segments ? i : plan->n_segments - 1;
}

static km_wr_range range_of(const uint32_t *first, size_t n, size_t i) {
  return (km_wr_range){first[i], i + 1 < n ? first[i + 1] : UINT32_MAX};
}
km_wr_range km_wr_plan_segment(const km_wr_plan *plan, size_t i) { return range_of(plan->segment, plan->n_segments, i); }
km_wr_range km_wr_plan_phase(const km_wr_plan *plan, size_t i) { return range_of(plan->phase, KM_WR_PHASES, i); }
km_wr_range km_wr_plan_bucket(const km_wr_plan *plan, size_t i) {
  uint32_t first = (uint32_t)i * plan->bucket_plies;
  return (km_wr_range){first, i + 1 < plan->n_buckets ? first + plan->bucket_plies : UINT32_MAX};
}
