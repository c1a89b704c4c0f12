/* sgf.c: finds the games in a run of bytes, gets each decoded and parsed, and tells positions in the bytes as
 * given.
 *
 * Input that is ASCII or UTF-8 (nearly all) is parsed where it stands: a text is a slice of the input. Of any
 * other input each record is decoded on its own, since one file may mix encodings:
 *
 *   bytes ──parse──► where the record ends, and its CA ──decode──► UTF-8 ──parse──► the record
 *
 * The first parse meets trail bytes that look like '\' or ']'; the reader's recovery from lost and stray
 * brackets is what finds the record's end there (sgf_scan.c, sgf_parse.c). UTF-16 and stateful encodings are
 * decoded as a whole first. Positions in decoded text are mapped back when a finding needs one. */
#include "kifumill/sgf.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "foreign.h"
#include "sgf_parse.h"
#include "sgf_record.h"

enum { MAX_MOVES = 1000000 };

/* A text and how its positions map to the bytes it was made from. */
struct km_sgf_origin {
  km_text_source source;
  km_decoded decoded;
  km_text_mark mark; /* of the last record's beginning: decoding up to a place is from there on */
  uint64_t base;     /* position of source.bytes in the input */
  char declared[48]; /* the value of CA */
};

typedef struct text {
  const char *begin, *end;
  const char *p;         /* where reading goes on */
  km_sgf_origin *origin; /* NULL: the input itself */
  int at_start;          /* a game begins at p */
  int is_glued;          /* and it begins inside the last one */
} text;

struct km_sgf_reader {
  const char *bytes, *end;
  km_sgf_options options;
  km_arena *arena;
  text outer;          /* the input, or all of it decoded */
  text inner;          /* a decoded record, when it holds another one; begin NULL: none */
  int inner_is_kept;   /* it lives as long as the reader */
  const char *foreign; /* what else the input looks like, or NULL; see foreign_kind */
  int foreign_known;
  int decode_each; /* the outer text is not UTF-8 */
  int is_ascii;    /* the outer text is ASCII */
  uint32_t n_records;
  size_t n_findings; /* kept */
  uint64_t n_noted;
  int done;
  km_sgf_draft draft; /* from here on not all is set before it is used */
  km_finding findings[KM_SGF_FINDINGS_MAX + 1];
};

/* ---- positions ---- */

static uint64_t origin_position(const km_sgf_origin *origin, uint64_t pos) {
  if (!origin)
    return pos;
  km_text_mark from = origin->mark.pos <= pos ? origin->mark : (km_text_mark){0, 0};
  return origin->base + km_text_origin_from(&origin->source, &origin->decoded, from, pos, NULL);
}

/* Of the next record: what is told of it afterwards is found from its beginning. */
static uint64_t mark_beginning(km_sgf_origin *origin, uint64_t pos) {
  return origin ? origin->base +
                      km_text_origin_from(&origin->source, &origin->decoded, origin->mark, pos, &origin->mark)
                : pos;
}

uint64_t km_sgf_move_position(const km_sgf_record *record, uint32_t move) {
  return origin_position(record->origin, record->move_pos[move]);
}

int km_sgf_position_needs_input(const km_sgf_record *record) {
  return record->origin && !record->origin->decoded.same_offsets;
}

/* ---- findings that belong to no record ---- */

static void note_input(km_sgf_reader *r, km_reason reason, uint64_t pos, const char *detail) {
  r->n_noted++;
  if (r->n_findings <= KM_SGF_FINDINGS_MAX)
    r->findings[r->n_findings++] = (km_finding){reason, pos, detail};
}

static char *count_detail(km_arena *arena, const char *format, unsigned long long n) {
  char line[64];
  int length = snprintf(line, sizeof line, format, n);
  return km_arena_strndup(arena, line, (size_t)length);
}

/* What lies in [from, to) is no game. Blanks and byte order marks do not count. */
static void note_garbage(km_sgf_reader *r, const text *t, const char *from, const char *to) {
  for (;;) {
    from = sgf_skip_space(from, to);
    if (to - from < 3 || memcmp(from, "\xef\xbb\xbf", 3) != 0)
      break;
    from += 3;
  }
  while (to > from && sgf_class_of(to[-1]) == SGF_SPACE)
    to--;
  if (from == to)
    return;
  char *detail = r->n_findings <= KM_SGF_FINDINGS_MAX
                     ? count_detail(r->arena, "%llu bytes", (unsigned long long)(to - from))
                     : NULL;
  note_input(r, KM_REASON_GARBAGE_OUTSIDE, origin_position(t->origin, (uint64_t)(from - t->begin)), detail);
}

/* What else the input looks like, or NULL. Asked for seldom: only where a game is in doubt. */
static const char *foreign_kind(km_sgf_reader *r) {
  if (!r->foreign_known) {
    r->foreign = km_foreign_kind(r->outer.begin, (size_t)(r->outer.end - r->outer.begin));
    r->foreign_known = 1;
  }
  return r->foreign;
}

/* At the end of the input: says why there was no game, or how many findings were not kept. */
static void finish_findings(km_sgf_reader *r) {
  r->done = 1;
  if (r->n_records == 0) {
    r->n_findings = 0;
    if (r->bytes == r->end)
      note_input(r, KM_REASON_EMPTY_MEMBER, 0, NULL);
    else if (foreign_kind(r))
      note_input(r, KM_REASON_NOT_SGF, 0, r->foreign);
    else
      note_input(r, KM_REASON_NO_GAME_FOUND, 0, NULL);
  } else if (r->n_noted > r->n_findings) {
    r->findings[r->n_findings - 1].detail =
        count_detail(r->arena, "and %llu more", (unsigned long long)(r->n_noted - r->n_findings));
  }
}

const km_finding *km_sgf_input_findings(const km_sgf_reader *reader, size_t *n_findings) {
  *n_findings = reader->n_findings;
  return reader->findings;
}

/* ---- opening ---- */

/* UTF-16 by its byte order mark, or by a NUL in every other of the first bytes; UTF-32 by three in four. */
static int looks_wide(const char *p, size_t n) {
  if (n < 4)
    return 0;
  if ((p[0] == '\xff' && p[1] == '\xfe') || (p[0] == '\xfe' && p[1] == '\xff'))
    return 1;
  if ((p[0] && !p[1] && p[2] && !p[3]) || (!p[0] && p[1] && !p[2] && p[3]))
    return 1;
  static const char little[8] = {1, 0, 0, 0, 1, 0, 0, 0}, big[8] = {0, 0, 0, 1, 0, 0, 0, 1};
  int is_little = n >= 8, is_big = n >= 8;
  for (size_t i = 0; i < 8 && n >= 8; i++) {
    is_little &= !p[i] == !little[i];
    is_big &= !p[i] == !big[i];
  }
  return is_little || is_big;
}

/* ISO-2022: 7-bit, with escapes to two-byte sets. */
static int looks_stateful(const char *p, size_t n) {
  while (n >= 3) {
    const char *q = memchr(p, 0x1b, n - 2);
    if (!q)
      return 0;
    if (q[1] == '$' || (q[1] == '(' && q[2] != 'B'))
      return 1;
    n -= (size_t)(q + 1 - p);
    p = q + 1;
  }
  return 0;
}

/* Decodes bytes into the arena; NULL when memory is out. */
static km_sgf_origin *decode(km_sgf_reader *r, const char *bytes, size_t n_bytes, const sgf_slice *charset,
                             km_arena *arena, km_err *err) {
  km_sgf_origin *origin = km_arena_zalloc(arena, sizeof *origin);
  if (!origin) {
    km_err_set(err, KM_ERR_NOMEM, 0, "no memory for a game record");
    return NULL;
  }
  origin->source = (km_text_source){
      .bytes = bytes, .n_bytes = n_bytes, .fallback = r->options.fallback_encoding, .escape_for_sgf = 1};
  size_t n = charset && charset->begin ? (size_t)(charset->end - charset->begin) : 0;
  if (n && n < sizeof origin->declared) {
    memcpy(origin->declared, charset->begin, n); /* the rest is 0 */
    origin->source.declared = origin->declared;
  }
  if (km_text_decode(r->options.decoder, &origin->source, arena, &origin->decoded, err))
    return NULL;
  return origin;
}

/* Sets the outer text: the input, or all of it decoded where its encoding does not leave ASCII in place. */
static km_status set_outer(km_sgf_reader *r, km_err *err) {
  size_t n = (size_t)(r->end - r->bytes);
  r->outer = (text){r->bytes, r->end, r->bytes, NULL, 0, 0};
  r->is_ascii = km_text_is_ascii(r->bytes, n);
  int wide = looks_wide(r->bytes, n);
  if (wide || (r->is_ascii && looks_stateful(r->bytes, n))) {
    km_sgf_origin *origin = decode(r, r->bytes, n, NULL, r->arena, err);
    if (!origin)
      return err->code;
    if (origin->decoded.bytes != r->bytes) {
      const char *begin = origin->decoded.bytes;
      r->outer = (text){begin, begin + origin->decoded.n_bytes, begin, origin, 0, 0};
      return KM_OK;
    }
  }
  r->decode_each = !r->is_ascii && !km_text_is_utf8(r->bytes, n);
  return KM_OK;
}

km_status km_sgf_open(km_sgf_reader **reader, const void *bytes, size_t n_bytes,
                      const km_sgf_options *options, km_arena *arena, km_err *err) {
  km_err local;
  km_arena *scratch = options && options->scratch ? options->scratch : arena;
  km_sgf_reader *r = km_arena_alloc(scratch, sizeof *r);
  *reader = r;
  if (!r)
    return km_err_set(err, KM_ERR_NOMEM, 0, "no memory for a record reader");
  memset(r, 0, offsetof(km_sgf_reader, draft) + offsetof(km_sgf_draft, findings));
  if (options)
    r->options = *options;
  if (!r->options.max_moves)
    r->options.max_moves = MAX_MOVES;
  if (!r->options.records)
    r->options.records = arena;
  r->arena = arena;
  r->bytes = n_bytes ? bytes : "";
  r->end = r->bytes + n_bytes;
  r->draft.max_moves = r->options.max_moves;
  r->draft.keep = scratch;
  r->draft.arena = r->options.records;
  return set_outer(r, err ? err : &local);
}

/* ---- finding games ---- */

/* A property with one of the traits stands at p: a game may begin there although what should stand before is
 * missing. */
static int is_property_of_start(const char *p, const char *end, unsigned traits) {
  sgf_name name = sgf_read_name(p, end);
  const char *q = sgf_skip_space(name.end, end);
  return q < end && *q == '[' && (sgf_traits(name.key) & traits);
}

/* Behind the '(' at p: blanks, and the few bytes of no meaning (a byte order mark, an odd blank) that may
 * stand before the ';' of a game. */
static const char *skip_to_node(const char *p, const char *end) {
  const char *next = sgf_skip_space(p + 1, end), *q = next;
  while (q < end && q - next < 8 && sgf_class_of(*q) != SGF_SEMICOLON &&
         ((uint8_t)*q >= 0x7f || (uint8_t)*q <= ' '))
    q++;
  return q < end && *q == ';' ? q : next;
}

/* Whether a game begins at p. is_first: nothing but blanks before it since the last game. */
static int is_start(const char *p, const char *end, int is_first) {
  const char *next = sgf_skip_space(p + 1, end);
  int is_line = is_first || p[-1] == '\n' || p[-1] == '\r';
  switch (*p) {
  case '(':
    next = skip_to_node(p, end);
    return next < end && (*next == ';' || (sgf_class_of(*next) == SGF_UPPER && sgf_opens_tree(p, end)));
  case ';':
    return is_property_of_start(next, end,
                                SGF_IS_ROOT | (is_line ? SGF_IS_INFO : 0) | (is_first ? SGF_IS_POINT : 0));
  default:
    return is_property_of_start(p, end, SGF_IS_ROOT | SGF_IS_INFO | (is_first ? SGF_IS_POINT : 0));
  }
}

static const char *find_start(const text *t) {
  const char *first = sgf_skip_space(t->p, t->end);
  for (const char *p = first; p < t->end; p++) {
    int may_be = *p == '(' || *p == ';' ||
                 (sgf_class_of(*p) == SGF_UPPER && (p == first || p[-1] == '\n' || p[-1] == '\r'));
    if (may_be && is_start(p, t->end, p == first))
      return p;
  }
  return NULL;
}

/* Whether what was parsed is to be taken as a game record. */
static int is_record(km_sgf_reader *r) {
  const km_sgf_draft *d = &r->draft;
  if (!d->n_properties)
    return 0;
  return sgf_draft_is_game(d) ||
         (*d->begin == '(' && *skip_to_node(d->begin, d->end) == ';' && !foreign_kind(r));
}

/* Parses the next game of t into the draft; what lies before it is garbage. 0 when there is none. */
static int parse_next(km_sgf_reader *r, text *t) {
  km_sgf_draft *d = &r->draft;
  d->text = t->begin;
  d->text_end = t->end;
  const char *garbage = t->p;
  for (;;) {
    const char *start = t->at_start ? t->p : find_start(t);
    if (!start) {
      note_garbage(r, t, garbage, t->end);
      t->p = t->end;
      return 0;
    }
    sgf_draft_reset(d);
    sgf_parse_tree(d, start);
    d->is_glued = t->is_glued;
    t->p = d->next;
    t->at_start = d->stopped;
    t->is_glued = d->stopped && is_record(r);
    if (!is_record(r))
      continue;
    if (d->is_glued)
      sgf_draft_note(d, KM_REASON_GLUED_GAME, start, NULL);
    note_garbage(r, t, garbage, start);
    return 1;
  }
}

/* ---- records ---- */

/* The findings of the draft, by position, in the bytes of the input. */
static km_status move_findings(km_sgf_record *record, km_sgf_draft *d, km_arena *arena, km_err *err) {
  uint32_t n = d->n_findings, kept = KM_SGF_FINDINGS_MAX + 1;
  if (n > kept) {
    d->findings[kept - 1].detail = count_detail(arena, "and %llu more", n - kept);
    n = kept;
  }
  int refusal_lost = record->refused && d->n_findings > kept; /* it was the last one */
  km_finding *out = km_arena_alloc(arena, (n + 1) * sizeof *out);
  if (!out)
    return km_err_set(err, KM_ERR_NOMEM, 0, "no memory for the findings of a record");
  memcpy(out, d->findings, n * sizeof *out);
  if (refusal_lost)
    out[n++] = (km_finding){record->refused, (uint64_t)(d->begin - d->text), NULL};
  for (uint32_t i = 0; i < n; i++) {
    km_finding f = out[i];
    f.pos = origin_position(record->origin, f.pos);
    uint32_t k = i;
    for (; k > 0 && out[k - 1].pos > f.pos; k--)
      out[k] = out[k - 1];
    out[k] = f;
  }
  record->findings = out;
  record->n_findings = n;
  return KM_OK;
}

/* What decoding the text of the record had to mend. */
static void note_decoding(km_sgf_draft *d, const km_decoded *decoded) {
  const sgf_slice *charset = &d->info[SGF_INFO_CHARSET];
  if (decoded->mismatch && charset->begin)
    sgf_draft_note(d, KM_REASON_ENCODING_MISMATCH, charset->name, "the text is %s", decoded->encoding);
  if (!decoded->n_escaped)
    return;
  const char *escape = memmem(d->begin, (size_t)(d->end - d->begin), "\\\\x", 3);
  sgf_draft_note(d, KM_REASON_INVALID_TEXT, escape ? escape : d->begin, "%llu bytes",
                 (unsigned long long)decoded->n_escaped);
}

/* The draft → the record. */
static km_status finish_record(km_sgf_reader *r, text *t, const km_decoded *decoded, km_sgf_record *record,
                               km_err *err) {
  km_sgf_draft *d = &r->draft;
  *record = (km_sgf_record){.number = ++r->n_records, .origin = t->origin};
  note_decoding(d, decoded);
  km_status status = sgf_record_fill(record, d, decoded->encoding, r->options.records, err);
  if (status)
    return status;
  record->begin = mark_beginning(t->origin, (uint64_t)(d->begin - d->text));
  record->end = origin_position(t->origin, (uint64_t)(d->end - d->text));
  return move_findings(record, d, r->options.records, err);
}

/* The name in CA is one of UTF-8, or none. */
static int declares_utf8(const sgf_slice *charset) {
  size_t n = charset->begin ? (size_t)(charset->end - charset->begin) : 0;
  return n == 0 || (n == 5 && strncasecmp(charset->begin, "utf-8", 5) == 0) ||
         (n == 4 && strncasecmp(charset->begin, "utf8", 4) == 0);
}

/* Whether the game in the draft has to be decoded on its own: it is of bytes that may be another encoding. */
static int needs_decoding(const km_sgf_reader *r, int is_ascii) {
  if (r->outer.origin || is_ascii)
    return 0;
  return r->decode_each || !declares_utf8(&r->draft.info[SGF_INFO_CHARSET]);
}

static void set_inner(km_sgf_reader *r, km_sgf_origin *origin, size_t offset) {
  const char *begin = origin->decoded.bytes;
  r->inner.begin = begin;
  r->inner.end = begin + origin->decoded.n_bytes;
  r->inner.p = begin + offset;
  r->inner.origin = origin;
}

/* The next record of the decoded text. KM_SKIP: it has none (its rest is noted as garbage). */
static km_status next_inner(km_sgf_reader *r, km_sgf_record *record, km_err *err) {
  text *t = &r->inner;
  const km_sgf_origin *origin = t->origin;
  if (!parse_next(r, t)) {
    t->begin = NULL;
    return KM_SKIP;
  }
  km_status status = finish_record(r, t, &origin->decoded, record, err);
  if (status)
    return status;
  if (sgf_skip_space(t->p, t->end) == t->end) {
    t->begin = NULL;
  } else if (!r->inner_is_kept) { /* another record in it: the text has to outlive the records' arena */
    sgf_slice charset = {origin->declared, origin->declared + strlen(origin->declared), NULL, 0, 0};
    km_sgf_origin *kept = decode(r, origin->source.bytes, origin->source.n_bytes, &charset, r->arena, err);
    if (!kept)
      return KM_ERR_NOMEM;
    kept->base = origin->base;
    set_inner(r, kept, (size_t)(t->p - t->begin));
    r->inner_is_kept = 1;
  }
  return KM_OK;
}

/* The next record of the outer text. KM_SKIP: it had to be decoded, and is now the inner text. */
static km_status next_outer(km_sgf_reader *r, km_sgf_record *record, km_err *err) {
  km_sgf_draft *d = &r->draft;
  text *t = &r->outer;
  if (!parse_next(r, &r->outer))
    return KM_END;
  size_t n = (size_t)(d->end - d->begin);
  int is_ascii = r->is_ascii || km_text_is_ascii(d->begin, n);
  km_decoded as_is = {.encoding = t->origin ? t->origin->decoded.encoding : is_ascii ? "US-ASCII" : "UTF-8"};
  if (!needs_decoding(r, is_ascii))
    return finish_record(r, t, t->origin ? &t->origin->decoded : &as_is, record, err);
  km_sgf_origin *origin = decode(r, d->begin, n, &d->info[SGF_INFO_CHARSET], r->options.records, err);
  if (!origin)
    return KM_ERR_NOMEM;
  if (origin->decoded.bytes == d->begin)
    return finish_record(r, t, &origin->decoded, record, err);
  origin->base = (uint64_t)(d->begin - t->begin);
  set_inner(r, origin, 0);
  r->inner.is_glued = d->is_glued;
  r->inner.at_start = 1;
  r->inner_is_kept = r->options.records == r->arena;
  return KM_SKIP;
}

km_status km_sgf_next(km_sgf_reader *reader, km_sgf_record *record, km_err *err) {
  if (reader->done)
    return KM_END;
  km_status status;
  do
    status = reader->inner.begin ? next_inner(reader, record, err) : next_outer(reader, record, err);
  while (status == KM_SKIP);
  if (status == KM_END)
    finish_findings(reader);
  return status;
}
