/*
 * From samples to a setting of a profile: costs per window, workers of a kind as one class.
 */
#ifndef CALIBRATE_FIT_ASSEMBLE_H
#define CALIBRATE_FIT_ASSEMBLE_H

#include <stdbool.h>
#include <stdint.h>

#include "calibrate/fit/classes.h"
#include "calibrate/fit/costs.h"
#include "calibrate/fit/sample.h"
#include "planner/base/failure.h"
#include "planner/model/profile.h"
#include "planner/model/sample.h"

/* ---- score --------------------------------------------------------------------------------- */

/* Cross-validation: how well a fit predicts packages that were left out. */

/* Of chosen timings of computing, which are sorted and lose their order: every tenth package (all
 * timings of it) is held out, and costs are fitted to the others. *held_out: the relative deviation
 * (root mean square) of those from the fit; *noise: that of timings of one package from each other.
 * Both 0 with too few packages. */
bool score_make(struct sample *samples, int64_t count, double *held_out, double *noise,
                struct failure *failure);

/* ---- start --------------------------------------------------------------------------------- */

/*
 * The start-up time of workers. In the trace of a run it is a sample of its own; if the first
 * package was too small to show it (a single line), it is contained in the time of computing that
 * package, beyond what such a package takes later.
 */

/* Of a class of workers: a latency without a rate; all 0 where it cannot be told from noise. */
struct measured_cost start_fit(const struct samples *samples, int setting,
                               const struct worker_class *class);

/* ---- windows ------------------------------------------------------------------------------- */

/*
 * Breaks of different operations, merged into the windows of a setting.
 */

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

/* ---- assemble ------------------------------------------------------------------------------ */

/* The samples of `setting`, of packages of at most `largest` tasks; names[i] is that of worker i,
 * which is rank i + 1. Neighbouring workers whose costs cannot be told apart, or differ by less
 * than 1 %, become one class. Fills windows, spreads and score; the rest of *fitted is zeroed. To
 * be released, on success alone. */
bool assemble_setting(const struct samples *samples, int setting, int64_t largest, int workers,
                      char *const *names, struct profile_setting *fitted, struct failure *failure);

#endif
