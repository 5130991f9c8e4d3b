/* Weights of core tasks: what a plan keeps of them, and what they explain of the spread. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "planner/files/plan_json.h"
#include "planner/files/profile_json.h"
#include "planner/replan/watching.h"
#include "planner/schedulers/bounds/bound_unequal.h"
#include "planner/simulate/simulate.h"
#include "planner/studies/planning.h"
#include "tests/checks.h"
#include "tests/planner/samples.h"

#define CLOSE(a, b) (fabs((a) - (b)) < 1e-9)

static const char digest[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

static void known_differences_are_no_spread(void **state)
{
    (void)state;
    static const double items[] = {1, 3};
    struct task_weights *weights = weights_new("w", digest, items, 2);
    struct spread spreads[] = {{1, 0.6}, {4, 0.2}};
    struct profile_setting setting = {.spreads = spreads, .spread_count = 2};
    assert_true(CLOSE(weights->deviation, 0.5));
    assert_true(CLOSE(profile_setting_deviation(&setting, 1), 0.6));
    setting.weights = weights;
    assert_true(CLOSE(profile_setting_deviation(&setting, 1), sqrt(0.36 - 0.25)));
    assert_true(CLOSE(profile_setting_deviation(&setting, 4), 0));
    weights_free(weights);
}

/* Of random workers; to be released with the plan. */
static struct planning planning_begin(uint64_t seed, const struct task_weights *weights,
                                      struct profile *profile)
{
    struct dice dice = {seed};
    sample_profile(&dice, 4, 1, profile);
    profile_weigh(profile, weights);
    return (struct planning){.profile = profile,
                             .setting = &profile->settings[0],
                             .scheduler = "auto",
                             .tasks = (double)weights->work.tasks,
                             .effort_s = 0.1};
}

/* Way and computing of x core tasks that are worth v, and of which b is sent: envelope b / 2, send
 * 1/4, link 1 + b, receive b / 2, compute v. */
static const char sending[] =
    "{\"schema\": \"scow-profile-1\", \"kernel\": \"sleep\", \"settings\": [{\"windows\": [{"
    "\"tasks\": [1, 10], \"envelope\": {\"latency_s\": 0, \"s_per_task\": 0.5}, "
    "\"send\": {\"latency_s\": 0.25, \"s_per_task\": 0}, \"workers\": [{\"count\": 2, "
    "\"link\": {\"latency_s\": 1, \"s_per_task\": 1}, "
    "\"receive\": {\"latency_s\": 0, \"s_per_task\": 0.5}, "
    "\"compute\": {\"latency_s\": 0, \"s_per_task\": 1}}]}]}]}";

#define PLAN_OF(weights)                                                                           \
    "{\"schema\": \"scow-plan-1\", \"kernel\": \"sleep\", \"scheduler\": \"hand\", \"tasks\": 4, " \
    "\"weights\": {\"source\": \"w\", \"sha256\": "                                                \
    "\"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\", "                       \
    "\"deviation\": 0" weights "}, \"workers\": [0, 1], "                                          \
    "\"rounds\": [{\"repeat\": 1, \"loads\": [2, 2]}]}"
#define WORK ", \"regions\": [[3, 1], [1, 5]]"
#define SENT                                                                                       \
    ", \"bytes\": {\"source\": \"b\", \"sha256\": "                                                \
    "\"abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789\", "                       \
    "\"deviation\": 0.5, \"regions\": [[2, 1], [2, 3]]}"

/* By hand. Of core tasks 0 and 1 1 is sent, of 2 and 3 3; they are worth 1 and 3, or 2 and 2. The
 * first package leaves the master at 1/2 + 1/4, is on the link until 2.75, received at 3.25. The
 * second leaves it at 0.75 + 1.5 + 1/4 = 2.5, waits for the port until 2.75, is on the link until
 * 6.75, received at 8.25. Where 2 is sent of both: at 1.25, 4.25, 5.25; 2.5, 4.25, 7.25, 8.25. */
static void transfers_take_what_is_sent(void **state)
{
    (void)state;
    static const struct {
        const char *plan;
        double first_s, last_s, master_s, port_s;
    } cases[] = {{PLAN_OF(WORK), 6.25, 11.25, 2.5, 6},
                 {PLAN_OF(WORK SENT), 4.25, 11.25, 2.5, 6},
                 {PLAN_OF(SENT), 5.25, 10.25, 2.5, 6}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct failure failure = FAILURE_INIT;
        struct profile profile;
        struct plan plan;
        struct platform platform;
        struct simulation simulation, simulated;
        const struct scenario scenario = SCENARIO_INIT;
        assert_true(profile_parse(&profile, sending, strlen(sending), "sending", &failure));
        assert_true(plan_parse(&plan, cases[k].plan, strlen(cases[k].plan), "plan", &failure));
        profile_weigh(&profile, plan.weights);
        assert_true(platform_init(&platform, &profile.settings[0], 0, &failure));
        assert_true(platform_map(&platform, &profile.settings[0], plan.tasks, &failure));
        assert_true(simulate_plan(&platform, &plan, NULL, &simulation, &failure));
        assert_true(CLOSE(simulation.earliest_end_s, cases[k].first_s));
        assert_true(CLOSE(simulation.makespan_s, cases[k].last_s));
        assert_true(CLOSE(simulation.master_busy_s, cases[k].master_s));
        assert_true(CLOSE(simulation.port_busy_s, cases[k].port_s));
        struct dispatch *dispatch = dispatch_new_plan(&plan);
        assert_true(simulate_scenario(&platform, dispatch, &scenario, NULL, &simulated, &failure));
        assert_true(CLOSE(simulated.makespan_s, cases[k].last_s));
        assert_true(CLOSE(simulated.earliest_end_s, cases[k].first_s));
        dispatch_free(&dispatch);
        platform_release(&platform);
        plan_release(&plan);
        profile_release(&profile);
    }
}

/* Of a part of a job of which twice as much is sent as of the job's mean core task, transfers cost
 * twice the rate; and what they cost before where nothing is known. */
static void parts_send_their_mean(void **state)
{
    (void)state;
    static const double sent[] = {0, 1, 2, 2, 0};
    const struct task_range range = {2, 2};
    struct failure failure = FAILURE_INIT;
    struct profile profile;
    struct task_weights *weights = weights_alike(5);
    weights->bytes = weights_new("b", digest, sent, 5);
    struct task_weights *part = weights_select(weights, &range, 1);
    assert_int_equal(part->bytes->work.tasks, 2);
    assert_true(CLOSE(part->bytes->mean, 2));
    assert_true(CLOSE(part->mean, 1));
    assert_true(profile_parse(&profile, sending, strlen(sending), "sending", &failure));
    const struct profile_window *window = &profile.settings[0].windows[0];
    profile_weigh(&profile, part);
    assert_true(CLOSE(window->envelope.cost.s_per_task, 1));
    assert_true(CLOSE(window->workers[0].link.cost.s_per_task, 2));
    assert_true(CLOSE(window->workers[0].link.cost.latency_s, 1));
    assert_true(CLOSE(window->workers[0].receive.cost.s_per_task, 1));
    assert_true(CLOSE(window->workers[0].compute.cost.s_per_task, 1));
    profile_weigh(&profile, NULL);
    assert_true(CLOSE(window->workers[0].link.cost.s_per_task, 1));
    profile_release(&profile);
    weights_free(part);
    weights_free(weights);
}

/* Random weights of both kinds, over several orders of magnitude, for so many core tasks. */
static struct task_weights *dice_weights(struct dice *dice, int64_t tasks)
{
    double *items = malloc((size_t)tasks * sizeof *items);
    const bool alike = dice_whole(dice, 0, 1) == 1;
    for (int64_t k = 0; k < tasks; k++)
        items[k] = dice_scale(dice, 0.001, 1000);
    struct task_weights *weights =
        alike ? weights_alike(tasks) : weights_new("w", digest, items, tasks);
    for (int64_t k = 0; k < tasks; k++)
        items[k] = dice_scale(dice, 0.001, 1000);
    weights->bytes = weights_new("b", digest, items, tasks);
    free(items);
    return weights;
}

/* No plan takes less than the bound, whatever is sent of which core task. */
static void bounds_hold_for_what_is_sent(void **state)
{
    (void)state;
    enum { SEEDS = 400, TASKS_MOST = 5000 };
    double nearest = HUGE_VAL;
    int simulated = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct dice dice = {seed};
        struct failure failure = FAILURE_INIT;
        struct profile profile;
        struct platform platform;
        struct plan plan;
        struct simulation simulation;
        double bound_s;
        sample_profile(&dice, 4, 1, &profile);
        sample_starts(&dice, &profile);
        assert_true(platform_init(&platform, &profile.settings[0], 0, &failure));
        sample_plan(&dice, platform.worker_count, false, &plan);
        if (plan.tasks <= TASKS_MOST) {
            struct task_weights *weights = dice_weights(&dice, (int64_t)plan.tasks);
            profile_weigh(&profile, weights);
            assert_true(platform_map(&platform, &profile.settings[0], plan.tasks, &failure));
            assert_true(simulate_plan(&platform, &plan, NULL, &simulation, &failure));
            assert_true(bound_unequal(&platform, plan.tasks, false, &bound_s, &failure));
            if (bound_s > simulation.makespan_s * (1 + 1e-9))
                fail_msg("seed %d: %.17g s is below the bound, %.17g s", (int)seed,
                         simulation.makespan_s, bound_s);
            nearest = fmin(nearest, simulation.makespan_s / bound_s);
            simulated++;
            weights_free(weights);
        }
        plan_release(&plan);
        platform_release(&platform);
        profile_release(&profile);
    }
    printf("%d of %d plans, the nearest %.3f of its bound\n", simulated, SEEDS, nearest);
    assert_true(simulated > SEEDS / 4);
    assert_true(nearest < 1.1);
}

/* What is given must be the same; what is not given may be anything. */
static void weights_are_compared_as_given(void **state)
{
    (void)state;
    static const double one[] = {1, 3}, other[] = {3, 1};
    static const char second[] = "abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789";
    struct task_weights *both = weights_new("w", digest, one, 2);
    both->bytes = weights_new("b", second, other, 2);
    struct task_weights *work = weights_new("w", digest, one, 2);
    struct task_weights *sent = weights_alike(2);
    sent->bytes = weights_new("b", second, other, 2);
    assert_true(weights_same(both, both) && weights_same(work, both) && weights_same(sent, both));
    assert_false(weights_same(both, work));
    assert_false(weights_same(sent, work));
    assert_false(weights_same(work, sent));
    assert_false(weights_same(both->bytes, both));
    weights_free(both);
    weights_free(work);
    weights_free(sent);
}

/* With a region for each core task, and with one for each package: simulated again, the plan takes
 * what was predicted. */
static void plans_keep_their_weights(void **state)
{
    (void)state;
    for (int64_t tasks = 300; tasks <= 30000; tasks *= 100) {
        struct dice dice = {7};
        double *items = malloc((size_t)tasks * sizeof *items);
        for (int64_t k = 0; k < tasks; k++)
            items[k] = dice_scale(&dice, 0.1, 10);
        struct task_weights *weights = weights_new("w.txt", digest, items, tasks);
        for (int64_t k = 0; k < tasks; k++)
            items[k] = dice_scale(&dice, 0.1, 10);
        weights->bytes = weights_new("b.txt", digest, items, tasks);
        struct profile profile;
        struct plan made, again, copy;
        struct simulation simulation;
        struct failure failure = FAILURE_INIT;
        const struct planning planning = planning_begin(3, weights, &profile);
        assert_true(planning_make(&planning, &made, &failure));
        char *text = plan_print(&made);
        assert_true(plan_parse(&again, text, strlen(text), "plan.json", &failure));
        assert_true(plan_equal(&again, &made));
        assert_true(plan_copy(&copy, &again));
        plan_release(&again);
        assert_string_equal(copy.weights->source, "w.txt");
        assert_string_equal(copy.weights->sha256, digest);
        assert_true(copy.weights->work.region_count <= 4096 ||
                    (int64_t)copy.weights->work.region_count <= plan_packages(&copy));
        profile_weigh(&profile, copy.weights);
        assert_true(planning_simulate(&planning, &copy, NULL, &simulation, &failure));
        const double told_s = made.predicted.makespan_s;
        assert_true(fabs(simulation.makespan_s / told_s - 1) < 1e-6);
        assert_true(made.predicted.lower_bound_s > 0);
        assert_true(made.predicted.lower_bound_s <= told_s * (1 + 1e-9));
        assert_string_equal(copy.weights->bytes->source, "b.txt");
        assert_true(copy.weights->bytes->work.region_count <= 4096 ||
                    (int64_t)copy.weights->bytes->work.region_count <= plan_packages(&copy));
        plan_release(&copy);
        free(text);
        plan_release(&made);
        profile_release(&profile);
        weights_free(weights);
        free(items);
    }
}

/* The makespan of a watched plan; each core task is computed once. *changes: new plans. */
static double watched(const struct watching *watching, const struct scenario *scenario,
                      int64_t tasks, int64_t *changes)
{
    struct failure failure = FAILURE_INIT;
    struct simulation simulation;
    struct trace trace = {.count = 0};
    unsigned char *seen = calloc((size_t)tasks, 1);
    struct dispatch *dispatch =
        decision_dispatch(&watching->decision, &watching->platform, scenario, &failure);
    assert_true(
        simulate_scenario(&watching->platform, dispatch, scenario, &trace, &simulation, &failure));
    for (size_t k = 0; k < trace.count; k++) {
        const struct trace_event *event = &trace.events[k];
        for (int64_t i = 0; event->operation == OPERATION_COMPUTE && i < event->tasks; i++)
            assert_int_equal(seen[event->first + i]++, 0);
        assert_true(event->operation != OPERATION_COMPUTE || event->tasks <= watching->largest);
    }
    assert_null(memchr(seen, 0, (size_t)tasks));
    int64_t asked = 0;
    *changes = 0;
    const struct watch_change *change =
        dispatch_watch_changes(watching_watch(watching, dispatch), &asked);
    for (int64_t k = 0; k < asked; k++) {
        assert_in_range(change[k].tasks, 1, tasks);
        *changes += change[k].adopted;
    }
    dispatch_free(&dispatch);
    trace_release(&trace);
    free(seen);
    return simulation.makespan_s;
}

/* Four workers on which nothing varies. */
static const char quiet[] =
    "{\"schema\": \"scow-profile-1\", \"kernel\": \"sleep\", \"settings\": [{\"windows\": [{"
    "\"tasks\": [1, 1000], \"envelope\": {\"latency_s\": 1e-3, \"s_per_task\": 0}, "
    "\"send\": {\"latency_s\": 0, \"s_per_task\": 0}, \"workers\": [{\"count\": 4, "
    "\"receive\": {\"latency_s\": 0, \"s_per_task\": 0}, "
    "\"compute\": {\"latency_s\": 1e-2, \"s_per_task\": 0.1}}]}]}]}";

/* A light beginning and a heavy end: of core tasks that differ besides, or as a calibration's map
 * of the job has them. */
static void light_and_heavy(struct profile *profile, struct task_weights **weights, uint64_t seed,
                            bool mapped)
{
    enum { TASKS = 6000 };
    struct dice dice = {seed};
    double items[TASKS];
    for (int64_t k = 0; k < TASKS; k++)
        items[k] = (mapped ? 1 : dice_scale(&dice, 0.5, 2)) * (k < TASKS * 3 / 4 ? 0.3 : 4);
    *weights = mapped ? NULL : weights_new("w.txt", digest, items, TASKS);
    if (mapped)
        assert_true(work_weigh(&profile->settings[0].map.work, items, TASKS));
    profile->settings[0].map.error = mapped ? 0.02 : 0;
    profile_weigh(profile, *weights);
}

/* Counted by core tasks, all workers would seem to become slow. By weight nothing happens where all
 * goes as planned; and where a worker takes three times as long from the middle on, what remains is
 * shared by what it weighs. */
static void plans_are_watched_by_weight(void **state)
{
    (void)state;
    enum { TASKS = 6000 };
    double worst = 0;
    for (uint64_t seed = 1; seed <= 8; seed++) {
        struct task_weights *weights;
        struct profile profile;
        struct plan plan;
        struct watching watching;
        struct failure failure = FAILURE_INIT;
        struct scenario scenario = SCENARIO_INIT;
        int64_t changes;
        assert_true(profile_parse(&profile, quiet, strlen(quiet), "quiet", &failure));
        light_and_heavy(&profile, &weights, seed, seed % 4 == 0);
        const struct planning planning = {.profile = &profile,
                                          .setting = &profile.settings[0],
                                          .scheduler = "auto",
                                          .tasks = TASKS,
                                          .effort_s = 0.1};
        assert_true(planning_make(&planning, &plan, &failure));
        struct watching_request request = planning_watching(&planning, NULL, &plan);
        request.tolerance = "10%";
        assert_true(watching_init(&watching, &request, &failure));
        assert_true(watch_units_used(&watching.units));
        const double planned_s = plan.predicted.makespan_s;
        const double usual_s = watched(&watching, &scenario, TASKS, &changes);
        assert_int_equal(changes, 0);
        assert_true(usual_s < 1.02 * planned_s);
        scenario.slow_first = 0;
        scenario.slow_workers = 1;
        scenario.slow_factor = 3;
        scenario.slow_from_s = planned_s / 2;
        const double slow_s = watched(&watching, &scenario, TASKS, &changes);
        assert_true(changes > 0);
        worst = fmax(worst, slow_s / planned_s);
        watching_release(&watching);
        plan_release(&plan);
        profile_release(&profile);
        weights_free(weights);
    }
    printf("with a worker of four that slows down, at worst %.3f of what was planned\n", worst);
    assert_true(worst < 1.2); /* 1.1 if it were known when it happens */
}

/* The master packs each core task in the same time, and workers have done light ones before others
 * are packed: they wait for it, which is not that they are slow. */
static void waiting_for_the_master_is_not_slow(void **state)
{
    enum { TASKS = 6000, LIGHT = TASKS * 3 / 4 };
    static const struct {
        const char *envelope;
        double light;
    } cases[] = {{"2e-2", 0.3}, {"7e-3", 0.1}, {"1e-2", 0.1}, {"2e-2", 0.1}};
    const struct scenario usual = SCENARIO_INIT;
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct text text = TEXT_INIT;
        struct profile profile;
        struct plan plan;
        struct watching watching;
        struct failure failure = FAILURE_INIT;
        double items[TASKS];
        int64_t changes;
        text_add(&text,
                 "{\"schema\": \"scow-profile-1\", \"kernel\": \"sleep\", \"settings\": "
                 "[{\"windows\": [{\"tasks\": [1, 10000], \"envelope\": {\"latency_s\": 1e-3, "
                 "\"s_per_task\": %s}, \"send\": {\"latency_s\": 0, \"s_per_task\": 0}, "
                 "\"workers\": [{\"count\": 4, \"receive\": {\"latency_s\": 0, \"s_per_task\": 0}, "
                 "\"compute\": {\"latency_s\": 1e-2, \"s_per_task\": 0.1}}]}]}]}",
                 cases[k].envelope);
        assert_true(profile_parse(&profile, text.bytes, text.length, "packed", &failure));
        for (int task = 0; task < TASKS; task++)
            items[task] = task < LIGHT ? cases[k].light : 2;
        struct task_weights *weights = weights_new("w.txt", digest, items, TASKS);
        profile_weigh(&profile, weights);
        const struct planning planning = {.profile = &profile,
                                          .setting = &profile.settings[0],
                                          .scheduler = "auto",
                                          .tasks = TASKS,
                                          .effort_s = 0.1};
        assert_true(planning_make(&planning, &plan, &failure));
        struct watching_request request = planning_watching(&planning, NULL, &plan);
        request.tolerance = "10%";
        assert_true(watching_init(&watching, &request, &failure));
        assert_true(watch_units_used(&watching.units));
        const double watched_s = watched(&watching, &usual, TASKS, &changes);
        assert_int_equal(changes, 0);
        assert_true(watched_s < 1.001 * plan.predicted.makespan_s);
        watching_release(&watching);
        plan_release(&plan);
        profile_release(&profile);
        weights_free(weights);
        text_release(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_differences_are_no_spread),
        cmocka_unit_test(transfers_take_what_is_sent),
        cmocka_unit_test(parts_send_their_mean),
        cmocka_unit_test(bounds_hold_for_what_is_sent),
        cmocka_unit_test(weights_are_compared_as_given),
        cmocka_unit_test(plans_keep_their_weights),
        cmocka_unit_test(plans_are_watched_by_weight),
        cmocka_unit_test(waiting_for_the_master_is_not_slow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
