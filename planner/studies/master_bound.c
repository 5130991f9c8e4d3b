#include "planner/studies/master_bound.h"

#include <math.h>

double master_share_width(double tasks, bool real_valued)
{
    static const double real_width = 1e-9;
    return real_valued ? real_width * tasks : 1;
}

bool master_bound(const struct master_bound *asked, double *bound_s, struct failure *failure)
{
    const double width = master_share_width(asked->tasks, asked->real_valued);
    double low = 0, high = asked->tasks, bound_low_s = 0;
    if (!asked->bound(asked->platform, asked->tasks, asked->real_valued, &bound_low_s, failure))
        return false;
    /* At `low` the workers' bound is above the master's time, at `high` it is not. */
    while (asked->task_s > 0 && high - low > width && bound_low_s > low * asked->task_s) {
        const double exact = low + (high - low) / 2;
        const double middle = asked->real_valued ? exact : floor(exact);
        double bound_middle_s = 0;
        if (!asked->bound(asked->platform, asked->tasks - middle, asked->real_valued,
                          &bound_middle_s, failure))
            return false;
        if (bound_middle_s > middle * asked->task_s) {
            low = middle;
            bound_low_s = bound_middle_s;
        } else {
            high = middle;
        }
    }
    *bound_s = asked->task_s > 0 ? fmin(bound_low_s, high * asked->task_s) : bound_low_s;
    return true;
}
