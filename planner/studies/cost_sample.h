/*
 * What a run may cost: costs drawn from what a profile says of itself (interval.h says how), of
 * all that packages have in common and of every single one.
 */
#ifndef PLANNER_STUDIES_COST_SAMPLE_H
#define PLANNER_STUDIES_COST_SAMPLE_H

#include "planner/dispatch/dispatch.h"
#include "planner/simulate/star.h"
#include "planner/simulate/variation.h"
#include "planner/studies/interval.h"

enum { DRAWN_OPERATIONS = OPERATION_COLLECT + 1 }; /* those that take the time of a package */

/* Of the factors that packages differ by: 1 + sigma times a deviate, or where that could be
 * negative its exponential over the mean of these. */
struct drawn_factor {
    double sigma, mean; /* mean: 0: the former */
};

/* What a package costs by the costs drawn, and how much single ones may differ. */
struct drawn_cost {
    double seconds[DRAWN_OPERATIONS], deviations[DRAWN_OPERATIONS];
    struct drawn_factor factors[DRAWN_OPERATIONS]; /* what the deviations come to */
};

/* A worker's last package, while packages are priced: the next one mostly is as large. */
struct drawn_last {
    struct drawn_cost cost;
    int64_t tasks; /* 0: there was none yet */
};

struct cost_sample {
    const struct interval_request *request;
    struct platform fitted, drawn; /* owned; classes as in the profile, none joined */
    int operations;                /* that are drawn: those of results only where these come back */
    double *factors; /* owned, one per worker: of its computing, its own drift; 0 where the plan
                      * that is executed, without a tail, has no use for the worker */
    struct drawn_last *lasts; /* owned, likewise */
    uint64_t random;
};

/* As fitted, until something is drawn. The request must outlive it; to be released, also after
 * false: out of memory. */
bool cost_sample_init(struct cost_sample *sample, const struct interval_request *request);
void cost_sample_release(struct cost_sample *sample);
/* Draw what packages have in common in run number `run` = 0, 1, ...: each begins its own stream of
 * deviates, so that what one takes does not move the next. */
void cost_sample_begin(struct cost_sample *sample, int64_t run);
/* What a package of `load` tasks costs that worker. */
void cost_sample_cost(const struct cost_sample *sample, int64_t worker, double load,
                      struct drawn_cost *cost);
/* What one such package takes. */
struct star_cost cost_sample_package(struct cost_sample *sample, int64_t worker,
                                     const struct drawn_cost *cost);
/* For simulations: prices of single packages, their means, and the starts that are drawn. Borrows
 * the sample, which must outlive it. */
struct variation cost_sample_variation(struct cost_sample *sample);

/* A deviate of mean 0 and variance 1, close to normal, and quick. */
double cost_sample_normal(struct cost_sample *sample);

#endif
