/* Who is there when, as a text: lines of a worker's rank, from_s and until_s, separated by blanks
 * or tabs; until_s may be left out, or '-': to the end. Workers without a line are there all the
 * time. A first line with these names, empty lines and those that begin with # are passed over. */
#ifndef PLANNER_FILES_JOINS_TSV_H
#define PLANNER_FILES_JOINS_TSV_H

#include <stdbool.h>

#include "planner/base/failure.h"
#include "planner/model/joins.h"

/* `text` is terminated, `name` is what failures call it. To be released, and to be settled.
 * FAILURE_MISMATCH names the wrong line. */
bool joins_parse(struct joins *joins, const char *text, const char *name, struct failure *failure);
/* Of a file. */
bool joins_read(struct joins *joins, const char *path, struct failure *failure);

#endif
