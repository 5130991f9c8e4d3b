/* How many workers are worth it: the same job for every worker count. */
#ifndef PLANNER_STUDIES_SWEEP_H
#define PLANNER_STUDIES_SWEEP_H

#include "planner/base/text.h"
#include "planner/studies/planning.h"

struct sweep_row {
    int64_t workers;
    double makespan_s;
    double speedup;      /* over one worker */
    double efficiency;   /* speedup / workers */
    double node_seconds; /* workers * makespan */
};

struct sweep {
    const char *scheduler;  /* borrowed */
    struct sweep_row *rows; /* owned, by workers */
    size_t count;
    int64_t available; /* workers of the profile; beyond them the last class is repeated */
    size_t knee;       /* the row of greatest speedup x efficiency */
};

/* Every count up to 32, then steps of a tenth, to twice the available workers (or to
 * planning->workers). "auto" is replaced by scow-mp, which plans in no time. */
bool sweep_make(const struct planning *planning, struct sweep *sweep, struct failure *failure);
void sweep_text(const struct sweep *sweep, struct text *text);
/* One JSON value, "scow-sweep-1". */
void sweep_json(const struct sweep *sweep, struct text *text);
void sweep_release(struct sweep *sweep);

/* The plan with the fewest workers whose predicted makespan is at most `deadline_s`, to be
 * released; FAILURE_INFEASIBLE with the least makespan seen when there is none. The number is found
 * by halving and then by steps of up to three workers down: fewer may do only where more workers
 * take longer over more than three workers on end. */
bool sweep_deadline(const struct planning *planning, double deadline_s, struct plan *plan,
                    struct failure *failure);

#endif
