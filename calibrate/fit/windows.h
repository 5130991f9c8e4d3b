/*
 * Breaks of different operations, merged into the windows of a setting.
 */
#ifndef CALIBRATE_FIT_WINDOWS_H
#define CALIBRATE_FIT_WINDOWS_H

#include <stdint.h>

#include "calibrate/fit/costs.h"

enum { WINDOWS_MOST = 8 };

/* Package sizes; the first window's least is 1. */
struct windows {
    int64_t greatest[WINDOWS_MOST]; /* ascending; the last one's is the largest package */
    int count;
};

/* Of `count` operations, for packages of at most `largest`. Breaks that may be one and the same
 * are; of more than a profile needs, those count that explain most. */
void windows_make(const struct costs *const *costs, int count, int64_t largest,
                  struct windows *windows);

#endif
