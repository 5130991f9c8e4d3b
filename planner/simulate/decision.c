#include "planner/simulate/decision.h"

#include "planner/dispatch/weighted.h"
#include "planner/simulate/star.h"

/* NULL: out of memory. */
static struct dispatch *watch_new(const struct decision *decision)
{
    struct dispatch *watch = dispatch_new_watch(decision->watch);
    struct work work;
    if (!watch || !decision->watched_work)
        return watch;
    if (work_copy(&work, decision->watched_work))
        return dispatch_new_weighted(watch, &work, decision->watched_units,
                                     (int64_t)decision->plan->first);
    dispatch_free(&watch);
    return NULL;
}

/* `parts`: the costs by which large packages are sent in parts; NULL: packages are sent whole. */
static struct dispatch *plan_new(const struct plan *plan, const struct deadline_setup *parts)
{
    return parts ? dispatch_new_parts(plan, parts) : dispatch_new_plan(plan);
}

static struct dispatch *rule_new(const struct dispatch_setup *setup,
                                 const struct deadline_setup *parts, struct failure *failure)
{
    struct dispatch *rule = dispatch_new_rule(setup, failure);
    return rule && parts ? dispatch_new_rule_parts(rule, setup, parts) : rule;
}

static struct dispatch *dispatch_new(const struct decision *decision,
                                     const struct deadline_setup *parts, struct failure *failure)
{
    if (!decision->plan)
        return rule_new(decision->setup, parts, failure);
    struct dispatch *dispatch =
        decision->watch ? watch_new(decision) : plan_new(decision->plan, parts);
    const struct plan_tail *tail = decision->tail;
    return dispatch && tail && tail->setup.tasks > 0
               ? dispatch_new_tail(dispatch, &tail->setup, failure)
               : dispatch;
}

/* The times of a package on the port and at the worker. */
static struct deadline_cost package_cost(const void *self, int64_t worker, int64_t tasks)
{
    const double load = (double)tasks;
    const struct platform_window *window = platform_nearest(self, load);
    const struct star_cost cost = star_cost_of(window, platform_worker(window, worker), load);
    return (struct deadline_cost){cost.envelope_s + cost.send_s + cost.link_s,
                                  cost.receive_s + cost.compute_s + cost.output_s};
}

/* The start-up of a worker, for which its first package waits. */
static double package_start(const void *self, int64_t worker)
{
    return platform_start(self, worker);
}

struct deadline_setup decision_costs(const struct platform *platform)
{
    return (struct deadline_setup){.cost = package_cost,
                                   .start_s = package_start,
                                   .self = platform,
                                   .workers = platform->worker_count};
}

/* A worker that has more packages than its buffers hold is not slow: the others wait for it on
 * purpose, so that they get no copies. */
static bool copies_prepare(struct dispatch *recovery, const struct platform *platform,
                           const struct deadline_setup *setup)
{
    dispatch_recovery_ahead(recovery, platform->buffers + 1);
    return dispatch_recovery_copy(recovery, setup);
}

/* Results that workers keep until the end are not copied. */
static bool is_copied(const struct platform *platform, const struct scenario *scenario)
{
    return scenario->copies && platform->results != RESULTS_END;
}

struct dispatch *decision_inner(const struct decision *decision, const struct platform *platform,
                                const struct scenario *scenario, struct failure *failure)
{
    const struct deadline_setup setup = decision_costs(platform);
    struct dispatch *dispatch =
        dispatch_new(decision, is_copied(platform, scenario) ? &setup : NULL, failure);
    if (!dispatch && failure->code == FAILURE_NONE) /* else the rule has said why */
        failure_memory(failure, "simulating");
    return dispatch;
}

struct dispatch *decision_recovery(struct dispatch *inner, const struct platform *platform,
                                   const struct scenario *scenario)
{
    const struct deadline_setup setup = decision_costs(platform);
    struct dispatch *dispatch = dispatch_new_recovery(inner, platform->worker_count);
    if (dispatch && scenario->joins)
        dispatch_recovery_empty(dispatch);
    if (dispatch && scenario->lost_worker >= 0 && platform->results == RESULTS_END)
        dispatch_recovery_keep(dispatch);
    if (dispatch && is_copied(platform, scenario) && !copies_prepare(dispatch, platform, &setup))
        dispatch_free(&dispatch);
    return dispatch;
}

struct dispatch *decision_dispatch(const struct decision *decision, const struct platform *platform,
                                   const struct scenario *scenario, struct failure *failure)
{
    struct dispatch *dispatch = decision_inner(decision, platform, scenario, failure);
    if (!dispatch || !(scenario->lost_worker >= 0 || scenario->copies || scenario->joins))
        return dispatch;
    dispatch = decision_recovery(dispatch, platform, scenario);
    if (!dispatch)
        failure_memory(failure, "simulating");
    return dispatch;
}
