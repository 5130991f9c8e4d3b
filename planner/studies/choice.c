#include "planner/studies/choice.h"

#include <math.h>

#include "planner/base/limits.h"
#include "planner/schedulers/scheduler.h"

/* The time that one package of the class takes on the master or on the port, whichever is
 * longer. */
static double feed_s(const struct platform_window *window, const struct platform_class *class,
                     double load)
{
    return fmax(cost_of(cost_sum(window->envelope, window->send), load),
                cost_of(class->link, load));
}

static bool package_serial(const struct platform_window *window, double load)
{
    for (int64_t k = 0; k < window->class_count; k++) {
        const struct platform_class *class = &window->classes[k];
        if (feed_s(window, class, load) < cost_of(platform_class_work(class), load))
            return false;
    }
    return true;
}

bool choice_serial(const struct platform *platform)
{
    for (int64_t w = 0; w < platform->window_count; w++)
        if (!package_serial(&platform->windows[w], (double)platform->windows[w].least) ||
            !package_serial(&platform->windows[w], (double)platform->windows[w].greatest))
            return false;
    return true;
}

/* Notes the times per core task to send and to compute it, in packages as large as the plan's
 * largest. */
static void serial_note(const struct platform *platform, struct plan *plan)
{
    const double load = plan_largest_load(plan);
    const struct platform_window *window = platform_nearest(platform, load);
    const struct platform_class *class = platform_worker(window, plan->workers[0]);
    plan->choice.send_s_per_task = feed_s(window, class, load) / load;
    plan->choice.compute_s_per_task = cost_of(platform_class_work(class), load) / load;
}

/* Adds workers that are like the last ones. */
static void platform_grow(struct platform *platform, int64_t workers)
{
    for (int64_t w = 0; w < platform->window_count; w++)
        platform->windows[w].classes[platform->windows[w].class_count - 1].count +=
            workers - platform->worker_count;
    platform->worker_count = workers;
}

/* One scheduler's plan; *found: the scheduler applies, and the effort sufficed. */
static bool plan_of(const char *scheduler, const struct schedule_request *request,
                    struct plan *plan, bool *found, struct failure *failure)
{
    struct failure refused = FAILURE_INIT;
    *plan = (struct plan){.kernel = NULL};
    *found = scheduler_make(scheduler_find(scheduler), request, plan, &refused);
    if (!*found && refused.code != FAILURE_INFEASIBLE)
        return failure_set(failure, refused.code, "%s", refused.text);
    *found = *found && !effort_spent(request->effort);
    return true;
}

/* The number of workers that maximal production (SCOW-MP) would use if there were more of them:
 * doubles the platform's workers as long as the plan uses all. */
static bool production_find(struct platform *platform, const struct schedule_request *request,
                            struct plan_choice *choice, bool *found, struct failure *failure)
{
    const double most = fmin(request->tasks, (double)LIMIT_WORKERS);
    const int64_t own = platform->worker_count;
    int64_t workers = own;
    bool good = true, all = true;
    while (good && all) {
        struct plan plan;
        platform_grow(platform, workers);
        good = plan_of(SCHEDULER_QUICK, request, &plan, found, failure);
        if (!good || !*found) {
            plan_release(&plan);
            break;
        }
        choice->mp_workers = plan_workers_used(&plan);
        choice->mp_makespan_s = plan.predicted.makespan_s;
        choice->mp_worker_utilization = plan.predicted.worker_utilization;
        plan_release(&plan);
        all = choice->mp_workers >= workers && (double)workers < most;
        workers = (int64_t)fmin(2 * (double)workers, most);
    }
    platform_grow(platform, own);
    return good;
}

static bool utilization_find(const struct schedule_request *request, struct plan_choice *choice,
                             struct failure *failure)
{
    struct plan plan;
    bool found;
    if (!plan_of("scow-pwu", request, &plan, &found, failure))
        return false;
    if (found) {
        choice->pwu_workers = plan_workers_used(&plan);
        choice->pwu_makespan_s = plan.predicted.makespan_s;
        choice->pwu_worker_utilization = plan.predicted.worker_utilization;
    }
    plan_release(&plan);
    return true;
}

bool choice_find(const struct platform *platform, double effort_s, struct plan *plan,
                 struct failure *failure)
{
    struct platform own = *platform; /* production_find adds workers and takes them away again */
    struct effort effort = {effort_s * EFFORT_SECOND};
    const struct schedule_request request = {.platform = &own,
                                             .tasks = plan->tasks,
                                             .real_valued = plan->real_valued,
                                             .effort = effort_s > 0 ? &effort : NULL};
    struct plan_choice choice = {.workers = platform->worker_count};
    bool found = false;
    if (choice_serial(platform)) {
        serial_note(platform, plan);
        return true;
    }
    if (!production_find(&own, &request, &choice, &found, failure) ||
        (found && !utilization_find(&request, &choice, failure)))
        return false;
    if (found && !effort_spent(request.effort))
        plan->choice = choice;
    return true;
}
