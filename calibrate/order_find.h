/* The order in which packages of a job would be alike, from timings in the natural one. */
#ifndef CALIBRATE_ORDER_FIND_H
#define CALIBRATE_ORDER_FIND_H

#include <stdint.h>

#include "calibrate/fit/sample.h"
#include "planner/base/failure.h"
#include "planner/model/order.h"
#include "planner/model/profile.h"

/* What is known; borrowed. */
struct order_job {
    const struct samples *samples;
    int sampled;                           /* the setting of theirs that has the natural order */
    const struct profile_setting *setting; /* as it was fitted */
    int64_t tasks;
    int workers;
};

/* As order_choose says for packages as a plan has them, of costs between the places that were timed
 * all over the job; natural where core tasks do not differ from place to place. False: out of
 * memory. */
bool order_find(const struct order_job *job, struct order *order, struct failure *failure);

#endif
