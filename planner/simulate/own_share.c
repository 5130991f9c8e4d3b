#include "planner/simulate/own_share.h"

#include <math.h>

struct own_share own_share_of(const struct platform *platform, const struct plan *plan)
{
    return (struct own_share){.platform = platform,
                              .first = plan->tasks - plan->own.tasks,
                              .left = plan->own.tasks,
                              .task_s = plan->own.task_s};
}

double own_share_count(double left, double task_s, double at_s, double until_s)
{
    const double wanted = task_s > 0 ? ceil((until_s - at_s) / task_s) : left;
    return fmin(left, fmax(wanted, 1));
}

bool own_share_next(struct own_share *share, double at_s, double until_s, struct own_span *span)
{
    const struct platform *platform = share->platform;
    if (!(share->left > 0))
        return false;
    span->first = share->first;
    span->tasks = own_share_count(share->left, share->task_s, at_s, until_s);
    span->seconds = span->tasks * share->task_s;
    if (work_differs(&platform->work))
        span->seconds *= platform_work(platform, span->first, span->tasks);
    share->first += span->tasks;
    share->left -= span->tasks;
    return true;
}
