/*
 * Estimates the time of a whole job from few of its core tasks by stratified sampling: the job is
 * divided into many neighbouring parts, its strata, and one place is timed in each.
 *
 * The total is the sum over the strata of core tasks times mean; its variance comes from the
 * differences of neighbours (successive differences; Cochran, Sampling Techniques, 3rd ed., 8.11),
 * here with strata that need not be equal: a stratum's variance is the mean of half the squared
 * differences to its neighbours, less the share of it that was timed. The estimate gives apart how
 * much the total would grow if a part as large as the largest stratum cost as much as the most
 * expensive place that was timed: no number of places excludes it.
 *
 * Nothing here reads a clock or sends a message, so that a calibration can use it and a running
 * job, too.
 */
#ifndef PLANNER_MODEL_STRATA_H
#define PLANNER_MODEL_STRATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "planner/model/task_range.h"

/* Core tasks first .. first + count - 1 of the job; those of `place`, which lies in them, took
 * cost_s each in the mean. Strata follow each other without gaps. */
struct stratum {
    int64_t first, count;
    struct task_range place;
    double cost_s; /* > 0 */
};

/* The quantile of a normal distribution that leaves 5 % above. */
#define STRATA_NORMAL_95 1.645

/* The estimate for a job. */
struct strata_total {
    double mean_s; /* of a core task: the total divided by their number */
    double error;  /* standard error of the total, relative */
    double unseen; /* relative: what an expensive part that was not sampled could add to it */
    int64_t tasks, sampled;
};

/* Neighbouring strata whose costs do not differ significantly. */
struct region {
    int64_t first, count; /* core tasks */
    double cost_s;        /* of a core task, the mean */
};

/* Number `index` of `count` equal strata of a job; count <= tasks. */
struct task_range strata_equal(int64_t tasks, int64_t index, int64_t count);
/* A package of `package` core tasks, or as many as there are, anywhere in the stratum. */
struct task_range strata_place(struct task_range stratum, int64_t package, uint64_t *random);
/* The half of a stratum that does not contain its place, to become a stratum of its own; if the
 * place lies across the middle, the larger of the parts before and after it. */
struct task_range strata_other_half(const struct stratum *stratum);

/* Of `count` >= 1 strata with their regions, as of strata_regions (0: one region). */
struct strata_total strata_total(const struct stratum *strata, size_t count,
                                 const struct region *regions, size_t region_count);

/* The strata as regions, at least two strata in each, with the job's total unchanged: the partition
 * with the least squared deviations of logarithms plus a penalty for every region, large enough
 * that chance alone seldom makes one (optimal partitioning; Jackson et al., IEEE Signal Processing
 * Letters 12, 2005). Owned, *found of them, 1 if costs do not depend on the position in the job;
 * NULL: out of memory. */
struct region *strata_regions(const struct stratum *strata, size_t count, size_t *found);

/* Standard deviation of core tasks from their neighbours in the same region, relative to the mean;
 * 0 where nothing is known. */
double strata_deviation(const struct stratum *strata, size_t count);

/* Choose the strata to be halved next, at most `most`: half of them those whose neighbours differ
 * most, in seconds, the others the widest. A stratum's own cost must not matter: places that are
 * expensive by chance would be timed again, and the total would be too small. A stratum without
 * room for two packages of `package` core tasks is not halved. chosen[k] becomes true for these, of
 * `count`; returns how many there are, or -1: out of memory. */
int64_t strata_halve(const struct stratum *strata, size_t count, int64_t package, int64_t most,
                     bool *chosen);

#endif
