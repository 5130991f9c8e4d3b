/*
 * A calibration's timings as a table, which `scow calibrate --probes` writes: tab-separated, a
 * timing a line, below a line of names.
 */
#ifndef PLANNER_FILES_PROBES_H
#define PLANNER_FILES_PROBES_H

#include "planner/base/failure.h"
#include "planner/model/sample.h"

/* Owned, to be freed; NULL: out of memory. */
char *probes_print(const struct samples *samples);
/* To be released. `text` is zero-terminated, from the file `path`. False with *failure set: not
 * such a table, a line that no calibration writes, out of memory; *samples is then untouched. */
bool probes_parse(struct samples *samples, const char *text, const char *path,
                  struct failure *failure);

#endif
