#include "planner/schedulers/search/useful.h"

#include <math.h>

#include "planner/schedulers/bounds/bound.h"
#include "planner/schedulers/search/period.h"

enum { PROMISE_EFFORT = 60 }; /* units, per worker */

static double period_least(const struct ranking *ranking, double tasks, enum period_goal goal,
                           double least_s)
{
    struct period best;
    return period_list(ranking, tasks, goal, &best, 1) > 0 ? fmin(least_s, best.makespan_s)
                                                           : least_s;
}

/* One window in one order, in every view. */
static bool window_promise(const struct schedule_request *request,
                           const struct platform_window *window, enum ranking_order order,
                           struct estimate *estimate)
{
    struct ranking ranking;
    if (!ranking_init(&ranking, request->platform, window, request->real_valued, order))
        return false;
    const unsigned views = ranking_views(&ranking, request->tasks);
    for (int view = 0; view < RANKING_VIEWS; view++) {
        if ((views >> view & 1u) == 0)
            continue;
        if (view != RANKING_OF_GREATEST)
            ranking_turn(&ranking, (enum ranking_view)view, order);
        estimate->production_s =
            period_least(&ranking, request->tasks, PERIOD_PRODUCTION, estimate->production_s);
        estimate->utilization_s =
            period_least(&ranking, request->tasks, PERIOD_UTILIZATION, estimate->utilization_s);
    }
    ranking_release(&ranking);
    return true;
}

bool estimate_make(const struct schedule_request *request, struct estimate *estimate,
                   struct failure *failure)
{
    const struct platform *platform = request->platform;
    struct estimate made = {0, HUGE_VAL, HUGE_VAL};
    effort_use(request->effort, PROMISE_EFFORT * (double)platform->worker_count);
    if (!bound_makespan(platform, request->tasks, request->real_valued, &made.bound_s, failure))
        return false;
    for (int64_t w = 0; w < platform->window_count; w++)
        for (int order = 0; order < RANKING_BY_START; order++)
            if (!window_promise(request, &platform->windows[w], (enum ranking_order)order, &made))
                return failure_memory(failure, "planning");
    *estimate = made;
    return true;
}

static bool is_less(double made_s, double before_s)
{
    static const double ROUNDING = 1e-9;
    return made_s < before_s * (1 - ROUNDING);
}

bool estimate_better(const struct estimate *estimate, const struct estimate *fewer)
{
    return estimate->production_s == HUGE_VAL || is_less(estimate->bound_s, fewer->bound_s) ||
           is_less(estimate->production_s, fewer->production_s) ||
           is_less(estimate->utilization_s, fewer->utilization_s);
}
