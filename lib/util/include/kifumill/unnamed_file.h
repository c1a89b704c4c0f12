/* unnamed_file.h: a file for temporary data that has no name, so that nothing is left of it however the process ends. */
#ifndef KIFUMILL_UNNAMED_FILE_H
#define KIFUMILL_UNNAMED_FILE_H

#include "kifumill/err.h"

/* Opens one for reading and writing in the folder of the file path (which need not be there). Errors: KM_ERR_IO,
 * KM_ERR_NOMEM; *fd is -1 then. */
km_status km_unnamed_file(int *fd, const char *path, km_err *err);

#endif
