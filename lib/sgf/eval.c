/* eval.c: win-rates that programs leave in records → Black's probability and score, whoever moved.
 *
 *   source        text                                                             whose side
 *   KataGo        C[0.39 0.61 0.00 -9.3 v=600 weight=0.75]                         White: win, loss, no
 * result, score adversary     C[adversary predicted win prob: 0.34 loss: 0.66, predicted score: -63.4]   the
 * mover Sabaki        SBKV[39.23]                                                      Black, per cent Lizzie
 * LZ[0.7 54.3 1.2k …], LZ[KataGo 54.3 1.2k -0.8 15.1\n…]            rate: the mover; score: who is to move
 *
 * Lizzie asks its engine for the side to move and writes 100 minus that rate, but LizzieYzy appends the
 * engine's score as it came. A node that was never searched has 0 playouts there and a copied rate: no
 * evaluation. */
#include "kifumill/metadata.h"

#include <string.h>

typedef struct span {
  const char *at, *end;
} span;

static void skip_blanks(span *s) {
  while (s->at < s->end && (*s->at == ' ' || *s->at == '\t' || *s->at == '\n' || *s->at == '\r'))
    s->at++;
}

static int take(span *s, const char *word) {
  size_t n = strlen(word);
  if ((size_t)(s->end - s->at) < n || memcmp(s->at, word, n) != 0)
    return 0;
  s->at += n;
  return 1;
}

/* "e-05" behind a number, as Python writes small ones: its power of ten; 1 without. */
static double take_exponent(span *s) {
  span look = *s;
  if (!take(&look, "e") && !take(&look, "E"))
    return 1;
  int negative = take(&look, "-"), n = 0, n_digits = 0;
  if (!negative)
    take(&look, "+");
  for (; look.at < look.end && *look.at >= '0' && *look.at <= '9'; look.at++, n_digits++)
    n = n < 400 ? n * 10 + (*look.at - '0') : n;
  if (!n_digits)
    return 1;
  *s = look;
  return pow(10, negative ? -n : n);
}

/* A decimal number. Locale-free. */
static int take_number(span *s, double *value) {
  span look = *s;
  skip_blanks(&look);
  int negative = take(&look, "-"), n_digits = 0;
  if (!negative)
    take(&look, "+");
  double v = 0, scale = 1;
  for (; look.at < look.end && *look.at >= '0' && *look.at <= '9'; look.at++, n_digits++)
    v = v < 1e15 ? v * 10 + (*look.at - '0') : v;
  if (take(&look, "."))
    for (; look.at < look.end && *look.at >= '0' && *look.at <= '9'; look.at++, n_digits++)
      if (scale < 1e9)
        v = v * 10 + (*look.at - '0'), scale *= 10;
  if (!n_digits)
    return 0;
  v *= take_exponent(&look);
  *value = (negative ? -v : v) / scale;
  *s = look;
  return 1;
}

static uint32_t count_of(double v) {
  return v <= 0 ? 0 : v >= UINT32_MAX ? UINT32_MAX : (uint32_t)(v + 0.5);
}

/* Two-decimal rounding of three numbers may miss 1 by this much. */
static int is_one(double sum) {
  return fabs(sum - 1) <= 0.021;
}

static int read_katago(span s, uint32_t ply, km_eval *eval) {
  double win, loss, none, score, v;
  if (!take_number(&s, &win) || !take_number(&s, &loss) || !take_number(&s, &none) ||
      !take_number(&s, &score))
    return 0;
  if (win < 0 || loss < 0 || none < 0 || !is_one(win + loss + none) || fabs(score) > KM_POINT_MAX)
    return 0;
  if (s.at < s.end && *s.at != ' ' && *s.at != '\n' && *s.at != '\r')
    return 0;
  *eval = (km_eval){.ply = ply, .source = KM_EVAL_KATAGO_TRAINING};
  eval->black_win = (float)fmin(1, loss + none / 2);
  eval->black_score = (float)-score;
  skip_blanks(&s);
  if (take(&s, "v=") && take_number(&s, &v))
    eval->visits = count_of(v);
  return 1;
}

static int read_adversary(span s, uint32_t ply, uint8_t mover, km_eval *eval) {
  static const char mark[] = "predicted win prob:";
  double win, loss, score;
  const char *found = s.at == s.end ? NULL : memmem(s.at, (size_t)(s.end - s.at), mark, sizeof mark - 1);
  if (!found || !mover)
    return 0;
  s.at = found + sizeof mark - 1;
  if (!take_number(&s, &win) || win < 0 || win > 1)
    return 0;
  skip_blanks(&s);
  if (take(&s, "loss:") && (!take_number(&s, &loss) || !is_one(win + loss)))
    return 0;
  *eval = (km_eval){.ply = ply, .source = KM_EVAL_ADVERSARY, .black_score = NAN};
  eval->black_win = (float)(mover == KM_BLACK ? win : 1 - win);
  take(&s, ",");
  skip_blanks(&s);
  if (take(&s, "predicted score:") && take_number(&s, &score) && fabs(score) <= KM_POINT_MAX)
    eval->black_score = (float)(mover == KM_BLACK ? score : -score);
  return 1;
}

int km_eval_parse_comment(const char *text, size_t n_bytes, uint32_t ply, uint8_t mover, km_eval *eval) {
  span s = {text, n_bytes ? text + n_bytes : text};
  return read_katago(s, ply, eval) || read_adversary(s, ply, mover, eval);
}

int km_eval_parse_sbkv(const char *text, size_t n_bytes, uint32_t ply, km_eval *eval) {
  span s = {text, n_bytes ? text + n_bytes : text};
  double v;
  if (!take_number(&s, &v) || v < 0 || v > 100)
    return 0;
  take(&s, "%");
  skip_blanks(&s);
  if (s.at != s.end)
    return 0;
  *eval = (km_eval){.ply = ply, .source = KM_EVAL_SBKV, .black_score = NAN, .black_win = (float)(v / 100)};
  return 1;
}

/* "1.2k", "850", "3m" → a count; "54.3" is none. */
static int take_playouts(span *s, double *value) {
  if (!take_number(s, value) || *value < 0)
    return 0;
  if (take(s, "k") || take(s, "K"))
    *value *= 1e3;
  else if (take(s, "m") || take(s, "M"))
    *value *= 1e6;
  else if (*value != floor(*value))
    return 0;
  return s->at == s->end || *s->at == ' ' || *s->at == '\r' || *s->at == '\n';
}

int km_eval_parse_lizzie(const char *text, size_t n_bytes, uint32_t ply, uint8_t mover, km_eval *eval) {
  const char *newline = n_bytes ? memchr(text, '\n', n_bytes) : NULL;
  span s = {text, newline ? newline : n_bytes ? text + n_bytes : text};
  double rate, playouts, score;
  if (!mover)
    return 0;
  for (;;) { /* over the words of the engine's name */
    const char *blank = s.at == s.end ? NULL : memchr(s.at, ' ', (size_t)(s.end - s.at));
    if (!blank)
      return 0;
    s.at = blank;
    skip_blanks(&s);
    span look = s;
    if (take_number(&look, &rate) && rate >= 0 && rate <= 100 && look.at < look.end && *look.at == ' ' &&
        take_playouts(&look, &playouts)) {
      s = look;
      break;
    }
  }
  if (playouts < 1)
    return 0;
  *eval = (km_eval){.ply = ply, .source = KM_EVAL_LIZZIE, .black_score = NAN, .visits = count_of(playouts)};
  eval->black_win = (float)((mover == KM_BLACK ? rate : 100 - rate) / 100);
  if (take_number(&s, &score) && fabs(score) <= KM_POINT_MAX)
    eval->black_score = (float)(mover == KM_BLACK ? -score : score);
  return 1;
}
