/* feed_settings.c: the table of a feed's settings. Those of the rows go through the reader of kifu-planes's
 * options. */
#include "feed_settings.h"

#include <stdio.h>
#include <string.h>

typedef struct feed_options {
  km_planes_options planes;
  int of, order, symmetry, pool_games;
  uint64_t memory;
} feed_options;

#define FIELD(field) .offset = offsetof(feed_options, field)
#define TEXT(name_, field)                                                                                   \
  { .name = name_, .kind = KM_OPTION_STRING, FIELD(planes.field) }
#define CHOICE(name_, field, choices_)                                                                       \
  { .name = name_, .kind = KM_OPTION_CHOICE, .choices = choices_, FIELD(field) }
#define FLAG(name_, field)                                                                                   \
  { .name = name_, .kind = KM_OPTION_FLAG, FIELD(planes.field) }

static const km_option rows[] = {
    TEXT("board", board),
    TEXT("layout", layout),
    TEXT("layout-options", layout_options),
    CHOICE("symmetries", planes.symmetries, "none|random|all"),
    CHOICE("pack", planes.pack, "bits|bytes"),
    TEXT("split", split),
    TEXT("sample", sample),
    TEXT("ply", ply),
    TEXT("players", players),
    FLAG("skip-handicap-moves", skip_handicap_moves),
    CHOICE("last", planes.last, "keep|drop"),
    FLAG("final-value", final_value),
    CHOICE("unknown-result", planes.unknown_result, "keep|drop"),
    CHOICE("shuffle", planes.shuffle, "on|off"),
    {.name = "seed", .kind = KM_OPTION_UINT64, FIELD(planes.run.seed)},
    CHOICE("of", of, "train|val|test"),
    CHOICE("order", order, "global|pool"),
    {.name = "pool-games", .kind = KM_OPTION_INT, .min = 1, .max = 1 << 24, FIELD(pool_games)},
    CHOICE("symmetry", symmetry, "same|fresh"),
    {.name = "memory", .kind = KM_OPTION_BYTES, .min = 1 << 20, .max = 32.0 * (1 << 30), FIELD(memory)},
};

/* How shards are cut and what else is in them: no matter here. */
static const char *const passed_over[] = {"codec", "rows-per-shard", "chunk-rows", "move-features", "evals"};

static int is_passed_over(const char *name) {
  for (size_t i = 0; i < sizeof passed_over / sizeof passed_over[0]; i++)
    if (strcmp(name, passed_over[i]) == 0)
      return 1;
  return 0;
}

/* text is "name=value"; the value is borrowed. */
static km_status set(feed_options *options, const char *text, km_err *err) {
  char name[32];
  const char *equals = strchr(text, '=');
  size_t n = equals ? (size_t)(equals - text) : 0;
  if (n == 0 || n >= sizeof name)
    return km_err_set(err, KM_ERR_USAGE, 0, "setting \"%.60s\": not of the form name=value", text);
  memcpy(name, text, n);
  name[n] = 0;
  if (is_passed_over(name))
    return KM_OK;
  return km_option_set(&(km_option_table){rows, sizeof rows / sizeof rows[0]}, 1, options, name, equals + 1,
                       err);
}

km_status km_feed_settings_read(km_feed_settings *settings, const char *const *texts, km_err *err) {
  feed_options options = {
      .planes = {.board = "19",
                 .layout = "alphago-zero",
                 .codec = "none",
                 .split = "0.9,0.05,0.05",
                 .sample = "all",
                 .players = "any",
                 .rows_per_shard = 1},
      .pool_games = 4096,
      .memory = (uint64_t)256 << 20,
  };
  km_run_options_default(&options.planes.run);
  km_status status = KM_OK;
  for (size_t i = 0; texts && texts[i] && status == KM_OK; i++)
    status = set(&options, texts[i], err);
  if (status != KM_OK)
    return status;
  *settings = (km_feed_settings){.split = (unsigned)options.of,
                                 .order = (uint8_t)options.order,
                                 .is_fresh = (uint8_t)options.symmetry,
                                 .pool_games = (uint32_t)options.pool_games,
                                 .memory = options.memory};
  return km_planes_settings_read(&settings->rows, &options.planes, err);
}
