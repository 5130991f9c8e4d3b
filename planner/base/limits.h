/*
 * The largest values that are accepted in profiles, plans, traces and command lines. A larger one
 * is a mistake and is refused with a sentence that names the limit.
 */
#ifndef PLANNER_BASE_LIMITS_H
#define PLANNER_BASE_LIMITS_H

#include <stdint.h>

/* Core tasks of a job, and so of a package, and repeats of a round: whole loads are doubles, which
 * hold every whole number up to 2^53. */
#define LIMIT_TASKS ((int64_t)1 << 53)
#define LIMIT_WORKERS ((int64_t)10000000)
#define LIMIT_ROUNDS ((int64_t)100000000) /* of a trace */
#define LIMIT_BLOCK ((int64_t)1 << 20)    /* what a file may say; a core task may allow less */
#define LIMIT_BYTES 1e18                  /* of a worker's memory */
#define LIMIT_BUFFERS ((int64_t)1000)     /* of a worker, for packages received ahead */
#define LIMIT_THREADS ((int64_t)1 << 14)  /* of a rank; with many more OpenMP ends the program */
#define LIMIT_COST_S 1e9                  /* of one latency, or of one core task */
#define LIMIT_DEVIATION 1e6               /* of a relative deviation */
#define LIMIT_TIMED ((int64_t)1000000000) /* packages that a cost was fitted on */
#define LIMIT_BANDWIDTH 1e15              /* of a network, bytes a second */
#define LIMIT_PRICE 1e12                  /* of a rank's second, and of its start */
#define LIMIT_CHARGE 1e30                 /* of a whole plan */
#define LIMIT_TOTAL_S 1e15                /* of a whole plan */

#endif
