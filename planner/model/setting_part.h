/*
 * A profile's setting as it is seen by who works on a part of a job with a part of the workers: one
 * of several masters side by side, or the master of a group. What is known of the weights of these
 * core tasks makes the part a job of its own, whose mean core task costs what theirs does.
 */
#ifndef PLANNER_MODEL_SETTING_PART_H
#define PLANNER_MODEL_SETTING_PART_H

#include "planner/model/plan.h"
#include "planner/model/profile.h"

struct setting_part {
    struct profile_setting setting; /* owned windows; all else is borrowed */
    struct task_weights *weights;   /* owned; NULL: none are known */
};

/* These workers, for the core tasks of these ranges of the job, in that order. Of regions of the
 * job that a calibration found, a part says nothing. To be released; it may be moved. False: out of
 * memory, and there is nothing to release. */
bool setting_part_init(struct setting_part *part, const struct profile_setting *from,
                       const struct plan_selection *workers, const struct task_range *ranges,
                       int64_t count);
/* The same of `workers` neighbours behind the first `before`, for all core tasks of that plan,
 * which is a star's. */
bool setting_part_star(struct setting_part *part, const struct profile_setting *from,
                       int64_t before, int64_t workers, const struct plan *star);
/* The same for the group of the master on that rank, for what the whole plan, a tree's, gives it.
 */
bool setting_part_group(struct setting_part *part, const struct profile_setting *from,
                        int64_t before, int64_t workers, const struct plan *whole);
void setting_part_release(struct setting_part *part);

#endif
