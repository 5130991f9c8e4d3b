#include "spmd/resume/remaining_plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/files/plan_json.h"
#include "planner/files/profile_json.h"
#include "planner/model/beyond.h"

/* Gives loads of `size` to one worker after the other, as far as `tasks` suffice. */
static bool round_fill(struct plan_round *round, int64_t repeat, int64_t workers, int64_t size,
                       int64_t tasks)
{
    *round = (struct plan_round){repeat, calloc((size_t)workers, sizeof(double))};
    for (int64_t w = 0; round->loads && w < workers; w++) {
        const int64_t load = tasks < size ? tasks : size;
        round->loads[w] = (double)load;
        tasks -= load;
    }
    return round->loads != NULL;
}

/* Removes rounds, and masters where there were several. */
static void rounds_drop(struct plan *plan)
{
    for (size_t r = 0; r < plan->round_count; r++)
        free(plan->rounds[r].loads);
    free(plan->rounds);
    free(plan->workers);
    free(plan->scheduler);
    for (size_t k = 0; k < plan->star_count; k++)
        plan_release(&plan->stars[k]);
    for (size_t k = 0; k < plan->child_count; k++)
        plan_release(&plan->children[k]);
    free(plan->stars);
    free(plan->children);
    plan->stars = plan->children = NULL;
    plan->star_count = plan->child_count = 0;
    plan->rounds = NULL;
    plan->workers = NULL;
    plan->round_count = 0;
}

static bool rounds_even(struct plan *plan, const struct remaining_request *request)
{
    const int64_t workers = request->workers, tasks = request->tasks;
    const int64_t most = (int64_t)fmax(1, floor(plan_largest_load(request->plan)));
    const int64_t even = (tasks + workers - 1) / workers, size = even < most ? even : most;
    const int64_t full = tasks / (size * workers), left = tasks - full * size * workers;
    plan->workers = calloc((size_t)workers, sizeof *plan->workers);
    plan->rounds = calloc(2, sizeof *plan->rounds);
    bool good = plan->workers && plan->rounds;
    for (int64_t w = 0; good && w < workers; w++)
        plan->workers[w] = w;
    plan->worker_count = workers;
    if (good && full > 0)
        good = round_fill(&plan->rounds[plan->round_count++], full, workers, size, size * workers);
    if (good && left > 0)
        good = round_fill(&plan->rounds[plan->round_count++], 1, workers, size, left);
    return good;
}

static bool plan_even(const struct remaining_request *request, const struct task_weights *weights,
                      struct plan *plan)
{
    if (!plan_copy(plan, request->plan)) {
        plan_release(plan);
        return false;
    }
    rounds_drop(plan);
    weights_free(plan->weights);
    plan->weights = weights ? weights_copy(weights) : NULL;
    plan->scheduler = strdup("even");
    plan->tasks = (double)request->tasks;
    plan->own = (struct plan_master){0, 0};
    plan->predicted = (struct plan_prediction){.known = false};
    const bool good = plan->scheduler && (plan->weights || !weights) && rounds_even(plan, request);
    if (!good)
        plan_release(plan);
    return good;
}

char *remaining_plan(const struct remaining_request *request, const struct profile *profile,
                     struct failure *failure)
{
    struct remaining_request with = *request;
    struct failure useless = FAILURE_INIT;
    struct profile extended = {0};
    struct task_weights *weights = remaining_weights(request);
    struct plan plan;
    char *text = NULL;
    if (profile && profile_copy(&extended, profile) &&
        beyond_follow(&extended, request->plan, &useless) &&
        beyond_extend(&extended, request->workers, 0, &useless)) {
        profile_weigh(&extended, weights);
        profile_operate(&extended, request->plan->operating);
        with.profile = &extended;
    }
    if (remaining_measured(&with, &plan) || plan_even(&with, weights, &plan)) {
        text = plan_print(&plan);
        plan_release(&plan);
    }
    if (!text)
        failure_memory(failure, "planning what is left");
    profile_release(&extended);
    weights_free(weights);
    return text;
}
