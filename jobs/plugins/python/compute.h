/*
 * Computing packages with a script's compute, a few core tasks at a time, in scow's own memory.
 */
#ifndef PYTHON_COMPUTE_H
#define PYTHON_COMPUTE_H

#include "script.h"

/* What Package in plugin.py asks of scow; the table ends with a row without a name. */
extern PyMethodDef compute_functions[];

/* Callbacks; `opened` is a struct script. */
size_t compute_size(const void *opened, int threads);
int compute_start(const struct scow_host *host, const void *opened, void *space);
void compute_stop(const void *opened, void *space);
int compute_batch(const struct scow_host *host, const void *opened, const struct scow_batch *batch);

#endif
