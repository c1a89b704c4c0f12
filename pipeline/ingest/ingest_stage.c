/* ingest_stage.c: read → judge → write. The writer is serial and in the order of the input: ledger, store, duplicates,
 * summary; all that takes time (decompression, parsing, replay, hashing) is done beside it. */
#include "ingest_stage.h"

#include "dedup.h"
#include "facts.h"
#include "ingest_batch.h"
#include "ingest_judge.h"
#include "ingest_prefix.h"
#include "ingest_source.h"
#include "places.h"

#include "kifumill/batch.h"
#include "kifumill/games_store.h"
#include "kifumill/outfile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A copy that was dropped: written to the ledger at the end, when it is known which one is kept. */
typedef struct dropped_copy {
  uint64_t index;
  km_hash128 hash;
} dropped_copy;

typedef struct ingest_job {
  const km_ingest_options *options;
  int n_threads;
  km_filter filter;
  km_ingest_source *source;
  char *games_path, *ledger_path, *summary_path;
  km_outfile *summary;
  char dry_folder[64]; /* of a dry run */
  km_games_writer *writer;
  km_ledger ledger;
  km_facts *facts;
  km_places *places;
  km_dedup *dedup;
  km_prefix *prefix;
  dropped_copy *dropped;
  size_t n_dropped, room_dropped;
  km_digest *digest; /* of the entries' hashes, in order */
  uint64_t n_records, n_entries, n_moves;
  char fault[200]; /* of an input, for the message when there is no game at all */
  km_reason fault_reason;
  km_progress progress;
} ingest_job;

/* ---- names of outputs ------------------------------------------------------------------------------------------ */

/* "out/games.h5" → "out/games" + suffix. */
static char *beside(const char *path, const char *suffix) {
  size_t n = strlen(path);
  if (n > 3 && strcmp(path + n - 3, ".h5") == 0)
    n -= 3;
  char *name = malloc(n + strlen(suffix) + 1);
  if (name) {
    memcpy(name, path, n);
    strcpy(name + n, suffix);
  }
  return name;
}

static km_status name_outputs(ingest_job *job, km_err *err) {
  const char *path = job->options->run.output;
  if (job->options->dry_run) {
    const char *temporary = getenv("TMPDIR");
    snprintf(job->dry_folder, sizeof job->dry_folder, "%.30s/kifu-ingest-XXXXXX", temporary && *temporary ? temporary : "/tmp");
    if (!mkdtemp(job->dry_folder)) {
      job->dry_folder[0] = 0;
      return km_err_set(err, KM_ERR_IO, errno, "cannot make a temporary folder in %.100s", temporary ? temporary : "/tmp");
    }
    job->games_path = beside(job->dry_folder, "/games.h5");
  } else {
    job->games_path = strdup(path);
  }
  job->ledger_path = beside(path, ".ledger.tsv");
  job->summary_path = beside(path, ".summary.json");
  return job->games_path && job->ledger_path && job->summary_path
             ? KM_OK
             : km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for the names of the outputs");
}

/* ---- opening and closing --------------------------------------------------------------------------------------- */

static km_status open_outputs(ingest_job *job, km_err *err) {
  const km_run_options *run = &job->options->run;
  km_store_origin origin = {run->command, run->config_text, run->seed, ""};
  km_status status = km_games_writer_open(&job->writer, job->games_path, &origin, run->force, err);
  if (status == KM_OK && !job->options->dry_run)
    status = km_ledger_open(&job->ledger, job->ledger_path, run->force, err);
  if (status == KM_OK && !job->options->dry_run)
    status = km_outfile_open(&job->summary, job->summary_path, run->force, err);
  job->places = km_places_new(job->writer);
  job->facts = km_facts_new();
  job->digest = km_digest_new();
  job->dedup = km_dedup_new(km_places_compare, job->places);
  job->prefix = km_prefix_new();
  if (status == KM_OK && (!job->places || !job->facts || !job->digest || !job->dedup || !job->prefix))
    status = km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
  return status;
}

static void close_job(ingest_job *job) {
  km_games_writer_abandon(job->writer);
  km_ledger_abandon(&job->ledger);
  km_outfile_abandon(job->summary);
  km_facts_free(job->facts);
  km_places_free(job->places);
  km_dedup_free(job->dedup);
  km_prefix_free(job->prefix);
  if (job->digest)
    km_digest_free(job->digest);
  km_ingest_source_close(job->source);
  free(job->dropped);
  free(job->games_path);
  free(job->ledger_path);
  free(job->summary_path);
  if (job->dry_folder[0])
    rmdir(job->dry_folder);
}

/* ---- the writer ------------------------------------------------------------------------------------------------ */

static km_status note_dropped(ingest_job *job, uint64_t index, km_hash128 hash, km_err *err) {
  if (job->n_dropped == job->room_dropped) {
    size_t room = job->room_dropped ? 2 * job->room_dropped : 256;
    dropped_copy *larger = realloc(job->dropped, room * sizeof *larger);
    if (!larger)
      return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for %zu duplicates", job->n_dropped);
    job->dropped = larger;
    job->room_dropped = room;
  }
  job->dropped[job->n_dropped++] = (dropped_copy){index, hash};
  km_facts_drop(job->facts, index);
  return km_games_writer_drop(job->writer, index, err);
}

static km_status keep_game(ingest_job *job, const km_ingest_entry *entry, km_ingest_record *record, km_err *err) {
  km_game *game = &record->sgf.game;
  km_game_keys keys = {record->hash.canonical, record->hash.opening};
  uint64_t index, loser = UINT64_MAX;
  game->text[KM_TEXT_SOURCE] = (km_text){entry->source, (uint32_t)strlen(entry->source)};
  game->text[KM_TEXT_ENTRY] = (km_text){entry->name, (uint32_t)strlen(entry->name)};
  km_status status = km_games_writer_add(job->writer, game, &keys, &index, err);
  if (status == KM_OK)
    status = km_facts_add(job->facts, game, err);
  if (status == KM_OK)
    status = km_places_add(job->places, record->sgf.number, entry->index, record->sgf.begin, err);
  if (status == KM_OK)
    status = km_prefix_add(job->prefix, record->hash.opening, game->n_moves, err);
  job->n_moves += game->n_moves;
  if (status != KM_OK || job->options->dedup == KM_DEDUP_OFF)
    return status;
  km_dedup_copy copy = {.hash = job->options->dedup == KM_DEDUP_MOVES ? record->hash.moves : record->hash.canonical,
                        .index = index,
                        .content = record->content,
                        .quality = km_dedup_quality(game)};
  status = km_dedup_add(job->dedup, &copy, &loser, err);
  if (status == KM_OK)
    status = km_places_failure(job->places, err);
  return status == KM_OK && loser != UINT64_MAX ? note_dropped(job, loser, copy.hash, err) : status;
}

/* Whether a fault says more about why there is no game than another: damage more than its consequences. */
static int is_graver(km_reason fault, km_reason than) {
  int is_mild = fault == KM_REASON_NO_GAME_FOUND || fault == KM_REASON_NOT_SGF || fault == KM_REASON_EMPTY_MEMBER;
  int than_mild = than == KM_REASON_NO_GAME_FOUND || than == KM_REASON_NOT_SGF || than == KM_REASON_EMPTY_MEMBER;
  return than == KM_REASON_NONE || (than_mild && !is_mild);
}

/* Keeps the gravest fault of an input, the first of several. */
static void note_fault(ingest_job *job, const km_place *place, const km_finding *f) {
  if (km_reason_kind_of(f->reason) != KM_KIND_INPUT || !is_graver(f->reason, job->fault_reason))
    return;
  job->fault_reason = f->reason;
  snprintf(job->fault, sizeof job->fault, " (%.60s%s%.60s: %s%s%.60s)", place->source, *place->entry ? " " : "",
           place->entry, km_reason_code(f->reason), f->detail ? ": " : "", f->detail ? f->detail : "");
}

static km_status write_findings(ingest_job *job, const km_place *place, const km_finding *findings, size_t n, km_err *err) {
  km_status status = KM_OK;
  for (size_t i = 0; status == KM_OK && i < n; i++) {
    note_fault(job, place, &findings[i]);
    status = km_ledger_add(&job->ledger, place, &findings[i], err);
  }
  return status;
}

static km_status write_entry(ingest_job *job, km_ingest_entry *entry, km_err *err) {
  km_place place = {entry->source, entry->name, 0};
  job->n_entries += entry->is_whole && entry->n_findings == 0;
  if (entry->is_whole)
    km_digest_add(job->digest, &entry->hash, sizeof entry->hash);
  km_status status = write_findings(job, &place, entry->findings, entry->n_findings, err);
  for (size_t i = 0; status == KM_OK && i < entry->n_records; i++) {
    km_ingest_record *record = &entry->records[i];
    place.game = record->sgf.number;
    job->n_records++;
    status = write_findings(job, &place, record->sgf.findings, record->sgf.n_findings, err);
    if (status == KM_OK)
      status = write_findings(job, &place, record->added, record->n_added, err);
    if (status == KM_OK && record->refused == KM_REASON_NONE)
      status = keep_game(job, entry, record, err);
  }
  place.game = 0;
  return status == KM_OK ? write_findings(job, &place, entry->text_findings, entry->n_text_findings, err) : status;
}

/* ---- the batch loop's functions -------------------------------------------------------------------------------- */

static void *batch_new(void *ctx) {
  (void)ctx;
  km_ingest_batch *batch = calloc(1, sizeof *batch);
  if (batch) {
    km_arena_init(&batch->arena);
    km_arena_init(&batch->parser_arena);
    batch->arena.block_bytes = KM_BATCH_BYTES;
  }
  return batch;
}
static void batch_free(void *ctx, void *batch) {
  (void)ctx;
  km_arena_clear(&((km_ingest_batch *)batch)->arena);
  km_arena_clear(&((km_ingest_batch *)batch)->parser_arena);
  free(batch);
}
static void *worker_new(void *ctx) {
  ingest_job *job = ctx;
  return km_judge_new(job->options, &job->filter);
}
static void worker_free(void *ctx, void *worker) {
  (void)ctx;
  km_judge_free(worker);
}
static km_status read_batch(void *ctx, size_t stream, void *batch, km_err *err) {
  return km_ingest_source_read(((ingest_job *)ctx)->source, stream, batch, err);
}
static int is_heavy(void *ctx, size_t stream) { return km_ingest_source_is_heavy(((ingest_job *)ctx)->source, stream); }
static km_status work_batch(void *ctx, void *worker, void *data, km_err *err) {
  (void)ctx;
  km_ingest_batch *batch = data;
  km_status status = KM_OK;
  for (size_t i = 0; status == KM_OK && i < batch->n_entries; i++) {
    km_ingest_entry *entry = &batch->entries[i];
    if (entry->bytes) {
      status = km_judge_entry(worker, entry, &batch->arena, err);
      continue;
    }
    for (size_t k = 0; status == KM_OK && k < entry->n_records; k++)
      status = km_judge_record(worker, &entry->records[k], &batch->arena, err);
  }
  return status;
}
static km_status write_batch(void *ctx, void *data, km_err *err) {
  ingest_job *job = ctx;
  km_ingest_batch *batch = data;
  km_status status = KM_OK;
  for (size_t i = 0; status == KM_OK && i < batch->n_entries; i++)
    status = write_entry(job, &batch->entries[i], err);
  km_progress_update(&job->progress, km_ingest_source_share(job->source, batch), job->n_records, job->n_moves);
  return status;
}

/* ---- the end --------------------------------------------------------------------------------------------------- */

/* The ledger lines of the copies, in the order of the input, each naming the copy that is kept. */
static int compare_dropped(const void *a, const void *b) {
  uint64_t left = ((const dropped_copy *)a)->index, right = ((const dropped_copy *)b)->index;
  return left < right ? -1 : left > right;
}

/* A line about game `index` whose detail names another game. */
static km_status write_pair(ingest_job *job, km_reason reason, uint64_t index, const char *relation, uint64_t other,
                            km_err *err) {
  km_place place;
  char *detail = NULL;
  km_status status = km_places_get(job->places, other, &place, err);
  if (status == KM_OK && asprintf(&detail, "%s: %s%s%s game %u", relation, place.source, *place.entry ? " " : "", place.entry,
                                     place.game) < 0)
    status = km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for a line of the ledger");
  if (status == KM_OK)
    status = km_places_get(job->places, index, &place, err);
  if (status == KM_OK)
    status = km_ledger_add(&job->ledger, &place, &(km_finding){reason, km_places_begin(job->places, index), detail}, err);
  free(detail);
  return status;
}

static km_status write_dropped(ingest_job *job, km_err *err) {
  km_status status = KM_OK;
  if (job->n_dropped)
    qsort(job->dropped, job->n_dropped, sizeof *job->dropped, compare_dropped);
  for (size_t i = 0; status == KM_OK && i < job->n_dropped; i++)
    status = write_pair(job, KM_REASON_DUPLICATE, job->dropped[i].index, "kept",
                        km_dedup_kept(job->dedup, job->dropped[i].hash), err);
  return status;
}

static km_status write_prefix(void *ctx, uint64_t index, uint64_t longer, km_err *err) {
  ingest_job *job = ctx;
  km_games_writer_set_flags(job->writer, index, KM_FLAG_PREFIX_COPY);
  return write_pair(job, KM_REASON_PREFIX_COPY, index, "begins", longer, err);
}

/* The outputs get their names when all of them are on the disk: a disk that is full leaves none. */
static km_status publish(ingest_job *job, const char *json, km_err *err) {
  km_status status = km_outfile_write(job->summary, json, strlen(json), err);
  if (status == KM_OK)
    status = km_outfile_sync(job->summary, err);
  if (status == KM_OK)
    status = km_outfile_sync(job->ledger.out, err);
  if (status == KM_OK) {
    status = km_games_writer_finish(job->writer, job->n_threads, NULL, err);
    job->writer = NULL;
  }
  if (status == KM_OK)
    status = km_ledger_finish(&job->ledger, err);
  if (status == KM_OK) {
    status = km_outfile_finish(job->summary, err);
    job->summary = NULL;
  }
  return status;
}

static km_status finish_outputs(ingest_job *job, km_facts_totals *totals, km_err *err) {
  const km_run_options *run = &job->options->run;
  char digest[33], *json = NULL;
  for (size_t i = 0; i < job->n_dropped; i++)
    km_prefix_drop(job->prefix, job->dropped[i].index);
  km_status status = write_dropped(job, err);
  if (status == KM_OK)
    status = km_prefix_find(job->prefix, job->writer, write_prefix, job, err);
  *totals = (km_facts_totals){job->n_records, km_ingest_source_inputs(job->source), job->n_entries, &job->ledger};
  km_hash_hex(km_digest_value(job->digest), digest);
  km_store_origin origin = {run->command, run->config_text, run->seed, digest};
  if (status != KM_OK || job->options->dry_run)
    return status;
  km_games_writer_set_origin(job->writer, &origin);
  status = km_facts_json(job->facts, totals, &json, err);
  if (status == KM_OK)
    status = publish(job, json, err);
  free(json);
  return status;
}

static km_status report(ingest_job *job, const km_facts_totals *totals, double seconds, km_err *err) {
  FILE *out = job->options->dry_run ? stdout : job->options->run.messages;
  if (!out)
    return KM_OK;
  km_status status = km_facts_table(job->facts, totals, out, err);
  fprintf(out, "%.2f s, %.0f games/s, %.1f M moves/s, peak memory %.0f MB%s%s\n", seconds,
          (double)totals->n_records / seconds, 1e-6 * (double)job->n_moves / seconds,
          1e-6 * (double)km_peak_memory_bytes(), job->options->dry_run ? "" : ", ",
          job->options->dry_run ? "" : job->options->run.output);
  return status;
}

km_status km_ingest_run(const km_ingest_options *options, km_stage_outcome *outcome, km_err *err) {
  static const km_batch_ops ops = {batch_new, batch_free, worker_new, worker_free, read_batch,
                                   work_batch, write_batch, is_heavy};
  ingest_job job = {.options = options, .n_threads = km_threads(options->run.threads),
                    .filter = {.result = options->result, .min_moves = options->min_moves,
                                                   .max_moves = options->max_moves}};
  km_facts_totals totals;
  km_status status = km_filter_parse(&job.filter, &options->filters, err);
  if (status == KM_OK && options->encoding && !km_text_encoding_known(options->encoding))
    status = km_err_set(err, KM_ERR_USAGE, 0, "--encoding %.60s: not an encoding that texts can be in", options->encoding);
  if (status == KM_OK)
    status = name_outputs(&job, err);
  if (status == KM_OK)
    status = km_ingest_source_open(&job.source, options, &job.filter, err);
  if (status == KM_OK)
    status = open_outputs(&job, err);
  km_progress_begin(&job.progress, options->run.messages ? options->run.progress : KM_PROGRESS_NEVER, "ingest", stderr);
  if (status == KM_OK)
    status = km_batch_run(&ops, &job, km_ingest_source_streams(job.source), job.n_threads, 0, err);
  km_archive_forget();
  if (status == KM_OK && job.n_records == 0)
    status = km_err_set(err, KM_ERR_FORMAT, 0, "no game record in the input%s", job.fault);
  if (status == KM_OK)
    status = finish_outputs(&job, &totals, err);
  double seconds = km_progress_end(&job.progress);
  if (status == KM_OK) {
    status = report(&job, &totals, seconds, err);
    *outcome = (km_stage_outcome){.n_records = job.n_records,
                                  .n_games = km_facts_n_games(job.facts),
                                  .n_refused = km_facts_n_refused(&totals) + km_facts_n_faults(&totals),
                                  .n_positions = km_facts_n_moves(job.facts),
                                  .n_files = 1};
  }
  close_job(&job);
  return status;
}
