/* planes_options.c: the table of kifu-planes's options. */
#include "planes_stage.h"

#include <stddef.h>

#define ROW(field) offsetof(km_planes_options, field)
static const km_option rows[] = {
    {"board", 0, KM_OPTION_STRING, 0, ROW(board), "SIZE", NULL, 0, 0,
     "the board: 19, or 13x9 (columns x rows); games of other sizes are counted and left out"},
    {"layout", 0, KM_OPTION_STRING, 0, ROW(layout), "NAME", NULL, 0, 0,
     "alphago-zero, black-white, black-white-literal, alphago-48 or leela-zero"},
    {"layout-options", 0, KM_OPTION_STRING, 0, ROW(layout_options), "LIST", NULL, 0, 0,
     "variants of alphago-48: capture1, setup-old, colour, sensible, depth50"},
    {"symmetries", 0, KM_OPTION_CHOICE, 0, ROW(symmetries), NULL, "none|random|all", 0, 0,
     "a position gives one row, one row under a random symmetry, or a row for each symmetry of the board"},
    {"pack", 0, KM_OPTION_CHOICE, 0, ROW(pack), NULL, "bits|bytes", 0, 0, "eight points a byte, or one"},
    {"codec", 0, KM_OPTION_STRING, 0, ROW(codec), "NAME", NULL, 0, 0,
     "zstd[:LEVEL], gzip[:LEVEL] (needs no plugin to be read) or none"},
    {"split", 0, KM_OPTION_STRING, 0, ROW(split), "SHARES", NULL, 0, 0,
     "shares of train, val and test; they sum to 1. Copies of a game, turned or cut short, fall together"},
    {"sample", 0, KM_OPTION_STRING, 0, ROW(sample), "WHICH", NULL, 0, 0,
     "all positions, every:K, or per-game:K chosen at random"},
    {"ply", 0, KM_OPTION_STRING, 0, ROW(ply), "RANGE", NULL, 0, 0,
     "only positions after so many moves: 20..150, 20.., ..150"},
    {"players", 0, KM_OPTION_STRING, 0, ROW(players), "WHO", NULL, 0, 0,
     "only moves of any player, of the winner, or of a rank:6d or better"},
    {"skip-handicap-moves", 0, KM_OPTION_FLAG, 0, ROW(skip_handicap_moves), NULL, NULL, 0, 0,
     "without Black's first moves that stand for handicap stones (HA and no set-up)"},
    {"last", 0, KM_OPTION_CHOICE, 0, ROW(last), NULL, "keep|drop", 0, 0,
     "the last move before a resignation"},
    {"final-value", 0, KM_OPTION_FLAG, 0, ROW(final_value), NULL, NULL, 0, 0,
     "also the final position, which has a value and no move (policy -1)"},
    {"unknown-result", 0, KM_OPTION_CHOICE, 0, ROW(unknown_result), NULL, "keep|drop", 0, 0,
     "games without a known result (value -128)"},
    {"move-features", 0, KM_OPTION_FLAG, 0, ROW(move_features), NULL, NULL, 0, 0,
     "dataset move_features: pattern, captures, eyes, liberties … of the move played"},
    {"evals", 0, KM_OPTION_FLAG, 0, ROW(evals), NULL, NULL, 0, 0,
     "dataset black_win: Black's win-rate from the record, NaN where it has none"},
    {"shuffle", 0, KM_OPTION_CHOICE, 0, ROW(shuffle), NULL, "on|off", 0, 0,
     "rows of a split in one seeded random order, or as they are in the games"},
    {"rows-per-shard", 0, KM_OPTION_INT, 0, ROW(rows_per_shard), "N", NULL, 1, 1 << 30,
     "rows of a shard; the last has fewer"},
    {"chunk-rows", 0, KM_OPTION_INT, 0, ROW(chunk_rows), "N", NULL, 0, 1 << 20,
     "rows of a chunk of planes; 0: 256, or fewer so that a chunk stays below 1 MiB"},
    {"memory", 0, KM_OPTION_BYTES, KM_OPTION_RUNTIME, ROW(memory), "BYTES", NULL, 1 << 20, 1e15,
     "memory to stay within; where the games do not fit, rows are spooled to the output's disk"},
    {"part", 0, KM_OPTION_STRING, KM_OPTION_RUNTIME, ROW(part), "I/N", NULL, 0, 0,
     "only every N-th shard, from the I-th (0 …) on; the last part to end, or merge, writes the manifest"},
};
#undef ROW

static void set_defaults(void *options) {
  km_planes_options *o = options;
  *o = (km_planes_options){.board = "19",
                           .layout = "alphago-zero",
                           .codec = "zstd",
                           .split = "0.9,0.05,0.05",
                           .sample = "all",
                           .players = "any",
                           .rows_per_shard = 1 << 18,
                           .memory = (uint64_t)2 << 30};
  km_run_options_default(&o->run);
  o->run.output = "shards";
}

static km_status run(const void *options, km_stage_outcome *outcome, km_err *err) {
  return km_planes_run(options, outcome, err);
}

const km_stage km_planes_stage = {
    .name = "planes",
    .synopsis = "[OPTION…] games.h5",
    .about =
        "Writes training rows (planes, move, result …) of the games in games.h5 into a folder of HDF5 "
        "shards:\n"
        "SPLIT-NNNNN.h5, a virtual file SPLIT.h5 over the shards of a split, and manifest.json, which is "
        "written last.\n\n"
        "Rows are in a seeded random order over the whole split. The bytes depend on games, options and seed "
        "only, not on\n"
        "threads, memory or parts. A run that was stopped goes on where it was when it is called again.\n",
    .rows = rows,
    .n_rows = sizeof rows / sizeof *rows,
    .options_bytes = sizeof(km_planes_options),
    .min_inputs = 1,
    .max_inputs = 1,
    .defaults = set_defaults,
    .run = run,
};
