/* A master with its workers, out of several: its plan, its platform and what becomes of it, with
 * workers as it counts them. Side by side (stars.h), or a group of a tree (tree.h). */
#ifndef PLANNER_SIMULATE_STAR_PART_H
#define PLANNER_SIMULATE_STAR_PART_H

#include "planner/simulate/decision.h"

struct star_part {
    struct platform platform; /* owned: its workers alone */
    struct plan plan;         /* owned: its workers, counted from 0; what else it has is borrowed */
    struct decision follows;  /* its plan */
    struct scenario scenario; /* as far as it is of its workers */
    const struct variation *varies; /* borrowed; of all; NULL: nothing varies */
    struct variation variation;     /* of its workers */
    struct platform drawn;          /* owned; likewise */
};

/* Of all; borrowed. */
struct star_part_setup {
    const struct platform *platform;
    const struct scenario *scenario;
    const struct plan *plan; /* the part's */
    int64_t workers;         /* that it has, those behind its master */
    int number;              /* of the part: it has noise of its own */
};

/* It does not move until it is released, which it is to be in any case. */
bool star_part_init(struct star_part *part, const struct star_part_setup *setup,
                    struct failure *failure);
/* What was traced of it, as ranks of the job. False: as trace_add. */
bool star_part_trace(const struct star_part *part, const struct trace *own, struct trace *trace);
void star_part_release(struct star_part *part);

#endif
