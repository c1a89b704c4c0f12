/* h5z_zstd.h: the zstd filter of HDF5 (registered number 32015), in the process and as a plugin. */
#ifndef KM_H5Z_ZSTD_H
#define KM_H5Z_ZSTD_H

#include <hdf5.h>

enum { KM_H5Z_FILTER_ZSTD = 32015 };
/* cd_values[0]: level, 3 when absent. */
extern const H5Z_class2_t km_h5z_zstd;

#endif
