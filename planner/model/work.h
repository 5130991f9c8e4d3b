/*
 * How much the core tasks of a job are worth: all alike, or prefix sums over consecutive ones that
 * cost the same, or, where hardly any two neighbours do, over single ones. One unit is what the
 * mean core task costs, so that the whole job is worth as many units as it has core tasks. Whether
 * somebody knows the weight of every task or a calibration found some regions makes no difference
 * to those who ask.
 */
#ifndef PLANNER_MODEL_WORK_H
#define PLANNER_MODEL_WORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "planner/model/task_costs.h"
#include "planner/model/task_range.h"

/* Consecutive core tasks that cost the same. */
struct work_region {
    int64_t tasks;
    double cost;  /* of one, relative to the mean; >= 0 */
    double until; /* units up to its end; set by work_settle */
    int64_t end;  /* the core task after it; likewise */
};

/* More regions than this are kept as weights of single core tasks where that takes less memory. */
enum { WORK_REGIONS_LISTED = 4096 };

struct work {
    int64_t tasks;               /* of all regions */
    struct work_region *regions; /* owned, or shared; NULL: core tasks are alike, or all unlike */
    double *weights; /* owned, or shared; not NULL: each core task is a region, of such a weight */
    size_t region_count;
    int *users; /* works that share these, this one included; NULL: copies have their own */
    struct task_costs costs; /* of the weights */
};

/* Scale the regions' costs to mean 1 and set their derived members. False: the regions' core tasks
 * do not add up to the work's, or are worth nothing. */
bool work_settle(struct work *work);
/* The same from a weight for each core task, neighbours of equal weight being one region; to be
 * released. False: out of memory, or they are worth nothing. */
bool work_weigh(struct work *work, const double *weights, int64_t tasks);
/* From weights that are the work's from here on (malloc), whatever is returned. */
bool work_weigh_own(struct work *work, double *weights, int64_t tasks);
/* At most so many regions, of neighbours whose mean stands for each of them; they are as long as
 * one another as far as regions allow. False: out of memory. */
bool work_coarsen(struct work *work, size_t most);
/* As if so much of what a mean core task is worth, from 0 to 1, were the same for every one. False:
 * out of memory. */
bool work_flatten(struct work *work, double constant);
/* From here on copies share the regions of this settled work, which may be a million, until one of
 * them is changed by the two above; where there is no memory for that, they do not. Not for works
 * that are fields of a file, which are copied as their table says. */
void work_share(struct work *work);
/* To be released. False: out of memory. */
bool work_copy(struct work *work, const struct work *from);
void work_release(struct work *work);
/* Of these core tasks, as if they were a job of their own, whose mean one is worth *mean of
 * `from`'s; to be released. False: out of memory, or they are worth nothing. */
bool work_select(struct work *work, const struct work *from, const struct task_range *ranges,
                 int64_t count, double *mean);
/* Does it make a difference where in the job core tasks are? */
static inline bool work_differs(const struct work *work)
{
    return work->region_count > 0;
}

/* Core tasks of a region, by its number, and what one of them costs. */
static inline int64_t work_region_tasks(const struct work *work, size_t region)
{
    return work->regions ? work->regions[region].tasks : 1;
}
static inline double work_region_cost(const struct work *work, size_t region)
{
    return work->regions ? work->regions[region].cost
                         : task_costs_of(&work->costs, (int64_t)region);
}
/* The region that this core task lies in. The work has some. */
struct work_region work_region_of(const struct work *work, int64_t task);
/* Units of the core tasks before `at`, which may be a fraction. */
double work_before(const struct work *work, double at);
/* Units of these core tasks. */
double work_worth(const struct work *work, struct task_range range);
/* Mean cost of core tasks [first, first + count) of a job of `tasks`, relative to the mean of all;
 * 1 without regions. A job of another size uses the work by relative position. Fractions of core
 * tasks are allowed. */
double work_mean_cost(const struct work *work, double tasks, double first, double count);
/* The core task i of a job of `tasks`, from `least` on, before which the units are nearest to
 * these; of two the smaller. */
int64_t work_nearest(const struct work *work, int64_t tasks, double units, int64_t least);
/* Relative standard deviation of core tasks. */
double work_deviation(const struct work *work);
/* Units of the heaviest core task; 1 without regions. */
double work_greatest(const struct work *work);
/* The share of the work that is in the most expensive `share` of the core tasks; `share` itself if
 * all are equal, or there is no memory for counting. */
double work_heaviest(const struct work *work, double share);

#endif
