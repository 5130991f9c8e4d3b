/* Platforms for the schedulers' tests: by hand, and random ones that a seed replays. */
#ifndef TESTS_PLANNER_PLATFORMS_H
#define TESTS_PLANNER_PLATFORMS_H

#include <stdint.h>

#include "planner/model/platform.h"

/* One window of `least`..`greatest` tasks, `count` equal workers. To be released. */
struct platform platform_of_equals(int64_t count, int64_t least, int64_t greatest,
                                   struct cost master, struct cost link, struct cost work);
/* Append a window with the same workers' costs, every latency and rate times `factor`. */
void platform_add_window(struct platform *platform, int64_t least, int64_t greatest, double factor);

/* A generator of its own, so that a seed means the same everywhere. */
struct dice {
    uint64_t state;
};
struct dice dice_of(uint64_t seed);
/* Uniform in [0, 1). */
double dice_roll(struct dice *dice);
int64_t dice_between(struct dice *dice, int64_t low, int64_t high);
/* Log-uniform in [low, high]. */
double dice_scale(struct dice *dice, double low, double high);

/* 1 to `worker_most` workers in a few classes, times over six orders of magnitude, one to three
 * windows with gaps. */
struct platform platform_random(struct dice *dice, int64_t worker_most);
/* Heterogeneous workers that a master can keep fed in part: what clusters look like. */
struct platform platform_cluster(struct dice *dice, int64_t workers);
/* The master takes 0.2 + x; the link of half of the workers, `each` of them, takes less, 0.1 + 0.1
 * x, and that of the others more, 0.1 + slow_link x. Work takes 0.2 + work x. */
struct platform platform_split(int64_t each, double slow_link, double work);
/* Distinct workers, every other one dominated by the master and by its link. */
struct platform platform_mixed(struct dice *dice, int64_t workers);
/* Have its classes start for up to `most_s` seconds, about a third of them all alike. */
void platform_starts(struct dice *dice, struct platform *platform, double most_s);
/* Have it write results behind: to write those of a package takes a worker from next to nothing to
 * `share_most` of the time of computing it. */
void platform_write_behind(struct dice *dice, struct platform *platform, double share_most);

#endif
