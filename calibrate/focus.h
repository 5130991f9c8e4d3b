/* Package sizes that should be timed more often than others. */
#ifndef CALIBRATE_FOCUS_H
#define CALIBRATE_FOCUS_H

#include <stdbool.h>
#include <stdint.h>

#include "calibrate/fit/sample.h"
#include "planner/base/failure.h"
#include "planner/model/profile.h"

enum { FOCUS_MOST = 8 };

struct focus {
    int64_t tasks[FOCUS_MOST];
    int count;
};

/* What is to be planned. */
struct focus_job {
    int setting;     /* of the samples */
    int64_t largest; /* the largest package probed */
    int workers;
    double tasks;      /* core tasks */
    bool write_behind; /* workers compute while results are written */
};

/* From the samples so far: the sizes to which a plan for this job would give most work, and the
 * middles of the intervals in which costs break. */
bool focus_find(const struct samples *samples, const struct focus_job *job, struct focus *focus,
                struct failure *failure);

/* Core tasks of the package that a core task is in, in the mean over such a plan's; 0 without one.
 */
double focus_load(const struct profile_setting *setting, int64_t tasks, int workers);
/* Seconds that a plan for `tasks` core tasks on these workers would take; HUGE_VAL without one. */
double focus_makespan(const struct profile_setting *setting, int64_t tasks, int workers);

#endif
