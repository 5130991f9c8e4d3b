/* Timings of a machine that does not exist, whose costs are known. */
#ifndef TESTS_CALIBRATE_SYNTHETIC_H
#define TESTS_CALIBRATE_SYNTHETIC_H

#include <stdint.h>

#include "calibrate/fit/design.h"
#include "calibrate/fit/sample.h"

enum { SYNTHETIC_TASKS = 20000, SYNTHETIC_SETS = 4 };

/* What one operation really costs. */
struct machine {
    double latency_s, s_per_task;
    double jump_s, rate_factor; /* above jump_at tasks: so much more, and the rate so many times */
    int64_t jump_at;            /* 0: nowhere */
    double noise;               /* relative standard deviation of a timing, */
    double jitter_s;            /* and one of seconds, whatever it takes */
    double drift;               /* of a pass */
    double drift_own;           /* of a pass on one worker, beside that */
    double outlier_rate, outlier_factor;
    /* How much of the mean a task costs, as a function of its number; NULL: all alike. */
    double (*share)(int64_t task);
};

struct generator {
    uint64_t state;
};

double generator_uniform(struct generator *generator);
double generator_normal(struct generator *generator);

/* What a package of so many tasks costs on average over the job. */
double machine_mean(const struct machine *machine, double tasks);
/* Time all packages of the passes that a calibration would make: SYNTHETIC_SETS sets of places,
 * twice each, on `workers` ranks from 1 on; appended as `operation` of setting 0. */
void machine_time(const struct machine *machine, enum operation operation, int workers,
                  int64_t most, uint64_t seed, struct samples *samples);

#endif
