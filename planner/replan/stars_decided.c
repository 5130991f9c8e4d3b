#include "planner/replan/stars_decided.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

#include "planner/base/json_text.h"
#include "planner/simulate/tree.h"

bool stars_decide(const struct stars_request *request)
{
    return request->rule || request->watching.tolerance || request->watching.tail;
}

/* ---- a star ---------------------------------------------------------------------------------- */

static void star_release(struct star_decided *star)
{
    watching_release(&star->watching);
    setting_part_release(&star->part);
    platform_release(&star->platform);
    free(star->weights);
    free(star->plan.workers);
}

/* Takes the star's plan and workers, numbered as its master counts them. */
static bool star_take(struct star_decided *star, const struct stars_request *request, int k,
                      int64_t workers, struct failure *failure)
{
    const struct plan *plan = plan_leaf(request->watching.plan, (size_t)k);
    star->plan = *plan;
    star->plan.workers = calloc((size_t)plan->worker_count, sizeof *star->plan.workers);
    if (!star->plan.workers)
        return failure_memory(failure, "starting several masters");
    for (int64_t slot = 0; slot < plan->worker_count; slot++)
        star->plan.workers[slot] = plan->workers[slot] - plan->master;
    const struct profile_setting *setting = request->watching.setting;
    return (request->watching.plan->child_count > 0
                ? setting_part_group(&star->part, setting, plan->master, workers,
                                     request->watching.plan)
                : setting_part_star(&star->part, setting, plan->master, workers, plan)) ||
           failure_memory(failure, "starting several masters");
}

static bool rule_make(struct star_decided *star, const struct stars_request *request,
                      struct failure *failure)
{
    const struct profile_setting *setting = &star->part.setting;
    struct platform *platform = &star->platform;
    star->setup = (struct dispatch_setup){.rule = request->rule,
                                          .tasks = (int64_t)star->plan.tasks,
                                          .ahead = request->watching.ahead,
                                          .first = (int64_t)star->plan.first,
                                          .before = (int64_t)star->plan.first};
    star->by_rule = (struct decision){.setup = &star->setup};
    if (!dispatch_rule_check(request->rule, failure) ||
        !platform_init(platform, setting, 0, failure) ||
        !platform_map(platform, setting, star->plan.tasks, failure))
        return false;
    star->setup.workers = platform->worker_count;
    star->weights = dispatch_setup_platform(&star->setup, platform);
    if (star->weights)
        star->setup.deviation_s = request->watching.noise / star->weights[0];
    return star->weights || failure_memory(failure, "starting a rule");
}

static bool star_watch(struct star_decided *star, const struct stars_request *request,
                       struct failure *failure)
{
    struct watching_request own = request->watching;
    own.plan = &star->plan;
    own.setting = &star->part.setting;
    own.workers = 0;
    return watching_init(&star->watching, &own, failure);
}

static struct decision decision_of(const struct star_decided *star)
{
    return star->by_rule.setup ? star->by_rule : star->watching.decision;
}

/* ---- all of them ----------------------------------------------------------------------------- */

static int64_t ranks_of(const struct watching_request *request)
{
    const int64_t there = profile_workers(&request->setting->windows[0]);
    return (request->workers > 0 && request->workers < there ? request->workers : there) + 1;
}

static bool star_make(struct stars_decided *decided, const struct stars_request *request, int k,
                      struct failure *failure)
{
    struct star_decided *star = &decided->stars[k];
    const struct plan *plan = plan_leaf(decided->plan, (size_t)k);
    const int64_t workers =
        plan_workers_behind(decided->plan, plan->master, ranks_of(&request->watching));
    if (plan_workers_needed(plan) > plan->master + workers || workers < 1)
        return failure_set(failure, FAILURE_MISMATCH,
                           "the plan needs %" PRId64 " workers, and there are %" PRId64
                           ": plan again with fewer",
                           plan_workers_needed(decided->plan), ranks_of(&request->watching) - 1);
    if (!star_take(star, request, k, workers, failure) ||
        !(request->rule ? rule_make(star, request, failure) : star_watch(star, request, failure)))
        return false;
    decided->decisions[k] = decision_of(star);
    return true;
}

bool stars_decided_init(struct stars_decided *decided, const struct stars_request *request,
                        struct failure *failure)
{
    const size_t count = plan_leaves(request->watching.plan);
    *decided = (struct stars_decided){.plan = request->watching.plan};
    decided->stars = calloc(count, sizeof *decided->stars);
    decided->decisions = calloc(count, sizeof *decided->decisions);
    if (!decided->stars || !decided->decisions) {
        stars_decided_release(decided);
        return failure_memory(failure, "starting several masters");
    }
    bool good = true;
    while (good && decided->count < count)
        good = star_make(decided, request, (int)decided->count++, failure);
    if (!good)
        stars_decided_release(decided);
    return good;
}

void stars_decided_release(struct stars_decided *decided)
{
    for (size_t k = 0; k < decided->count; k++)
        star_release(&decided->stars[k]);
    free(decided->stars);
    free(decided->decisions);
    *decided = (struct stars_decided){.stars = NULL};
}

int64_t stars_decided_tail(const struct stars_decided *decided)
{
    int64_t tasks = 0;
    for (size_t k = 0; k < decided->count; k++)
        tasks += decided->stars[k].watching.tail.setup.tasks;
    return tasks;
}

/* ---- simulated ------------------------------------------------------------------------------- */

void stars_told_release(struct stars_told *told)
{
    text_release(&told->lines);
    free(told->replanned);
    moves_list_release(&told->moves);
}

struct telling {
    const struct stars_decided *decided;
    struct stars_told *told;
};

static void star_tell(void *self, int k, const struct dispatch *dispatch)
{
    const struct telling *telling = self;
    const struct star_decided *star = &telling->decided->stars[k];
    const struct dispatch *watch =
        star->by_rule.setup ? NULL : watching_watch(&star->watching, dispatch);
    struct text listed = TEXT_INIT;
    if (!watch)
        return;
    watching_tell(watch, 0, star->plan.master, &telling->told->lines);
    watching_json(watch, 0, star->plan.master, &listed);
    json_array_join(&telling->told->replanned, text_take(&listed));
}

bool stars_decided_simulate(const struct stars_decided *decided, const struct platform *platform,
                            const struct scenario *scenario, struct trace *trace,
                            struct stars_told *told, struct simulation *simulation,
                            struct failure *failure)
{
    struct telling telling = {decided, told};
    const struct tree_setup tree = {.platform = platform,
                                    .plan = decided->plan,
                                    .decisions = decided->decisions,
                                    .scenario = scenario,
                                    .decided = decided->stars ? star_tell : NULL,
                                    .self = &telling};
    const struct stars_setup setup = {.platform = platform,
                                      .plan = decided->plan,
                                      .decisions = decided->decisions,
                                      .scenario = scenario,
                                      .decided = decided->stars ? star_tell : NULL,
                                      .self = &telling};
    assert(decided->plan); /* a plan of several masters */
    if (decided->plan->child_count > 0)
        return simulate_tree(&tree, trace, simulation, failure);
    return simulate_stars(&setup, trace, &told->moves, simulation, failure);
}

bool stars_expect(const struct stars_request *request, struct trace *trace,
                  struct simulation *simulation, struct failure *failure)
{
    const struct watching_request *asked = &request->watching;
    const struct scenario usual = SCENARIO_INIT;
    struct platform platform = {.windows = NULL};
    struct stars_decided decided;
    struct stars_told told = {.lines = TEXT_INIT};
    if (!stars_decided_init(&decided, request, failure))
        return false;
    bool good = platform_init(&platform, asked->setting, asked->workers, failure) &&
                platform_map(&platform, asked->setting, asked->plan->tasks, failure);
    platform.buffers = plan_buffers(asked->plan);
    good = good &&
           stars_decided_simulate(&decided, &platform, &usual, trace, &told, simulation, failure);
    stars_told_release(&told);
    platform_release(&platform);
    stars_decided_release(&decided);
    return good;
}
