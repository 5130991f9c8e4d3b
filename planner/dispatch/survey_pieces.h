/* The tasks that a survey has not handed out, cut into pieces of about equal cost per task; private
 * to the survey. */
#ifndef PLANNER_DISPATCH_SURVEY_PIECES_H
#define PLANNER_DISPATCH_SURVEY_PIECES_H

#include <stddef.h>

#include "planner/dispatch/dispatch.h"
#include "planner/dispatch/survey_timings.h"

/* What a survey knows of the job; borrowed. */
struct survey_job {
    int64_t most, workers;
    const struct survey_timings *timings;
    const struct work *work; /* what its core tasks are worth; NULL: timings alone tell */
};

/* Core tasks that count as equal: a region, or what lies between the last place that was timed in
 * one region and the first one of the next, where the border is. */
struct survey_zone {
    int64_t first, count;
    double cost_s;       /* of a core task, as is to be expected */
    double handed_out_s; /* and at most: a package must not turn out to be far heavier than it
                            counts */
};

struct survey_pieces {
    struct task_range *items; /* owned; ascending */
    int64_t count, tasks;
    struct strata_total total; /* of the whole job; all 0: no stratum was timed */
    size_t region_count;       /* of the whole job */
    struct survey_zone *zones; /* owned; of the whole job; NULL: no stratum was timed */
    size_t zone_count;
    const struct work *work; /* borrowed: the job's; there is one region then */
    struct work left;        /* owned: of the pieces, as they are assigned by it */
};

/* Cut the free ranges into pieces of at most job->most tasks, each in one zone. To be released.
 * False: out of memory. */
bool survey_pieces_make(struct survey_pieces *pieces, const struct survey_job *job,
                        const struct task_range *free, size_t free_count);
void survey_pieces_release(struct survey_pieces *pieces);
/* Mean time of a task of the pieces, by their zones; 0: not known. */
double survey_pieces_worth(const struct survey_pieces *pieces);
/* Time of the last task of the pieces; 0: not known. */
double survey_pieces_last(const struct survey_pieces *pieces);
/* Time of a package of the job; 0: not known. */
double survey_pieces_cost(const struct survey_pieces *pieces, int64_t first, int64_t count);
/* A dispatch that hands out the pieces' tasks as `inner` says (owned; freed also when this fails;
 * NULL: SURVEY_RULE), by weights if there are several regions. The pieces must outlive it. NULL:
 * out of memory. */
struct dispatch *survey_pieces_dispatch(struct survey_pieces *pieces, const struct survey_job *job,
                                        struct dispatch *inner);

#endif
