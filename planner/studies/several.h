/*
 * One master, several side by side (masters.h), or a tree of them (trees.h): which takes the least
 * time, where nobody has said how many there are to be.
 *
 * Others are looked at only where one master cannot feed all workers (feeding.h), or where its port
 * would be busy for long with one package for each of them if these were empty: elsewhere there is
 * nothing that they could save. What quick plans promise is then planned in full, and has to save
 * enough of the makespan. Of equal ones, the simpler stays: one master, then several side by side.
 */
#ifndef PLANNER_STUDIES_SEVERAL_H
#define PLANNER_STUDIES_SEVERAL_H

#include "planner/studies/planning.h"

/* What several masters save in some way. */
struct several {
    bool looked;  /* they have been looked for: who stays, stays */
    double one_s; /* that one master takes; 0: it stays */
};

/* `plan` (owned) has one master, and a prediction: a plan of several takes its place where that
 * saves enough. */
bool several_take(const struct planning *planning, struct plan *plan, struct several *several,
                  struct failure *failure);
/* A line for the table that says so; nothing where one master stays. */
void several_tell(const struct several *several, const struct plan *plan, struct text *text);
/* A plan of several masters beside one of one master. */
struct several_row {
    struct plan plan; /* owned, where it is made */
    bool made;
    struct failure refused; /* else: why not */
};

enum several_kind { SEVERAL_BESIDE, SEVERAL_TREE, SEVERAL_KINDS };

/* Of each kind the plan that saves most over `one`, in full. To be released in any case. */
bool several_compare(const struct planning *planning, const struct plan *one,
                     struct several_row rows[SEVERAL_KINDS], struct failure *failure);
void several_rows_release(struct several_row rows[SEVERAL_KINDS]);
/* Lines for the table of a plan with one master, where several would save enough: nothing where
 * they have been looked for. */
bool several_offer(const struct planning *planning, const struct several *several,
                   const struct plan *plan, struct text *text, struct failure *failure);

#endif
