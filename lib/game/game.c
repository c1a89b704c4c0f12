/* game.c: names and orders of a game's closed lists, and points as text. */
#include "kifumill/game.h"

#include <limits.h>
#include <stdio.h>

static const char *const play_class_names[] = {"legal",    "pass",    "offboard", "bad_coordinate",
                                               "occupied", "suicide", "ko",       "superko"};
static const char *const ending_names[] = {"unknown", "score", "resign", "time",
                                           "forfeit", "draw",  "void",   "unfinished"};
static const char *const rules_names[] = {"unknown",     "japanese", "chinese",       "korean", "aga",
                                          "new_zealand", "ing",      "tromp_taylor", "other"};

const char *km_play_class_name(km_play_class play_class) { return play_class_names[play_class]; }
const char *km_ending_name(km_ending ending) { return ending_names[ending]; }
const char *km_rules_name(km_rules rules) { return rules_names[rules]; }

int km_rules_suicide_allowed(km_rules rules) {
  return rules == KM_RULES_NEW_ZEALAND || rules == KM_RULES_ING || rules == KM_RULES_TROMP_TAYLOR;
}

int km_rank_order(km_rank rank) {
  switch (rank.kind) {
  case 'k':
    return 1 - rank.number;
  case 'd':
    return rank.number;
  case 'p':
    return 100 + rank.number;
  default:
    return INT_MIN;
  }
}

static char point_letter(unsigned i) { return (char)(i < 26 ? 'a' + i : 'A' + (i - 26)); }

void km_point_sgf(uint16_t point, uint8_t rows, uint8_t cols, char text[3]) {
  unsigned n = (unsigned)rows * cols;
  if (point == n) {
    text[0] = 0;
    return;
  }
  text[0] = point < n ? point_letter(point % cols) : '?';
  text[1] = point < n ? point_letter(point / cols) : '?';
  text[2] = 0;
}

void km_point_gtp(uint16_t point, uint8_t rows, uint8_t cols, char text[5]) {
  unsigned n = (unsigned)rows * cols;
  if (point >= n || cols > 25) {
    snprintf(text, 5, "%s", point == n ? "pass" : "??");
    return;
  }
  unsigned col = point % cols;
  snprintf(text, 5, "%c%u", (char)('A' + col + (col >= 8)), (rows - point / cols) % 100u);
}
