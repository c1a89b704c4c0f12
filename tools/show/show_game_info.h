/* show_game_info.h: the parts of `kifu-show info`. */
#ifndef KIFUMILL_SHOW_GAME_INFO_H
#define KIFUMILL_SHOW_GAME_INFO_H

#include "show_record.h"

km_status show_game_info(show_record *record, show_session *session, km_err *err);
/* An HDF5 file of ours; manifest.json. */
km_status show_store_info(show_session *session, km_err *err);
km_status show_manifest_info(show_session *session, km_err *err);

/* Text on one line: control characters as \n, \t, \xNN. */
void show_plain(const char *bytes, size_t n, FILE *out);

#endif
