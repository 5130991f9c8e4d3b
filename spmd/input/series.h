/* The files of a directory, as the slices of a stack. For the image reader alone. */
#ifndef SPMD_INPUT_SERIES_H
#define SPMD_INPUT_SERIES_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/base/failure.h"

struct series {
    char **files; /* owned; with the directory's name before theirs */
    int64_t count;
};

bool series_recognize(const char *name);
/* All files of the directory whose names do not begin with a dot, by name, numbers in names by
 * their value: slice9 before slice10. Refused without any. To be released, on success alone. */
bool series_list(const char *directory, struct series *series, struct failure *failure);
void series_release(struct series *series);

#endif
