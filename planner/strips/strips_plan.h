/*
 * Jacobi's iteration on a grid that is cut into strips of whole columns: which workers have which
 * strips. Not independent core tasks: strips stay where they are, and neighbours exchange their
 * borders in every iteration.
 */
#ifndef PLANNER_STRIPS_STRIPS_PLAN_H
#define PLANNER_STRIPS_STRIPS_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "planner/base/failure.h"
#include "planner/base/parameter.h"
#include "planner/base/text.h"
#include "planner/model/plan.h"
#include "planner/model/profile.h"
#include "planner/strips/balance.h"

enum { STRIPS_ROWS_MOST = 100000000, STRIPS_WORKERS_MOST = 10000 };
#define STRIPS_COLUMNS_MOST ((int64_t)1 << 40)
#define STRIPS_ITERATIONS_MOST ((int64_t)1 << 53)
#define STRIPS_SCHEMA "scow-strips-1"

/* A worker's strip; from west to east. */
struct strip {
    int64_t rank, columns;
    /* Of one iteration: computing; exchanging borders with one or two neighbours. Both are
     * predicted one after the other; the run does both at once as far as it can. */
    double compute_s, exchange_s;
};

struct strips_job {
    int64_t rows, columns, iterations; /* cells north to south, cells west to east */
    int64_t every;                     /* iterations between two tests whether to go on */
    double tolerance; /* end when no cell changes by more in an iteration; 0: after all of them */
    bool keep;        /* the grid is written at every test, and not only in the end */
};

/* How long it takes; seconds. */
struct strips_prediction {
    double step_s;   /* an iteration */
    double test_s;   /* all tests */
    double gather_s; /* the grid to the master, as often as it is written */
    double total_s;
};

struct strips_plan {
    char *kernel;                     /* owned */
    char *profile, *profile_sha256;   /* owned; NULL: not given */
    struct parameter_list parameters; /* of the core task, but for rows and columns */
    struct strips_job job;
    int64_t threads;            /* of a worker; 0: not given */
    struct plan_shared *shared; /* owned; shares of processors that compute_s is for; NULL: all */
    size_t shared_count;
    struct strip *strips; /* owned */
    size_t strip_count;
    struct strips_prediction predicted;
};

/* What strips_choose is given; all borrowed. */
struct strips_request {
    const struct profile *profile;
    const struct profile_setting *setting; /* one of its own */
    int64_t workers;                       /* the first so many; at most the profile's */
    struct strips_job job;
};

/* Seconds that two neighbours take to exchange borders of so many cells. */
double strips_border_s(const struct exchange *exchange, int64_t cells);
/* All strips and what is predicted; of the rest, only `job` and `threads` are set. Workers are in
 * the order of their speed, and of all beginnings of that list the one with the least step is
 * taken, the shorter one if two are equal. FAILURE_MISMATCH: the profile has no costs of this. */
bool strips_choose(const struct strips_request *request, struct strips_plan *plan,
                   struct failure *failure);
/* How long the plan's strips take; fills in `predicted`. */
void strips_predict(struct strips_plan *plan, const struct exchange *exchange);
/* Append it as a table for people. */
void strips_describe(const struct strips_plan *plan, struct text *text);
void strips_plan_release(struct strips_plan *plan);

#endif
