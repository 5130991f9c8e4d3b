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
    const struct interval *interval;           /* NULL: the profile has no uncertainties */
    const struct ensemble_summary *robustness; /* NULL: not studied */
    double risk;                               /* that a run outlasts its walltime, 0..1 */
    int64_t workers;                           /* that a plan's tail can use; 0: the setting's */
    bool remaining; /* the plan is for the remaining tasks of a job, at unknown positions */
    double pace; /* measured over predicted time of earlier parts of the run; 0, 1: as predicted */
};

/* Seconds of start-up to request: ADVICE_STARTUP_S, or more if the profile has measured more. */
double advice_startup(const struct advice *advice);
/* How long before the end of the walltime the batch system should warn, in whole seconds: time for
 * workers to finish their packages, at most a round of them in a run with makespan `most_s`, for
 * results to reach the disk, and for sealing the output, as measured in the profile. */
double advice_warning(const struct advice *advice, double most_s);
/* The walltime to request, seconds, in whole minutes: start-up, the makespan (output included) that
 * is exceeded with probability `risk`, the warning, and how much too early the warning may come.
 * *most_s is set to that makespan: without an interval, the prediction and a fifth of it; with a
 * study of noise, at least its 95th percentile. */
double advice_walltime(const struct advice *advice, double *most_s);
/* Bytes that a worker needs for packages, results and computing, at most where the plan has more
 * buffers than the profile was measured with; 0 where the profile does not say. */
double advice_memory(const struct plan *plan, const struct memory *memory);
/* Bytes that the plan's master holds beside what it takes without packages: messages under way. Of
 * several masters, the one that holds most; groups are sent no data. */
double advice_master(const struct plan *plan, const struct memory *memory);
/* What a profile says of memory after a run of the plan came to `measured`, whose packages may have
 * been smaller than the setting's greatest. */
struct profile_peaks advice_peaks(const struct plan *plan, const struct profile_setting *setting,
                                  struct profile_peaks measured);
/* A line for the table of a plan if packages of its sizes deviate by more than 5 %: how unequal
 * core tasks are, and by how much the prediction of a fixed plan is typically wrong because of
 * that. */
bool advice_unequal(const struct advice *advice, struct text *text, struct failure *failure);
/* Lines for the table of a plan: where in the job core tasks are expensive, the uncertainty of the
 * total that was estimated from few of them, and for which job the map was measured. Nothing if
 * core tasks are equal. */
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
