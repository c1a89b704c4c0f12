/* winrate_plan.h: which positions are used, what they are held back from, and how they are cut: sample, parts, segments,
 * buckets. All of it is hashed from the seed and the game's identity, or counted beforehand. */
#ifndef KIFUMILL_WINRATE_PLAN_H
#define KIFUMILL_WINRATE_PLAN_H

#include "winrate_stage.h"

#include "kifumill/hash.h"

enum {
  KM_WR_SEGMENTS_MAX = 20,
  KM_WR_FOLDS_MAX = 64,
  KM_WR_FITTINGS_MAX = KM_WR_FOLDS_MAX + 1,
  KM_WR_BUCKETS_MAX = 4096,
  KM_WR_PHASES = 3,
  /* Games won, and lost, by Black that a segment needs for coefficients of its own: ten for each column of the largest set. */
  KM_WR_SEGMENT_GAMES = 500,
};

typedef enum km_wr_sample_kind { KM_WR_SAMPLE_ALL = 0, KM_WR_SAMPLE_EVERY, KM_WR_SAMPLE_PER_GAME } km_wr_sample_kind;

typedef struct km_wr_plan {
  uint64_t seed;
  km_wr_sample_kind sample;
  uint32_t sample_k;
  double kept_share; /* of games, where the sample would be larger than allowed */
  unsigned folds;    /* 0: split */
  double split[2];   /* upper ends of train, of validation */
  uint32_t segment_plies, bucket_plies;
  size_t n_segments, n_buckets;
  uint32_t segment[KM_WR_SEGMENTS_MAX]; /* first plies */
  uint32_t phase[KM_WR_PHASES];         /* first plies */
} km_wr_plan;

/* Reads the options. KM_ERR_USAGE. */
km_status km_wr_plan_init(km_wr_plan *plan, const km_winrate_options *options, km_err *err);

/* How many positions of a game of n_moves are sampled. */
uint64_t km_wr_plan_positions(const km_wr_plan *plan, uint32_t n_moves);
/* Of a game that is gone through ply by ply. */
typedef struct km_wr_sampler {
  uint64_t identity;
  uint32_t n_left, k_left; /* positions to come, and how many of them are still to be taken */
} km_wr_sampler;
km_wr_sampler km_wr_sampler_start(const km_wr_plan *plan, uint64_t identity, uint32_t n_moves);
int km_wr_sampler_takes(const km_wr_plan *plan, km_wr_sampler *sampler, uint32_t ply);

/* Whether a game is kept when the sample is thinned. */
int km_wr_plan_keeps(const km_wr_plan *plan, uint64_t identity);

/* The part that a game belongs to: its fold; or 0 train, 1 validation, 2 test. */
unsigned km_wr_plan_part(const km_wr_plan *plan, km_hash128 split_key);

/* What a part is to a fitting. Fittings 0 … km_wr_n_fittings-1 are for figures, of games that they do not use;
 * fitting km_wr_n_fittings is for reading coefficients: of all games with folds, else of the train part. */
typedef enum km_wr_role { KM_WR_TRAIN, KM_WR_VALID, KM_WR_HELD } km_wr_role;
unsigned km_wr_n_fittings(const km_wr_plan *plan);
km_wr_role km_wr_role_of(const km_wr_plan *plan, unsigned fitting, unsigned part);
/* The fitting whose figures a part counts for, or -1. */
int km_wr_fitting_for(const km_wr_plan *plan, unsigned part);

/* Joins segments until each has enough games: won[i], lost[i] games that reach segment i of segment_plies each
 * (KM_WR_SEGMENTS_MAX of them), counted before. */
void km_wr_plan_segments(km_wr_plan *plan, const uint64_t *won, const uint64_t *lost);
size_t km_wr_plan_segment_of(const km_wr_plan *plan, uint32_t ply);

/* Plies first ≤ ply < end; end UINT32_MAX: to the end. */
typedef struct km_wr_range {
  uint32_t first, end;
} km_wr_range;
km_wr_range km_wr_plan_segment(const km_wr_plan *plan, size_t i);
km_wr_range km_wr_plan_bucket(const km_wr_plan *plan, size_t i);
km_wr_range km_wr_plan_phase(const km_wr_plan *plan, size_t i);
extern const char *const km_wr_phase_names[KM_WR_PHASES];

#endif
