/* feed_settings.h: the settings of a feed, from texts "name=value". */
#ifndef KIFUMILL_FEED_SETTINGS_H
#define KIFUMILL_FEED_SETTINGS_H

#include "planes_settings.h"

typedef enum km_feed_order_kind { KM_FEED_GLOBAL = 0, KM_FEED_POOL } km_feed_order_kind;

typedef struct km_feed_settings {
  km_planes_settings rows; /* which rows there are, as for shards */
  unsigned split;          /* number of the split */
  uint8_t order;           /* km_feed_order_kind */
  uint8_t is_fresh;        /* random symmetries change with the epoch */
  uint32_t pool_games;
  uint64_t memory;
} km_feed_settings;

/* texts ends with NULL (or is NULL). KM_ERR_USAGE names the setting and what is wrong. */
km_status km_feed_settings_read(km_feed_settings *settings, const char *const *texts, km_err *err);

#endif
