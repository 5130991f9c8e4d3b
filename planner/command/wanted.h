/* Which of a profile's settings a command line asks for. */
#ifndef PLANNER_COMMAND_WANTED_H
#define PLANNER_COMMAND_WANTED_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/base/failure.h"
#include "planner/base/parameter.h"

/* --set NAME=VALUE,... (may be NULL) and --block B (0: not given) as parameters, appended. */
bool wanted_read(const char *set, int64_t block, struct parameter_list *wanted,
                 struct failure *failure);

#endif
