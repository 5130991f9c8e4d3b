/*
 * A core task whose cost is simulated: packing and computing a package take so many operations of
 * their host, and a package is so many bytes.
 */
#ifndef TESTS_SIMGRID_TASK_H
#define TESTS_SIMGRID_TASK_H

#include "kernel/scow.h"

enum task_parameter {
    TASK_TASKS,
    TASK_BYTES,          /* of a core task, at least 8 */
    TASK_FLOPS,          /* to compute one */
    TASK_PACKAGE_FLOPS,  /* to begin with a package */
    TASK_PACK_FLOPS,     /* the master's for each core task */
    TASK_ENVELOPE_FLOPS, /* the master's to begin with a package */
    TASK_OUTPUT_LATENCY, /* seconds of the store for a package */
    TASK_OUTPUT_RATE,    /* and for each core task */
    TASK_PULSES,         /* looks at messages while computing a core task */
    TASK_PARAMETERS
};

extern const struct scow_task simulated_task;

#endif
