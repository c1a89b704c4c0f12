/* show_record.h: the one game that a command is about: out of an SGF file, an archive's entry, standard
 * input, or games.h5; and its replay. */
#ifndef KIFUMILL_SHOW_RECORD_H
#define KIFUMILL_SHOW_RECORD_H

#include "show.h"

#include "kifumill/games_store.h"
#include "kifumill/replay.h"
#include "kifumill/sgf.h"

typedef struct km_inputs km_inputs;
typedef struct km_archive_reader km_archive_reader;

typedef struct show_record {
  km_game game;
  const char *file, *entry; /* entry: "" when there is none */
  int is_stored;            /* from games.h5: sgf is empty, number is that in the store */
  uint64_t number;          /* in its entry, from 1 */
  km_sgf_record sgf;
  const uint8_t *bytes; /* of the entry */
  size_t n_bytes;
  /* what holds all this */
  km_arena arena, records;
  km_text_decoder *decoder;
  km_inputs *inputs;
  km_archive_reader *reader;
  km_games *games;
  char *path;
} show_record;

/* Finds the game that the options name. The remarks tell of damage in the input. KM_ERR_USAGE: it has no such
 * game or entry. Whatever is returned, show_record_close is to be called. */
km_status show_record_open(show_record *record, show_session *session, km_err *err);
void show_record_close(show_record *record);
/* Opens the record, runs a command's part on it, closes it. */
typedef km_status show_part(show_record *record, show_session *session, km_err *err);
km_status show_with_record(show_session *session, show_part *part, km_err *err);

/* How many records the entry has; counts them. */
km_status show_record_count(show_record *record, const show_options *options, uint64_t *n, km_err *err);

/* Whether path begins as HDF5 files do. */
int show_is_hdf5(const char *path);

/* The replay of the record at position 0, by the options; it lives in the record's arena. with_superko:
 * repetitions are looked for whatever the rules say about them. */
km_status show_replay_begin(km_replay **replay, show_record *record, const show_options *options,
                            int with_superko, km_err *err);
/* Tells what stopped the replay. */
void show_replay_stopped(show_session *session, const show_record *record, const km_replay *replay);
/* Plays on to position --ply, or the last one there is; follow (may be NULL) is called after every step.
 * KM_ERR_USAGE: there is no such position. */
typedef void show_follow(void *ctx, const km_replay *replay);
km_status show_replay_to_ply(km_replay *replay, show_session *session, const show_record *record,
                             show_follow *follow, void *ctx, km_err *err);

/* A point in both ways of writing: SGF ("dp"; a pass is "pass") and GTP ("D4"; "-" on boards that have none).
 */
typedef struct show_point {
  char sgf[5], gtp[5];
} show_point;
show_point show_point_text(const km_game *game, uint16_t point);
static inline char show_colour_letter(uint8_t colour) {
  return colour == KM_BLACK ? 'B' : 'W';
}

#endif
