/* outfile.h: an output file that is whole under its final name, or not there at all.
 *
 * Bytes go to PATH.tmp; finish flushes, syncs, renames and syncs the folder. A run that is interrupted removes its
 * PATH.tmp (km_outfile_remove_unfinished in the programs' signal handler); one that is killed leaves it, and the next
 * run overwrites it. An existing PATH is refused unless force is given. While a
 * PATH.tmp is being written it is locked (flock), so that two processes never write the same output. A PATH
 * that is a device or a pipe (/dev/stdout) is written in place.
 *
 * Messages name the file and the cause. Errors: KM_ERR_STATE (PATH exists; another process writes it),
 * KM_ERR_IO (the system refused; sys_errno), KM_ERR_NOMEM. */
#ifndef KIFUMILL_OUTFILE_H
#define KIFUMILL_OUTFILE_H

#include "kifumill/err.h"

#include <stddef.h>

typedef struct km_outfile km_outfile;

/* Starts the output. On failure *out is NULL and nothing is left behind. */
km_status km_outfile_open(km_outfile **out, const char *path, int force, km_err *err);

/* Appends bytes, through a buffer of 64 KiB. */
km_status km_outfile_write(km_outfile *out, const void *bytes, size_t n_bytes, km_err *err);
/* Appends formatted text of any length. */
km_status km_outfile_printf(km_outfile *out, km_err *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Puts everything written so far on the disk: what finish may still fail of is the renaming. For outputs that belong
 * together: sync them all, then finish them all. */
km_status km_outfile_sync(km_outfile *out, km_err *err);
/* Completes the output under its final name. Frees out in every case; on failure nothing is left behind. */
km_status km_outfile_finish(km_outfile *out, km_err *err);
/* Removes what was written and frees out; NULL is allowed. */
void km_outfile_abandon(km_outfile *out);

/* For a signal handler that ends the process: removes the temporary files of all outputs that are open. Outputs cannot
 * be opened, finished or abandoned afterwards: who tries waits for the end. */
void km_outfile_remove_unfinished(void);

/* The same for a temporary file that someone else writes, a program that was started: noted here, it is removed too. NULL
 * when memory is out, which is no harm. forget does not remove it; NULL is allowed. */
typedef struct km_tempfile km_tempfile;
km_tempfile *km_tempfile_note(const char *path);
void km_tempfile_forget(km_tempfile *file);

/* A whole file in one call. */
km_status km_outfile_put(const char *path, const void *bytes, size_t n_bytes, int force, km_err *err);

/* For writers that open the temporary file by name themselves (HDF5): its name; the final name; whether the
 * output is a device or a pipe, which has no temporary file. Borrowed until finish or abandon. */
const char *km_outfile_tmp_path(const km_outfile *out);
const char *km_outfile_path(const km_outfile *out);
int km_outfile_is_direct(const km_outfile *out);

#endif
