/* What a survey has not handed out, cut into pieces that can be weighed; only the survey includes
 * this. */
#ifndef PLANNER_DISPATCH_SURVEY_PIECES_H
#define PLANNER_DISPATCH_SURVEY_PIECES_H

#include <stddef.h>

#include "planner/dispatch/dispatch.h"
#include "planner/dispatch/survey_timings.h"

/* The job as a survey knows it; borrowed. */
struct survey_job {
    int64_t most, workers;
    const struct survey_timings *timings;
};

struct survey_pieces {
    struct task_range *items; /* owned; ascending */
    int64_t count, tasks;
    struct strata_total total; /* of the whole job; all 0: no stratum was timed */
    struct region *regions;    /* owned; of it; NULL: no stratum was timed */
    size_t region_count;
};

/* Of at most job->most tasks each, and of one region each. To be released. False: out of memory. */
bool survey_pieces_make(struct survey_pieces *pieces, const struct survey_job *job,
                        const struct task_range *free, size_t free_count);
void survey_pieces_release(struct survey_pieces *pieces);
/* What the mean task of the pieces takes, by the regions that they are of; 0: nothing is known. */
double survey_pieces_worth(const struct survey_pieces *pieces);
/* The pieces' tasks as `inner` (owned; freed also when this fails; NULL: SURVEY_RULE) deals them:
 * by weights where there are several regions. The pieces must outlive it. NULL: out of memory. */
struct dispatch *survey_pieces_deal(const struct survey_pieces *pieces,
                                    const struct survey_job *job, struct dispatch *inner);

#endif
