/* Prints the commands of core tasks without running them. */
#ifndef CALIBRATE_PREVIEW_H
#define CALIBRATE_PREVIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/base/text.h"
#include "spmd/launch/making.h"

/* So many core tasks are shown. */
enum { PREVIEW_MOST = 10 };

/* Local to the master. Add the commands of these core tasks as they would be typed, a line each, or
 * the one command and the lines that it reads. False: core tasks run none; nothing is added. */
bool preview_add(const struct making *making, const int64_t *tasks, int count, struct text *text);

#endif
