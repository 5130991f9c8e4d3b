#include "planner/studies/worker_wish.h"

#include <math.h>

static const double ROUNDING = 1e-9;

double worker_wish_time_s(const struct worker_wish *wish, const struct evaluation *evaluation)
{
    return wish->waits ? evaluation->wait_s + evaluation->run_s : evaluation->makespan_s;
}

double worker_wish_excess(const struct worker_wish *wish, const struct evaluation *evaluation)
{
    double excess = 0;
    if (wish->deadline_s > 0)
        excess += fmax(0, worker_wish_time_s(wish, evaluation) / wish->deadline_s - 1);
    if (wish->budget >= 0 && evaluation->charge > wish->budget * (1 + ROUNDING))
        excess += wish->budget > 0 ? evaluation->charge / wish->budget - 1 : evaluation->charge;
    return excess;
}

bool worker_wish_better(const struct worker_wish *wish, const struct evaluation *a,
                        const struct evaluation *b)
{
    const double mine = worker_wish_excess(wish, a), other = worker_wish_excess(wish, b);
    const double value = wish->objective->value(a), other_value = wish->objective->value(b);
    if (mine > 0 || other > 0)
        return mine < other;
    if (fabs(value - other_value) > ROUNDING * fabs(other_value))
        return value < other_value;
    return objective_tie_better(wish->objective, a, b);
}
