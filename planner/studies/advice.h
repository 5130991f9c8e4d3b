/* What to ask the batch system for: walltime and memory. */
#ifndef PLANNER_STUDIES_ADVICE_H
#define PLANNER_STUDIES_ADVICE_H

#include "planner/base/text.h"
#include "planner/model/plan.h"
#include "planner/model/profile.h"
#include "planner/simulate/robustness.h"
#include "planner/studies/interval.h"

/* Share of the runs that may outlast the walltime, unless the user says otherwise. */
#define ADVICE_RISK 0.01
/* Launching ranks, reading plan and input, creating the output file. */
#define ADVICE_STARTUP_S 30.0

/* What the advice rests on; all borrowed. */
struct advice {
    const struct plan *plan;
    const struct profile *profile;
    const struct profile_setting *setting;
    const struct interval *interval;     /* NULL: the profile does not say how sure it is */
    const struct robustness *robustness; /* NULL: not studied */
    double risk;                         /* that a run outlasts its walltime, 0..1 */
    int64_t workers;                     /* that a plan's tail can deal to; 0: the setting's */
    double pace; /* of what has been run already: so many times as long as predicted; 0, 1: no more
                  * than that */
};

/* Seconds, in whole minutes: start-up and the makespan that is exceeded at that risk (output
 * included); without an interval the prediction and a fifth of it. Where noise was studied, its
 * 95th percentile at least. `most_s` becomes the part without the start-up. */
double advice_walltime(const struct advice *advice, double *most_s);
/* Bytes that a worker needs for packages, results and computing, at most where the plan has more
 * buffers than the profile was measured with; 0 where the profile does not say. */
double advice_memory(const struct plan *plan, const struct memory *memory);
/* How unequal core tasks are, and how far a fixed plan will typically be off for that: a line for
 * the table of a plan, where packages like its own deviate by more than 5 %. */
bool advice_unequal(const struct advice *advice, struct text *text, struct failure *failure);
/* A line for the table of a plan where one master cannot feed the first `worker_most` workers (0:
 * all) with packages as large as the plan's largest: the thesis's lambda, the most workers with sum
 * of h/(r+w) <= 1 (Theorem 9), those first that need the least of the port. `input`: packages hold
 * parts of an input, which workers could read by themselves. */
bool advice_feeding(const struct advice *advice, int64_t worker_most, bool input, struct text *text,
                    struct failure *failure);
/* Two lines for the table of a plan. */
void advice_text(const struct advice *advice, struct text *text);

#endif
