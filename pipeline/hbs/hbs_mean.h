/* hbs_mean.h: the group /mean of hbs.h5. */
#ifndef KIFUMILL_HBS_MEAN_H
#define KIFUMILL_HBS_MEAN_H

#include "hbs_lines.h"

/* Writes /mean, in the order of lines. */
km_status km_hbs_mean_put(km_h5 *file, const km_hbs_means *means, const km_mean_lines *lines, km_codec codec,
                          km_err *err);

#endif
