/* planes_settings.h: the options of kifu-planes, read and checked. */
#ifndef KIFUMILL_PLANES_SETTINGS_H
#define KIFUMILL_PLANES_SETTINGS_H

#include "planes_stage.h"

#include "kifumill/codec.h"
#include "kifumill/encoder.h"
#include "kifumill/game.h"

enum { KM_SPLITS = 3 };
extern const char *const km_split_names[KM_SPLITS]; /* "train", "val", "test" */

typedef enum km_row_symmetries {
  KM_SYMMETRIES_NONE = 0,
  KM_SYMMETRIES_RANDOM,
  KM_SYMMETRIES_ALL
} km_row_symmetries;
typedef enum km_sample_kind { KM_SAMPLE_ALL = 0, KM_SAMPLE_EVERY, KM_SAMPLE_PER_GAME } km_sample_kind;
typedef enum km_players_kind { KM_PLAYERS_ANY = 0, KM_PLAYERS_WINNER, KM_PLAYERS_RANK } km_players_kind;

typedef struct km_planes_settings {
  uint64_t seed;
  uint8_t rows, cols;
  const km_layout *layout;
  uint32_t variants;
  uint8_t packing;             /* km_packing */
  uint8_t symmetries;          /* km_row_symmetries */
  uint8_t ways[KM_SYMMETRIES]; /* the symmetries in use, in order */
  uint8_t n_ways;
  uint8_t rows_per_position; /* n_ways where all are wanted, else 1 */
  km_codec codec;
  double
      split_end[KM_SPLITS]; /* a game whose number in [0, 1) is below split_end[i] is in split i or before */
  uint8_t sample;           /* km_sample_kind */
  uint32_t sample_k;
  uint32_t ply_from, ply_to; /* both included */
  uint8_t players;           /* km_players_kind */
  int rank;                  /* km_rank_order */
  uint8_t skip_handicap_moves, drop_last, final_value, drop_unknown;
  uint8_t move_features, evals, shuffle;
  uint32_t rows_per_shard, chunk_rows;
  uint64_t memory;
  uint32_t part, n_parts; /* 0, 1: everything */
  uint8_t merge_only;
  uint8_t needs_board; /* rows cannot be made of stones alone */
} km_planes_settings;

/* KM_ERR_USAGE names the option and what is wrong. */
km_status km_planes_settings_read(km_planes_settings *settings, const km_planes_options *options,
                                  km_err *err);

/* Bytes of a plane and of the planes of a row as they stand in a shard. */
size_t km_settings_plane_bytes(const km_planes_settings *settings);
size_t km_settings_row_bytes(const km_planes_settings *settings);

#endif
