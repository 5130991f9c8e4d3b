#include "planner/schedulers/fewer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/schedulers/bound.h"

/* The first `count` workers of a platform; to be released. */
static bool platform_first(const struct platform *from, int64_t count, struct platform *made,
                           struct failure *failure)
{
    *made = *from;
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

/* Some 9 counts for every doubling beyond FEWER_EVERY, the same whatever the number of workers. */
static int64_t count_before(int64_t count, int64_t all)
{
    int64_t step = FEWER_EVERY, next = FEWER_EVERY;
    if (count <= FEWER_EVERY || count == all)
        return count - 1;
    while (next + step / 8 < count) {
        next += step / 8;
        step = next;
    }
    return next;
}

/* The plan for one count, when it is the better one; *excluded: neither this nor any lower count
 * can be. */
static bool count_try(const struct scheduler *scheduler, const struct schedule_request *request,
                      struct plan *plan, double *makespan_s, bool *excluded,
                      struct failure *failure)
{
    struct failure refused = FAILURE_INIT;
    struct plan made = {.kernel = NULL};
    double bound_s = 0;
    if (!bound_makespan(request->platform, request->tasks, request->real_valued, &bound_s, failure))
        return false;
    *excluded = bound_s >= *makespan_s;
    if (*excluded)
        return true;
    if (!scheduler->make(request, &made, &refused))
        return refused.code == FAILURE_INFEASIBLE ||
               failure_set(failure, refused.code, "%s", refused.text);
    if (made.predicted.makespan_s < *makespan_s) {
        plan_release(plan);
        *plan = made;
        *makespan_s = made.predicted.makespan_s;
    } else {
        plan_release(&made);
    }
    return true;
}

enum { WORKERS_MOST = 1000 }; /* planned for in all; not less than 1 + 2 + .. + FEWER_EVERY */

/* Whether fewer workers than all need not be tried at all. */
static bool fewer_excluded(const struct scheduler *scheduler,
                           const struct schedule_request *request)
{
    const int64_t all = request->platform->worker_count;
    return scheduler->fewer == SCHEDULER_FEWER_NEVER || all == 1 || all > WORKERS_MOST ||
           (scheduler->fewer == SCHEDULER_FEWER_UNEQUAL && all_equal(request->platform));
}

bool fewer_try(const struct scheduler *scheduler, const struct schedule_request *request,
               struct plan *plan, double *makespan_s, struct failure *failure)
{
    const int64_t all = request->platform->worker_count;
    const double before_s = *makespan_s;
    bool excluded = fewer_excluded(scheduler, request), good = true;
    double effort = 0;
    for (int64_t count = count_before(all, all); count >= 1 && !excluded && good;
         count = count_before(count, all)) {
        struct platform first;
        struct schedule_request fewer = *request;
        effort += (double)count;
        if (effort > WORKERS_MOST || effort_spent(request->effort))
            break;
        if (!platform_first(request->platform, count, &first, failure))
            return false;
        fewer.platform = &first;
        good = count_try(scheduler, &fewer, plan, makespan_s, &excluded, failure);
        platform_release(&first);
    }
    /* The lower bound is that of all workers. */
    return good && (*makespan_s == before_s || schedule_predict(request->platform, plan, failure));
}
