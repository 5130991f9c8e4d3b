/* What a choice of workers (worker_choice.h) is to meet, and which of two plans meets it better. */
#ifndef PLANNER_STUDIES_WORKER_WISH_H
#define PLANNER_STUDIES_WORKER_WISH_H

#include "planner/model/objective.h"
#include "planner/model/waits.h"
#include "planner/studies/kinds.h"

struct worker_wish {
    const struct objective *objective;
    struct kinds_wish kinds;
    double deadline_s; /* of the makespan or, where waits are known, from submission on; 0: none */
    double budget;     /* of the charge; negative: none */
    const struct waits *waits; /* borrowed; NULL: not known */
    double within; /* relative distance from the best value within which values count as equal; 0:
                    * SCHEDULE_WITHIN */
    bool front;    /* look for all compromises between makespan and charge, too (pareto.h) */
    int all_most;  /* in place of WORKER_CHOICE_ALL; 0: that */
};

/* The time that a deadline is for: with waits, from submission on. */
double worker_wish_time_s(const struct worker_wish *wish, const struct evaluation *evaluation);
/* By how much deadline and budget are exceeded, relative; 0: they are met. */
double worker_wish_excess(const struct worker_wish *wish, const struct evaluation *evaluation);
/* By deadline and budget, and where both or none meet them by the objective. */
bool worker_wish_better(const struct worker_wish *wish, const struct evaluation *a,
                        const struct evaluation *b);

#endif
