/* ingest_source.c: reads entries and copies them into batches. */
#include "ingest_source.h"

#include <stdlib.h>
#include <string.h>

enum {
  GROUP_BYTES = 4 << 20, /* inputs smaller than this together share a stream */
  HEAVY_BYTES = 4 << 20,
};

/* Inputs first…last-1 read one behind the other. */
typedef struct group {
  size_t first, last, current;
  km_archive_reader *reader; /* of current */
  uint64_t n_bytes, n_before; /* compressed, of all; of those before current */
  /* a large entry that is parsed piecemeal */
  km_entry large;
  int in_large;
  km_arena large_arena;   /* the parser's own */
  km_arena large_records; /* the records': for the duration of a read it is the batch's arena */
  km_sgf_reader *large_reader;
  km_text_decoder *decoder; /* of its records; NULL until there was one */
  km_judge *judge; /* for records of a large entry that can only be judged while its bytes are there */
  size_t n_pieces;
} group;

struct km_ingest_source {
  const km_ingest_options *options;
  const km_filter *filter;
  km_inputs *inputs;
  km_sgf_options sgf;
  group *groups;
  size_t n_groups;
  uint64_t n_bytes;
  double done; /* bytes of streams written so far */
  double *group_done;
};

static km_status make_groups(km_ingest_source *s, km_err *err) {
  size_t n_inputs = km_inputs_count(s->inputs);
  s->groups = calloc(n_inputs + 1, sizeof *s->groups);
  s->group_done = calloc(n_inputs + 1, sizeof *s->group_done);
  if (!s->groups || !s->group_done)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for %zu inputs", n_inputs);
  for (size_t i = 0; i < n_inputs; i++) {
    uint64_t n_bytes = km_inputs_bytes(s->inputs, i);
    group *last = s->n_groups ? &s->groups[s->n_groups - 1] : NULL;
    if (!last || last->n_bytes + n_bytes > GROUP_BYTES || n_bytes == 0) {
      last = &s->groups[s->n_groups++];
      *last = (group){.first = i, .current = i};
      km_arena_init(&last->large_arena);
    }
    last->last = i + 1;
    last->n_bytes += n_bytes;
    s->n_bytes += n_bytes;
  }
  return KM_OK;
}

km_status km_ingest_source_open(km_ingest_source **out, const km_ingest_options *options, const km_filter *filter,
                                km_err *err) {
  km_ingest_source *s = calloc(1, sizeof *s);
  *out = NULL;
  if (!s)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
  s->options = options;
  s->filter = filter;
  s->sgf = (km_sgf_options){.fallback_encoding = options->encoding};
  km_archive_limits limits;
  km_archive_limits_default(&limits);
  limits.max_entry_bytes = options->max_entry_bytes;
  limits.max_archive_bytes = options->max_archive_bytes;
  limits.max_ratio = options->max_ratio;
  limits.max_depth = (unsigned)options->max_depth;
  km_status status = km_inputs_open(&s->inputs, options->run.inputs, options->run.n_inputs, &limits, err);
  if (status == KM_OK)
    status = make_groups(s, err);
  if (status != KM_OK) {
    km_ingest_source_close(s);
    return status;
  }
  *out = s;
  return KM_OK;
}

void km_ingest_source_close(km_ingest_source *s) {
  if (!s)
    return;
  for (size_t i = 0; i < s->n_groups; i++) {
    if (s->groups[i].reader)
      km_archive_close(s->groups[i].reader);
    km_arena_clear(&s->groups[i].large_arena);
    km_judge_free(s->groups[i].judge);
    km_text_decoder_free(s->groups[i].decoder);
  }
  free(s->groups);
  free(s->group_done);
  km_inputs_free(s->inputs);
  free(s);
}

size_t km_ingest_source_streams(const km_ingest_source *s) { return s->n_groups; }
size_t km_ingest_source_inputs(const km_ingest_source *s) { return km_inputs_count(s->inputs); }

/* ---- entries --------------------------------------------------------------------------------------------------- */

static km_finding *copy_findings(const km_finding *findings, size_t n, km_arena *arena) {
  km_finding *copy = km_arena_alloc(arena, n * sizeof *copy);
  for (size_t i = 0; copy && i < n; i++) {
    copy[i] = findings[i];
    if (findings[i].detail && !(copy[i].detail = km_arena_strndup(arena, findings[i].detail, strlen(findings[i].detail))))
      return NULL;
  }
  return copy;
}

/* Adds an entry with copies of its names and findings; its bytes are the caller's matter. NULL without memory. */
static km_ingest_entry *add_entry(km_ingest_batch *batch, const km_entry *from, const km_ingest_source *s, size_t input) {
  km_ingest_entry *entry = &batch->entries[batch->n_entries];
  const char *source = km_inputs_label(s->inputs, input), *name = from->name;
  const char *folder = km_inputs_folder(s->inputs, input);
  if (folder && !*name) { /* a bare file in a folder is an entry of the folder */
    name = source;
    source = folder;
  }
  *entry = (km_ingest_entry){.source = source, .index = from->index, .is_whole = 1};
  entry->name = km_arena_strndup(&batch->arena, name, strlen(name));
  entry->findings = copy_findings(from->findings, from->n_findings, &batch->arena);
  entry->n_findings = from->n_findings;
  if (!entry->name || (from->n_findings && !entry->findings))
    return NULL;
  batch->n_entries++;
  return entry;
}

static km_status no_memory(km_err *err) { return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for a batch of entries"); }

/* ---- large entries --------------------------------------------------------------------------------------------- */

static km_status begin_large(km_ingest_source *s, group *g, const km_entry *from, km_err *err) {
  g->large = *from;
  g->in_large = 1;
  g->n_pieces = 0;
  if (!g->decoder && !(g->decoder = km_text_decoder_new()))
    return no_memory(err);
  km_sgf_options options = s->sgf;
  options.decoder = g->decoder;
  options.records = &g->large_records;
  return km_sgf_open(&g->large_reader, from->bytes, from->n_bytes, &options, &g->large_arena, err);
}

/* The texts of a record point into the large entry, which the reader may leave before the batch is written; where its
 * moves stand is the reader's. */
static km_status copy_borrowed(km_sgf_record *record, km_arena *arena, km_err *err) {
  km_game *game = &record->game;
  uint64_t *move_pos = km_arena_alloc(arena, game->n_moves * sizeof *move_pos);
  if (!move_pos)
    return no_memory(err);
  if (game->n_moves && record->move_pos)
    memcpy(move_pos, record->move_pos, game->n_moves * sizeof *move_pos);
  record->move_pos = move_pos;
  for (int i = 0; i < KM_TEXT_COUNT; i++) {
    km_text *text = &game->text[i];
    if (text->bytes && !(text->bytes = km_arena_strndup(arena, text->bytes, text->n_bytes)))
      return no_memory(err);
  }
  return KM_OK;
}

/* Judges a record whose positions are told from the entry's bytes, which may be gone when a worker sees it. */
static km_status judge_now(km_ingest_source *s, group *g, km_ingest_record *record, km_err *err) {
  if (!km_sgf_position_needs_input(&record->sgf))
    return KM_OK;
  if (!g->judge && !(g->judge = km_judge_new(s->options, s->filter)))
    return no_memory(err);
  return km_judge_record(g->judge, record, &g->large_records, err);
}

/* The next records of the large entry, in the arena that large_records is. */
static km_status parse_large(km_ingest_source *s, group *g, km_ingest_entry *entry, km_err *err) {
  km_arena *arena = &g->large_records;
  while (entry->n_records < KM_BATCH_RECORDS) {
    km_sgf_record parsed;
    km_status status = km_sgf_next(g->large_reader, &parsed, err);
    if (status == KM_END) {
      const km_finding *findings = km_sgf_input_findings(g->large_reader, &entry->n_text_findings);
      entry->text_findings = copy_findings(findings, entry->n_text_findings, arena);
      g->in_large = 0;
      return entry->n_text_findings && !entry->text_findings ? no_memory(err) : KM_OK;
    }
    km_ingest_record *record = status == KM_OK ? km_ingest_add_record(entry, arena) : NULL;
    if (status < 0 || !record)
      return status < 0 ? status : no_memory(err);
    record->sgf = parsed;
    record->content = km_hash_bytes(g->large.bytes + parsed.begin, (size_t)(parsed.end - parsed.begin)).low;
    status = copy_borrowed(&record->sgf, arena, err);
    if (status == KM_OK)
      status = judge_now(s, g, record, err);
    if (status != KM_OK)
      return status;
  }
  return KM_OK;
}

/* One batch with a piece of the large entry. */
static km_status read_large(km_ingest_source *s, group *g, km_ingest_batch *batch, km_err *err) {
  km_entry from = g->large;
  if (g->n_pieces)
    from.n_findings = 0;
  km_ingest_entry *entry = add_entry(batch, &from, s, g->current);
  if (!entry)
    return no_memory(err);
  entry->is_whole = g->n_pieces++ == 0;
  if (entry->is_whole)
    entry->hash = km_hash_bytes(from.bytes, from.n_bytes);
  g->large_records = batch->arena;
  km_status status = parse_large(s, g, entry, err);
  batch->arena = g->large_records;
  if (!g->in_large) {
    batch->parser_arena = g->large_arena;
    km_arena_init(&g->large_arena);
  }
  return status;
}

/* ---- batches --------------------------------------------------------------------------------------------------- */

static uint64_t bytes_so_far(const group *g) {
  return g->n_before + (g->reader ? km_archive_bytes_read(g->reader) : 0);
}

/* Makes the reader of the next input current; KM_END behind the last. */
static km_status next_input(km_ingest_source *s, group *g, km_err *err) {
  if (g->reader) {
    km_archive_close(g->reader);
    g->reader = NULL;
    g->n_before += km_inputs_bytes(s->inputs, g->current);
    g->current++;
  }
  return g->current == g->last ? KM_END : km_archive_open(&g->reader, s->inputs, g->current, err);
}

static km_status take_entry(km_ingest_source *s, group *g, const km_entry *from, km_ingest_batch *batch, km_err *err) {
  km_ingest_entry *entry = add_entry(batch, from, s, g->current);
  if (!entry)
    return no_memory(err);
  if (from->bytes) {
    uint8_t *bytes = km_arena_alloc(&batch->arena, from->n_bytes);
    if (!bytes)
      return no_memory(err);
    memcpy(bytes, from->bytes, from->n_bytes);
    entry->bytes = bytes;
    entry->n_bytes = from->n_bytes;
    batch->n_bytes += from->n_bytes;
  }
  return KM_OK;
}

km_status km_ingest_source_read(km_ingest_source *s, size_t stream, km_ingest_batch *batch, km_err *err) {
  group *g = &s->groups[stream];
  km_arena_reset(&batch->arena);
  km_arena_clear(&batch->parser_arena);
  batch->n_entries = batch->n_bytes = 0;
  batch->stream = stream;
  batch->entries = km_arena_alloc(&batch->arena, KM_BATCH_ENTRIES * sizeof *batch->entries);
  if (!batch->entries)
    return no_memory(err);
  if (g->in_large) {
    km_status status = read_large(s, g, batch, err);
    batch->share = (double)bytes_so_far(g);
    return status;
  }
  while (batch->n_entries < KM_BATCH_ENTRIES && batch->n_bytes < KM_BATCH_BYTES) {
    km_entry from;
    km_status status = g->reader ? km_archive_next(g->reader, &from, err) : KM_END;
    if (status == KM_END && (status = next_input(s, g, err)) == KM_OK)
      continue;
    if (status == KM_OK && from.bytes && from.n_bytes > KM_ENTRY_LARGE) {
      if ((status = begin_large(s, g, &from, err)) == KM_OK && batch->n_entries == 0)
        status = read_large(s, g, batch, err);
      batch->share = (double)bytes_so_far(g);
      return status;
    }
    if (status == KM_OK)
      status = take_entry(s, g, &from, batch, err);
    if (status == KM_END)
      break;
    if (status != KM_OK)
      return status;
  }
  batch->share = (double)bytes_so_far(g);
  return batch->n_entries ? KM_OK : KM_END;
}

/* Two streams of one name are parts of a zip. */
static int have_one_name(const km_ingest_source *s, size_t a, size_t b) {
  return strcmp(km_inputs_name(s->inputs, a), km_inputs_name(s->inputs, b)) == 0;
}

int km_ingest_source_is_heavy(const km_ingest_source *s, size_t stream) {
  const group *g = &s->groups[stream];
  int is_part = (g->first > 0 && have_one_name(s, g->first - 1, g->first)) ||
                (g->last < km_inputs_count(s->inputs) && have_one_name(s, g->last - 1, g->last));
  return !is_part && (g->n_bytes >= HEAVY_BYTES || g->n_bytes == 0);
}

double km_ingest_source_share(km_ingest_source *s, const km_ingest_batch *batch) {
  s->done += batch->share - s->group_done[batch->stream];
  s->group_done[batch->stream] = batch->share;
  return s->n_bytes ? s->done / (double)s->n_bytes : -1;
}
