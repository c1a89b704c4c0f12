/* sgf_parse.c: one walk over the bytes of a game tree, with recovery. See sgf_parse.h.
 *
 * The main line is the first child at every fork: all nodes before the first ')'. So a depth counter is all
 * the state that nesting needs; behind the first ')' values are only skipped. Nine nodes of ten are ";B[dd]":
 * sgf_moves.c takes runs of them.
 *
 * Recovery, each with a finding: what no syntax explains is skipped up to the next byte that one does; text
 * behind a value is taken as the rest of the value (an unescaped ']') when its own ']' follows; a ')' too
 * many is taken back when moves follow it; a tree that begins like a new game ends the one it seems to be
 * part of. */
#include "sgf_parse.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "kifumill/metadata.h"

/* What the current node holds, beside moves. */
enum {
  NODE_BLACK = 1,
  NODE_WHITE = 2,
  NODE_EMPTY = 4,
  NODE_SETUP = 7,
  NODE_PL = 8,
  NODE_KO = 16,
  NODE_EVAL = 32, /* one of walk.evals */
  NODE_ANY = 64,  /* any property */
};

enum { EVAL_COMMENT, EVAL_SBKV, EVAL_LIZZIE, EVAL_KINDS };

typedef struct walk {
  km_sgf_draft *d;
  const char *p, *end;
  uint64_t depth;
  int on_main; /* before the first ')' */
  int node_open;
  int after_tree;   /* 1: the last parenthesis was a ')'; 2: and a node behind one was told of already */
  int stopped;      /* another game begins at p */
  int n_taken_back; /* ')' that were one too many */
  uint64_t n_nodes;
  uint32_t node_first; /* moves before this node */
  unsigned node_bits;
  const char *node_at;
  sgf_value evals[EVAL_KINDS]; /* of this node; begin NULL: none */
  const char *tail;            /* behind the last value, until something structural follows */
} walk;

void sgf_draft_reset(km_sgf_draft *d) {
  d->n_moves = d->n_setup = d->n_evals = 0;
  d->n_moves_seen = d->n_setup_points = d->n_properties = 0;
  memset(d->info, 0, sizeof d->info);
  d->player = (sgf_player){0};
  d->n_pl_mismatches = 0;
  d->result_conflict = d->has_root_key = d->has_5a = d->has_lower = d->has_info = d->stopped = 0;
  d->n_findings = 0;
  d->stray_end = UINT64_MAX;
  d->flags = 0;
}

void sgf_draft_note(km_sgf_draft *d, km_reason reason, const char *p, const char *format, ...) {
  d->flags |= km_reason_flag(reason);
  d->n_findings++;
  if (d->n_findings > KM_SGF_FINDINGS_MAX + 1)
    return;
  km_finding *finding = &d->findings[d->n_findings - 1];
  *finding = (km_finding){.reason = reason, .pos = (uint64_t)(p - d->text)};
  if (!format || d->n_findings > KM_SGF_FINDINGS_MAX)
    return;
  char line[128];
  va_list args;
  va_start(args, format);
  int n = vsnprintf(line, sizeof line, format, args);
  va_end(args);
  size_t n_bytes = n < 0 ? 0 : (size_t)n < sizeof line ? (size_t)n : sizeof line - 1;
  finding->detail = km_arena_strndup(d->arena, line, n_bytes);
  d->out_of_memory |= !finding->detail;
}

/* The first bytes of a text as they may stand in a detail: printable ASCII. */
typedef struct quote {
  char text[24];
} quote;
static quote quote_of(const char *begin, const char *end) {
  quote q;
  size_t n = 0, room = sizeof q.text - 4;
  for (; begin < end && n < room; begin++)
    q.text[n++] = *begin >= ' ' && *begin < 0x7f ? *begin : '?';
  if (begin < end)
    q.text[n++] = '.', q.text[n++] = '.', q.text[n++] = '.';
  q.text[n] = 0;
  return q;
}

/* Room for one more in an array of the draft. */
static void *grow(km_sgf_draft *d, void *array, uint32_t n, uint32_t *room, size_t item_bytes) {
  if (n < *room)
    return array;
  uint32_t fresh = *room ? *room * 2 : 512;
  void *larger = fresh > *room ? km_arena_grow(d->keep, array, *room * item_bytes, fresh * item_bytes) : NULL;
  if (!larger) {
    d->out_of_memory = 1;
    return NULL;
  }
  *room = fresh;
  return larger;
}

/* ---- moves and set-up ---- */

/* Room for one more move and its position. */
static int reserve_move(km_sgf_draft *d) {
  uint32_t room = d->moves_room, same = room;
  sgf_move *moves = grow(d, d->moves, d->n_moves, &room, sizeof *moves);
  if (moves)
    d->moves = moves;
  uint64_t *pos = moves ? grow(d, d->move_pos, d->n_moves, &same, sizeof *pos) : NULL;
  if (!pos)
    return 0;
  d->move_pos = pos;
  d->moves_room = room;
  return 1;
}

static void push_move(km_sgf_draft *d, uint16_t xy, uint8_t colour, const char *at) {
  d->n_moves_seen++;
  if (d->n_moves >= d->max_moves)
    return;
  if (!reserve_move(d))
    return;
  d->move_pos[d->n_moves] = (uint64_t)(at - d->text);
  d->moves[d->n_moves++] = (sgf_move){.xy = xy, .colour = colour};
}

static uint16_t xy_of(const char *two) {
  unsigned x = sgf_coordinate[(uint8_t)two[0]], y = sgf_coordinate[(uint8_t)two[1]];
  return (x | y) & 0x80 ? SGF_XY_BAD : (uint16_t)(x | y << 8);
}

/* The value without blanks and backslashes: at most room bytes of it; the count may be larger. */
static size_t without_blanks(const sgf_value *value, char *out, size_t room) {
  size_t n = 0;
  for (const char *p = value->begin; p < value->end; p++)
    if (sgf_class_of(*p) != SGF_SPACE && *p != '\\') {
      if (n < room)
        out[n] = *p;
      n++;
    }
  return n;
}

static void take_move(walk *w, uint8_t colour, const sgf_value *value, const char *at) {
  km_sgf_draft *d = w->d;
  size_t n_raw = (size_t)(value->end - value->begin);
  char text[4] = {0};
  size_t n = without_blanks(value, text, sizeof text);
  int is_word = n == 4 && strncasecmp(text, "pass", 4) == 0;
  if (value->cut == SGF_CUT_END && n != 2)
    return; /* cut before its end: no move can be read from it */
  uint16_t xy = n == 2                                                  ? xy_of(text)
                : is_word || (n == 0 && !value->escapes && !value->cut) ? SGF_XY_PASS
                                                                        : SGF_XY_BAD;
  if (is_word)
    sgf_draft_note(d, KM_REASON_PASS_WORD, at, NULL);
  else if (n_raw > 0 && xy == SGF_XY_PASS)
    sgf_draft_note(d, KM_REASON_BLANK_MOVE, at, NULL);
  else if (n == 2 && n_raw > 2 && xy != SGF_XY_BAD)
    sgf_draft_note(d, KM_REASON_BLANK_IN_POINT, at, NULL);
  if (d->n_moves == w->node_first + 1)
    sgf_draft_note(d, KM_REASON_MULTIPLE_MOVES, at, NULL);
  push_move(d, xy, colour, at);
}

static void take_setup(walk *w, uint8_t colour, const sgf_value *value) {
  km_sgf_draft *d = w->d;
  char text[5] = {0};
  size_t n = without_blanks(value, text, sizeof text);
  if (n == 0)
    return;
  uint16_t from = n == 2 || n == 5 ? xy_of(text) : SGF_XY_BAD;
  uint16_t to = n == 5 ? text[2] == ':' ? xy_of(text + 3) : SGF_XY_BAD : from;
  if (from == SGF_XY_BAD || to == SGF_XY_BAD) {
    quote q = quote_of(value->begin, value->end);
    sgf_draft_note(d, KM_REASON_SETUP_OFFBOARD, value->begin, "%s is no point", q.text);
    return;
  }
  int width = (from & 0xff) - (to & 0xff), height = (from >> 8) - (to >> 8);
  d->n_setup_points +=
      (uint64_t)((width < 0 ? -width : width) + 1) * (uint64_t)((height < 0 ? -height : height) + 1);
  if (d->n_setup_points > KM_SGF_SETUP_MAX)
    return;
  sgf_setup *setup = grow(d, d->setup, d->n_setup, &d->setup_room, sizeof *setup);
  if (!setup)
    return;
  d->setup = setup;
  setup[d->n_setup++] = (sgf_setup){.pos = (uint64_t)(value->begin - d->text),
                                    .ply = w->node_first,
                                    .from = from,
                                    .to = to,
                                    .colour = colour};
}

/* The move that the last PL announced has another colour? Called when it can be known. */
static void check_player(km_sgf_draft *d) {
  const sgf_player *player = &d->player;
  if (!player->colour || player->ply >= d->n_moves || d->moves[player->ply].colour == player->colour)
    return;
  if (!d->n_pl_mismatches++)
    d->pl_mismatch_pos = player->pos;
}

static void take_player(walk *w, const sgf_value *value, const char *at) {
  char c = 0;
  uint8_t colour = 0;
  if (without_blanks(value, &c, 1))
    colour = c == 'B' || c == 'b' || c == '1' ? KM_BLACK : c == 'W' || c == 'w' || c == '2' ? KM_WHITE : 0;
  if (!colour)
    return;
  if (w->d->player.colour && w->d->player.ply == w->node_first)
    return; /* the first one counts */
  check_player(w->d);
  w->d->player = (sgf_player){.colour = colour, .ply = w->node_first, .pos = (uint64_t)(at - w->d->text)};
}

/* ---- game information ---- */

#define SLOT(a, b, slot) [a - 'A'][b - 'A'] = (slot) + 1
static const uint8_t info_slots[26][26] = {
    SLOT('P', 'B', KM_TEXT_BLACK),      SLOT('P', 'W', KM_TEXT_WHITE),    SLOT('B', 'R', KM_TEXT_BLACK_RANK),
    SLOT('W', 'R', KM_TEXT_WHITE_RANK), SLOT('D', 'T', KM_TEXT_DATE),     SLOT('E', 'V', KM_TEXT_EVENT),
    SLOT('R', 'O', KM_TEXT_ROUND),      SLOT('P', 'C', KM_TEXT_PLACE),    SLOT('R', 'U', KM_TEXT_RULES),
    SLOT('R', 'E', KM_TEXT_RESULT),     SLOT('K', 'M', KM_TEXT_KOMI),     SLOT('H', 'A', KM_TEXT_HANDICAP),
    SLOT('T', 'M', KM_TEXT_TIME),       SLOT('O', 'T', KM_TEXT_OVERTIME), SLOT('A', 'P', KM_TEXT_APPLICATION),
    SLOT('G', 'M', SGF_INFO_GAME),      SLOT('S', 'Z', SGF_INFO_SIZE),    SLOT('C', 'A', SGF_INFO_CHARSET),
};

/* Where draft.info keeps a property; -1: nowhere. */
static int info_slot(uint16_t key) {
  return key < SGF_KEY('A', 'A') ? -1 : info_slots[(key >> 8) - 'A'][(key & 0xff) - 'A'] - 1;
}

typedef struct result {
  int8_t winner;
  uint8_t ending;
} result;
static result result_of(const char *begin, const char *end) {
  result r = {KM_WINNER_UNKNOWN, KM_ENDING_UNKNOWN};
  float margin;
  if (km_result_parse(begin, (size_t)(end - begin), &r.winner, &margin, &r.ending))
    r = (result){KM_WINNER_UNKNOWN, KM_ENDING_UNKNOWN};
  return r;
}

/* A second RE. One that says nothing gives way to one that does; two that disagree leave it unknown. */
static void take_second_result(walk *w, sgf_slice *slice, const sgf_value *value, const char *at) {
  result old = result_of(slice->begin, slice->end), later = result_of(value->begin, value->end);
  if (later.winner == KM_WINNER_UNKNOWN && later.ending == KM_ENDING_UNKNOWN)
    return;
  if (old.winner == KM_WINNER_UNKNOWN && old.ending == KM_ENDING_UNKNOWN) {
    *slice = (sgf_slice){value->begin, value->end, at, slice->depth, value->escapes};
  } else if (old.winner != later.winner) {
    w->d->result_conflict = 1;
    sgf_draft_note(w->d, KM_REASON_RESULT_CONFLICT, at, NULL);
  }
}

static void trim(const char **begin, const char **end) {
  while (*begin < *end && sgf_class_of(**begin) == SGF_SPACE)
    ++*begin;
  while (*begin < *end && sgf_class_of((*end)[-1]) == SGF_SPACE)
    --*end;
}

/* Whether half of a value is another value, not a shorter text. */
static int is_number(int slot) {
  switch (slot) {
  case KM_TEXT_BLACK_RANK:
  case KM_TEXT_WHITE_RANK:
  case KM_TEXT_DATE:
  case KM_TEXT_RESULT:
  case KM_TEXT_KOMI:
  case KM_TEXT_HANDICAP:
  case SGF_INFO_GAME:
  case SGF_INFO_SIZE:
    return 1;
  }
  return 0;
}

static void take_info(walk *w, uint16_t key, sgf_value value, const char *at) {
  km_sgf_draft *d = w->d;
  int slot = info_slot(key);
  if (slot < 0)
    return;
  sgf_slice *slice = &d->info[slot];
  if (value.cut == SGF_CUT_END && is_number(slot))
    return; /* "SZ[1" of 19 */
  trim(&value.begin, &value.end);
  d->has_root_key |= slot == SGF_INFO_GAME || slot == SGF_INFO_SIZE;
  if (slice->begin) {
    size_t n = (size_t)(value.end - value.begin);
    if ((size_t)(slice->end - slice->begin) == n && memcmp(slice->begin, value.begin, n) == 0)
      return; /* said twice, nothing lost */
    if (slot == KM_TEXT_APPLICATION)
      return; /* every program that rewrites a record adds its name; that is no fault of the record */
    sgf_draft_note(d, KM_REASON_DUPLICATE_PROPERTY, at, "%c%c", key >> 8, key & 0xff);
    if (slice->begin == slice->end)
      *slice = (sgf_slice){value.begin, value.end, at, w->depth, value.escapes}; /* the first said nothing */
    else if (slot == KM_TEXT_RESULT)
      take_second_result(w, slice, &value, at);
    return;
  }
  *slice = (sgf_slice){value.begin, value.end, at, w->depth, value.escapes};
  d->has_info |= (sgf_traits(key) & SGF_IS_INFO) != 0;
  if (w->n_nodes > 1 && !(d->flags & KM_FLAG_INFO_NOT_IN_ROOT))
    sgf_draft_note(d, KM_REASON_INFO_NOT_IN_ROOT, at, "after %u moves", d->n_moves);
}

/* ---- nodes ---- */

static void push_eval(km_sgf_draft *d, const km_eval *eval) {
  km_eval *evals = grow(d, d->evals, d->n_evals, &d->evals_room, sizeof *evals);
  if (!evals)
    return;
  d->evals = evals;
  evals[d->n_evals++] = *eval;
}

/* The first bytes of a comment without its backslashes ("win prob\: 0.34"), in buffer. */
static sgf_value unescaped(const sgf_value *v, char *buffer, size_t room) {
  size_t n = 0;
  for (const char *p = v->begin; p < v->end && n < room; p++) {
    p += *p == '\\' && p + 1 < v->end;
    buffer[n++] = *p;
  }
  return (sgf_value){.begin = buffer, .end = buffer + n};
}

/* The win-rates of a node: known only at its end, since the move may stand behind them. */
static void take_evals(walk *w) {
  km_sgf_draft *d = w->d;
  uint8_t mover = d->n_moves ? d->moves[d->n_moves - 1].colour : 0;
  for (int kind = 0; kind < EVAL_KINDS; kind++) {
    char buffer[512];
    sgf_value plain, *v = &w->evals[kind];
    if (!v->begin)
      continue;
    if (v->escapes)
      plain = unescaped(v, buffer, sizeof buffer), v = &plain;
    size_t n = (size_t)(v->end - v->begin);
    km_eval eval;
    int found = kind == EVAL_COMMENT ? km_eval_parse_comment(v->begin, n, d->n_moves, mover, &eval)
                : kind == EVAL_SBKV  ? km_eval_parse_sbkv(v->begin, n, d->n_moves, &eval)
                                     : km_eval_parse_lizzie(v->begin, n, d->n_moves, mover, &eval);
    if (found)
      push_eval(d, &eval);
    w->evals[kind].begin = NULL;
  }
}

static void end_node(walk *w) {
  unsigned bits = w->node_bits;
  km_sgf_draft *d = w->d;
  w->node_bits = 0;
  if (bits & NODE_EVAL)
    take_evals(w);
  if (bits & NODE_KO)
    for (uint32_t i = w->node_first; i < d->n_moves; i++)
      d->moves[i].flags |= KM_MOVE_FORCED;
  if ((bits & NODE_PL) && d->n_moves > w->node_first && d->player.ply == w->node_first &&
      d->player.colour != d->moves[w->node_first].colour)
    d->player.ply = d->n_moves; /* "W[mo]PL[B]" tells who moves after the move, as programs write it */
  if (bits & NODE_SETUP) {
    if (d->n_moves > w->node_first)
      sgf_draft_note(d, KM_REASON_MIXED_SETUP, w->node_at, "before move %u", w->node_first + 1);
    if (w->node_first > 0 && !(d->flags & KM_FLAG_MIDGAME_SETUP))
      sgf_draft_note(d, KM_REASON_MIDGAME_SETUP, w->node_at, "after %u moves", w->node_first);
  }
}

static void begin_node(walk *w, const char *at) {
  w->n_nodes++;
  w->node_open = 1;
  w->node_first = w->d->n_moves;
  w->node_at = at;
}

/* Takes the run of plain moves at p (a ';'): see sgf_moves.h. Returns where it stopped, p itself when there is none. The
 * last node stays open. */
static const char *fast_moves(walk *w, const char *p) {
  km_sgf_draft *d = w->d;
  sgf_moves to = {d->moves, d->move_pos, d->n_moves, d->moves_room < d->max_moves ? d->moves_room : d->max_moves};
  if (to.n >= to.room)
    return p;
  const char *after = sgf_take_moves(p, w->end, d->text, &to);
  uint32_t n = to.n - d->n_moves;
  if (n == 0)
    return p;
  d->n_moves_seen += n;
  d->n_properties += n;
  w->n_nodes += n;
  d->n_moves = to.n;
  w->node_at = d->text + to.pos[to.n - 1] - 1;
  w->node_first = to.n - 1;
  w->node_open = 1;
  return after;
}

/* ---- recovery ---- */

/* Bytes without meaning; runs that touch are one finding. */
static void note_stray(walk *w, const char *from, const char *to) {
  km_sgf_draft *d = w->d;
  const char *first = sgf_skip_space(from, to);
  if ((uint64_t)(from - d->text) != d->stray_end) {
    quote q = quote_of(first, to);
    sgf_draft_note(d, KM_REASON_STRAY_BYTE, first, "%s", q.text);
  }
  d->stray_end = (uint64_t)(to - d->text);
}

/* Text behind a value that has a ']' of its own before any property: it held an unescaped ']'. */
static int skip_tail(walk *w) {
  const char *from = w->tail;
  w->tail = NULL;
  if (!from)
    return 0;
  for (const char *q = from; q < w->end; q++) {
    if (*q == ']') {
      note_stray(w, from, q + 1);
      w->p = w->tail = q + 1;
      return 1;
    }
    if (*q == '[' && q > from && sgf_class_of(q[-1]) == SGF_UPPER)
      return 0;
    if (*q == '\\')
      q++;
  }
  return 0;
}

/* Bytes of the escape at p that stands for a byte which no encoding explains ("\\\\xAB": its letters are no
 * property), or 0. */
static size_t escape_at(const char *p, const char *end) {
  return end - p >= 5 && memcmp(p, "\\\\x", 3) == 0 ? 5 : 0;
}

/* Skips the text at p: to the next line, capital or structural byte; at least one byte. */
static void skip_stray(walk *w) {
  w->d->has_5a |= w->end - w->p >= 3 && memcmp(w->p, "5A[", 3) == 0;
  if (skip_tail(w))
    return;
  size_t n_escape = escape_at(w->p, w->end);
  const char *q = w->p + (n_escape ? n_escape : 1);
  while (q < w->end && *q != '\n' && !n_escape) {
    unsigned c = sgf_class_of(*q);
    if (c != SGF_OTHER && c != SGF_LOWER && c != SGF_SPACE)
      break;
    q++;
  }
  note_stray(w, w->p, q);
  w->p = q;
}

/* "(text)" that is no tree: skipped to its ')' when that is near, so that the ')' closes nothing. */
static void skip_parenthesis(walk *w) {
  if (skip_tail(w))
    return;
  const char *q = w->p + 1;
  for (int i = 0; i < 200 && q < w->end && !strchr("()[];", *q); i++)
    q++;
  q = q < w->end && *q == ')' ? q + 1 : w->p + 1;
  note_stray(w, w->p, q);
  w->p = q;
}

/* Whether a move with a point or a pass stands at p. */
static int is_move(const char *p, const char *end) {
  if (end - p < 3 || (*p != 'B' && *p != 'W') || p[1] != '[')
    return 0;
  p += 2;
  if (end - p >= 3 && p[2] == ']' && xy_of(p) != SGF_XY_BAD)
    p += 2;
  return *p == ']';
}

/* Whether the property that ends at p ('[') is one of another game: game information, behind moves or told
 * before. */
static int is_of_next_game(const walk *w, const char *p) {
  if (sgf_class_of(p[-1]) != SGF_UPPER || sgf_class_of(p[-2]) != SGF_UPPER)
    return 0;
  uint16_t key = SGF_KEY(p[-2], p[-1]);
  int slot = info_slot(key);
  return (sgf_traits(key) & (SGF_IS_ROOT | SGF_IS_INFO)) &&
         (w->d->n_moves || (slot >= 0 && w->d->info[slot].begin));
}

/* How many ')' are taken back in a game's first node: each looks as far as the first move. */
enum { TAKEN_BACK_MAX = 4 };

/* Whether the same game goes on behind the ')' before p, which then was one too many: where, or NULL. */
static const char *continuation(const walk *w, const char *p) {
  const char *begin = p, *end = w->end;
  p = sgf_skip_space(p, end);
  if (p == end || *p == '(')
    return NULL;
  if (is_move(p, end))
    return p;
  for (; p < end; p++) {
    if (*p == '(' && sgf_opens_tree(p, end))
      return NULL;
    if (*p == '[' && p - begin >= 2 && is_of_next_game(w, p))
      return NULL;
    if (*p == ';' && is_move(sgf_skip_space(p + 1, end), end))
      return w->d->n_moves || w->n_taken_back >= TAKEN_BACK_MAX ? p : begin;
  }
  return NULL;
}

/* 1 when the first node of the tree at p has, before any move, a property of the kind GM, FF, SZ; or game
 * information: any, or such as was seen on the way here. */
static int starts_game(const walk *w, int any_info) {
  const char *p = w->p, *end = w->end;
  const sgf_slice *info = w->d->info;
  if (*p == '(')
    p = sgf_skip_space(p + 1, end);
  if (p < end && *p == ';')
    p = sgf_skip_space(p + 1, end);
  for (int n = 0; n < 24; n++) {
    sgf_name name = sgf_read_name(p, end);
    p = sgf_skip_space(name.end, end);
    if (!name.n_upper || p == end || *p != '[' || name.key == 'B' || name.key == 'W')
      return 0;
    if (sgf_traits(name.key) & SGF_IS_ROOT)
      return 1;
    int slot = info_slot(name.key);
    if (slot >= 0 && (any_info || (info[slot].begin && info[slot].depth <= w->depth)))
      return 1;
    while (p < end && *p == '[') {
      sgf_value value = sgf_read_value(p, end, sgf_traits(name.key));
      if (value.cut)
        return 0;
      p = sgf_skip_space(value.after, end);
    }
  }
  return 0;
}

/* ---- properties ---- */

/* Asian servers have names of their own for what the root says: TE event, RD date, HD handicap, KO komi. The
 * property that is meant, or 0; a one-letter TE is the standard's (a good move). */
static uint16_t root_dialect(uint16_t key, const sgf_value *value) {
  switch (key) {
  case SGF_KEY('T', 'E'):
    return value->end - value->begin > 1 ? SGF_KEY('E', 'V') : 0;
  case SGF_KEY('R', 'D'):
    return SGF_KEY('D', 'T');
  case SGF_KEY('H', 'D'):
    return SGF_KEY('H', 'A');
  case SGF_KEY('K', 'O'):
    return value->end > value->begin ? SGF_KEY('K', 'M') : 0;
  }
  return 0;
}

/* One value of a property of the main line. index: 0 for its first value. */
static void take_value(walk *w, const sgf_name *name, unsigned index, const sgf_value *value) {
  km_sgf_draft *d = w->d;
  const char *at = name->begin;
  switch (name->key) {
  case SGF_KEY1('B'):
  case SGF_KEY1('W'):
    if (index == 0)
      take_move(w, name->key == 'B' ? KM_BLACK : KM_WHITE, value, at);
    else if (index == 1)
      sgf_draft_note(d, KM_REASON_DUPLICATE_PROPERTY, value->begin - 1, "a second value of a move");
    return;
  case SGF_KEY('A', 'B'):
    take_setup(w, KM_BLACK, value);
    return;
  case SGF_KEY('A', 'W'):
    take_setup(w, KM_WHITE, value);
    return;
  case SGF_KEY('A', 'E'):
    take_setup(w, KM_EMPTY, value);
    return;
  case SGF_KEY('P', 'L'):
    if (index == 0)
      take_player(w, value, at);
    return;
  case SGF_KEY1('C'):
    w->evals[EVAL_COMMENT] = *value;
    w->node_bits |= NODE_EVAL;
    return;
  case SGF_KEY('L', 'Z'):
    w->evals[EVAL_LIZZIE] = *value;
    w->node_bits |= NODE_EVAL;
    return;
  case SGF_KEY('F', 'F'):
    d->has_root_key = 1;
    return;
  }
  if (name->n_upper == 4 && name->end - at == 4 && memcmp(at, "SBKV", 4) == 0) {
    w->evals[EVAL_SBKV] = *value;
    w->node_bits |= NODE_EVAL;
    return;
  }
  uint16_t meant = w->n_nodes == 1 && d->n_moves == 0 ? root_dialect(name->key, value) : 0;
  if (!meant)
    take_info(w, name->key, *value, at);
  else if (!d->info[info_slot(meant)].begin)
    take_info(w, meant, *value, at);
}

static unsigned node_bit(uint16_t key) {
  switch (key) {
  case SGF_KEY('A', 'B'):
    return NODE_BLACK;
  case SGF_KEY('A', 'W'):
    return NODE_WHITE;
  case SGF_KEY('A', 'E'):
    return NODE_EMPTY;
  case SGF_KEY('P', 'L'):
    return NODE_PL;
  case SGF_KEY('K', 'O'):
    return NODE_KO;
  }
  return 0;
}

/* "B[[cc]]", "B[]cc]": a bracket too many, where no text can begin with one. */
static void skip_second_bracket(walk *w, unsigned traits, uint16_t key, sgf_value *value) {
  const char *after = value->after;
  int is_move = key == SGF_KEY1('B') || key == SGF_KEY1('W');
  if (is_move && value->begin == value->end && w->end - after >= 3 && after[2] == ']' &&
      xy_of(after) != SGF_XY_BAD) {
    note_stray(w, value->end, after);
    *value = (sgf_value){.begin = after, .end = after + 2, .after = after + 3};
  }
  if (value->begin == value->end || *value->begin != '[' ||
      !((traits & SGF_IS_POINT) || is_number(info_slot(key))))
    return;
  note_stray(w, value->begin, value->begin + 1);
  value->begin++;
}

/* The values of a property; p is at the first '['. */
static void read_values(walk *w, const sgf_name *name) {
  unsigned traits = sgf_traits(name->key);
  for (unsigned index = 0; w->p < w->end && *w->p == '['; index += index < 2) {
    const char *open = w->p;
    sgf_value value = sgf_read_value(open, w->end, traits);
    if (value.cut)
      sgf_draft_note(w->d, KM_REASON_UNTERMINATED_VALUE, open, value.cut == SGF_CUT_END ? "cut off" : "%.*s",
                     (int)(name->end - name->begin < 8 ? name->end - name->begin : 8), name->begin);
    if (w->on_main && name->n_upper) {
      skip_second_bracket(w, traits, name->key, &value);
      take_value(w, name, index, &value);
    }
    w->p = w->tail = value.after;
    if (w->p < w->end && *w->p != ';')
      w->p = sgf_skip_space(w->p, w->end);
  }
}

/* Two games without any parenthesis between them: where the second begins, at a node (or behind a ')') that
 * only the first of a game can be, after moves; or NULL. at is the first property there. */
static const char *glued_game(const walk *w, uint16_t key, const char *at) {
  if (w->d->n_moves == 0 || w->node_bits || !(sgf_traits(key) & (SGF_IS_ROOT | SGF_IS_INFO)))
    return NULL;
  int is_fresh = !w->on_main || (w->node_open && w->d->n_moves == w->node_first);
  if (!is_fresh)
    return NULL;
  const char *begin = w->node_at ? w->node_at : at;
  if (key == SGF_KEY('G', 'M') || key == SGF_KEY('F', 'F'))
    return begin;
  if (w->on_main && (key == SGF_KEY('S', 'Z') || key == SGF_KEY('P', 'B') || key == SGF_KEY('P', 'W') ||
                     key == SGF_KEY('E', 'V')))
    return w->d->info[info_slot(key)].begin ? begin : NULL;
  return NULL;
}

/* "Bdd]": a move that lost its '['. p is behind the name. */
static int take_unopened_move(walk *w, const sgf_name *name) {
  const char *p = name->begin;
  if (w->p >= w->end || *w->p != ']' || name->end - p != 3 || (*p != 'B' && *p != 'W') || name->n_upper != 1)
    return 0;
  sgf_draft_note(w->d, KM_REASON_MISSING_BRACKET, p, NULL);
  sgf_value value = {.begin = p + 1, .end = p + 3, .after = w->p + 1};
  if (w->on_main) {
    take_move(w, *p == 'B' ? KM_BLACK : KM_WHITE, &value, p);
    w->d->n_properties++;
  }
  w->p = w->tail = value.after;
  return 1;
}

/* A property whose first '[' is at p, into the node, which begins here if there is none. */
static void read_property(walk *w, const sgf_name *name) {
  km_sgf_draft *d = w->d;
  if (name->n_upper && w->on_main) {
    if (!w->node_open) {
      sgf_draft_note(d, KM_REASON_MISSING_SEMICOLON, name->begin, NULL);
      begin_node(w, name->begin);
    }
    unsigned bit = node_bit(name->key);
    if (w->node_bits & bit & (NODE_SETUP | NODE_PL))
      sgf_draft_note(d, KM_REASON_DUPLICATE_PROPERTY, name->begin, "%c%c", name->key >> 8, name->key & 0xff);
    w->node_bits |= bit;
    d->n_properties++;
  }
  w->node_bits |= NODE_ANY;
  read_values(w, name);
}

/* "B)[dd]": a move whose value stands behind a stray byte or two. p is behind the name. */
static int take_strayed_move(walk *w, const sgf_name *name) {
  const char *q = w->p;
  if (name->end - name->begin != 1 || (*name->begin != 'B' && *name->begin != 'W'))
    return 0;
  for (size_t n; q < w->end && q - w->p < 6 && *q != '['; q += n) {
    n = escape_at(q, w->end);
    if (n == 0 && sgf_coordinate[(uint8_t)*q] < 0x80)
      break;
    n += n == 0;
  }
  if (q == w->p || w->end - q < 4 || *q != '[' || q[3] != ']' || xy_of(q + 1) == SGF_XY_BAD)
    return 0;
  note_stray(w, w->p, q);
  w->p = q;
  read_property(w, name);
  return 1;
}

/* A name that no value follows: the rest of a text, a move that lost its '[', or nothing. */
static void name_without_value(walk *w, const sgf_name *name) {
  w->p = name->end;
  if (take_unopened_move(w, name) || take_strayed_move(w, name))
    return;
  w->p = name->begin;
  if (!name->n_upper) {
    skip_stray(w);
    return;
  }
  if (skip_tail(w))
    return;
  w->p = name->end;
  int n = (int)(name->end - name->begin < 8 ? name->end - name->begin : 8);
  sgf_draft_note(w->d, KM_REASON_PROPERTY_WITHOUT_VALUE, name->begin, "%.*s", n, name->begin);
}

/* "b[cc]", "sz[9]": a name in lower case, at the beginning of a node, where it is no rest of a text; after
 * that anywhere in the record. Makes it the name that it stands for. */
static int take_lower_name(walk *w, sgf_name *name) {
  km_sgf_draft *d = w->d;
  unsigned key = 0, n = 0;
  char letters[3] = {0};
  for (const char *p = name->begin; p < name->end && n < 3; p++)
    if (*p) { /* a NUL is nothing */
      key = key << 8 | (uint8_t)(*p - 'a' + 'A');
      letters[n++] = *p;
    }
  if (n > 2 || (w->tail && !d->has_lower))
    return 0;
  if (!sgf_traits((uint16_t)key) || (!d->has_lower && (key == SGF_KEY1('C') || key == SGF_KEY1('N'))))
    return 0;
  name->key = (uint16_t)key;
  name->n_upper = (uint8_t)n;
  if (!d->has_lower)
    sgf_draft_note(d, KM_REASON_LOWERCASE_NAME, name->begin, "%.2s", letters);
  d->has_lower = 1;
  return 1;
}

/* Letters at p: a property and its values. */
static void property(walk *w) {
  km_sgf_draft *d = w->d;
  sgf_name name = sgf_read_name(w->p, w->end);
  const char *after = sgf_skip_space(name.end, w->end), *glued;
  if (after == w->end || *after != '[') {
    name_without_value(w, &name);
    return;
  }
  if (!name.n_upper && !take_lower_name(w, &name)) {
    if (skip_tail(w))
      return;
    sgf_draft_note(d, KM_REASON_EMPTY_IDENTIFIER, name.begin, NULL);
  }
  if (name.n_upper && (glued = glued_game(w, name.key, name.begin))) {
    w->p = glued;
    w->stopped = 1;
    return;
  }
  w->p = after;
  read_property(w, &name);
}

/* ---- the tree ---- */

static void semicolon(walk *w) {
  w->tail = NULL;
  if (!w->on_main) {
    if (w->after_tree == 1) {
      w->after_tree = 2; /* once a record is enough */
      sgf_draft_note(w->d, KM_REASON_STRAY_BYTE, w->p, "a node after a variation is on no main line");
    }
    w->node_bits = 0;
    w->node_at = w->p++;
    return;
  }
  if (w->node_bits)
    end_node(w);
  const char *q = fast_moves(w, w->p);
  if (q != w->p) {
    w->p = w->tail = q;
    return;
  }
  begin_node(w, w->p++);
}

static void open_parenthesis(walk *w) {
  km_sgf_draft *d = w->d;
  const char *next = sgf_skip_space(w->p + 1, w->end);
  if (next < w->end && *next == ')') { /* "()" */
    note_stray(w, w->p, next + 1);
    w->p = next + 1;
    return;
  }
  if (!sgf_opens_tree(w->p, w->end)) {
    skip_parenthesis(w);
    return;
  }
  /* Information that this game has already on the way here, or any where it can have none: the next game. */
  int any_info = d->n_properties == 0 || (!w->on_main && !d->has_info);
  if (w->depth && starts_game(w, any_info)) {
    w->stopped = 1;
    return;
  }
  if (w->on_main)
    end_node(w);
  w->node_open = 0;
  w->node_at = NULL;
  w->tail = NULL;
  if (w->after_tree == 1)
    w->after_tree = 0;
  w->depth++;
  w->p++;
}

static void close_parenthesis(walk *w) {
  const char *at = w->p++;
  w->tail = NULL;
  w->depth--;
  if (w->on_main) {
    end_node(w);
    const char *more = w->depth ? NULL : continuation(w, w->p);
    if (more) {
      note_stray(w, at, more);
      w->depth = 1;
      w->n_taken_back++;
      w->node_open &= *more != 'B' && *more != 'W';
      w->p = more;
      return;
    }
  }
  w->on_main = w->node_open = 0;
  w->node_at = NULL;
  w->node_bits = 0;
  if (w->after_tree == 0)
    w->after_tree = 1;
}

static void step(walk *w) {
  switch (sgf_class_of(*w->p)) {
  case SGF_SPACE:
    w->p++;
    return;
  case SGF_SEMICOLON:
    semicolon(w);
    return;
  case SGF_OPEN:
    open_parenthesis(w);
    return;
  case SGF_CLOSE:
    close_parenthesis(w);
    return;
  case SGF_UPPER:
  case SGF_LOWER:
    property(w);
    return;
  case SGF_LEFT: {
    sgf_name next = sgf_read_name(w->p + 1, w->end);
    if (next.end < w->end && *next.end == '[' && sgf_traits(next.key)) { /* "[B[dd]" */
      note_stray(w, w->p, w->p + 1);
      w->p++;
      return;
    }
    sgf_name none = {w->p, w->p, 0, 0};
    sgf_draft_note(w->d, KM_REASON_EMPTY_IDENTIFIER, w->p, NULL);
    read_values(w, &none);
    return;
  }
  case SGF_RIGHT:
    note_stray(w, w->p, w->p + 1);
    w->p++;
    return;
  default:
    skip_stray(w);
  }
}

void sgf_parse_tree(km_sgf_draft *d, const char *begin) {
  walk w = {.d = d, .p = begin, .end = d->text_end, .on_main = 1};
  d->begin = begin;
  if (*begin == '(') {
    w.p++;
    w.depth = 1;
  } else {
    sgf_draft_note(d, KM_REASON_MISSING_PARENTHESIS, begin, NULL);
    w.depth = 1;
  }
  while (w.p < w.end && w.depth && !w.stopped)
    step(&w);
  end_node(&w);
  check_player(d);
  d->end = d->next = w.p;
  if (!w.depth)
    return;
  while (d->end > begin + 1 && sgf_class_of(d->end[-1]) == SGF_SPACE)
    d->end--;
  d->stopped = w.stopped;
  sgf_draft_note(d, KM_REASON_UNTERMINATED_TREE, d->end, w.stopped ? "another game begins" : NULL);
}
