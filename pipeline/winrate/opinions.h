/* opinions.h: win-rates of others from a CSV file, found by game and ply.
 *
 * The file, gzip allowed, has a header line naming its columns in any order: source, entry, ply, and black_winrate (0…1) or
 * black_score_lead (points) or both; others are let be. Fields may be quoted as in RFC 4180. Joined on the last component of the
 * source path, the entry, and the ply (moves played). In memory 24 bytes a line. */
#ifndef KIFUMILL_OPINIONS_H
#define KIFUMILL_OPINIONS_H

#include "kifumill/err.h"
#include "kifumill/games_store.h"

typedef struct km_opinion {
  uint64_t key; /* of source and entry */
  uint32_t ply;
  float win, score; /* NaN: not said */
} km_opinion;

typedef struct km_opinions km_opinions;

/* KM_ERR_IO, KM_ERR_FORMAT with the line. */
km_status km_opinions_load(km_opinions **opinions, const char *path, km_err *err);
void km_opinions_free(km_opinions *opinions); /* NULL is allowed */
const char *km_opinions_name(const km_opinions *opinions);    /* last component of the path */
uint64_t km_opinions_rows(const km_opinions *opinions);       /* lines read */
uint64_t km_opinions_duplicates(const km_opinions *opinions); /* a ply of a game said before: the first counts */

/* First pass: game number i of the file has these texts. Names that several games have are found out. */
void km_opinions_meet(km_opinions *opinions, uint64_t i, km_text source, km_text entry);
/* Afterwards: lines of names that no game has, and that several have. */
void km_opinions_unmet(const km_opinions *opinions, uint64_t *n_no_game, uint64_t *n_ambiguous);
/* What is said of game i, by ascending ply: n of them, 0 if nothing, or if other games have its name too. Any thread. */
const km_opinion *km_opinions_of(const km_opinions *opinions, uint64_t i, km_text source, km_text entry, size_t *n);

#endif
