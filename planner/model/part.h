/*
 * Parts of a run: what it did from when it was begun, or gone on with, until it stopped, was killed
 * or was complete.
 */
#ifndef PLANNER_MODEL_PART_H
#define PLANNER_MODEL_PART_H

#include <stdint.h>

enum part_outcome {
    PART_RUNNING,  /* or killed, as long as nobody has gone on with it */
    PART_STOPPED,  /* as asked, or for want of workers */
    PART_KILLED,   /* it did not say how it ended */
    PART_COMPLETE, /* the run reached its end */
    PART_HALTED,   /* it failed, and said why: what --halt ends does */
    PART_OUTCOMES
};

/* As a row lies in memory; all zero: there is none. */
struct run_part {
    double began_s, ended_s; /* by the system's clock, since 1970; of one that was killed: when the
                              * file was last written to; 0: not known */
    double makespan_s;       /* from the first envelope to the last worker; 0: not known */
    int64_t before, tasks;   /* core tasks that were done when it began, and that it did */
    int64_t packages;        /* reported; 0: not known */
    int32_t workers;
    int32_t outcome; /* enum part_outcome */
};

#endif
