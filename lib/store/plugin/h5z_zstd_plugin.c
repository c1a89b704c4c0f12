/* h5z_zstd_plugin.c: the two functions by which HDF5 finds the zstd filter in a shared library of a folder
 * that HDF5_PLUGIN_PATH names. */
#include "h5z_zstd.h"

#include <H5PLextern.h>

H5PL_type_t H5PLget_plugin_type(void) {
  return H5PL_TYPE_FILTER;
}
const void *H5PLget_plugin_info(void) {
  return &km_h5z_zstd;
}
