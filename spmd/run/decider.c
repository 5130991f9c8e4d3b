#include "spmd/run/decider.h"

#include <stdlib.h>
#include <string.h>

#include "planner/files/profile_json.h"
#include "planner/model/profile.h"

/* Weights, overhead and package sizes as the profile has them. */
static bool setup_measured(struct decider *decider, const struct profile *profile,
                           struct failure *failure)
{
    const struct plan *plan = decider->plan;
    const struct profile_setting *setting = profile_find(profile, &plan->parameters, plan->threads);
    struct platform platform;
    if (!setting)
        return failure_set(failure, FAILURE_MISMATCH,
                           "the profile has no setting with the plan's parameters: plan again with "
                           "this profile");
    if (!platform_init(&platform, setting, 0, failure))
        return false;
    decider->weights = dispatch_setup_platform(&decider->setup, &platform);
    platform_release(&platform);
    return decider->weights || failure_memory(failure, "starting a rule");
}

static bool setup_fill(struct decider *decider, const char *profile_text, struct failure *failure)
{
    struct profile profile;
    if (!profile_text)
        return true;
    if (!profile_parse(&profile, profile_text, strlen(profile_text), "the profile", failure))
        return false;
    const bool good = setup_measured(decider, &profile, failure);
    profile_release(&profile);
    return good;
}

bool decider_init(struct decider *decider, const struct decider_request *request,
                  struct failure *failure)
{
    const struct plan *plan = request->plan;
    *decider = (struct decider){.plan = plan, .by_rule = request->rule != NULL};
    decider->largest = (int64_t)plan_largest_load(plan);
    if (!decider->by_rule)
        return true;
    const int64_t tasks = (int64_t)plan->tasks;
    const int64_t even = (tasks + request->workers - 1) / request->workers;
    decider->setup = (struct dispatch_setup){.rule = request->rule,
                                             .tasks = tasks,
                                             .workers = request->workers,
                                             .ahead = request->ahead,
                                             .least = 1,
                                             .most = even};
    if (!setup_fill(decider, request->profile_text, failure))
        return false;
    decider->largest = decider->setup.most;
    struct dispatch *trial =
        dispatch_new_rule(&decider->setup, failure); /* is there such a rule? */
    dispatch_free(&trial);
    return failure->code == FAILURE_NONE;
}

void decider_release(struct decider *decider)
{
    free(decider->weights);
    *decider = (struct decider){.plan = NULL};
}

struct dispatch *decider_dispatch(const struct decider *decider, struct failure *failure)
{
    struct dispatch *dispatch = NULL;
    if (decider->by_rule)
        return dispatch_new_rule(&decider->setup, failure);
    dispatch = dispatch_new_plan(decider->plan);
    if (!dispatch)
        failure_memory(failure, "starting the plan");
    return dispatch;
}
