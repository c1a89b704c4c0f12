/* sgf_moves.c: a move is told by one comparison of eight bytes with ";.[..].." and two letters by a table; or
 * up to four moves by one comparison of an AVX2 register. */
#include "sgf_moves.h"

#include "kifumill/game.h"
#include "sgf_scan.h"

/* 'B' and 'W' as colours. */
static const uint8_t colour_of[256] = {['B'] = KM_BLACK, ['W'] = KM_WHITE};

static const char *skip_line_end(const char *p) {
  p += *p == '\r';
  return p + (*p == '\n');
}

/* At most n_most moves. */
static const char *take_plain(const char *p, const char *end, const char *text, sgf_moves *to,
                              uint32_t n_most) {
  const uint64_t mask = sgf_word("\xff\0\xff\0\0\xff\0\0"), form = sgf_word(";\0[\0\0]\0\0");
  const uint32_t room = to->room - to->n;
  sgf_move *out = to->moves + to->n, *const last = out + (room < n_most ? room : n_most);
  uint64_t *pos = to->pos + to->n;
  while (end - p >= 8 && out < last) {
    unsigned x = sgf_coordinate[(uint8_t)p[3]], y = sgf_coordinate[(uint8_t)p[4]];
    uint8_t colour = colour_of[(uint8_t)p[1]];
    if ((sgf_word(p) & mask) != form || ((x | y) & 0x80) || !colour || p[6] == '[')
      break;
    *pos++ = (uint64_t)(p + 1 - text);
    *out++ = (sgf_move){(uint16_t)(x | y << 8), colour, 0};
    p = skip_line_end(p + 6); /* both bytes inside: eight were there */
  }
  to->n = (uint32_t)(out - to->moves);
  return p;
}

const char *sgf_take_moves_plain(const char *p, const char *end, const char *text, sgf_moves *to) {
  return take_plain(p, end, text, to, UINT32_MAX);
}

#if defined(__x86_64__)
#include <immintrin.h>

enum { PAIR_BYTES = 12, BOTH_BYTES = 28 /* two pairs, and what is loaded behind them */ };

/* Takes moves from p on, up to four by one comparison: both halves of the register hold two of them in their
 * first twelve bytes; a bit of a mask stands for a byte. Stops at what is no such move, and near the end. */
__attribute__((target("avx2"))) static const char *take_fours(const char *p, const char *end,
                                                              const char *text, sgf_moves *to) {
  const __m256i form = _mm256_setr_epi8(';', 0, '[', 0, 0, ']', ';', 0, '[', 0, 0, ']', 0, 0, 0, 0, ';', 0,
                                        '[', 0, 0, ']', ';', 0, '[', 0, 0, ']', 0, 0, 0, 0);
  const __m256i letters = _mm256_setr_epi8(0, 0, 0, -1, -1, 0, 0, 0, 0, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0, -1,
                                           -1, 0, 0, 0, 0, -1, -1, 0, 0, 0, 0, 0);
  const __m256i colours = _mm256_setr_epi8(0, -1, 0, 0, 0, 0, 0, -1, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, 0, 0, 0,
                                           0, 0, -1, 0, 0, 0, 0, 0, 0, 0, 0);
  const __m256i order = _mm256_setr_epi8(3, 4, 1, -1, 9, 10, 7, -1, -1, -1, -1, -1, -1, -1, -1, -1, 3, 4, 1,
                                         -1, 9, 10, 7, -1, -1, -1, -1, -1, -1, -1, -1, -1);
  const __m256i places = _mm256_setr_epi64x(1, 7, 13, 19);
  while (end - p >= BOTH_BYTES && to->room - to->n >= 4) {
    __m256i v =
        _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)p)),
                                _mm_loadu_si128((const __m128i *)(const void *)(p + PAIR_BYTES)), 1);
    __m256i xy = _mm256_sub_epi8(v, _mm256_set1_epi8('a'));
    __m256i white = _mm256_cmpeq_epi8(v, _mm256_set1_epi8('W'));
    __m256i is_letter = _mm256_cmpeq_epi8(_mm256_min_epu8(xy, _mm256_set1_epi8(25)), xy);
    __m256i is_colour = _mm256_or_si256(white, _mm256_cmpeq_epi8(v, _mm256_set1_epi8('B')));
    __m256i good = _mm256_blendv_epi8(_mm256_cmpeq_epi8(v, form), is_letter, letters);
    unsigned ok = (unsigned)_mm256_movemask_epi8(_mm256_blendv_epi8(good, is_colour, colours));
    unsigned first = ok & 0xfff, second = ok >> 16 & 0xfff;
    unsigned n = first != 0xfff ? (first & 0x3f) == 0x3f : second != 0xfff ? 2 : 4;
    const char *after = p + n * (PAIR_BYTES / 2);
    if (n == 0 || *after == '[')
      break;
    __m256i colour = _mm256_sub_epi8(_mm256_set1_epi8(KM_BLACK), white); /* the mask is -1 */
    __m256i moves =
        _mm256_permute4x64_epi64(_mm256_shuffle_epi8(_mm256_blendv_epi8(xy, colour, colours), order), 0x08);
    _mm_storeu_si128((__m128i *)(void *)(to->moves + to->n), _mm256_castsi256_si128(moves));
    _mm256_storeu_si256((__m256i *)(void *)(to->pos + to->n),
                        _mm256_add_epi64(_mm256_set1_epi64x(p - text), places));
    to->n += n;
    p = skip_line_end(after);
  }
  return p;
}
_Static_assert(KM_WHITE == KM_BLACK + 1 && sizeof(sgf_move) == 4, "how take_fours makes colours and moves");

const char *sgf_take_moves(const char *p, const char *end, const char *text, sgf_moves *to) {
  enum { BETWEEN = 4 }; /* moves of another form that are taken one by one before fours are tried again */
  if (end - p < BOTH_BYTES || p[6] != ';' || !__builtin_cpu_supports("avx2"))
    return sgf_take_moves_plain(p, end, text, to);
  for (;;) {
    p = take_fours(p, end, text, to);
    uint32_t n = to->n;
    p = take_plain(p, end, text, to, BETWEEN);
    if (to->n - n < BETWEEN)
      return p;
  }
}
#else
const char *sgf_take_moves(const char *p, const char *end, const char *text, sgf_moves *to) {
  return sgf_take_moves_plain(p, end, text, to);
}
#endif
