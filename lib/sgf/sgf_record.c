/* sgf_record.c: from the letters of a draft to the points and numbers of a game. See sgf_record.h.
 *
 * All that needs the whole record is decided here: the size may stand behind the moves, who moves first
 * matters only beside the handicap, two results may disagree. Nothing is guessed; what the record says twice
 * is told by findings. */
#include "sgf_record.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "kifumill/metadata.h"

typedef struct filler {
  km_sgf_record *record;
  km_game *game;
  km_sgf_draft *draft;
  km_arena *arena;
  int bad_handicap;   /* HA is no number */
  unsigned odd_moves; /* what is odd about the moves */
} filler;

/* ---- text ---- */

/* 1 when the text can be borrowed: no escapes, no line ends or other control bytes. */
static int is_plain(const sgf_slice *slice) {
  if (slice->escapes)
    return 0;
  for (const char *p = slice->begin; p < slice->end; p++)
    if ((uint8_t)*p < ' ' || *p == 0x7f)
      return 0;
  return 1;
}

/* A backslash and a line end vanish, another escaped character stands for itself, control bytes become
 * blanks. Writes to out, which has room for the slice; returns the length. */
static size_t unescape(const sgf_slice *slice, char *out) {
  size_t n = 0;
  for (const char *p = slice->begin; p < slice->end; p++) {
    if (*p == '\\') {
      if (++p == slice->end)
        break;
      if (*p == '\n' || *p == '\r') {
        if (slice->end - p > 1 && (p[1] == '\n' || p[1] == '\r') && p[1] != p[0])
          p++;
        continue;
      }
    }
    out[n++] = (uint8_t)*p < ' ' || *p == 0x7f ? ' ' : *p;
  }
  return n;
}

static km_text trimmed(const char *bytes, size_t n) {
  while (n && *bytes == ' ')
    bytes++, n--;
  while (n && bytes[n - 1] == ' ')
    n--;
  return (km_text){bytes, (uint32_t)n};
}

static int take_text(filler *f, int slot, km_text *text) {
  const sgf_slice *slice = &f->draft->info[slot];
  if (!slice->begin)
    return 0;
  const char *bytes = slice->begin;
  size_t n = (size_t)(slice->end - slice->begin);
  if (n > KM_SGF_TEXT_MAX) {
    sgf_draft_note(f->draft, KM_REASON_LONG_TEXT, slice->name, "%zu bytes", n);
    n = KM_SGF_TEXT_MAX;
    while (n && ((uint8_t)bytes[n] & 0xc0) == 0x80) /* not inside a character */
      n--;
  }
  sgf_slice kept = {bytes, bytes + n, slice->name, slice->depth, slice->escapes};
  if (!is_plain(&kept)) {
    char *copy = km_arena_alloc(f->arena, n);
    if (!copy)
      return -1;
    n = unescape(&kept, copy);
    bytes = copy;
  }
  *text = trimmed(bytes, n);
  return 0;
}

/* ---- the kind of game and its size ---- */

static int is_go(const sgf_slice *slice) {
  const char *p = slice->begin;
  size_t n = (size_t)(slice->end - slice->begin);
  if (!p || n == 0 || (n == 2 && strncasecmp(p, "go", 2) == 0))
    return 1;
  while (n > 1 && *p == '0')
    p++, n--;
  return n == 1 && *p == '1';
}

/* A number of at most three digits at *p; -1 when there is none. */
static int take_number(const char **p, const char *end) {
  int v = 0, n = 0;
  for (; *p < end && **p >= '0' && **p <= '9'; ++*p)
    if (++n <= 3)
      v = v * 10 + (**p - '0');
  return n >= 1 && n <= 3 ? v : -1;
}

/* "19", "13:9", "19x19", "9*9", "9×9": columns, rows. 0 when it is no size between 1 and 52. */
static int take_size(const sgf_slice *slice, uint8_t *rows, uint8_t *cols) {
  const char *p = slice->begin, *end = slice->end;
  int a = take_number(&p, end), b = a;
  p = sgf_skip_space(p, end);
  int is_sign = end - p >= 2 && memcmp(p, "×", 2) == 0;
  if (p < end && (is_sign || strchr(":xX*,", *p))) {
    p = sgf_skip_space(p + 1 + is_sign, end);
    b = take_number(&p, end);
  }
  if (p != end || a < 1 || b < 1 || a > KM_BOARD_MAX || b > KM_BOARD_MAX)
    return 0;
  *cols = (uint8_t)a;
  *rows = (uint8_t)b;
  return 1;
}

static void refuse(filler *f, km_reason reason, const char *p, const char *format, const char *text) {
  if (f->record->refused)
    return;
  f->record->refused = reason;
  sgf_draft_note(f->draft, reason, p, format, text);
}

static const char *slice_start(const filler *f, int slot) {
  const sgf_slice *slice = &f->draft->info[slot];
  return slice->begin ? slice->name : f->draft->begin;
}

/* A slice as a short string of ASCII. */
typedef struct short_text {
  char text[16];
} short_text;
static short_text short_of(const sgf_slice *slice) {
  short_text s;
  size_t n = 0;
  for (const char *p = slice->begin; p < slice->end && n < sizeof s.text - 1; p++)
    s.text[n++] = *p >= ' ' && *p < 0x7f ? *p : '?';
  s.text[n] = 0;
  return s;
}

/* The slice without the stray bytes that stand around a number ("SZ[\"19\"]", "GM[1;]"): noted. */
static sgf_slice bare(filler *f, const sgf_slice *slice) {
  static const char stray[] = "\\\"'();,{}<>[";
  sgf_slice bare = *slice;
  while (bare.begin < bare.end && strchr(stray, *bare.begin) && *bare.begin)
    bare.begin++;
  while (bare.begin < bare.end && strchr(stray, bare.end[-1]) && bare.end[-1])
    bare.end--;
  if (bare.begin == bare.end)
    return *slice;
  if (bare.end - bare.begin < slice->end - slice->begin)
    sgf_draft_note(f->draft, KM_REASON_STRAY_BYTE, slice->name, "%s", short_of(slice).text);
  return bare;
}

static void fill_kind(filler *f) {
  const sgf_slice *kind = &f->draft->info[SGF_INFO_GAME], *size = &f->draft->info[SGF_INFO_SIZE];
  f->game->rows = f->game->cols = 19;
  if (kind->begin && kind->begin == kind->end)
    sgf_draft_note(f->draft, KM_REASON_PROPERTY_WITHOUT_VALUE, kind->name, "GM is empty: Go");
  sgf_slice bare_kind = bare(f, kind), bare_size = bare(f, size);
  if (!is_go(&bare_kind))
    refuse(f, KM_REASON_NOT_GO, kind->name, "GM=%s", short_of(kind).text);
  if (size->begin && size->begin == size->end)
    sgf_draft_note(f->draft, KM_REASON_PROPERTY_WITHOUT_VALUE, size->name, "SZ is empty: 19");
  else if (size->begin && !take_size(&bare_size, &f->game->rows, &f->game->cols))
    refuse(f, KM_REASON_BAD_SIZE, size->name, "SZ=%s", short_of(size).text);
  if (f->draft->has_5a && !kind->begin && f->game->rows == 15 && f->game->cols == 15)
    refuse(f, KM_REASON_NOT_GO, f->draft->begin, "renju", NULL); /* as one site writes it */
}

/* ---- moves and set-up ---- */

/* A point that is not simply on the board. */
static uint16_t odd_point_of(const km_game *game, uint16_t xy) {
  unsigned x = xy & 0xff, y = xy >> 8;
  if (xy == SGF_XY_PASS)
    return km_game_pass(game);
  if (xy == SGF_XY_BAD)
    return KM_POINT_BAD;
  /* "tt" is a pass where it is no point and the board is no larger than programs of its time knew */
  return x == 19 && y == 19 && game->cols <= 19 && game->rows <= 19 ? km_game_pass(game) : KM_POINT_OFFBOARD;
}

/* Where the game ends: behind the second of two passes in a row. */
static uint32_t moves_to_end(const km_game *game, uint32_t first_pass) {
  uint16_t pass = km_game_pass(game);
  for (uint32_t i = first_pass + 1; i < game->n_moves; i++)
    if (game->moves[i].point == pass && game->moves[i - 1].point == pass)
      return i + 1;
  return game->n_moves;
}

/* A move as one word: its point (or two letters), colour and flags from the low end up. */
typedef uint32_t __attribute__((may_alias)) move_word;
_Static_assert(sizeof(sgf_move) == sizeof(move_word) && sizeof(km_move) == sizeof(move_word),
               "moves are words");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the point is the low half");

/* What is odd about a list of moves. */
enum {
  ODD_POINT = 1,  /* a move that is not simply on the board */
  ODD_COLOUR = 2, /* a colour that moves twice running */
};

/* Letters → points, several at a time; the point of an odd one is wrong. Returns what is odd. */
static inline __attribute__((always_inline)) unsigned
letters_to_points(move_word *restrict to, const move_word *restrict from, uint32_t n, const km_game *game) {
  uint32_t rows = game->rows, cols = game->cols, beyond = 0, same = 0;
  for (uint32_t i = 0; i < n; i++) {
    uint32_t x = from[i] & 0xff, y = from[i] >> 8 & 0xff;
    beyond |= (x >= cols) | (y >= rows);
    to[i] = (from[i] & 0xffff0000) | (y * cols + x);
  }
  for (uint32_t i = 1; i < n; i++)
    same |= ((from[i] ^ from[i - 1]) & 0xff0000) == 0;
  return (beyond ? ODD_POINT : 0) | (same ? ODD_COLOUR : 0);
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static unsigned letters_to_points_avx2(move_word *to, const move_word *from,
                                                                       uint32_t n, const km_game *game) {
  return letters_to_points(to, from, n, game);
}
#endif

static unsigned make_points(move_word *to, const move_word *from, uint32_t n, const km_game *game) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2"))
    return letters_to_points_avx2(to, from, n, game);
#endif
  return letters_to_points(to, from, n, game);
}

/* Mends the points that are not simply on the board; the number of the first pass, or n_moves. */
static uint32_t fill_odd_points(km_game *game, const sgf_move *from) {
  uint32_t first_pass = game->n_moves;
  for (uint32_t i = 0; i < game->n_moves; i++) {
    if ((from[i].xy & 0xff) < game->cols && from[i].xy >> 8 < game->rows)
      continue;
    game->moves[i].point = odd_point_of(game, from[i].xy);
    if (game->moves[i].point == km_game_pass(game) && first_pass == game->n_moves)
      first_pass = i;
  }
  return first_pass;
}

static int fill_moves(filler *f) {
  km_game *g = f->game;
  const km_sgf_draft *d = f->draft;
  g->n_moves = d->n_moves;
  g->moves = km_arena_alloc(f->arena, d->n_moves * sizeof *g->moves);
  f->record->move_pos = d->move_pos;
  if (!g->moves)
    return -1;
  uint32_t first_pass = g->n_moves;
  f->odd_moves = make_points((move_word *)g->moves, (const move_word *)d->moves, g->n_moves, g);
  if (f->odd_moves & ODD_POINT)
    first_pass = fill_odd_points(g, d->moves);
  f->record->n_before_end = moves_to_end(g, first_pass);
  return 0;
}

enum { UNTOUCHED = 255 };

/* The points of one set-up command, into the state of its ply. Returns how many became touched. */
static uint32_t put_setup(filler *f, const sgf_setup *s, uint8_t *state, uint16_t *touched,
                          uint32_t n_touched) {
  unsigned x0 = s->from & 0xff, x1 = s->to & 0xff, y0 = s->from >> 8, y1 = s->to >> 8, cut = 0;
  if (x0 > x1)
    x0 ^= x1, x1 ^= x0, x0 ^= x1;
  if (y0 > y1)
    y0 ^= y1, y1 ^= y0, y0 ^= y1;
  for (unsigned y = y0; y <= y1; y++)
    for (unsigned x = x0; x <= x1; x++) {
      if (x >= f->game->cols || y >= f->game->rows) {
        cut++;
        continue;
      }
      uint16_t point = (uint16_t)(y * f->game->cols + x);
      if (state[point] == UNTOUCHED)
        touched[n_touched++] = point;
      state[point] = s->colour;
    }
  if (cut)
    sgf_draft_note(f->draft, KM_REASON_SETUP_OFFBOARD, f->draft->text + s->pos, cut > 1 ? "%u points" : NULL,
                   cut);
  return n_touched;
}

/* Commands → points, one entry a point and ply, the last command for it wins. */
static int fill_setup(filler *f) {
  km_sgf_draft *d = f->draft;
  if (!d->n_setup || d->n_setup_points > KM_SGF_SETUP_MAX)
    return 0;
  km_setup *out = km_arena_alloc(f->arena, (size_t)d->n_setup_points * sizeof *out);
  if (!out)
    return -1;
  uint8_t state[KM_POINT_MAX];
  uint16_t touched[KM_POINT_MAX];
  uint32_t n = 0;
  for (uint32_t i = 0; i < d->n_setup;) {
    uint32_t ply = d->setup[i].ply, n_touched = 0;
    memset(state, UNTOUCHED, km_game_pass(f->game));
    for (; i < d->n_setup && d->setup[i].ply == ply; i++)
      n_touched = put_setup(f, &d->setup[i], state, touched, n_touched);
    for (uint32_t k = 0; k < n_touched; k++)
      out[n++] = (km_setup){.ply = ply, .point = touched[k], .colour = state[touched[k]]};
  }
  f->game->setup = out;
  f->game->n_setup = n;
  return 0;
}

static int fill_evals(filler *f) {
  const km_sgf_draft *d = f->draft;
  km_eval *evals = km_arena_alloc(f->arena, d->n_evals * sizeof *evals);
  if (!evals)
    return -1;
  if (d->n_evals)
    memcpy(evals, d->evals, d->n_evals * sizeof *evals);
  f->game->evals = evals;
  f->game->n_evals = d->n_evals;
  return 0;
}

/* ---- metadata ---- */

static void fill_numbers(filler *f) {
  km_game *g = f->game;
  const km_text *t = g->text;
  if (t[KM_TEXT_RESULT].bytes) {
    int odd = km_result_parse(t[KM_TEXT_RESULT].bytes, t[KM_TEXT_RESULT].n_bytes, &g->winner, &g->margin,
                              &g->ending);
    if (odd)
      sgf_draft_note(f->draft, odd == 2 ? KM_REASON_RESULT_CONFLICT : KM_REASON_BAD_RESULT,
                     slice_start(f, KM_TEXT_RESULT), "%s", short_of(&f->draft->info[KM_TEXT_RESULT]).text);
  }
  if (f->draft->result_conflict) {
    g->winner = KM_WINNER_UNKNOWN;
    g->margin = NAN;
    g->ending = KM_ENDING_UNKNOWN;
  }
  if (t[KM_TEXT_KOMI].bytes && km_komi_parse(t[KM_TEXT_KOMI].bytes, t[KM_TEXT_KOMI].n_bytes, &g->komi))
    sgf_draft_note(f->draft, KM_REASON_BAD_KOMI, slice_start(f, KM_TEXT_KOMI), "%s",
                   short_of(&f->draft->info[KM_TEXT_KOMI]).text);
  if (t[KM_TEXT_HANDICAP].bytes)
    f->bad_handicap = km_handicap_parse(t[KM_TEXT_HANDICAP].bytes, t[KM_TEXT_HANDICAP].n_bytes, &g->handicap);
  if (t[KM_TEXT_BLACK_RANK].bytes)
    km_rank_parse(t[KM_TEXT_BLACK_RANK].bytes, t[KM_TEXT_BLACK_RANK].n_bytes, &g->black_rank);
  if (t[KM_TEXT_WHITE_RANK].bytes)
    km_rank_parse(t[KM_TEXT_WHITE_RANK].bytes, t[KM_TEXT_WHITE_RANK].n_bytes, &g->white_rank);
  if (t[KM_TEXT_DATE].bytes)
    km_date_parse(t[KM_TEXT_DATE].bytes, t[KM_TEXT_DATE].n_bytes, &g->date);
  if (t[KM_TEXT_RULES].bytes)
    g->rules = (uint8_t)km_rules_parse(t[KM_TEXT_RULES].bytes, t[KM_TEXT_RULES].n_bytes);
  km_komi_adjust(g);
}

/* ---- what does not fit together ---- */

static const char *move_at(const filler *f, uint32_t i) {
  return f->draft->text + f->draft->move_pos[i];
}

typedef struct stones {
  unsigned n_black, n_white;
} stones;
static stones root_stones(const km_game *game) {
  stones s = {0, 0};
  for (uint32_t i = 0; i < game->n_setup && game->setup[i].ply == 0; i++) {
    s.n_black += game->setup[i].colour == KM_BLACK;
    s.n_white += game->setup[i].colour == KM_WHITE;
  }
  return s;
}

/* One finding that names the first moves of a colour that had moved already. */
static void note_same_colour(filler *f) {
  enum { NAMED = 8 };
  const km_game *g = f->game;
  char list[NAMED * 9 + 24]; /* move numbers have seven digits at most */
  uint32_t n_same = 0, first = 0;
  int used = 0;
  for (uint32_t i = 1; i < g->n_moves; i++) {
    if (g->moves[i].colour != g->moves[i - 1].colour)
      continue;
    if (n_same++ == 0)
      first = i;
    if (n_same <= NAMED)
      used += snprintf(list + used, sizeof list - (size_t)used, "%s%u", used ? ", " : "", i + 1);
  }
  if (n_same > NAMED)
    snprintf(list + used, sizeof list - (size_t)used, " and %u more", n_same - NAMED);
  sgf_draft_note(f->draft, KM_REASON_SAME_COLOUR, move_at(f, first), n_same > 1 ? "moves %s" : "move %s",
                 list);
}

static void check_colours(filler *f, stones root) {
  const km_game *g = f->game;
  const sgf_player *player = &f->draft->player;
  if (f->odd_moves & ODD_COLOUR)
    note_same_colour(f);
  int announced = player->colour == KM_WHITE && player->ply == 0;
  if (g->n_moves && g->moves[0].colour == KM_WHITE && g->handicap < 2 && !root.n_black && !root.n_white &&
      !announced)
    sgf_draft_note(f->draft, KM_REASON_WHITE_FIRST, move_at(f, 0), NULL);
}

static void check_handicap(filler *f, stones root) {
  const km_game *g = f->game;
  if (f->bad_handicap) {
    sgf_draft_note(f->draft, KM_REASON_HANDICAP_MISMATCH, slice_start(f, KM_TEXT_HANDICAP),
                   "HA=%s is no number", short_of(&f->draft->info[KM_TEXT_HANDICAP]).text);
    return;
  }
  if (!g->text[KM_TEXT_HANDICAP].bytes || root.n_black == g->handicap)
    return;
  /* HA[0] or HA[1] beside a position of both colours, or beside one stone at most, is no disagreement */
  if (g->handicap < 2 && (root.n_white || root.n_black < 2))
    return;
  sgf_draft_note(f->draft, KM_REASON_HANDICAP_MISMATCH, slice_start(f, KM_TEXT_HANDICAP), "HA=%u, stones=%u",
                 g->handicap, root.n_black);
}

static void fill_to_play(filler *f) {
  km_game *g = f->game;
  const sgf_player *player = &f->draft->player;
  if (player->colour && player->ply == g->n_moves)
    g->final_to_play = player->colour;
  else if (g->n_moves)
    g->final_to_play = km_opponent(g->moves[g->n_moves - 1].colour);
  else
    g->final_to_play = g->handicap >= 2 ? KM_WHITE : KM_BLACK;
}

static void check_together(filler *f) {
  stones root = root_stones(f->game);
  check_colours(f, root);
  check_handicap(f, root);
  fill_to_play(f);
  uint32_t n = f->draft->n_pl_mismatches;
  if (n)
    sgf_draft_note(f->draft, KM_REASON_PL_MISMATCH, f->draft->text + f->draft->pl_mismatch_pos,
                   n > 1 ? "%u times" : NULL, n);
}

/* ---- all of it ---- */

static void check_limits(filler *f, uint32_t max_moves) {
  km_sgf_draft *d = f->draft;
  char text[64];
  if (d->n_moves_seen > max_moves) {
    snprintf(text, sizeof text, "%llu moves, limit %u", (unsigned long long)d->n_moves_seen, max_moves);
    refuse(f, KM_REASON_TOO_MANY_MOVES, d->begin, "%s", text);
  } else if (d->n_setup_points > KM_SGF_SETUP_MAX) {
    snprintf(text, sizeof text, "%llu set-up points", (unsigned long long)d->n_setup_points);
    refuse(f, KM_REASON_TOO_MANY_MOVES, d->begin, "%s", text);
  } else if (!d->n_moves) {
    refuse(f, KM_REASON_NO_MOVES, d->begin, NULL, NULL);
  }
}

km_status sgf_record_fill(km_sgf_record *record, km_sgf_draft *draft, const char *encoding, km_arena *arena,
                          km_err *err) {
  km_game *game = &record->game;
  filler f = {record, game, draft, arena, 0, 0};
  *game = (km_game){.winner = KM_WINNER_UNKNOWN, .margin = NAN, .komi = NAN};
  record->refused = KM_REASON_NONE;
  record->move_pos = NULL;
  record->n_before_end = 0;
  int failed = 0;
  for (int slot = 0; slot <= KM_TEXT_APPLICATION; slot++)
    failed |= take_text(&f, slot, &game->text[slot]);
  game->text[KM_TEXT_ENCODING] = (km_text){encoding, (uint32_t)strlen(encoding)};
  fill_kind(&f);
  fill_numbers(&f);
  if (!record->refused) {
    failed |= fill_moves(&f) || fill_setup(&f) || fill_evals(&f);
    if (!failed)
      check_together(&f);
  }
  check_limits(&f, draft->max_moves);
  if (failed || draft->out_of_memory)
    return km_err_set(err, KM_ERR_NOMEM, 0, "no memory for a game record");
  game->flags = draft->flags;
  return KM_OK;
}

int sgf_draft_is_game(const km_sgf_draft *d) {
  if (d->has_root_key || d->n_setup)
    return 1;
  for (uint32_t i = 0; i < d->n_moves; i++)
    if (d->moves[i].xy != SGF_XY_BAD)
      return 1;
  return 0;
}
