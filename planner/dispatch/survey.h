/*
 * A job that is measured while it runs: its first packages are probes, single core tasks from
 * everywhere in the job and packages of growing sizes, assigned on request. Their results are kept.
 * When the probes suffice, survey_planner plans the remaining tasks.
 *
 * A probe costs only its latency. Probing ends when a task of every stratum and packages of three
 * sizes were timed, the largest as long as ten latencies and as a two-hundredth of what the job
 * will take its worker; when the latencies take 5 % of the estimated time of the job; and at the
 * latest when a sixth of the tasks is handed out. While the job's total is in doubt, strata are
 * halved where that tells most.
 *
 * Where somebody knows what core tasks are worth (survey_levels), nothing else is asked of their
 * places: single tasks are compared as if each were worth the mean, and there are no regions.
 */
#ifndef PLANNER_DISPATCH_SURVEY_H
#define PLANNER_DISPATCH_SURVEY_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/dispatch/dispatch.h"
#include "planner/dispatch/survey_timings.h"
#include "planner/model/work.h"

/* What is known when the remaining tasks are planned; borrowed. */
struct survey_remaining {
    double now_s;   /* since the start of the job */
    int64_t tasks;  /* remaining: not handed out, >= 1 */
    int64_t probes; /* packages so far */
    double worth_s; /* mean time of a remaining task; 0: nothing was timed */
    double last_s;  /* of the last of them, which is handed out last; 0: likewise */
    double busy_s;  /* mean time that workers still need for the probes that they have */
    const struct task_range *ranges; /* where remaining tasks are, in the order they are assigned */
    int64_t pieces;                  /* of these; a package across two of them is sent in parts */
    struct strata_total total;       /* of the whole job, by its single tasks */
    size_t regions; /* parts of the job whose tasks differ from those of others: strata.h */
    /* Of the probes that are reported; strata as of the mean worker. */
    const struct survey_timings *timings;
};

/* The rule for remaining tasks that cannot be planned: factoring, a third of them at a time,
 * because a region may end elsewhere than estimated. */
#define SURVEY_RULE "fac,part=3"

/* What makes timings differ, as far as it is known apart; borrowed. */
struct survey_levels {
    const double *factors;   /* by how much longer than the mean worker each takes, of mean 1; NULL:
                              * workers are alike */
    const struct work *work; /* what core tasks are worth; NULL: their places alone tell */
    double s_per_task;       /* what one of mean worth takes the mean worker, beyond its package's
                              * latency; 0: not known */
};

/* `plan` returns a dispatch for remaining->tasks core tasks, as a job of their own that begins now;
 * if there are several regions, for units of the mean task's cost, as in weighted.h. NULL: they
 * cannot be planned, and SURVEY_RULE hands them out. */
struct survey_planner {
    /* As far as the timings tell. Called once, before `plan`, so that slow workers are not mistaken
     * for expensive parts of the job. NULL: nobody tells. */
    struct survey_levels (*levels)(void *self, const struct survey_timings *timings);
    struct dispatch *(*plan)(void *self, const struct survey_remaining *remaining);
    void *self;
};

struct survey_setup {
    int64_t tasks, workers;        /* each >= 1 */
    int64_t most;                  /* core tasks of any package, >= 1 */
    uint64_t seed;                 /* for choosing places */
    struct survey_planner planner; /* what self points to must outlive the survey */
};

/* NULL: out of memory. */
struct dispatch *dispatch_new_survey(const struct survey_setup *setup);

#endif
