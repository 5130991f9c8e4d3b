#include "planner/model/objective.h"

#include <math.h>
#include <string.h>

static double makespan_value(const struct evaluation *evaluation)
{
    return evaluation->makespan_s;
}

static double cpu_value(const struct evaluation *evaluation)
{
    return evaluation->cpu_s;
}

static double cost_value(const struct evaluation *evaluation)
{
    return evaluation->charge;
}

static double turnaround_value(const struct evaluation *evaluation)
{
    return evaluation->wait_s + evaluation->run_s;
}

static double workers_value(const struct evaluation *evaluation)
{
    return (double)evaluation->workers;
}

static const struct objective table[] = {
    {"makespan", "the least time of the run", makespan_value, OBJECTIVE_TIE_WORKERS, false, false},
    {"cpu", "the least sum of the times that workers are busy", cpu_value, OBJECTIVE_TIE_MAKESPAN,
     false, false},
    {"cost", "the least charge by the prices of --price and the profile", cost_value,
     OBJECTIVE_TIE_MAKESPAN, true, false},
    {"turnaround", "the least time from submission on, the wait of --waits included",
     turnaround_value, OBJECTIVE_TIE_WORKERS, false, true},
    {"workers", "the fewest workers", workers_value, OBJECTIVE_TIE_MAKESPAN, false, false},
};

const struct objective *objective_list(size_t *count)
{
    *count = sizeof table / sizeof table[0];
    return table;
}

const struct objective *objective_find(const char *name)
{
    for (size_t k = 0; k < sizeof table / sizeof table[0]; k++)
        if (strcmp(table[k].name, name) == 0)
            return &table[k];
    return NULL;
}

/* Is a less than b by more than rounding? */
static bool clearly_less(double a, double b)
{
    static const double ROUNDING = 1e-9;
    return a < b - ROUNDING * fabs(b);
}

bool objective_tie_better(const struct objective *objective, const struct evaluation *a,
                          const struct evaluation *b)
{
    const bool thrifty = objective->tie == OBJECTIVE_TIE_WORKERS;
    const double mine = thrifty ? a->worker_s : a->makespan_s;
    const double other = thrifty ? b->worker_s : b->makespan_s;
    if (clearly_less(mine, other) || clearly_less(other, mine))
        return mine < other;
    return a->workers < b->workers;
}
