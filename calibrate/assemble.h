/*
 * From samples to a profile.
 */
#ifndef CALIBRATE_ASSEMBLE_H
#define CALIBRATE_ASSEMBLE_H

#include <stdbool.h>
#include <stdint.h>

#include "calibrate/sample.h"
#include "planner/base/failure.h"
#include "planner/model/profile.h"

/* One setting with one window [1, largest], fitted from the samples of that setting; `workers`
 * workers whose names (borrowed) are names[0 .. workers). Compute must grow with the package; other
 * operations may be constant, or nothing where every timing is below the clock's own (the envelope
 * of tasks that need no package). *fitted is owned by the caller (profile_release), and untouched
 * on failure. */
bool assemble_setting(const struct samples *samples, int setting, int64_t largest, int workers,
                      char *const *names, struct profile_setting *fitted, struct failure *failure);

#endif
