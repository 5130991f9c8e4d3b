#include "planner/schedulers/search/fewer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/schedulers/bounds/bound.h"
#include "planner/schedulers/search/period.h"

/* ---- can one more worker improve a plan? --------------------------------------------------- */

enum { PROMISE_EFFORT = 60 }; /* units of effort, per worker */

static double period_least(const struct ranking *ranking, double tasks, enum period_goal goal,
                           double least_s)
{
    struct period best;
    return period_list(ranking, tasks, goal, &best, 1) > 0 ? fmin(least_s, best.makespan_s)
                                                           : least_s;
}

/* Can one more worker improve a plan, in one window and order, with any view? */
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

/* ---- the first workers only ---------------------------------------------------------------- */

/* The first `count` workers of a platform; to be released. */
static bool platform_first(const struct platform *from, int64_t count, struct platform *made,
                           struct failure *failure)
{
    *made = platform_unplaced(from); /* schedulers do not know how core tasks differ */
    made->worker_count = count;
    made->window_count = 0;
    made->windows = calloc((size_t)from->window_count, sizeof *made->windows);
    for (int64_t w = 0; made->windows != NULL && w < from->window_count; w++) {
        struct platform_window *window = &made->windows[made->window_count++];
        *window = from->windows[w];
        window->class_count = platform_worker(window, count - 1) - window->classes + 1;
        const size_t size = (size_t)window->class_count * sizeof *window->classes;
        window->classes = malloc(size);
        if (window->classes == NULL)
            break;
        memcpy(window->classes, from->windows[w].classes, size);
        struct platform_class *last = &window->classes[window->class_count - 1];
        last->count = count - last->first;
    }
    if (made->window_count == from->window_count &&
        made->windows[made->window_count - 1].classes != NULL)
        return true;
    platform_release(made);
    return failure_memory(failure, "planning");
}

static bool all_equal(const struct platform *platform)
{
    for (int64_t w = 0; w < platform->window_count; w++)
        if (platform->windows[w].class_count > 1)
            return false;
    return true;
}

/* The search from all workers downwards. */
struct descent {
    const struct scheduler *scheduler;
    struct plan *plan;
    double makespan_s;      /* of *plan; HUGE_VAL: there is none yet */
    bool not_all;           /* plans for all workers are not wanted */
    bool fewer;             /* *plan is for fewer workers than all */
    struct failure refused; /* why there was no plan for the last number that was tried */
    int64_t planned;        /* workers of all plans so far together */
    int64_t excluded;       /* no plan for so many workers is as good; 0: not known */
};

/* Plans for one number of workers, and keeps the plan where it is better. */
static bool count_try(struct descent *descent, const struct schedule_request *request, bool fewer,
                      struct failure *failure)
{
    struct failure refused = FAILURE_INIT;
    struct plan made = {.kernel = NULL};
    descent->planned += request->platform->worker_count;
    if (!descent->scheduler->make(request, &made, &refused)) {
        if (refused.code != FAILURE_INFEASIBLE)
            return failure_set(failure, refused.code, "%s", refused.text);
        descent->refused = refused;
    } else if (made.predicted.makespan_s < descent->makespan_s) {
        plan_release(descent->plan);
        *descent->plan = made;
        descent->makespan_s = made.predicted.makespan_s;
        descent->fewer = fewer;
    } else {
        plan_release(&made);
    }
    return true;
}

/* Is it clear that fewer workers than all need not be tried? */
static bool fewer_excluded(const struct scheduler *scheduler, const struct platform *platform)
{
    return scheduler->fewer == SCHEDULER_FEWER_NEVER || platform->worker_count == 1 ||
           platform->worker_count > FEWER_PLANNED ||
           ((scheduler->fewer & SCHEDULER_FEWER_EQUAL) == 0 && all_equal(platform));
}

/* Need no smaller number be tried? */
static bool descent_ends(const struct descent *descent, const struct schedule_request *request,
                         int64_t all, const struct estimate *estimate)
{
    return estimate->bound_s >= descent->makespan_s ||
           request->platform->worker_count <= descent->excluded || effort_spent(request->effort) ||
           (all > FEWER_SURE &&
            descent->planned + request->platform->worker_count > FEWER_PLANNED &&
            descent->planned > 0);
}

/* Where every number is planned for, only the bound is needed. */
static bool estimate_find(const struct descent *descent, const struct schedule_request *request,
                          struct estimate *estimate, struct failure *failure)
{
    if ((descent->scheduler->fewer & SCHEDULER_FEWER_USEFUL) != 0 &&
        request->platform->worker_count >= FEWER_EVERY)
        return estimate_make(request, estimate, failure);
    *estimate = (struct estimate){0, HUGE_VAL, HUGE_VAL};
    return bound_makespan(request->platform, request->tasks, request->real_valued,
                          &estimate->bound_s, failure);
}

/* Goes from the present platform down to one worker; `estimate` is that of the present platform. */
static bool descend(struct descent *descent, const struct schedule_request *request,
                    struct estimate estimate, struct failure *failure)
{
    const struct platform *all = request->platform;
    struct schedule_request at = *request;
    struct platform platform = *all, below = {.windows = NULL};
    bool good = true;
    for (int64_t count = all->worker_count; count >= 1 && good; count--) {
        struct estimate next_estimate = {0, HUGE_VAL, HUGE_VAL};
        at.platform = &platform;
        if (descent_ends(descent, &at, all->worker_count, &estimate))
            break;
        bool useful =
            (descent->scheduler->fewer & SCHEDULER_FEWER_USEFUL) == 0 || count <= FEWER_EVERY;
        if (count > 1) {
            struct schedule_request next = *request;
            good = platform_first(all, count - 1, &below, failure);
            next.platform = &below;
            good = good && estimate_find(descent, &next, &next_estimate, failure);
            useful = useful || (good && estimate_better(&estimate, &next_estimate));
        }
        const bool fewer = count < all->worker_count;
        if (useful && (fewer || !descent->not_all))
            good = good && count_try(descent, &at, fewer, failure);
        if (platform.windows != all->windows)
            platform_release(&platform);
        platform = below;
        below = (struct platform){.windows = NULL};
        estimate = next_estimate;
    }
    if (platform.windows != all->windows)
        platform_release(&platform);
    return good;
}

/* Searches downwards, where that can be of use. */
static bool descent_run(struct descent *descent, const struct schedule_request *request,
                        struct failure *failure)
{
    struct estimate estimate;
    return fewer_excluded(descent->scheduler, request->platform) ||
           (estimate_find(descent, request, &estimate, failure) &&
            descend(descent, request, estimate, failure));
}

bool fewer_make(const struct scheduler *scheduler, const struct schedule_request *request,
                struct plan *plan, struct failure *failure)
{
    struct plan made = {.kernel = NULL};
    struct descent descent = {
        .scheduler = scheduler, .plan = &made, .makespan_s = HUGE_VAL, .refused = FAILURE_INIT};
    bool good = descent_run(&descent, request, failure);
    if (good && descent.makespan_s == HUGE_VAL)
        good = count_try(&descent, request, false, failure);
    if (good && descent.makespan_s == HUGE_VAL)
        good = failure_set(failure, descent.refused.code, "%s", descent.refused.text);
    /* The lower bound of a plan is always that for all workers. */
    if (good && descent.fewer)
        good = schedule_predict(request->platform, &made, failure);
    if (good)
        *plan = made;
    else
        plan_release(&made);
    return good;
}

bool fewer_make_below(const struct scheduler *scheduler, const struct schedule_request *request,
                      const struct prices *prices, double below_s, struct plan *plan, bool *made,
                      struct failure *failure)
{
    struct descent descent = {.scheduler = scheduler,
                              .plan = plan,
                              .makespan_s = below_s,
                              .not_all = true,
                              .refused = FAILURE_INIT};
    *plan = (struct plan){.kernel = NULL};
    const bool good =
        (below_s == HUGE_VAL ||
         bound_priced_excludes(request->platform, request->tasks, request->real_valued, below_s,
                               prices, &descent.excluded, failure)) &&
        descent_run(&descent, request, failure);
    if (!good)
        plan_release(plan);
    *made = good && descent.fewer;
    return good;
}
