/* Probes that find a job's total: few core tasks from all over it, round after round. */
#ifndef CALIBRATE_STRATA_PROBE_H
#define CALIBRATE_STRATA_PROBE_H

#include "calibrate/fit/design.h"
#include "calibrate/fit/sample.h"
#include "planner/base/failure.h"

/* What is to be probed, and with what; all borrowed. */
struct strata_probe {
    struct samples *samples; /* that probes are added to */
    int setting;             /* of them */
    int64_t tasks;           /* of the job */
    int workers;
    uint64_t seed;
    double budget_s;
    double overhead_s;            /* of a round, beside its packages */
    double latency_s, s_per_task; /* of a package, as far as is known; afterwards, where core tasks
                                   * differ, the rate is that of the mean one */
    double *paces; /* by rank: where core tasks differ, afterwards how long each worker takes for
                    * one and the same, relative to the others; else as before */
    /* Has the packages run, and adds their timings to the samples. */
    bool (*run)(void *self, const struct design_pass *pass, int64_t largest);
    double (*now)(void *self); /* seconds */
    void *self;
};

/* As many rounds as the budget has time for, none where it has not even for a few core tasks; and
 * no more than it takes to see that all are equal. */
bool strata_probe(struct strata_probe *probe, struct failure *failure);

#endif
