/*
 * SCOW-PWU: least makespan under perfect utilization of the workers. They never rest; the port may.
 * De la Torre, section 5.2.2, Theorem 13, with the exact constraint sum h_j(Y_j) <= T.
 */
#include "planner/schedulers/scow/scow.h"
#include "planner/schedulers/scow/scow_schedulers.h"

bool scow_pwu_make(const struct schedule_request *request, struct plan *plan,
                   struct failure *failure)
{
    return scow_make(request, PERIOD_UTILIZATION, plan, failure);
}
