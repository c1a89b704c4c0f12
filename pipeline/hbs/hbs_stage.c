/* hbs_stage.c: one pass over the games' facts says what there is (sizes, strata, numbers of positions), a
 * second one, in parallel, follows the moves. */
#include "hbs_stage.h"

#include "hbs_mean.h"
#include "hbs_summary.h"
#include "hbs_work.h"

#include "kifumill/batch.h"
#include "kifumill/outfile.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct hbs_job {
  const km_hbs_options *options;
  km_hbs_variant variant, single[2];
  km_codec codec;
  unsigned mask; /* kinds of strata */
  char *summary_path;
  km_games *games;
  uint64_t n_games, n_rectangular, n_positions;
  uint64_t *offsets;
  uint8_t *sizes; /* of the games' boards; 0: no square */
  km_strata *strata;
  km_curve_plan *plans;
  km_hbs_schema schema;
  km_hbs_writer *writer;
  km_hbs_shared shared;
  char digest[33];
  uint64_t next_position, next_game; /* of the reader */
  uint64_t released;                 /* games that are written, and given back */
  size_t n_workers;
  uint64_t games_done, positions_done;
  km_progress progress;
} hbs_job;

/* ---- before any work
 * --------------------------------------------------------------------------------------------- */

/* "out/hbs.h5" → "out/hbs.summary.json" */
static char *summary_name(const char *path) {
  static const char suffix[] = ".summary.json";
  size_t n = strlen(path);
  n -= n > 3 && strcmp(path + n - 3, ".h5") == 0 ? 3 : 0;
  char *name = malloc(n + sizeof suffix);
  if (name) {
    memcpy(name, path, n);
    memcpy(name + n, suffix, sizeof suffix);
  }
  return name;
}

static km_status check_options(hbs_job *job, km_err *err) {
  const km_hbs_options *o = job->options;
  km_status status = km_hbs_variant_parse(&job->variant, o->variant, err);
  if (status == KM_OK)
    status = km_codec_parse(&job->codec, o->codec, err);
  if (status == KM_OK)
    status = km_by_parse(&job->mask, o->by, err);
  if (status != KM_OK)
    return status;
  job->shared.n_colours = km_hbs_variant_split(job->variant, job->single);
  job->summary_path = summary_name(o->run.output);
  if (!job->summary_path)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
  const char *outputs[] = {o->run.output, job->summary_path};
  for (size_t i = 0; i < 2 && !o->run.force; i++)
    if (access(outputs[i], F_OK) == 0)
      return km_err_set(err, KM_ERR_STATE, 0, "%.200s exists; --force overwrites it", outputs[i]);
  return KM_OK;
}

/* ---- the first pass
 * ---------------------------------------------------------------------------------------------- */

/* For a few games a team of threads takes longer to come together than the work takes. */
static int n_threads_of(const hbs_job *job) {
  enum { GAMES_A_THREAD = 128 };
  int n = km_threads(job->options->run.threads);
  return job->n_games / GAMES_A_THREAD < (uint64_t)n ? (int)(job->n_games / GAMES_A_THREAD) + 1 : n;
}

/* Facts of the games of one size. */
typedef struct size_facts {
  uint64_t n_games, n_positions, n_too_long;
  size_t longest;
} size_facts;

/* A thread's share of the first pass. */
typedef struct scan_share {
  size_facts facts[KM_BOARD_MAX + 1];
  uint64_t n_rectangular;
} scan_share;
typedef struct scan_pass {
  hbs_job *job;
  scan_share *shares; /* of threads */
} scan_pass;
enum { SCAN_GAMES = 1 << 12 }; /* read, or given back, at a time */

static void count_game(scan_share *share, unsigned size, uint64_t n) {
  size_facts *f = &share->facts[size];
  share->n_rectangular += n == 0;
  if (n == 0)
    return;
  f->n_games++;
  f->n_positions += n;
  if (n > KM_HBS_CURVE_PLIES)
    f->n_too_long++;
  else if (n > f->longest)
    f->longest = (size_t)n;
}

/* Sizes of games, and in offsets, behind their places, how many positions they have. What was read of the
 * mapped file is given back, so that memory does not grow with it. */
static km_status scan_games(void *ctx, int thread, size_t part, km_err *err) {
  scan_pass *pass = ctx;
  hbs_job *job = pass->job;
  uint64_t first = (uint64_t)part * SCAN_GAMES, end = first + SCAN_GAMES;
  for (uint64_t i = first; i < end && i < job->n_games; i++) {
    km_game game;
    km_status status = km_games_info(job->games, i, &game, err);
    if (status != KM_OK)
      return status;
    uint64_t n = game.rows == game.cols ? (uint64_t)game.n_moves + 1 : 0;
    job->offsets[i + 1] = n;
    job->sizes[i] = n ? game.rows : 0;
    count_game(&pass->shares[thread], game.rows, n);
  }
  km_games_release(job->games, first, SCAN_GAMES);
  return KM_OK;
}

/* Adds the shares to the first one. */
static void add_shares(scan_share *shares, int n) {
  for (int i = 1; i < n; i++) {
    shares[0].n_rectangular += shares[i].n_rectangular;
    for (unsigned size = 0; size <= KM_BOARD_MAX; size++) {
      size_facts *to = &shares[0].facts[size], *from = &shares[i].facts[size];
      to->n_games += from->n_games;
      to->n_positions += from->n_positions;
      to->n_too_long += from->n_too_long;
      to->longest = to->longest > from->longest ? to->longest : from->longest;
    }
  }
}

/* Counts games by strata, one after the other: the first of a stratum names it. */
static km_status count_strata(hbs_job *job, km_err *err) {
  km_status status = KM_OK;
  for (uint64_t i = 0; job->mask && i < job->n_games && status == KM_OK; i++) {
    km_game game;
    if (i % SCAN_GAMES == 0 && i > 0)
      km_games_release(job->games, i - SCAN_GAMES, SCAN_GAMES);
    if (job->sizes[i] == 0)
      continue;
    status = km_games_info(job->games, i, &game, err);
    for (size_t c = 0; c < job->shared.n_colours && status == KM_OK; c++)
      status = km_strata_count(job->strata, i, &game,
                               (uint8_t)(job->single[c].colour == KM_HBS_WHITE ? KM_WHITE : KM_BLACK), err);
  }
  return status == KM_OK ? km_strata_rank(job->strata, err) : status;
}

/* The sizes with most games (then the larger boards) get curves. */
static int has_curves(const size_facts *facts, unsigned size) {
  unsigned before = 0;
  for (unsigned other = 1; other <= KM_BOARD_MAX; other++)
    before += facts[other].n_games > facts[size].n_games ||
              (facts[other].n_games == facts[size].n_games && other > size);
  return before < KM_HBS_SIZES_MAX;
}

static km_status plan_size(hbs_job *job, unsigned size, const size_facts *facts, km_err *err) {
  const km_hbs_options *o = job->options;
  km_status status = KM_OK;
  job->shared.by_size[size] = &job->plans[job->shared.n_plans];
  for (size_t c = 0; c < job->shared.n_colours && status == KM_OK; c++) {
    km_curve_plan *plan = &job->plans[job->shared.n_plans++];
    *plan = (km_curve_plan){.size = (uint8_t)size,
                            .colour = job->single[c].colour == KM_HBS_WHITE ? KM_WHITE : KM_BLACK,
                            .with_curves = (uint8_t)has_curves(facts, size),
                            .by_move = o->align != KM_ALIGN_FRACTION,
                            .by_fraction = o->align != KM_ALIGN_MOVE,
                            .interpolate = (km_hbs_align)o->interpolate,
                            .fractions = (uint32_t)o->fractions,
                            .window = (uint32_t)o->window,
                            .mask = job->mask,
                            .strata = job->strata,
                            .n_games = facts[size].n_games,
                            .n_positions = facts[size].n_positions,
                            .n_too_long = facts[size].n_too_long,
                            .longest = facts[size].longest,
                            .n_places = 2 * size * size};
    status = km_hbs_geometry_init(&plan->geometry, size, size, job->single[c], err);
  }
  return status;
}

/* Counts everything, and plans the curves. */
static km_status scan(hbs_job *job, km_err *err) {
  job->n_games = km_games_count(job->games);
  job->offsets = calloc(job->n_games + 1, sizeof *job->offsets);
  job->sizes = calloc(job->n_games + 1, sizeof *job->sizes);
  job->strata = km_strata_new(job->mask, (unsigned)job->options->strata);
  job->plans = calloc(KM_HBS_COLOURS_MAX * KM_BOARD_MAX, sizeof *job->plans);
  int n_threads = n_threads_of(job);
  scan_pass pass = {job, calloc((size_t)n_threads, sizeof *pass.shares)};
  if (!job->offsets || !job->sizes || !job->strata || !job->plans || !pass.shares) {
    free(pass.shares);
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for %" PRIu64 " games", job->n_games);
  }
  km_status status = km_parallel_for((size_t)((job->n_games + SCAN_GAMES - 1) / SCAN_GAMES), n_threads,
                                     scan_games, &pass, err);
  add_shares(pass.shares, n_threads);
  job->n_rectangular = pass.shares[0].n_rectangular;
  for (uint64_t i = 0; i < job->n_games; i++)
    job->offsets[i + 1] += job->offsets[i];
  job->n_positions = job->offsets[job->n_games];
  if (status == KM_OK)
    status = count_strata(job, err);
  for (unsigned size = KM_BOARD_MAX; size >= 1 && status == KM_OK; size--)
    if (pass.shares[0].facts[size].n_games)
      status = plan_size(job, size, pass.shares[0].facts, err);
  free(pass.shares);
  return status;
}

/* ---- the second pass
 * --------------------------------------------------------------------------------------------- */

static km_status open_output(hbs_job *job, km_err *err) {
  const km_run_options *run = &job->options->run;
  km_hbs_shape shape = {
      .n_limbs = 2, .n_colours = (uint32_t)job->shared.n_colours, .with_log2 = 1, .codec = job->codec};
  char variant[KM_HBS_NAME_MAX];
  for (size_t i = 0; i < job->shared.n_plans; i++) {
    const km_hbs_geometry *geometry = &job->plans[i].geometry;
    shape.n_limbs = geometry->n_limbs > shape.n_limbs ? geometry->n_limbs : shape.n_limbs;
    if (job->options->layers && geometry->n_layers > shape.n_layers)
      shape.n_layers = geometry->n_layers;
  }
  for (size_t i = 0; i < job->shared.n_plans; i++) {
    const km_hbs_geometry *geometry = &job->plans[i].geometry;
    job->shared.leave_gaps |=
        geometry->n_limbs != shape.n_limbs || (shape.n_layers && geometry->n_layers != shape.n_layers);
  }
  km_hash_hex(km_games_digest(job->games), job->digest);
  km_hbs_variant_name(job->variant, variant);
  km_store_origin origin = {run->command, run->config_text, run->seed, job->digest};
  km_status status = km_hbs_schema_init(&job->schema, &shape, err);
  if (status == KM_OK)
    status = km_hbs_writer_open(&job->writer, run->output, &job->schema, &origin, run->force, err);
  if (status == KM_OK)
    status = km_h5_put_text(km_hbs_writer_file(job->writer), "/", "variant", variant, err);
  return status == KM_OK ? km_hbs_writer_offsets(job->writer, job->offsets, job->n_games, err) : status;
}

static void *stretch_new(void *ctx) {
  hbs_job *job = ctx;
  km_stretch *stretch = calloc(1, sizeof *stretch);
  if (stretch && !(stretch->block = km_block_new(&job->schema.table))) {
    free(stretch);
    return NULL;
  }
  return stretch;
}
static void stretch_free(void *ctx, void *batch) {
  (void)ctx;
  km_block_free(((km_stretch *)batch)->block);
  free(batch);
}
static void *worker_new(void *ctx) {
  hbs_job *job = ctx;
  return km_hbs_worker_new(&job->shared, __atomic_fetch_add(&job->n_workers, 1, __ATOMIC_RELAXED));
}
static void worker_free(void *ctx, void *worker) {
  (void)ctx;
  km_hbs_worker_free(worker);
}

static km_status read_stretch(void *ctx, size_t stream, void *batch, km_err *err) {
  hbs_job *job = ctx;
  km_stretch *stretch = batch;
  (void)stream;
  (void)err;
  if (job->next_position == job->n_positions)
    return KM_END;
  uint64_t n = (uint64_t)KM_STRETCH_CHUNKS * job->schema.table.chunk_rows,
           rest = job->n_positions - job->next_position;
  stretch->first = job->next_position;
  stretch->n = n < rest ? n : rest;
  stretch->first_game = job->next_game;
  job->next_position += stretch->n;
  while (job->next_game < job->n_games && job->offsets[job->next_game + 1] <= job->next_position)
    job->next_game++; /* a game that is cut stays the next one */
  stretch->n_games = job->next_game - stretch->first_game;
  return KM_OK;
}

static km_status work_stretch(void *ctx, void *worker, void *batch, km_err *err) {
  (void)ctx;
  return km_hbs_worker_run(worker, batch, err);
}

static km_status write_stretch(void *ctx, void *batch, km_err *err) {
  hbs_job *job = ctx;
  km_stretch *stretch = batch;
  km_status status = km_hbs_writer_append(job->writer, stretch->block, err);
  uint64_t behind = stretch->first_game + stretch->n_games;
  if (behind - job->released >= SCAN_GAMES) { /* not of every stretch: that is a call a column */
    km_games_release(job->games, job->released, behind - job->released);
    job->released = behind;
  }
  job->games_done += stretch->n_games;
  job->positions_done += stretch->n;
  km_progress_update(&job->progress, (double)job->positions_done / (double)job->n_positions, job->games_done,
                     job->positions_done);
  return status;
}

static km_status follow_games(hbs_job *job, km_err *err) {
  static const km_batch_ops ops = {stretch_new,  stretch_free, worker_new,    worker_free,
                                   read_stretch, work_stretch, write_stretch, NULL};
  size_t n_threads = (size_t)n_threads_of(job);
  job->shared.games = job->games;
  job->shared.offsets = job->offsets;
  job->shared.schema = &job->schema;
  job->shared.plans = job->plans;
  km_status status = km_curve_pool_new(&job->shared.pool, job->plans, job->shared.n_plans, n_threads, err);
  return status == KM_OK ? km_batch_run(&ops, job, 1, (int)n_threads, n_threads + 2, err) : status;
}

/* ---- the end
 * ----------------------------------------------------------------------------------------------------- */

static km_status put_sizes(hbs_job *job, km_err *err) {
  static const km_column size_column = {
      .name = "/games/size",
      .type = KM_U8,
      .doc = "side of the board; 0: no square, and no positions in /trajectory"};
  km_h5 *file = km_hbs_writer_file(job->writer);
  km_status status = km_h5_group(file, "/games", "one row a game of games.h5", err);
  return status == KM_OK ? km_h5_put_column(file, &size_column, job->n_games, job->sizes, err) : status;
}

static km_status finish_outputs(hbs_job *job, km_err *err) {
  const km_run_options *run = &job->options->run;
  km_hbs_facts facts = {
      .options = job->options,
      .variant = job->variant,
      .input_digest = job->digest,
      .means = {NULL, job->shared.n_plans, (km_mean_ends)job->options->ends, job->games, n_threads_of(job)},
      .n_games = job->n_games,
      .n_rectangular = job->n_rectangular,
      .n_positions = job->n_positions};
  char *json = NULL;
  km_mean_lines lines = {0};
  km_status status = km_curve_pool_total(job->shared.pool, &facts.means.sets, err);
  if (status == KM_OK)
    status = km_mean_lines_read(&lines, &facts.means, err);
  if (status == KM_OK)
    status = put_sizes(job, err);
  if (status == KM_OK)
    status = km_hbs_mean_put(km_hbs_writer_file(job->writer), &facts.means, &lines, job->codec, err);
  if (status == KM_OK)
    status = km_hbs_summary(&json, &facts, &lines, err);
  if (status == KM_OK) {
    status = km_hbs_writer_finish(job->writer, err);
    job->writer = NULL;
  }
  if (status == KM_OK)
    status = km_outfile_put(job->summary_path, json, strlen(json), run->force, err);
  free(json);
  km_mean_lines_clear(&lines);
  return status;
}

static void report(const hbs_job *job, double seconds) {
  FILE *out = job->options->run.messages;
  uint64_t n_too_long = 0, n_other_sizes = 0;
  if (!out)
    return;
  for (size_t i = 0; i < job->shared.n_plans; i += job->shared.n_colours) {
    n_too_long += job->plans[i].with_curves ? job->plans[i].n_too_long : 0;
    n_other_sizes += job->plans[i].with_curves ? 0 : job->plans[i].n_games;
  }
  fprintf(out, "games %" PRIu64 ", positions %" PRIu64 "\n", job->n_games - job->n_rectangular,
          job->n_positions);
  if (job->n_rectangular)
    fprintf(out, "  without HBS: %" PRIu64 " games on boards that are no squares\n", job->n_rectangular);
  if (n_other_sizes)
    fprintf(out, "  without curves: %" PRIu64 " games on rarer board sizes than the first %d\n",
            n_other_sizes, KM_HBS_SIZES_MAX);
  if (n_too_long)
    fprintf(out, "  without curves: %" PRIu64 " games of more than %d positions\n", n_too_long,
            KM_HBS_CURVE_PLIES);
  fprintf(out, "%.2f s, %.0f games/s, %.1f M positions/s, peak memory %.0f MB, %s\n", seconds,
          (double)job->n_games / seconds, 1e-6 * (double)job->n_positions / seconds,
          1e-6 * (double)km_peak_memory_bytes(), job->options->run.output);
}

static void close_job(hbs_job *job) {
  km_hbs_writer_abandon(job->writer);
  km_curve_pool_free(job->shared.pool);
  km_strata_free(job->strata);
  km_games_close(job->games);
  free(job->plans);
  free(job->offsets);
  free(job->sizes);
  free(job->summary_path);
}

km_status km_hbs_run(const km_hbs_options *options, km_stage_outcome *outcome, km_err *err) {
  hbs_job job = {.options = options};
  km_progress_begin(&job.progress,
                    options->run.messages ? (km_progress_mode)options->run.progress : KM_PROGRESS_NEVER,
                    "hbs", stderr);
  km_status status = check_options(&job, err);
  if (status == KM_OK)
    status = km_games_open(&job.games, options->run.inputs[0], err);
  if (status == KM_OK)
    status = scan(&job, err);
  if (status == KM_OK)
    status = open_output(&job, err);
  if (status == KM_OK)
    status = follow_games(&job, err);
  if (status == KM_OK)
    status = finish_outputs(&job, err);
  double seconds = km_progress_end(&job.progress);
  if (status == KM_OK) {
    report(&job, seconds);
    *outcome = (km_stage_outcome){.n_records = job.n_games,
                                  .n_games = job.n_games - job.n_rectangular,
                                  .n_positions = job.n_positions,
                                  .n_files = 2};
  }
  close_job(&job);
  return status;
}
