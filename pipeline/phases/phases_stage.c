/* phases_stage.c: batches of games: the reader says which, workers cut and compare, the writer counts and
 * writes in order. */
#include "phases_stage.h"

#include "phases_store.h"
#include "phases_summary.h"

#include "kifumill/batch.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BATCH_GAMES = 1024, BATCH_POSITIONS = 1 << 16 };

typedef struct phases_job {
  const km_phases_options *options;
  char *csv_path, *summary_path;
  km_hbs_store *hbs;
  km_games *games;
  km_labels *labels;
  uint8_t *sizes;
  char *input_digest, *variant;
  char digest[33];
  km_phase_shared shared;
  km_phases_writer *writer;
  km_tallies tallies;
  uint64_t next_game;
  uint32_t number; /* of the last game among those of its entry */
  km_phase_worker **workers;
  size_t n_workers; /* made so far */
  km_progress progress;
} phases_job;

/* ---- before any work
 * --------------------------------------------------------------------------------------------- */

/* "out/phases.h5" → "out/phases" + suffix */
static char *output_name(const char *path, const char *suffix) {
  size_t n = strlen(path);
  n -= n > 3 && strcmp(path + n - 3, ".h5") == 0 ? 3 : 0;
  char *name = malloc(n + strlen(suffix) + 1);
  if (name) {
    memcpy(name, path, n);
    strcpy(name + n, suffix);
  }
  return name;
}

static km_status name_outputs(phases_job *job, km_err *err) {
  const km_run_options *run = &job->options->run;
  job->csv_path = output_name(run->output, ".csv");
  job->summary_path = output_name(run->output, ".summary.json");
  if (!job->csv_path || !job->summary_path)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
  const char *outputs[] = {run->output, job->csv_path, job->summary_path};
  for (size_t i = 0; i < 3 && !run->force; i++)
    if (access(outputs[i], F_OK) == 0)
      return km_err_set(err, KM_ERR_STATE, 0, "%.200s exists; --force overwrites it", outputs[i]);
  return KM_OK;
}

static km_status parse_penalty(km_changepoint_options *cut, const char *text, km_err *err) {
  char *end;
  if (!strcmp(text, "hq"))
    text = "hannan-quinn";
  if (strcmp(text, "value") && km_changepoint_penalty_parse(text, &cut->penalty))
    return KM_OK;
  cut->penalty = KM_PENALTY_VALUE;
  cut->beta = strtod(text, &end);
  if (end == text || *end || !(cut->beta >= 0 && cut->beta <= 1e300))
    return km_err_set(err, KM_ERR_USAGE, 0, "--penalty %.80s: not bic, mbic, aic, hq or a number from 0 on",
                      text);
  return KM_OK;
}

/* "conventional", "conventional:A,B", or the name of a CSV. */
static km_status parse_reference(phases_job *job, km_err *err) {
  static const char word[] = "conventional";
  const char *text = job->options->reference;
  char *end;
  km_division *at = &job->shared.at19;
  *at = (km_division){{50, 150}};
  if (strncmp(text, word, sizeof word - 1) || (text[sizeof word - 1] && text[sizeof word - 1] != ':'))
    return km_labels_read(&job->labels, text, err);
  text += sizeof word - 1;
  if (!*text)
    return KM_OK;
  unsigned long a = strtoul(text + 1, &end, 10), b = *end == ',' ? strtoul(end + 1, &end, 10) : 0;
  if (*end || a < 1 || b <= a || b >= KM_PHASES_PLIES)
    return km_err_set(err, KM_ERR_USAGE, 0, "--reference %.80s: conventional:A,B has 1 ≤ A < B < %d",
                      job->options->reference, KM_PHASES_PLIES);
  *at = (km_division){{(uint32_t)a, (uint32_t)b}};
  return KM_OK;
}

static km_status parse_options(phases_job *job, km_err *err) {
  static const km_changepoint_cost costs[] = {KM_COST_L2, KM_COST_LINEAR, KM_COST_L1, KM_COST_NORMAL,
                                              KM_COST_RANK};
  const km_phases_options *o = job->options;
  km_changepoint_options *cut = &job->shared.cut;
  *cut = km_changepoint_defaults();
  cut->cost = costs[o->cost];
  cut->search = (km_changepoint_search)o->search;
  cut->noise = (km_changepoint_noise)o->noise;
  cut->n_changes = o->changes;
  cut->min_size = (size_t)o->min_size;
  cut->window = (size_t)o->window;
  cut->standardise = o->standardise != 0;
  job->shared.options = o;
  km_status status = km_signal_parse(&job->shared.signal, o->signal, err);
  job->shared.signal.skip_empty = o->empty == KM_EMPTY_SKIP;
  if (status == KM_OK)
    status = parse_penalty(cut, o->penalty, err);
  if (status == KM_OK && job->shared.signal.kind == KM_SIGNAL_LAYERS && cut->cost != KM_COST_L2)
    status = km_err_set(err, KM_ERR_USAGE, 0, "--signal layers goes with --cost l2");
  if (status == KM_OK)
    status = name_outputs(job, err);
  return status == KM_OK ? parse_reference(job, err) : status;
}

/* ---- inputs
 * ------------------------------------------------------------------------------------------------------ */

/* Which series of the file, and whether it has what the signal needs. */
static km_status take_series(phases_job *job, km_err *err) {
  const km_hbs_shape *shape = &km_hbs_store_schema(job->hbs)->shape;
  km_signal *signal = &job->shared.signal;
  km_hbs_variant single[2];
  const char *path = km_h5_path(km_hbs_store_file(job->hbs));
  km_status status = km_h5_get_text(km_hbs_store_file(job->hbs), "/", "variant", &job->variant, err);
  if (status == KM_OK && km_hbs_variant_parse(&signal->variant, job->variant, NULL) != KM_OK)
    status = km_err_set(err, KM_ERR_FORMAT, 0, "%s: %.40s is no variant of HBS", path, job->variant);
  if (status != KM_OK)
    return status;
  unsigned n_series = km_hbs_variant_split(signal->variant, single), wanted = 0;
  if (n_series != shape->n_colours)
    return km_err_set(err, KM_ERR_FORMAT, 0, "%s: the variant has %u series, the file %u", path, n_series,
                      shape->n_colours);
  uint8_t colour = job->options->colour == 2 ? KM_HBS_WHITE : KM_HBS_BLACK;
  while (job->options->colour && wanted < n_series && single[wanted].colour != colour)
    wanted++;
  if (wanted == n_series)
    return km_err_set(err, KM_ERR_USAGE, 0, "%s has no series of %s (its variant is %s)", path,
                      colour == KM_HBS_WHITE ? "white" : "black", job->variant);
  if (km_signal_needs_layers(signal) && !shape->n_layers)
    return km_err_set(err, KM_ERR_USAGE, 0,
                      "--signal %.40s needs layers, which %s has not: kifu-hbs --layers keeps them",
                      job->options->signal, path);
  job->shared.series = wanted;
  signal->variant = single[wanted];
  signal->n_limbs = shape->n_limbs;
  signal->n_layers = shape->n_layers;
  return KM_OK;
}

/* Sides of the boards, which must be those that series and layers are of. */
static km_status take_sizes(phases_job *job, km_err *err) {
  static const km_column column = {.name = "/games/size", .type = KM_U8};
  km_h5 *file = km_hbs_store_file(job->hbs);
  uint64_t n = 0, n_games = km_hbs_store_n_games(job->hbs);
  const uint64_t *offsets = km_hbs_store_offsets(job->hbs);
  const km_signal *signal = &job->shared.signal;
  void *rows = NULL;
  km_status status = km_h5_read_all(file, &column, SIZE_MAX / 2, &rows, &n, err);
  job->sizes = rows;
  if (status != KM_OK)
    return status;
  int bad = n != n_games;
  for (uint64_t i = 0; i < n_games && !bad; i++) {
    unsigned size = job->sizes[i];
    bad = size > KM_BOARD_MAX || (size == 0) != (offsets[i] == offsets[i + 1]) ||
          (size && km_hbs_n_limbs(size) > signal->n_limbs) ||
          (signal->n_layers && size && km_hbs_n_layers(size, signal->variant) > signal->n_layers);
  }
  return bad ? km_err_set(err, KM_ERR_FORMAT, 0, "%s: /games/size does not go with /trajectory",
                          km_h5_path(file))
             : KM_OK;
}

/* Whether games.h5 is what hbs.h5 was made of. */
static km_status open_games(phases_job *job, km_err *err) {
  char digest[33];
  const char *path = job->options->run.inputs[1];
  km_status status = km_games_open(&job->games, path, err);
  if (status != KM_OK)
    return status;
  km_hash_hex(km_games_digest(job->games), digest);
  if (strcmp(digest, job->input_digest) || km_games_count(job->games) != job->shared.n_games)
    return km_err_set(err, KM_ERR_FORMAT, 0, "%.120s was not made of %.120s", job->options->run.inputs[0],
                      path);
  job->shared.games = job->games;
  return KM_OK;
}

/* A digest of what the HBS file is made of: its own input and settings. */
static km_status take_digest(phases_job *job, km_err *err) {
  char *config = NULL;
  km_h5 *file = km_hbs_store_file(job->hbs);
  km_digest *digest = km_digest_new();
  km_status status = digest ? km_h5_get_text(file, "/", "input_digest", &job->input_digest, err)
                            : km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
  if (status == KM_OK)
    status = km_h5_get_text(file, "/", "config", &config, err);
  if (status == KM_OK) {
    km_digest_add(digest, job->input_digest, strlen(job->input_digest));
    km_digest_add(digest, config, strlen(config));
    km_hash_hex(km_digest_value(digest), job->digest);
  }
  km_digest_free(digest);
  free(config);
  return status;
}

static km_status open_inputs(phases_job *job, km_err *err) {
  const km_run_options *run = &job->options->run;
  km_status status = km_hbs_store_open(&job->hbs, run->inputs[0], err);
  if (status != KM_OK)
    return status;
  job->shared.hbs = job->hbs;
  job->shared.n_games = km_hbs_store_n_games(job->hbs);
  status = take_digest(job, err);
  if (status == KM_OK)
    status = take_series(job, err);
  if (status == KM_OK)
    status = take_sizes(job, err);
  if (status == KM_OK && run->n_inputs > 1)
    status = open_games(job, err);
  if (status == KM_OK && job->labels && !job->games)
    status = km_err_set(err, KM_ERR_USAGE, 0,
                        "labels are found by source and entry: give games.h5 behind %.200s", run->inputs[0]);
  job->shared.sizes = job->sizes;
  job->shared.labels = job->labels;
  return status;
}

/* ---- the batch loop's functions
 * ---------------------------------------------------------------------------------- */

static void *batch_new(void *ctx) {
  (void)ctx;
  km_phase_batch *batch = calloc(1, sizeof *batch);
  if (batch && !(batch->results = calloc(BATCH_GAMES, sizeof *batch->results))) {
    free(batch);
    return NULL;
  }
  if (batch)
    km_arena_init(&batch->arena);
  return batch;
}
static void batch_free(void *ctx, void *data) {
  (void)ctx;
  km_phase_batch *batch = data;
  km_arena_clear(&batch->arena);
  free(batch->results);
  free(batch);
}
/* Workers are kept: their sums are taken together at the end. */
static void *worker_new(void *ctx) {
  phases_job *job = ctx;
  km_phase_worker *worker = km_phase_worker_new(&job->shared);
  if (worker)
    job->workers[__atomic_fetch_add(&job->n_workers, 1, __ATOMIC_RELAXED)] = worker;
  return worker;
}
static void worker_free(void *ctx, void *worker) {
  (void)ctx;
  (void)worker;
}

static int same_text(km_text a, km_text b) {
  return a.n_bytes == b.n_bytes &&
         (a.bytes == b.bytes || (a.bytes && b.bytes && !memcmp(a.bytes, b.bytes, a.n_bytes)));
}

/* The number of game i among those of its entry, which follow each other. */
static uint32_t number_of(phases_job *job, uint64_t i) {
  int same = i > 0;
  for (int field = KM_TEXT_SOURCE; field <= KM_TEXT_ENTRY && same; field++)
    same = same_text(km_games_text(job->games, i, (km_text_field)field),
                     km_games_text(job->games, i - 1, (km_text_field)field));
  return job->number = same ? job->number + 1 : 1;
}

static km_status read_batch(void *ctx, size_t stream, void *data, km_err *err) {
  phases_job *job = ctx;
  km_phase_batch *batch = data;
  const uint64_t *offsets = km_hbs_store_offsets(job->hbs);
  uint64_t first = job->next_game;
  (void)stream;
  (void)err;
  if (first == job->shared.n_games)
    return KM_END;
  batch->n_games = 0;
  while (job->next_game < job->shared.n_games && batch->n_games < BATCH_GAMES &&
         offsets[job->next_game] - offsets[first] < BATCH_POSITIONS) {
    uint64_t i = job->next_game++;
    batch->results[batch->n_games++] =
        (km_phase_game){.game = i, .size = job->sizes[i], .number = job->labels ? number_of(job, i) : 1};
  }
  return KM_OK;
}
static km_status work_batch(void *ctx, void *worker, void *batch, km_err *err) {
  (void)ctx;
  km_arena_reset(&((km_phase_batch *)batch)->arena);
  return km_phase_worker_run(worker, batch, err);
}
static km_status write_batch(void *ctx, void *data, km_err *err) {
  phases_job *job = ctx;
  km_phase_batch *batch = data;
  km_status status = KM_OK;
  for (size_t i = 0; i < batch->n_games && status == KM_OK; i++)
    status = km_tallies_add(&job->tallies, &batch->results[i], err);
  if (status == KM_OK)
    status = km_phases_writer_add(job->writer, batch->results, batch->n_games, job->games, err);
  if (job->games)
    km_games_release(job->games, batch->results[0].game, batch->n_games);
  km_progress_update(&job->progress, (double)job->tallies.n_games / (double)job->shared.n_games,
                     job->tallies.n_games, job->tallies.n_positions);
  return status;
}

static km_status cut_games(phases_job *job, km_err *err) {
  static const km_batch_ops ops = {batch_new,  batch_free, worker_new, worker_free,
                                   read_batch, work_batch, write_batch, NULL};
  const km_run_options *run = &job->options->run;
  int n_threads = km_threads(run->threads);
  km_store_origin origin = {run->command, run->config_text, run->seed, job->digest};
  km_phases_target target = {run->output,
                             job->csv_path,
                             &origin,
                             job->shared.n_games,
                             km_hbs_store_offsets(job->hbs)[job->shared.n_games],
                             run->force};
  job->tallies.shared = &job->shared;
  job->workers = calloc((size_t)n_threads, sizeof(km_phase_worker *));
  if (!job->workers)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
  km_status status = km_phases_writer_open(&job->writer, &target, err);
  return status == KM_OK ? km_batch_run(&ops, job, 1, n_threads, (size_t)n_threads + 2, err) : status;
}

/* ---- the end
 * ----------------------------------------------------------------------------------------------------- */

static km_status finish_outputs(phases_job *job, km_err *err) {
  km_hbs_variant variant = job->shared.signal.variant;
  km_phases_facts facts = {.shared = &job->shared,
                           .tallies = &job->tallies,
                           .input_digest = job->digest,
                           .variant = job->variant,
                           .series = variant.colour == KM_HBS_WHITE ? "white" : "black"};
  char *json = NULL;
  km_status status = KM_OK;
  if (job->n_workers == 0 && !worker_new(job))
    status = km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
  for (size_t i = 1; i < job->n_workers && status == KM_OK; i++)
    status = km_mean_curves_merge(km_phase_worker_curves(job->workers[0]),
                                  km_phase_worker_curves(job->workers[i]), err);
  if (status == KM_OK) {
    facts.curves = km_phase_worker_curves(job->workers[0]);
    status = km_phases_summary(&json, &facts, err);
  }
  if (status == KM_OK)
    status = km_h5_put_text(km_phases_writer_file(job->writer), "/", "signal", job->options->signal, err);
  if (status == KM_OK) {
    status = km_phases_writer_finish(job->writer, err);
    job->writer = NULL;
  }
  if (status == KM_OK)
    status = km_outfile_put(job->summary_path, json, strlen(json), job->options->run.force, err);
  free(json);
  return status;
}

static void report(const phases_job *job, double seconds) {
  static const char *const why[] = {"", "without a series (no square board, or no such layer)",
                                    "too long to be cut", "too short for three pieces"};
  FILE *out = job->options->run.messages;
  const km_tallies *t = &job->tallies;
  if (!out)
    return;
  fprintf(out, "games %" PRIu64 ", divided %" PRIu64 ", positions %" PRIu64 "\n", t->n_games,
          t->n_state[KM_CUT_DONE], t->n_positions);
  for (int state = KM_CUT_NO_SERIES; state <= KM_CUT_TOO_SHORT; state++)
    if (t->n_state[state])
      fprintf(out, "  not divided: %" PRIu64 " games %s\n", t->n_state[state], why[state]);
  if (job->labels && t->n_labels_used < km_labels_n(job->labels))
    fprintf(out,
            "  not used: %" PRIu64 " of %zu labels, of games that are not there, not divided, or shorter\n",
            km_labels_n(job->labels) - t->n_labels_used, km_labels_n(job->labels));
  fprintf(out, "%.2f s, %.0f games/s, peak memory %.0f MB, %s\n", seconds, (double)t->n_games / seconds,
          1e-6 * (double)km_peak_memory_bytes(), job->options->run.output);
}

static void close_job(phases_job *job) {
  km_phases_writer_abandon(job->writer);
  km_tallies_clear(&job->tallies);
  for (size_t i = 0; i < job->n_workers; i++)
    km_phase_worker_free(job->workers[i]);
  free(job->workers);
  km_labels_free(job->labels);
  km_games_close(job->games);
  km_hbs_store_close(job->hbs);
  free(job->sizes);
  free(job->input_digest);
  free(job->variant);
  free(job->csv_path);
  free(job->summary_path);
}

km_status km_phases_run(const km_phases_options *options, km_stage_outcome *outcome, km_err *err) {
  phases_job job = {.options = options};
  km_progress_begin(&job.progress,
                    options->run.messages ? (km_progress_mode)options->run.progress : KM_PROGRESS_NEVER,
                    "phases", stderr);
  km_status status = parse_options(&job, err);
  if (status == KM_OK)
    status = open_inputs(&job, err);
  if (status == KM_OK)
    status = cut_games(&job, err);
  if (status == KM_OK)
    status = finish_outputs(&job, err);
  double seconds = km_progress_end(&job.progress);
  if (status == KM_OK) {
    report(&job, seconds);
    *outcome = (km_stage_outcome){.n_records = job.tallies.n_games,
                                  .n_games = job.tallies.n_games,
                                  .n_positions = job.tallies.n_positions,
                                  .n_files = 3};
  }
  close_job(&job);
  return status;
}
