/*
 * The compromises between time and money: plans of which none is both as fast and as cheap as
 * another one, and better in one of them.
 */
#ifndef PLANNER_STUDIES_PARETO_H
#define PLANNER_STUDIES_PARETO_H

#include "planner/base/text.h"
#include "planner/studies/worker_choice.h"

struct pareto_row {
    const struct worker_candidate *candidate; /* borrowed from the choice */
    bool knee;                                /* the least makespan x charge */
    bool chosen;                              /* the choice's best one */
};

struct pareto {
    const struct worker_choice *choice; /* borrowed */
    struct pareto_row *rows;            /* owned; fastest first */
    size_t count;
};

/* Of the candidates of a choice that looked for them (worker_wish.front), whatever its limits.
 * False: out of memory. */
bool pareto_make(const struct worker_choice *choice, struct pareto *pareto);
void pareto_text(const struct pareto *pareto, struct text *text);
/* One JSON value, "scow-pareto-1". */
void pareto_json(const struct pareto *pareto, struct text *text);
void pareto_release(struct pareto *pareto);

#endif
