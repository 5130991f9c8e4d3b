/*
 * SCOW-MP: least makespan under maximal production. The port never rests; one worker may wait.
 * De la Torre, section 5.2.1, Theorem 12, Figure 5-2.
 */
#include "planner/schedulers/scow/scow.h"
#include "planner/schedulers/scow/scow_schedulers.h"

bool scow_mp_make(const struct schedule_request *request, struct plan *plan,
                  struct failure *failure)
{
    return scow_make(request, PERIOD_PRODUCTION, plan, failure);
}
