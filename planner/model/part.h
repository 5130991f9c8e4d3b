/*
 * Parts of a run: each lasts from the start of the run, or from a resume, until the run was
 * stopped, was killed or was complete.
 */
#ifndef PLANNER_MODEL_PART_H
#define PLANNER_MODEL_PART_H

#include <stdint.h>

enum part_outcome {
    PART_RUNNING,  /* or killed and not resumed yet */
    PART_STOPPED,  /* on request, or because no workers were left */
    PART_KILLED,   /* found by the resume: it recorded no end */
    PART_COMPLETE, /* the run reached its end */
    PART_HALTED,   /* it failed and recorded why, as with --halt */
    PART_OUTCOMES
};

/* A row of the output file, in memory; all zero: there is none. */
struct run_part {
    double began_s, ended_s; /* system clock, seconds since 1970; the end of a killed part: when the
                              * file was last written to; 0: not known */
    double makespan_s;       /* from the first envelope to the last worker; 0: not known */
    int64_t before, tasks;   /* core tasks done before it began, and done by it */
    int64_t packages;        /* reported; 0: not known */
    int32_t workers;
    int32_t outcome; /* enum part_outcome */
};

#endif
