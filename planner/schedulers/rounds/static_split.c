/* Static scheduling (SC): one package per worker, proportional to its speed 1 / (r + w): the
 * simplest schedule, to compare others with. */
#include "planner/schedulers/rounds/one_package.h"
#include "planner/schedulers/rounds/rounds_schedulers.h"

static void loads_split(const struct ranking *ranking, double tasks, double *loads)
{
    double speed = 0;
    for (int64_t i = 0; i < ranking->count; i++)
        speed += loads[i] = 1 / rate_of(ranking->workers[i].work);
    for (int64_t i = 0; i < ranking->count; i++)
        loads[i] *= tasks / speed;
}

bool static_split_make(const struct schedule_request *request, struct plan *plan,
                       struct failure *failure)
{
    return one_package_make(request, loads_split, plan, failure);
}
