/*
 * Of a run that is measured while it works (planner/dispatch/survey.h): who plans what its probes
 * leave. The run knows no fits and no schedulers; whoever starts it brings this along.
 */
#ifndef SPMD_RUN_PILOT_H
#define SPMD_RUN_PILOT_H

#include <stdint.h>

#include "planner/dispatch/survey.h"
#include "planner/model/plan.h"
#include "planner/model/trace.h"
#include "spmd/job/job.h"
#include "spmd/launch/making.h"
#include "spmd/launch/progress.h"
#include "spmd/protocol/run_had.h"

struct pilot;

/* What the master has when the remaining core tasks are to be planned; all borrowed. */
struct pilot_context {
    struct pilot *pilot;
    const struct survey_remaining *remaining;
    const struct trace *trace; /* of all packages that are reported */
    const struct run_had_list
        *had; /* what workers had of their processors in these; NULL: unknown */
    const struct job *job;
    const struct task_range *ranges; /* of the job's core tasks, those that are surveyed */
    int64_t range_count;             /* 0: they are the whole job */
    struct progress *progress; /* may be told what to expect; and before anything else is printed */
    int64_t most;              /* core tasks of any package */
    int workers;
};

/* What would be run; all borrowed. */
struct pilot_preview {
    const struct making *making;
    struct dispatch *dispatch; /* of what is left, if anything is; not asked yet */
    int64_t left;              /* core tasks that are to be done */
    int workers;
};

struct pilot {
    /* Local to the master, in place of the run, of which nothing is left. NULL, on all ranks or on
     * none: there is a run. */
    void (*preview)(struct pilot *self, const struct pilot_preview *preview);
    /* Local to the master, once, before `plan`. As of a survey_planner; borrowed from the pilot. */
    struct survey_levels (*levels)(struct pilot *self, const struct pilot_context *context,
                                   const struct survey_timings *timings);
    /* Local to the master, once. As of a survey_planner; what it returns is freed before the pilot.
     * Fills in what follows. */
    struct dispatch *(*plan)(struct pilot *self, const struct pilot_context *context);
    /* Local to the master, when all packages are done: when what remained was planned anew, as
     * lines and as a JSON array; owned by the caller, NULL: it never was, or nobody watched. */
    void (*tell)(struct pilot *self, char **lines, char **json);
    struct plan_prediction predicted; /* of the whole run, its probes as they were; unknown where
                                       * the rest was not planned */
    const char *profile_text;         /* for the output; owned by the pilot; NULL: none */
    const char *tail, *replan;        /* the same: how the rest was assigned (output_info) */
};

/* Local to the master: a survey of so many tasks of which the context's pilot plans what remains;
 * the context, in which only `remaining` is missing, must outlive the run. NULL with *failure set:
 * out of memory.
 */
struct dispatch *pilot_survey(struct pilot_context *context, int64_t tasks,
                              struct failure *failure);
/* The plan of a run that was surveyed, for its output: the job's, with what was predicted. Owned;
 * NULL: out of memory. */
char *pilot_plan_print(const struct pilot *pilot, const struct plan *plan);

#endif
