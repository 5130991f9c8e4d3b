#include "planner/schedulers/optimal/optimal_lp.h"

/* Takes the place of optimal_lp.c where the solver is missing. */

bool optimal_lp_available(void)
{
    return false;
}

int64_t optimal_lp_packages(const struct optimal_lp *lp)
{
    return lp->places != NULL ? lp->packages : lp->count * lp->rounds;
}

bool optimal_lp_solve(const struct optimal_lp *lp, double *loads, double *makespan_s,
                      bool *out_of_memory)
{
    (void)lp;
    (void)loads;
    (void)makespan_s;
    (void)out_of_memory;
    (void)out_of_memory;
    return false;
}
