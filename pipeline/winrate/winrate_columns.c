/* winrate_columns.c: the tables of columns and of feature sets. Adding a column is a row here and its value in
 * winrate_position.c; a set is a row and a mask. */
#include "winrate_columns.h"

#include <stdio.h>
#include <string.h>

typedef struct column_row {
  const char *name, *doc;
} column_row;

static const column_row columns[KM_WR_LAYERS] = {
    [KM_WR_PLY] = {"ply", "moves played, in hundreds"},
    [KM_WR_KOMI] = {"komi", "points, within ±60; 0 where unknown"},
    [KM_WR_KOMI_UNKNOWN] = {"komi_unknown", "1 where the record has no komi"},
    [KM_WR_HANDICAP] = {"handicap", "stones given"},
    [KM_WR_LOG2_BLACK] = {"log2_black", "log2(1+S), Black's stones counted"},
    [KM_WR_LOG2_WHITE] = {"log2_white", "log2(1+S), White's stones counted"},
    [KM_WR_DELTA_BLACK] = {"delta_black", "log2(1+S) minus that of a window before (of the first position, in the first moves)"},
    [KM_WR_DELTA_WHITE] = {"delta_white", "the same of White's S"},
    [KM_WR_DELTA_S_BLACK] = {"delta_s_black", "sign of S's change over the window, times log2(1+|change|)"},
    [KM_WR_DELTA_S_WHITE] = {"delta_s_white", "the same of White's S"},
    [KM_WR_DIFFERENCE] = {"difference", "sign of Black's S minus White's, times log2(1+|difference|)"},
    [KM_WR_STONES_BLACK] = {"stones_black", "stones on the board"},
    [KM_WR_STONES_WHITE] = {"stones_white", "stones on the board"},
    [KM_WR_CHAINS_BLACK] = {"chains_black", "chains"},
    [KM_WR_CHAINS_WHITE] = {"chains_white", "chains"},
    [KM_WR_LIBERTIES_BLACK] = {"liberties_black", "liberties, summed over chains"},
    [KM_WR_LIBERTIES_WHITE] = {"liberties_white", "liberties, summed over chains"},
    [KM_WR_ATARI_CHAINS_BLACK] = {"atari_chains_black", "chains with one liberty"},
    [KM_WR_ATARI_CHAINS_WHITE] = {"atari_chains_white", "chains with one liberty"},
    [KM_WR_ATARI_STONES_BLACK] = {"atari_stones_black", "stones of chains with one liberty"},
    [KM_WR_ATARI_STONES_WHITE] = {"atari_stones_white", "stones of chains with one liberty"},
    [KM_WR_EYES_BLACK] = {"eyes_black", "true eyes"},
    [KM_WR_EYES_WHITE] = {"eyes_white", "true eyes"},
    [KM_WR_LOST_BLACK] = {"lost_black", "stones taken off by captures so far"},
    [KM_WR_LOST_WHITE] = {"lost_white", "stones taken off by captures so far"},
    [KM_WR_OPINION] = {"external", "Black's win-rate, by another"},
    [KM_WR_SCORE] = {"score", "Black's lead in points, by another"},
    [KM_WR_SCORE_PLY] = {"score_ply", "score times ply"},
};

#define BIT(column) ((km_wr_mask)1 << (column))
static km_wr_mask range(unsigned first, unsigned end) {
  return BIT(end) - BIT(first);
}

static km_wr_mask nothing(unsigned n_layers) {
  (void)n_layers;
  return 0;
}
static km_wr_mask ply_komi(unsigned n_layers) {
  (void)n_layers;
  return range(KM_WR_PLY, KM_WR_LOG2_BLACK);
}
static km_wr_mask hbs(unsigned n_layers) {
  (void)n_layers;
  return BIT(KM_WR_LOG2_BLACK);
}
static km_wr_mask hbs_delta(unsigned n_layers) {
  return hbs(n_layers) | BIT(KM_WR_DELTA_BLACK) | BIT(KM_WR_DELTA_S_BLACK);
}
static km_wr_mask hbs_layers(unsigned n_layers) {
  return range(KM_WR_LAYERS, KM_WR_LAYERS + n_layers);
}
static km_wr_mask hbs_both(unsigned n_layers) {
  return BIT(KM_WR_LOG2_BLACK) | BIT(KM_WR_LOG2_WHITE) | BIT(KM_WR_DIFFERENCE) |
         range(KM_WR_LAYERS, KM_WR_LAYERS + 2 * n_layers);
}
static km_wr_mask hbs_all(unsigned n_layers) {
  return ply_komi(n_layers) | range(KM_WR_LOG2_BLACK, KM_WR_STONES_BLACK) | hbs_both(n_layers);
}
static km_wr_mask local(unsigned n_layers) {
  return ply_komi(n_layers) | range(KM_WR_STONES_BLACK, KM_WR_OPINION);
}
static km_wr_mask hybrid(unsigned n_layers) {
  return local(n_layers) | hbs_all(n_layers);
}

const km_wr_set km_wr_sets[] = {
    {"constant", "the share of games that Black wins", nothing},
    {"ply_komi", "ply, komi and handicap", ply_komi},
    {"hbs", "log2(1+S) alone: the paper's feature", hbs},
    {"hbs_delta", "log2(1+S) and its change over the window", hbs_delta},
    {"hbs_layers", "log2(1+L) of each layer", hbs_layers},
    {"hbs_both", "S and layers of both colours, and the difference of the two S", hbs_both},
    {"hbs_all", "ply, komi, handicap, and all of HBS: both colours' S, layers and changes", hbs_all},
    {"local", "ply, komi, handicap, and counts of stones, chains, liberties, atari, eyes and captures, by colour", local},
    {"hybrid", "local, and all of HBS", hybrid},
};
const size_t km_n_wr_sets = sizeof km_wr_sets / sizeof *km_wr_sets;
_Static_assert(sizeof km_wr_sets / sizeof *km_wr_sets <= KM_WR_SETS_MAX, "sets fit a mask");

km_status km_wr_sets_parse(unsigned *chosen, const char *text, km_err *err) {
  *chosen = 1u << KM_WR_SET_CONSTANT | 1u << KM_WR_SET_PLY_KOMI;
  if (strcmp(text, "all") == 0) {
    *chosen = (1u << km_n_wr_sets) - 1;
    return KM_OK;
  }
  for (const char *at = text; *at;) {
    size_t n = strcspn(at, ","), i = 0;
    while (i < km_n_wr_sets && (strlen(km_wr_sets[i].name) != n || memcmp(km_wr_sets[i].name, at, n) != 0))
      i++;
    if (i == km_n_wr_sets)
      return km_err_set(err, KM_ERR_USAGE, 0,
                        "--features: \"%.*s\" is none of all, constant, ply_komi, hbs, hbs_delta, hbs_layers, hbs_both, "
                        "hbs_all, local, hybrid",
                        (int)(n < 40 ? n : 40), at);
    *chosen |= 1u << i;
    at += n;
    at += *at == ',';
  }
  return KM_OK;
}

char *km_wr_column_name(char text[KM_WR_NAME], size_t column, unsigned board, unsigned n_layers) {
  if (column < KM_WR_LAYERS) {
    snprintf(text, KM_WR_NAME, "%s", columns[column].name);
    return text;
  }
  unsigned layer = (unsigned)(column - KM_WR_LAYERS) % n_layers;
  int is_white = column - KM_WR_LAYERS >= n_layers;
  snprintf(text, KM_WR_NAME, "layer_%s_%u", is_white ? "white" : "black", board - 2 * layer);
  return text;
}

const char *km_wr_column_doc(size_t column) {
  return column < KM_WR_LAYERS ? columns[column].doc : "log2(1+L) of the ring of that side";
}

size_t km_wr_mask_columns(km_wr_mask mask, uint8_t list[KM_WR_COLUMNS_MAX]) {
  size_t n = 0;
  for (uint8_t c = 0; mask; c++, mask >>= 1)
    if (mask & 1)
      list[n++] = c;
  return n;
}
