/* What core tasks left behind in their records, summed up field by field. */
#ifndef SPMD_ARCHIVE_FIELDS_H
#define SPMD_ARCHIVE_FIELDS_H

#include <stdbool.h>

#include "planner/base/failure.h"
#include "planner/base/text.h"

/* A JSON array of {"field", "least", "mean", "greatest"}, one for each number in the records of the
 * run output `path`, over the core tasks that are done and have not failed; "null" where its core
 * task leaves no records, or more than can be read at once. Serial. */
bool fields_print(const char *path, struct text *text, struct failure *failure);

#endif
