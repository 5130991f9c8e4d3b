/*
 * A job that is measured while it is worked on: its first packages are probes whose results count,
 * single core tasks from all over the job and packages of growing sizes, dealt on request. When
 * they tell enough, somebody above plans what remains, and that is dealt.
 *
 * Probes cost no more than their latencies. They end when a task of every stratum and packages of
 * three sizes were timed, the largest as long as ten latencies; when their latencies take 5 % of
 * what the job is estimated to take; and at the latest when a tenth of the tasks is handed out.
 */
#ifndef PLANNER_DISPATCH_SURVEY_H
#define PLANNER_DISPATCH_SURVEY_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/dispatch/dispatch.h"
#include "planner/dispatch/survey_timings.h"

/* What is known when what remains is to be planned; borrowed. */
struct survey_remaining {
    double now_s;   /* since the job was begun */
    int64_t tasks;  /* that nobody has been given, >= 1 */
    int64_t probes; /* packages so far */
    double worth_s; /* of the mean task that remains; 0: nothing was timed */
    double busy_s;  /* that workers still take for the probes that they have, in the mean */
    int64_t pieces; /* ranges of tasks, no package across two of which is sent whole */
    struct strata_total total; /* of the whole job, by its single tasks */
    size_t regions; /* parts of the job whose tasks differ from those of others: strata.h */
    const struct survey_timings *timings; /* of the probes that are reported */
};

/* Deals what nobody plans: factoring, a third of what is left at a time, for a region may end
 * elsewhere than it seems. */
#define SURVEY_RULE "fac,part=3"

/* Deals remaining->tasks core tasks, as a job of their own that begins now; where there are
 * several regions, units of the mean task's worth, as in weighted.h. NULL: it cannot be
 * planned, and is dealt by SURVEY_RULE. */
struct survey_planner {
    struct dispatch *(*plan)(void *self, const struct survey_remaining *remaining);
    void *self;
};

struct survey_setup {
    int64_t tasks, workers;        /* each >= 1 */
    int64_t most;                  /* core tasks of any package, >= 1 */
    uint64_t seed;                 /* of places */
    struct survey_planner planner; /* what self points to must outlive the survey */
};

/* NULL: out of memory. */
struct dispatch *dispatch_new_survey(const struct survey_setup *setup);

#endif
