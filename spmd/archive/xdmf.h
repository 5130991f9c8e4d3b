/* A run's grid as ParaView and VisIt see it: a small file that says where in the HDF5 file it is.
 */
#ifndef SPMD_ARCHIVE_XDMF_H
#define SPMD_ARCHIVE_XDMF_H

#include <stdbool.h>

#include "planner/base/failure.h"

/* Write `xdmf` (XDMF 2) for /response and, where there is one, /normalized of the run output
 * `output`. The output is named beside `xdmf` where it lies in the same folder, else from the root.
 * A file that is there is replaced as a whole or not at all. Refuses outputs without a grid. */
bool xdmf_write(const char *output, const char *xdmf, struct failure *failure);

#endif
