/* h5_driver.h: how HDF5 reads and writes files of ours.
 *
 * After a write that failed, HDF5 1.10 cannot close the file: it keeps half of it, and falls over that at
 * exit. So this driver never lets a write fail. The first error is noted in a latch; from then on writes are
 * dropped, HDF5 goes on and closes in good order, and our code, which looks at the latch, gives up the file.
 */
#ifndef KM_H5_DRIVER_H
#define KM_H5_DRIVER_H

#include <hdf5.h>

/* Belongs to one open file, and outlives it. */
typedef struct h5_latch {
  int sys_errno; /* of the first write that failed, or ENOMEM when the driver had no memory; 0: none */
} h5_latch;

/* Makes the driver that of a file access list. In a scope (h5_internal.h). */
int h5_driver_set(hid_t fapl, h5_latch *latch);

#endif
