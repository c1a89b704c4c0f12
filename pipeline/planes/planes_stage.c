/* planes_stage.c: the run: settings, one pass over the games, the plan, the rows, the manifest.
 *
 * A row's place is computed, not sorted for (row_order.h). If the games fit into memory as tracks (some 10 to
 * 20 bytes a position), every shard is made straight from them, in any order and by any process; otherwise
 * rows go through a spool on the output's disk, bucket by bucket. Both give the same bytes. */
#include "planes_manifest.h"
#include "shard_job.h"

#include "kifumill/batch.h"

#include <inttypes.h>
#include <stdlib.h>

enum {
  PROGRAM_BYTES = 20 << 20, /* program, libraries, what HDF5 keeps */
  THREAD_BYTES = 1 << 20,   /* stack and heap of a thread */
  RANGE_BYTES = 4 << 20,    /* spooled rows of a range of games, one a position */
  BUDGET_LEAST = 1 << 20,
};

typedef struct run {
  const km_planes_options *options;
  km_planes_settings settings;
  km_games *games;
  km_track_shape *shape;
  km_row_columns columns;
  km_row_order orders[KM_SPLITS];
  km_gathered gathered;
  km_gather_job gather;
  km_row_spool *spool;
  km_shard_plan plan;
  km_shard_spec spec;
  const char *planes[KM_PLANES_MAX], *plane_docs[KM_PLANES_MAX];
  char layout[KM_LAYOUT_TEXT], digest[33];
  uint32_t block_rows;
  uint64_t budget; /* memory for tracks or spool */
  size_t window;
  km_progress progress;
  int was_finished, is_complete;
  size_t n_made; /* shards */
  uint64_t n_rows_made;
} run;

/* ---- settings ---- */

static void describe_shards(run *r) {
  static const char *const symmetries[] = {"none", "random", "all"};
  const km_planes_settings *s = &r->settings;
  const km_run_options *o = &r->options->run;
  size_t n_planes = km_layout_n_planes(s->layout, s->variants);
  for (size_t i = 0; i < n_planes; i++) {
    r->planes[i] = s->layout->planes[i].name;
    r->plane_docs[i] = s->layout->planes[i].doc;
  }
  km_hash_hex(km_games_digest(r->games), r->digest);
  km_row_columns_init(&r->columns, s);
  r->spec = (km_shard_spec){
      .table = {.group = "",
                .columns = r->columns.columns,
                .n_columns = r->columns.n_columns,
                .chunk_rows = s->chunk_rows,
                .codec = s->codec,
                .narrow_times = r->columns.narrow_times},
      .origin = {o->command ? o->command : "", o->config_text ? o->config_text : "", o->seed, r->digest},
      .layout = km_layout_text(s->layout, s->variants, r->layout, sizeof r->layout),
      .pack = s->packing == KM_PACK_BITS ? "bits" : "bytes",
      .symmetries = symmetries[s->symmetries],
      .rows = s->rows,
      .cols = s->cols,
      .planes = r->planes,
      .plane_docs = r->plane_docs,
      .n_planes = n_planes,
      .force = 1, /* what may not be overwritten has been refused before */
  };
  r->plan = (km_shard_plan){.folder = o->output, .spec = &r->spec};
}

/* Bytes of a block under way: rows not compressed yet, the narrow columns, what has been compressed. By
 * replay a block is made as a whole; otherwise it is compressed chunk by chunk. */
static uint64_t block_bytes(const run *r) {
  const km_planes_settings *s = &r->settings;
  uint64_t raw = s->needs_board ? r->block_rows : s->chunk_rows, packed = r->block_rows;
  return (raw + (s->codec.kind == KM_CODEC_NONE ? packed + packed / 2 : packed / 4)) * r->columns.n_bytes +
         (1 << 20);
}

/* What the memory limit leaves for tracks or spool when program, threads, and blocks or games under way have
 * their part. */
static km_status share_memory(run *r, km_err *err) {
  const km_planes_settings *s = &r->settings;
  uint64_t threads = (uint64_t)km_threads(r->options->run.threads);
  r->block_rows = s->chunk_rows * r->columns.narrow_times;
  if (r->block_rows > s->rows_per_shard)
    r->block_rows = s->rows_per_shard;
  uint64_t fixed = PROGRAM_BYTES + threads * (km_row_maker_bytes(s) + THREAD_BYTES);
  uint64_t games = (threads + 1) * RANGE_BYTES * s->rows_per_position;
  for (r->window = 2 * threads + 2; r->window > threads + 1; r->window--)
    if (fixed + r->window * block_bytes(r) <= s->memory / 2)
      break;
  fixed += r->window * block_bytes(r) > games ? r->window * block_bytes(r) : games;
  r->budget = s->memory > fixed ? s->memory - fixed : 0;
  if (r->budget < BUDGET_LEAST)
    return km_err_set(err, KM_ERR_USAGE, 0,
                      "--memory %" PRIu64 " M is too small for such rows with -j%" PRIu64
                      ": at least %" PRIu64 " M",
                      s->memory >> 20, threads, (fixed + BUDGET_LEAST + (1 << 20) - 1) >> 20);
  return KM_OK;
}

static km_status prepare(run *r, km_err *err) {
  const km_run_options *o = &r->options->run;
  km_status status = km_planes_settings_read(&r->settings, r->options, err);
  if (status == KM_OK)
    status = km_games_open(&r->games, o->inputs[0], err);
  if (status != KM_OK)
    return status;
  describe_shards(r);
  status = km_table_check(&r->spec.table, err);
  if (status == KM_OK)
    status = share_memory(r, err);
  if (status == KM_OK)
    status = km_shard_plan_open(&r->plan, &r->settings, o->force, &r->was_finished, err);
  if (status == KM_OK)
    status = km_track_shape_new(&r->shape, &r->settings, err);
  return status;
}

/* ---- rows ---- */

/* A run that would write nothing is a mistake: of which option, the counts tell. */
static km_status check_counts(const run *r, km_err *err) {
  const km_select_counts *c = &r->gathered.counts;
  const km_planes_settings *s = &r->settings;
  if (c->n_games == 0)
    return km_err_set(err, KM_ERR_FORMAT, 0, "%s holds no game", km_games_path(r->games));
  if (c->n_games == c->n_other_size)
    return km_err_set(err, KM_ERR_FORMAT, 0,
                      "%s: none of %" PRIu64 " games is on a board of %ux%u (--board chooses it)",
                      km_games_path(r->games), c->n_games, s->cols, s->rows);
  for (int i = 0; i < KM_SELECT_STEPS; i++)
    if (c->n_steps[i] == 0)
      return km_err_set(err, KM_ERR_FORMAT, 0, "%s: no position is left of %" PRIu64 " (%s)",
                        km_games_path(r->games), c->n_steps[0],
                        i == 0 ? "every game is too long" : km_select_step_names[i]);
  return KM_OK;
}

static km_status gather(run *r, km_err *err) {
  r->gather = (km_gather_job){.games = r->games,
                              .settings = &r->settings,
                              .shape = r->shape,
                              .budget = r->settings.merge_only ? 0 : r->budget,
                              .threads = r->options->run.threads,
                              .progress = &r->progress};
  km_status status = km_gather(&r->gathered, &r->gather, err);
  if (status == KM_OK)
    status = check_counts(r, err);
  uint64_t n_rows[KM_SPLITS];
  for (uint64_t i = 0; i < KM_SPLITS; i++) {
    n_rows[i] = r->gathered.counts.n_split[i] * r->settings.rows_per_position;
    km_row_order_init(&r->orders[i], n_rows[i], r->settings.seed, i, r->settings.shuffle);
  }
  if (status == KM_OK)
    status = km_shard_plan_make(&r->plan, &r->settings, n_rows, err);
  if (status == KM_OK)
    status = km_shard_plan_look(&r->plan, r->options->run.force, err);
  return status;
}

static int is_to_make(const km_shard *shard) {
  return shard->is_mine && !shard->is_done;
}

static km_status make_shards(run *r, km_err *err) {
  km_status status = KM_OK;
  if (r->n_made == 0)
    return KM_OK;
  km_spool_job spool = {.gather = &r->gather,
                        .gathered = &r->gathered,
                        .plan = &r->plan,
                        .orders = r->orders,
                        .budget = r->budget,
                        .block_rows = r->block_rows,
                        .window = (size_t)r->window};
  if (!r->gathered.store)
    status = km_row_spool_make(&r->spool, &spool, err);
  km_shard_job job = {.games = r->games,
                      .settings = &r->settings,
                      .shape = r->shape,
                      .columns = &r->columns,
                      .orders = r->orders,
                      .plan = &r->plan,
                      .store = r->gathered.store,
                      .spool = r->spool,
                      .block_rows = r->block_rows,
                      .threads = r->options->run.threads,
                      .window = r->window,
                      .progress = &r->progress};
  return status == KM_OK ? km_shard_job_run(&job, err) : status;
}

static km_status complete(run *r, km_err *err) {
  km_planes_manifest m;
  km_planes_manifest_fill(&m, r->options, &r->settings, &r->gathered.counts);
  m.manifest.origin = r->spec.origin;
  m.manifest.planes = r->planes;
  m.manifest.n_planes = r->spec.n_planes;
  km_status status = km_shard_plan_complete(&r->plan, &m.manifest, &r->is_complete, err);
  if (status != KM_OK || r->is_complete || !r->settings.merge_only)
    return status;
  for (size_t i = 0; i < r->plan.n_shards; i++)
    if (!r->plan.shards[i].is_done) {
      char path[KM_SHARD_PATH];
      km_shard_path(&r->plan, &r->plan.shards[i], path);
      return km_err_set(err, KM_ERR_STATE, 0, "--part merge: %.200s is not there yet", path);
    }
  return KM_OK;
}

/* ---- the end ---- */

static void report(const run *r, double seconds) {
  FILE *out = r->options->run.messages;
  uint64_t n_bytes = 0;
  size_t n_done = 0, n_mine = 0;
  if (!out)
    return;
  if (r->was_finished) {
    fprintf(out, "%s is finished already\n", r->options->run.output);
    return;
  }
  for (size_t i = 0; i < r->plan.n_shards; i++) {
    n_done += r->plan.shards[i].is_done;
    n_mine += r->plan.shards[i].is_mine;
    n_bytes += r->plan.shards[i].entry.n_bytes;
  }
  km_planes_summary(&r->settings, &r->gathered.counts, out);
  if (n_mine > r->n_made)
    fprintf(out, "%zu shards were there already\n", n_mine - r->n_made);
  if (r->spool)
    fprintf(out, "%.1f MB went through temporary data on disk\n",
            1e-6 * (double)km_row_spool_bytes(r->spool));
  if (!r->is_complete)
    fprintf(out, "%zu of %zu shards are there; the manifest is written when all are\n", n_done,
            r->plan.n_shards);
  fprintf(out, "%zu shards made, %.1f MB, %.2f s, %.0f rows/s, peak memory %.0f MB, %s\n", r->n_made,
          1e-6 * (double)n_bytes, seconds, (double)r->n_rows_made / seconds,
          1e-6 * (double)km_peak_memory_bytes(), r->options->run.output);
}

static void fill_outcome(const run *r, km_stage_outcome *outcome) {
  const km_select_counts *c = &r->gathered.counts;
  *outcome =
      (km_stage_outcome){.n_records = c->n_games,
                         .n_games = c->n_games - c->n_other_size - c->n_too_long - c->n_without,
                         .n_refused = c->n_too_long,
                         .n_positions = c->n_steps[KM_SELECT_STEPS - 1] * r->settings.rows_per_position,
                         .n_files = r->plan.n_shards};
  for (size_t i = 0; i < r->plan.n_shards; i++)
    outcome->n_bytes += r->plan.shards[i].entry.n_bytes;
}

static void clear(run *r) {
  km_row_spool_close(r->spool);
  km_shard_plan_clear(&r->plan);
  km_gathered_clear(&r->gathered);
  km_track_shape_free(r->shape);
  km_games_close(r->games);
}

/* From settings to manifest. */
static km_status run_all(run *r, km_err *err) {
  km_status status = prepare(r, err);
  if (status != KM_OK || r->was_finished)
    return status;
  status = gather(r, err);
  for (size_t i = 0; status == KM_OK && i < r->plan.n_shards; i++)
    if (is_to_make(&r->plan.shards[i])) {
      r->n_made++;
      r->n_rows_made += r->plan.shards[i].n_rows;
    }
  if (status == KM_OK)
    status = make_shards(r, err);
  return status == KM_OK ? complete(r, err) : status;
}

km_status km_planes_run(const km_planes_options *options, km_stage_outcome *outcome, km_err *err) {
  run *r = calloc(1, sizeof *r);
  if (!r)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
  r->options = options;
  km_progress_begin(&r->progress, options->run.messages ? options->run.progress : KM_PROGRESS_NEVER, "planes",
                    stderr);
  km_status status = run_all(r, err);
  double seconds = km_progress_end(&r->progress);
  if (status == KM_OK) {
    report(r, seconds);
    fill_outcome(r, outcome);
  } else {
    km_shard_plan_undo(&r->plan);
  }
  clear(r);
  free(r);
  return status;
}
