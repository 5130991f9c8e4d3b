/* Loads as a text: lines of who (a worker's rank, a class of the profile, or master), start_s,
 * end_s, and the shares of the processor and of the link that there are then, separated by tabs.
 * The lines of each begin at 0 and follow one another without a gap, and the last one holds for
 * ever; a first line with these names, empty lines and those that begin with # are passed over. */
#ifndef PLANNER_FILES_AVAILABILITY_TSV_H
#define PLANNER_FILES_AVAILABILITY_TSV_H

#include <stdbool.h>

#include "planner/base/failure.h"
#include "planner/model/availability.h"

/* `text` is terminated, `name` is what failures call it. To be released, and to be placed.
 * FAILURE_MISMATCH names the wrong line. */
bool availability_parse(struct availability *availability, const char *text, const char *name,
                        struct failure *failure);
/* Of a file. */
bool availability_read(struct availability *availability, const char *path,
                       struct failure *failure);

#endif
