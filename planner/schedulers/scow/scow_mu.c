/*
 * SCOW-MU: least makespan where every period uses the port and its workers as well as can be.
 * De la Torre, section 4.2, Definition 9, Theorem 8.
 */
#include "planner/schedulers/scow/scow.h"
#include "planner/schedulers/scow/scow_schedulers.h"

bool scow_mu_make(const struct schedule_request *request, struct plan *plan,
                  struct failure *failure)
{
    return scow_make(request, PERIOD_BALANCE, plan, failure);
}
