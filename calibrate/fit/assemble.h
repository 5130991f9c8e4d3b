/*
 * From samples to a setting of a profile: costs per window, workers of a kind as one class.
 */
#ifndef CALIBRATE_FIT_ASSEMBLE_H
#define CALIBRATE_FIT_ASSEMBLE_H

#include <stdbool.h>
#include <stdint.h>

#include "calibrate/fit/sample.h"
#include "planner/base/failure.h"
#include "planner/model/profile.h"

/* The samples of `setting`, of packages of at most `largest` tasks; names[i] is that of worker i,
 * which is rank i + 1. Neighbouring workers whose costs cannot be told apart, or differ by less
 * than 1 %, become one class. Fills windows, spreads and score; the rest of *fitted is zeroed. To
 * be released, on success alone. */
bool assemble_setting(const struct samples *samples, int setting, int64_t largest, int workers,
                      char *const *names, struct profile_setting *fitted, struct failure *failure);

#endif
