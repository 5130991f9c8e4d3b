/* Waits in a queue as a text: lines of ranks, walltime_s and wait_s, separated by tabs or blanks,
 * ascending by ranks and then by walltime; a first line with these names, empty lines and those
 * that begin with # are passed over. */
#ifndef PLANNER_FILES_WAITS_TSV_H
#define PLANNER_FILES_WAITS_TSV_H

#include <stdbool.h>

#include "planner/base/failure.h"
#include "planner/model/waits.h"

/* `text` is terminated, `name` is what failures call it. To be released. FAILURE_MISMATCH names the
 * wrong line. */
bool waits_parse(struct waits *waits, const char *text, const char *name, struct failure *failure);

#endif
