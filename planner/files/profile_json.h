/* A cluster profile as JSON text ("scow-profile-1"), and copies of it. */
#ifndef PLANNER_FILES_PROFILE_JSON_H
#define PLANNER_FILES_PROFILE_JSON_H

#include <stdbool.h>
#include <stddef.h>

#include "planner/base/failure.h"
#include "planner/model/profile.h"

/* Parse `length` bytes of JSON; `name` is what failures call it (a file's path). All or nothing.
 * Every key is checked; unknown ones are refused with the nearest known one. */
bool profile_parse(struct profile *profile, const char *text, size_t length, const char *name,
                   struct failure *failure);
/* Owned JSON text ending in a newline, to be freed; NULL: out of memory. parse(print(p)) equals p
 * to the last bit, but for workers beyond those measured, which are left out. */
char *profile_print(const struct profile *profile);
/* With memory of its own for everything, workers beyond those measured included. False: out of
 * memory; to be released even then. */
bool profile_copy(struct profile *to, const struct profile *from);

#endif
