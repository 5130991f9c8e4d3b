/*
 * How much a whole job takes, from few of its core tasks: places chosen one in each of many
 * neighbouring parts of the job, its strata.
 *
 * The total is every stratum's core tasks times its mean, summed up; its variance comes from the
 * differences of neighbours (successive differences; Cochran, Sampling Techniques, 3rd ed., 8.11),
 * here with strata that need not be equal: a stratum's variance is the mean of half the squared
 * differences to its neighbours, less the share of it that was timed. What a share of the job as
 * large as the largest stratum could add if all of it were like the heaviest place seen is said
 * apart: no number of places excludes it.
 *
 * Nothing here has a clock or a message: a calibration asks it, and a running job may.
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

/* What strata tell of a job. */
struct strata_total {
    double mean_s; /* of a core task: the total divided by their number */
    double error;  /* standard error of the total, relative */
    double unseen; /* relative: what a part that nobody has seen could add to it */
    int64_t tasks, sampled;
};

/* Neighbouring strata that cannot be told apart. */
struct region {
    int64_t first, count; /* core tasks */
    double cost_s;        /* of a core task, the mean */
};

/* Number `index` of `count` equal strata of a job; count <= tasks. */
struct task_range strata_equal(int64_t tasks, int64_t index, int64_t count);
/* A package of `package` core tasks, or as many as there are, anywhere in the stratum. */
struct task_range strata_place(struct task_range stratum, int64_t package, uint64_t *random);
/* The half of a stratum that its place does not lie in, to be a stratum of its own; where the place
 * lies across the middle, what is before or behind it, whichever is more. */
struct task_range strata_other_half(const struct stratum *stratum);

/* Of `count` >= 1 strata. */
struct strata_total strata_total(const struct stratum *strata, size_t count);

/* The strata as regions, at least two strata in each, with the job's total unchanged: the
 * partition with the least squared deviations of logarithms plus so much for every region that
 * chance alone seldom makes one (optimal partitioning; Jackson et al., IEEE Signal Processing
 * Letters 12, 2005). Owned, *found of them, 1 where nothing in the job's order tells costs apart;
 * NULL: out of memory. */
struct region *strata_regions(const struct stratum *strata, size_t count, size_t *found);

/* Which strata are to be halved next: at most `most` of them, half of them those whose neighbours
 * differ most, by seconds, the others the widest, from all over the job. A stratum's own cost has
 * no say, or what chance made heavy would be timed again and the total too small. None is halved
 * that has no room for two packages of `package` core tasks. chosen[k] becomes true for these, of
 * `count`; returns how many there are, or -1: out of memory. */
int64_t strata_halve(const struct stratum *strata, size_t count, int64_t package, int64_t most,
                     bool *chosen);

#endif
