/* What `scow sense` writes: lines of seconds since 1970, node, "cpu" or "bandwidth", and the
 * availability of its processors or the bandwidth to it, bytes a second, separated by tabs. Who
 * writes them need not know of others: they may be in any order, and of what nobody has looked at
 * for some time there are none. Empty lines and those that begin with # are passed over. */
#ifndef PLANNER_FILES_OBSERVATIONS_TSV_H
#define PLANNER_FILES_OBSERVATIONS_TSV_H

#include <stdbool.h>

#include "planner/base/failure.h"
#include "planner/forecast/observations.h"

/* `text` is terminated, `name` is what failures call it. To be released. FAILURE_MISMATCH names the
 * wrong line. */
bool observations_parse(struct observations *observations, const char *text, const char *name,
                        struct failure *failure);
/* Of a file. */
bool observations_read(struct observations *observations, const char *path,
                       struct failure *failure);

#endif
