#include "spmd/run/one_master.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "planner/base/text.h"
#include "planner/files/plan_profile.h"
#include "planner/model/plan_join.h"
#include "planner/model/plan_rest_master.h"
#include "planner/model/platform.h"
#include "planner/simulate/simulate.h"

/* Nothing is predicted where there is no profile, or it does not know such packages. */
static void predict(struct documents *documents)
{
    const struct profile *profile = documents_profile(documents);
    struct plan *plan = &documents->plan;
    struct plan_profile seen = {.setting = NULL};
    struct platform platform = {.window_count = 0};
    struct simulation simulation;
    struct failure unknown = FAILURE_INIT;
    if (profile && plan_profile_init(&seen, profile, plan, &unknown) &&
        platform_init(&platform, seen.setting, 0, &unknown) &&
        platform_map(&platform, seen.setting, plan->tasks, &unknown) &&
        simulate_plan(&platform, plan, NULL, &simulation, &unknown))
        plan->predicted =
            (struct plan_prediction){.known = true, .makespan_s = simulation.makespan_s};
    platform_release(&platform);
    if (profile)
        plan_profile_release(&seen);
}

/* Adds to the sentence what that is expected to take. */
static void tell(const struct documents *documents, const struct one_master *one, double planned_s,
                 struct text *text)
{
    const struct plan_prediction *predicted = &documents->plan.predicted;
    if (predicted->known && planned_s > 0 && !one->by_rule) {
        text_add(text, ", which is expected to take ");
        text_add_seconds(text, predicted->makespan_s);
        text_add(text, " in place of ");
        text_add_seconds(text, planned_s);
    }
    if (text->bytes)
        fprintf(stderr, "%s\n", text->bytes);
    text_release(text);
}

bool one_master_take(struct documents *documents, const struct one_master *one,
                     struct failure *failure)
{
    struct plan *plan = &documents->plan;
    const bool tree = plan->child_count > 0;
    const size_t masters = tree ? plan_groups(plan) + 1 : plan_masters(plan);
    const double planned_s = plan->predicted.known ? plan->predicted.makespan_s : 0;
    if (masters < 2 || !one->what)
        return true;
    if (!plan_join(plan))
        return failure_memory(failure, "making a plan one of a single master");
    predict(documents);
    struct text text = TEXT_INIT;
    if (one->says) {
        text_add(&text, "%s: %s: has %zu masters %s, and %s is for one: rank 0 sends all packages",
                 one->command, one->plan_name, masters, tree ? "in a tree" : "side by side",
                 one->what);
        tell(documents, one, planned_s, &text);
    }
    return documents_renew(documents, failure);
}

bool one_master_rest(struct documents *documents, const struct one_master *one,
                     struct failure *failure)
{
    struct plan *plan = &documents->plan;
    const double planned_s = plan->predicted.known ? plan->predicted.makespan_s : 0;
    const int64_t tasks = (int64_t)plan->own.tasks;
    struct text text = TEXT_INIT;
    if (tasks == 0 || !one->what)
        return true;
    if (!plan_rest_master(plan))
        return failure_memory(failure, "making a plan one whose master does not compute");
    predict(documents);
    if (one->says) {
        text_add(&text,
                 "%s: %s: has the master compute %" PRId64
                 " core tasks, and %s takes all of it: workers get them",
                 one->command, one->plan_name, tasks, one->what);
        tell(documents, one, planned_s, &text);
    }
    return documents_renew(documents, failure);
}
