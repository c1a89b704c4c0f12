/* archive_inputs.h: the rows of km_inputs, for the reader. */
#ifndef KM_ARCHIVE_INPUTS_H
#define KM_ARCHIVE_INPUTS_H

#include "kifumill/archive_reader.h"

typedef enum km_input_kind {
  KM_INPUT_FILE, /* a regular file */
  KM_INPUT_STDIN,
  KM_INPUT_PIPE,  /* a named pipe or device, given by name */
  KM_INPUT_FAULT, /* cannot be read: sys_errno */
  KM_INPUT_EMPTY, /* a folder without files */
} km_input_kind;

typedef struct km_input {
  const char *path;   /* as the system knows it */
  const char *name;   /* as it is shown: valid UTF-8 */
  const char *folder; /* last name of the folder given, for what was found in it; NULL: given itself */
  size_t n_folder;    /* bytes of name that are the folder as given and a slash */
  uint64_t n_bytes;
  uint64_t first, last; /* of a large zip: entries [first, last); last 0: to the end */
  km_input_kind kind;
  int sys_errno;
} km_input;

const km_input *km_inputs_at(const km_inputs *inputs, size_t i);
const km_archive_limits *km_inputs_limits(const km_inputs *inputs);

#endif
