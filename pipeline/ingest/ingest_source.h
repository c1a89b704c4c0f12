/* ingest_source.h: the inputs of a run as streams of batches: small neighbours share a stream, archives have their own.
 *
 * Names: source is the archive or file by its last name, so that outputs do not depend on where inputs lie; of a folder
 * given as an input, the files in it are entries of the source that the folder's name is; archives in it are sources of
 * their own, named by their path within it. */
#ifndef KIFUMILL_INGEST_SOURCE_H
#define KIFUMILL_INGEST_SOURCE_H

#include "ingest_batch.h"
#include "ingest_judge.h"

typedef struct km_ingest_source km_ingest_source;

/* filter is borrowed. */
km_status km_ingest_source_open(km_ingest_source **source, const km_ingest_options *options, const km_filter *filter,
                                km_err *err);
void km_ingest_source_close(km_ingest_source *source);
size_t km_ingest_source_streams(const km_ingest_source *source);
size_t km_ingest_source_inputs(const km_ingest_source *source);

/* Fills batch with the next entries of a stream: KM_OK, KM_END. Serial per stream. A large entry comes as pieces whose
 * records are parsed but not judged. */
km_status km_ingest_source_read(km_ingest_source *source, size_t stream, km_ingest_batch *batch, km_err *err);
/* Whether reading the stream may take much memory: a zstd or xz archive has a window of up to 128 MB. Not so a part of
 * a zip, or a small file. */
int km_ingest_source_is_heavy(const km_ingest_source *source, size_t stream);
/* Share of all input bytes that the batches written so far stand for (called by the writer for every batch in turn). */
double km_ingest_source_share(km_ingest_source *source, const km_ingest_batch *batch);

#endif
