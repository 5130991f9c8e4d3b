/*
 * A run simulated again and again, of which every time something else varies, and what its
 * makespans say: one mean, one quantile, one definition for all that the program prints.
 */
#ifndef PLANNER_SIMULATE_ENSEMBLE_H
#define PLANNER_SIMULATE_ENSEMBLE_H

#include <stdint.h>

#include "planner/simulate/decision.h"

struct ensemble_run {
    double makespan_s;
    int64_t number; /* 0, 1, ... */
};

/* All zero: none. */
struct ensemble {
    struct ensemble_run *runs; /* owned; ascending by makespan, then by number, once sorted */
    int64_t count;
};

/* What is simulated; borrowed. A plan of several masters as simulate_stars does; a tree as
 * simulate_tree does, or tree_simulate where nothing but the variation disturbs it. */
struct ensemble_setup {
    const struct platform *platform;
    const struct decision *decision;
    const struct decision *decisions; /* of each star or group, as in stars_setup; NULL: it follows
                                       * its plan */
    const struct scenario *scenario;  /* run number k has seed + k, and its variation's run k */
    int64_t runs;                     /* >= 1 */
};

struct ensemble_summary {
    double least_s, median_s, p95_s, greatest_s; /* of the makespans */
};

/* Room for so many runs; to be released. False with *failure set: out of memory. */
bool ensemble_init(struct ensemble *ensemble, int64_t most, struct failure *failure);
void ensemble_add(struct ensemble *ensemble, double makespan_s);
void ensemble_sort(struct ensemble *ensemble);
void ensemble_release(struct ensemble *ensemble);
/* Sorted; to be released, also after false: *failure says what decision_dispatch,
 * simulate_scenario, simulate_stars or simulate_tree refuse. */
bool ensemble_simulate(const struct ensemble_setup *setup, struct ensemble *ensemble,
                       struct failure *failure);
/* Of a sorted one that is not empty. */
struct ensemble_summary ensemble_sum(const struct ensemble *ensemble);
/* Both, of which nothing but the summary is kept. */
bool ensemble_study(const struct ensemble_setup *setup, struct ensemble_summary *summary,
                    struct failure *failure);

/* Of one that is sorted and not empty: */
double ensemble_mean(const struct ensemble *ensemble);
/* The makespan that a share of the runs does not exceed, 0 < share < 1, interpolated between two
 * runs; beyond the last but one on either side by the log-normal distribution of the runs' mean and
 * variance. */
double ensemble_quantile(const struct ensemble *ensemble, double share);
/* How far the median of so few runs may be off that of many: its standard error where makespans are
 * about normally distributed, sqrt(pi / 2) times their standard deviation over the root of the
 * count, the former taken from what two thirds of the runs lie between. */
double ensemble_median_error(const struct ensemble *ensemble);
/* Median of abs(makespan / predicted_s - 1). */
double ensemble_typical(const struct ensemble *ensemble, double predicted_s);

#endif
