#include "spmd/run/decider.h"

#include <stdio.h>
#include <stdlib.h>

#include "planner/files/plan_profile.h"
#include "planner/model/beyond.h"
#include "planner/model/plan_ranges.h"
#include "planner/model/setting_part.h"
#include "planner/replan/stars_decided.h"
#include "spmd/transport/clock.h"

/* Takes weights, overhead and package sizes from the profile. */
static bool setup_measured(struct decider *decider, const struct profile_setting *setting,
                           struct failure *failure)
{
    struct platform platform;
    if (!platform_init(&platform, setting, 0, failure))
        return false;
    const bool good = platform_map(&platform, setting, (double)decider->setup.tasks, failure);
    decider->weights = good ? dispatch_setup_platform(&decider->setup, &platform) : NULL;
    if (good && decider->setup.work) {
        decider->work = platform.work;
        platform.work = (struct work){.tasks = 0};
    }
    platform_release(&platform);
    return decider->weights || failure_memory(failure, "starting a rule");
}

/* Takes the weights of a star's or group's part. */
static bool part_weigh(struct decider *decider, const struct decider_request *request,
                       const struct task_weights *all)
{
    const struct plan *plan = request->plan;
    struct task_range range = {(int64_t)plan->first, (int64_t)plan->tasks};
    struct plan_ranges ranges = {.items = NULL};
    if (request->whole->child_count > 0 &&
        !plan_ranges_group(request->whole, request->before, &ranges))
        return false;
    struct task_weights *own = weights_select(all, ranges.items ? ranges.items : &range,
                                              ranges.items ? (int64_t)ranges.count : 1);
    const bool good = own && work_copy(&decider->work, &own->work);
    weights_free(own);
    free(ranges.items);
    return good;
}

/* Takes the weights that are known without a profile; of several masters, those of this one's
 * part. */
static bool plan_weigh(struct decider *decider, const struct decider_request *request,
                       struct failure *failure)
{
    const struct plan *plan = request->plan, *whole = request->whole ? request->whole : plan;
    const struct task_weights *all = whole->weights;
    if (!all || !work_differs(&all->work) || all->work.tasks != (int64_t)whole->tasks)
        return true;
    const bool good =
        plan == whole ? work_copy(&decider->work, &all->work) : part_weigh(decider, request, all);
    return good || failure_memory(failure, "starting a rule");
}

/* Prepares the decisions of all stars. */
static bool stars_make(struct decider *decider, const struct decider_request *request,
                       const struct profile_setting *setting, struct failure *failure)
{
    const struct stars_request asked = {.watching = {.plan = request->whole,
                                                     .setting = setting,
                                                     .tolerance = request->replan,
                                                     .tail = request->tail,
                                                     .ahead = request->ahead}};
    struct simulation expected;
    const struct plan_prediction *planned = &request->whole->predicted;
    if (request->before > 0)
        return true;
    if (planned->known && !request->replan && plan_tail_own(request->whole, request->tail)) {
        decider->expected_s = planned->makespan_s;
        return true;
    }
    if (!stars_expect(&asked, NULL, &expected, failure))
        return false;
    decider->expected_s = expected.makespan_s;
    return true;
}

static bool watching_make(struct decider *decider, const struct decider_request *request,
                          const struct profile_setting *setting, struct failure *failure)
{
    const struct watching_request wanted = {.plan = request->plan,
                                            .setting = setting,
                                            .workers = request->workers,
                                            .tolerance = request->replan,
                                            .tail = request->tail,
                                            .ahead = request->ahead};
    struct simulation expected;
    decider->watches = watching_init(&decider->watching, &wanted, failure);
    decider->largest = decider->watching.largest;
    if (!decider->watches || !watching_expect(&decider->watching, NULL, &expected, failure))
        return false;
    decider->expected_s = expected.makespan_s;
    decider->watching.watch.clock = clock_now;
    return true;
}

/* Takes what the setting's workers are known to need. */
static bool setting_use(struct decider *decider, const struct decider_request *request,
                        const struct profile_setting *setting, struct failure *failure)
{
    if (request->heads)
        return true;
    return decider->by_rule ? setup_measured(decider, setting, failure)
                            : watching_make(decider, request, setting, failure);
}

/* Takes the setting; of several masters, the workers of this one. */
static bool part_use(struct decider *decider, const struct decider_request *request,
                     const struct profile_setting *setting, struct failure *failure)
{
    struct setting_part part;
    const bool taken =
        request->whole->child_count > 0
            ? setting_part_group(&part, setting, request->before, request->workers, request->whole)
            : setting_part_star(&part, setting, request->before, request->workers, request->plan);
    if (!taken)
        return failure_memory(failure, "preparing one of several masters");
    const bool good = setting_use(decider, request, &part.setting, failure) &&
                      (decider->by_rule || stars_make(decider, request, setting, failure));
    setting_part_release(&part);
    return good;
}

static bool profile_use(struct decider *decider, const struct decider_request *request,
                        struct failure *failure)
{
    const struct plan *plan = request->whole ? request->whole : request->plan;
    const bool more =
        request->joins || request->whole; /* perhaps more workers than the profile has */
    struct plan_profile seen;
    const bool good =
        plan_profile_init(&seen, request->profile, plan, failure) &&
        (!more || beyond_extend(&seen.profile, request->before + request->workers, 0, failure)) &&
        (request->whole ? part_use(decider, request, seen.setting, failure)
                        : setting_use(decider, request, seen.setting, failure));
    plan_profile_release(&seen);
    return good;
}

bool decider_init(struct decider *decider, const struct decider_request *request,
                  struct failure *failure)
{
    const struct plan *plan = request->plan;
    *decider =
        (struct decider){.plan = plan, .by_rule = request->rule != NULL, .before = request->before};
    decider->largest =
        request->surveyed_most > 0 ? request->surveyed_most : (int64_t)plan_largest_load(plan);
    if (!decider->by_rule && !request->replan && !request->tail)
        return true;
    if (request->heads && decider->by_rule) {
        decider->by_rule = false;
        return dispatch_rule_check(request->rule, failure);
    }
    if (!decider->by_rule && plan->own.tasks > 0)
        return failure_set(failure, FAILURE_USAGE,
                           "the plan has the master compute, as it was planned: leave %s out, or "
                           "plan without --master-computes",
                           request->replan ? "--replan" : "--tail");
    if (!decider->by_rule && !request->profile)
        return failure_set(failure, FAILURE_USAGE,
                           "--replan and --tail, or the plan's own tail, need the profile that the "
                           "plan was made from: name it with -p PROFILE");
    if (!decider->by_rule)
        return profile_use(decider, request, failure);
    const int64_t tasks = (int64_t)plan->tasks;
    const int64_t even = (tasks + request->workers - 1) / request->workers;
    decider->setup = (struct dispatch_setup){.rule = request->rule,
                                             .tasks = tasks,
                                             .workers = request->workers,
                                             .ahead = request->ahead,
                                             .closed = request->counted,
                                             .least = 1,
                                             .most = even,
                                             .first = (int64_t)plan->first,
                                             .before = (int64_t)plan->first};
    if (request->profile && !profile_use(decider, request, failure))
        return false;
    if (!request->profile && !plan_weigh(decider, request, failure))
        return false;
    decider->setup.work = decider->work.tasks > 0 ? &decider->work : NULL;
    decider->largest = decider->setup.most;
    return dispatch_rule_check(request->rule, failure);
}

void decider_release(struct decider *decider)
{
    free(decider->weights);
    work_release(&decider->work);
    if (decider->watches)
        watching_release(&decider->watching);
    *decider = (struct decider){.plan = NULL};
}

void decider_note(const struct decider *decider, const char *command)
{
    struct text note = TEXT_INIT;
    if (decider->by_rule)
        dispatch_rule_note(&decider->setup, &note);
    if (note.length > 0)
        fprintf(stderr, "%s: %s\n", command, note.bytes);
    text_release(&note);
}

static struct dispatch *rule_new(const struct dispatch_setup *setup,
                                 const struct deadline_setup *parts, struct failure *failure)
{
    struct dispatch *rule = dispatch_new_rule(setup, failure);
    if (!rule || !parts || !parts->cost)
        return rule;
    rule = dispatch_new_rule_parts(rule, setup, parts);
    if (!rule)
        failure_memory(failure, "starting a rule");
    return rule;
}

struct dispatch *decider_dispatch(const struct decider *decider, const struct deadline_setup *parts,
                                  struct failure *failure)
{
    struct dispatch *dispatch = NULL;
    if (decider->setup.closed)
        dispatch = dispatch_new_list(NULL, 0, decider->setup.workers, 1);
    else if (decider->by_rule)
        return rule_new(&decider->setup, parts, failure);
    if (decider->watches) {
        const struct scenario usual = SCENARIO_INIT;
        return decision_dispatch(&decider->watching.decision, &decider->watching.platform, &usual,
                                 failure);
    }
    if (!decider->by_rule)
        dispatch = parts && parts->cost ? dispatch_new_parts(decider->plan, parts)
                                        : dispatch_new_plan(decider->plan);
    if (!dispatch)
        failure_memory(failure, "starting the plan");
    return dispatch;
}

void decider_tell(const struct decider *decider, const struct dispatch *dispatch, char **lines,
                  char **json)
{
    struct text told = TEXT_INIT, listed = TEXT_INIT;
    const struct dispatch *watch =
        decider->watches ? watching_watch(&decider->watching, dispatch) : NULL;
    *lines = *json = NULL;
    if (!watch)
        return;
    watching_tell(watch, decider->begun_s, decider->before, &told);
    watching_json(watch, decider->begun_s, decider->before, &listed);
    *lines = text_take(&told);
    *json = text_take(&listed);
}
