/* `scow plan --pairs` and `--period T`: what the costs say of every job, however many tasks it has.
 */
#ifndef PLANNER_COMMAND_PLAN_PERIODS_H
#define PLANNER_COMMAND_PLAN_PERIODS_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/base/failure.h"

/* Options as the user gave them; all borrowed. */
struct periods_request {
    const char *profile; /* its path */
    const char *set;     /* NULL: not given */
    int64_t block;       /* 0: not given */
    int64_t workers;     /* use the first ones, or more than there are; 0: all */
    const char *like;    /* whom those beyond are like; NULL: the last */
    double period_s;     /* plan one period of this length; 0: list the perfect pairs */
    const char *svg;     /* write figure 4-2 there, too; NULL: do not */
    bool json, quiet;
};

/* Print what was asked for. Usage: several settings of the profile suit. */
bool periods_answer(const struct periods_request *request, struct failure *failure);

#endif
