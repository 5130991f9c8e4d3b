/* What to ask the batch system for: walltime and memory. */
#ifndef PLANNER_STUDIES_ADVICE_H
#define PLANNER_STUDIES_ADVICE_H

#include "planner/base/text.h"
#include "planner/model/plan.h"
#include "planner/model/profile.h"
#include "planner/simulate/ensemble.h"
#include "planner/studies/interval.h"

/* Share of the runs that may outlast the walltime, unless the user says otherwise. */
#define ADVICE_RISK 0.01
/* Launching ranks, reading plan and input, creating the output file: at least. */
#define ADVICE_STARTUP_S 30.0

/* What the advice rests on; all borrowed. */
struct advice {
    const struct plan *plan;
    const struct profile *profile;
    const struct profile_setting *setting;
    const struct interval *interval;           /* NULL: the profile does not say how sure it is */
    const struct ensemble_summary *robustness; /* NULL: not studied */
    double risk;                               /* that a run outlasts its walltime, 0..1 */
    int64_t workers; /* that a plan's tail can deal to; 0: the setting's */
    bool remaining;  /* the plan is of what is left of a job, wherever that is */
    double pace; /* of what has been run already: so many times as long as predicted; 0, 1: no more
                  * than that */
};

/* Seconds of start-up that are asked for: more than the least where the profile has measured that
 * it takes longer. */
double advice_startup(const struct advice *advice);
/* Before the walltime's end, in whole seconds, the batch system shall warn: asked to stop, workers
 * finish their packages, at most a round of these, as long as it takes where the makespan is
 * `most_s`; and results go to the disk, and the output is sealed, for which the profile may have
 * measured that it takes long. */
double advice_warning(const struct advice *advice, double most_s);
/* What a plan's table, its page and its batch job ask for: seconds, in whole minutes, of start-up,
 * the makespan that is exceeded at that risk (output included), the warning and how much too early
 * it may come. The makespan: without an interval the prediction and a fifth of it; where noise was
 * studied, its 95th percentile at least. `most_s` becomes that. */
double advice_walltime(const struct advice *advice, double *most_s);
/* Bytes that a worker needs for packages, results and computing, at most where the plan has more
 * buffers than the profile was measured with; 0 where the profile does not say. */
double advice_memory(const struct plan *plan, const struct memory *memory);
/* How unequal core tasks are, and how far a fixed plan will typically be off for that: a line for
 * the table of a plan, where packages like its own deviate by more than 5 %. */
bool advice_unequal(const struct advice *advice, struct text *text, struct failure *failure);
/* Lines for the table of a plan: where in the job core tasks are heavy, what of it the total and
 * the interval have from so few of them, and for which job the map was measured. Nothing where core
 * tasks are alike. */
void advice_places(const struct advice *advice, struct text *text);
/* A line for the table of a plan where one master cannot feed the first `worker_most` workers (0:
 * all) with packages as large as the plan's largest: the thesis's lambda, the most workers with sum
 * of h/(r+w) <= 1 (Theorem 9), those first that need the least of the port. `input`: packages hold
 * parts of an input, which workers could read by themselves. */
bool advice_feeding(const struct advice *advice, int64_t worker_most, bool input, struct text *text,
                    struct failure *failure);
/* Two lines for the table of a plan. */
void advice_text(const struct advice *advice, struct text *text);

#endif
