#include "tests/faults/decides.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "planner/dispatch/survey.h"
#include "planner/files/plan_json.h"
#include "tests/faults/world.h"

/* ---- plans ----------------------------------------------------------------------------------- */

/* Gives loads to these workers in turn; `left` is what is not assigned yet. */
static void round_fill(struct plan_round *round, int64_t repeat, int64_t load, int64_t workers,
                       int64_t *left)
{
    round->repeat = repeat;
    round->loads = calloc((size_t)workers, sizeof *round->loads);
    for (int64_t k = 0; k < workers; k++) {
        const int64_t mine = load < *left ? load : *left;
        round->loads[k] = (double)mine;
        *left -= repeat * mine;
    }
}

/* Equal packages, round after round; the last round has what is left. */
static void rounds_fill(struct plan *plan, int64_t tasks, int64_t largest)
{
    const int64_t whole = tasks / (largest * plan->worker_count);
    int64_t left = tasks;
    plan->tasks = (double)tasks;
    plan->rounds = calloc(2, sizeof *plan->rounds);
    if (whole > 0)
        round_fill(&plan->rounds[plan->round_count++], whole, largest, plan->worker_count, &left);
    if (left > 0)
        round_fill(&plan->rounds[plan->round_count++], 1, largest, plan->worker_count, &left);
}

static void plan_fill(struct plan *plan, int64_t tasks, int workers, int64_t largest)
{
    plan->worker_count = workers;
    plan->workers = calloc((size_t)workers, sizeof *plan->workers);
    for (int worker = 0; worker < workers; worker++)
        plan->workers[worker] = worker;
    rounds_fill(plan, tasks, largest);
}

/* ---- orders ------------------------------------------------------------------------------------
 */

struct order order_draw(int64_t tasks)
{
    struct dice own = {world.dice.state ^ 0x6f72646572u}, *dice = &own;
    struct order order = {.tasks = tasks, .stride = 1};
    if (!dice_hit(dice, 0.4))
        return order;
    order.kind = dice_hit(dice, 0.5) ? ORDER_STRIDE : ORDER_RANDOM;
    order.stride = 1 + (int64_t)dice_below(dice, (uint64_t)tasks);
    order.seed = dice_below(dice, 1000);
    return order;
}

/* ---- watching -------------------------------------------------------------------------------- */

/* The living workers share what is left, in packages of another size. */
static bool plan_anew(const void *self, const struct watch_remaining *remaining,
                      struct watch_answer *answer)
{
    const struct decides *decides = self;
    struct plan *plan = &answer->plan;
    plan->workers = calloc((size_t)remaining->workers, sizeof *plan->workers);
    for (int64_t k = 0; k < remaining->workers; k++)
        if (!remaining->states[k].lost)
            plan->workers[plan->worker_count++] = k;
    if (plan->worker_count == 0)
        return false;
    rounds_fill(plan, remaining->tasks,
                1 + (int64_t)dice_below(&world.dice, (uint64_t)decides->setup.largest));
    const double rest_s = (double)remaining->tasks * decides->setup.mean_s;
    answer->kept_end_s = remaining->now_s + rest_s;
    answer->end_s = remaining->now_s + rest_s * dice_between(&world.dice, 0.3, 1.1);
    return true;
}

/* All workers are alike, and only computing takes time. */
static void platform_fill(struct platform *platform, const struct decides_setup *setup)
{
    struct platform_class *class = calloc(1, sizeof *class);
    platform->windows = calloc(1, sizeof *platform->windows);
    *class =
        (struct platform_class){.count = setup->workers, .compute = {.s_per_task = setup->mean_s}};
    platform->windows[0] = (struct platform_window){
        .least = 1, .greatest = setup->tasks, .classes = class, .class_count = 1};
    platform->window_count = 1;
    platform->worker_count = setup->workers;
    platform->buffers = PLATFORM_BUFFERS;
}

/* ---- what decides about so many tasks -------------------------------------------------------- */

static struct dispatch *plan_dispatch(struct decides *decides, int64_t tasks)
{
    const struct decides_setup *setup = &decides->setup;
    struct failure failure = FAILURE_INIT;
    if (setup->plan) {
        if (!plan_parse(&decides->plan, setup->plan, strlen(setup->plan), "plan", &failure))
            world_wrong("%s", failure.text);
        return dispatch_new_plan(&decides->plan);
    }
    const bool shared = !setup->watched && !setup->surveyed;
    const int64_t own = shared ? (int64_t)((double)tasks * setup->master_share) : 0;
    plan_fill(&decides->plan, tasks - own, setup->workers, setup->largest);
    decides->plan.tasks = (double)tasks;
    decides->plan.own = (struct plan_master){(double)own, setup->mean_s};
    if (!setup->watched)
        return dispatch_new_plan(&decides->plan);
    platform_fill(&decides->platform, setup);
    const struct watch_setup watch = {.plan = &decides->plan,
                                      .platform = &decides->platform,
                                      .workers = setup->workers,
                                      .tolerance = 0.1,
                                      .deviation = 0.05,
                                      .planner = {plan_anew, decides}};
    return dispatch_new_watch(&watch);
}

struct dispatch_setup decides_rule(const struct decides_setup *setup, int64_t tasks)
{
    return (struct dispatch_setup){.rule = setup->rule,
                                   .tasks = tasks,
                                   .workers = setup->workers,
                                   .ahead = setup->ahead,
                                   .overhead_s = 0.01,
                                   .deviation_s = 0.01,
                                   .least = 1,
                                   .most = setup->largest,
                                   .closed = setup->counted};
}

static struct deadline_cost package_cost(const void *self, int64_t worker, int64_t tasks)
{
    const struct decides *decides = self;
    (void)worker;
    return (struct deadline_cost){0, (double)tasks * decides->setup.mean_s};
}

static struct deadline_setup costs_of(const struct decides *decides)
{
    return (struct deadline_setup){.margin = DISPATCH_COPY_MARGIN,
                                   .cost = package_cost,
                                   .self = decides,
                                   .workers = decides->setup.workers};
}

static struct dispatch *rule_dispatch(const struct decides *decides, int64_t tasks,
                                      struct failure *failure)
{
    const struct dispatch_setup rule = decides_rule(&decides->setup, tasks);
    const struct deadline_setup costs = costs_of(decides);
    struct dispatch *dispatch = dispatch_new_rule(&rule, failure);
    return decides->setup.copies ? dispatch_new_rule_parts(dispatch, &rule, &costs) : dispatch;
}

/* NULL: the survey assigns what it leaves on request. */
static struct dispatch *survey_plan(void *self, const struct survey_remaining *remaining)
{
    struct decides *decides = self;
    struct failure failure = FAILURE_INIT;
    if (remaining->tasks == 0 || dice_hit(&world.dice, 0.2))
        return NULL;
    world_say("%" PRId64 " core tasks are planned after %" PRId64 " probes", remaining->tasks,
              remaining->probes);
    return decides->setup.rule ? rule_dispatch(decides, remaining->tasks, &failure)
                               : plan_dispatch(decides, remaining->tasks);
}

static struct dispatch *tasks_dispatch(struct decides *decides, int64_t tasks,
                                       struct failure *failure)
{
    const struct decides_setup *setup = &decides->setup;
    const struct survey_setup survey = {.tasks = tasks,
                                        .workers = setup->workers,
                                        .most = setup->largest,
                                        .seed = 1,
                                        .planner = {.plan = survey_plan, .self = decides}};
    if (tasks == 0 || setup->counted)
        return dispatch_new_list(NULL, 0, setup->workers, 1);
    if (setup->surveyed)
        return dispatch_new_survey(&survey);
    return setup->rule ? rule_dispatch(decides, tasks, failure) : plan_dispatch(decides, tasks);
}

int64_t decides_assigned(const struct decides_setup *setup)
{
    const struct remaining *remaining = setup->remaining;
    return remaining ? remaining->left - remaining->suspect_tasks : setup->tasks;
}

void decides_count(struct decides_counted *counted, const struct decides_setup *setup)
{
    const struct remaining *remaining = setup->remaining;
    counted->rule = decides_rule(setup, decides_assigned(setup));
    counted->whole = (struct task_range){0, setup->tasks};
    counted->counted = (struct counted){.counter = &counted->counter,
                                        .setup = &counted->rule,
                                        .ranges = remaining ? remaining->ranges : &counted->whole,
                                        .range_count = remaining ? remaining->range_count : 1};
}

struct dispatch *decides_make(struct decides *decides, const struct decides_setup *setup,
                              struct failure *failure)
{
    const struct remaining *remaining = setup->remaining;
    *decides = (struct decides){.setup = *setup};
    const int64_t assigned = decides_assigned(setup);
    struct dispatch *dispatch = tasks_dispatch(decides, assigned, failure);
    if (remaining && assigned > 0)
        dispatch = dispatch_new_ranges(dispatch, remaining->ranges, remaining->range_count,
                                       setup->workers);
    dispatch = dispatch_new_recovery(dispatch, setup->workers);
    dispatch_recovery_limit(dispatch, setup->largest);
    if (setup->keeps)
        dispatch_recovery_keep(dispatch);
    const struct deadline_setup copying = costs_of(decides);
    if (setup->copies)
        dispatch_recovery_copy(dispatch, &copying);
    for (int64_t k = 0; remaining && k < remaining->suspect_count; k++)
        dispatch_recovery_suspect(dispatch, remaining->suspects[k].range,
                                  remaining->suspects[k].losses);
    return dispatch;
}

void decides_release(struct decides *decides)
{
    plan_release(&decides->plan);
    platform_release(&decides->platform);
}
