/* Core tasks one after the other. */
#ifndef PLANNER_MODEL_TASK_RANGE_H
#define PLANNER_MODEL_TASK_RANGE_H

#include <stdint.h>

struct task_range {
    int64_t first, count; /* core tasks; count >= 1 */
};

#endif
