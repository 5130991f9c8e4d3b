/* Trees of groups as they are planned: where they save time, and that they are valid plans. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "planner/files/grouping_file.h"
#include "planner/files/plan_json.h"
#include "planner/files/profile_json.h"
#include "planner/model/setting_part.h"
#include "planner/schedulers/scheduler.h"
#include "planner/simulate/simulate.h"
#include "planner/studies/group_cost.h"
#include "planner/studies/masters.h"
#include "planner/studies/several.h"
#include "planner/studies/trees.h"
#include "tests/cases.h"
#include "tests/checks.h"
#include "tests/planner/parsed.h"
#include "tests/planner/samples.h"

static double makespan_of(const struct platform *platform, const struct plan *plan)
{
    struct simulation simulation;
    struct failure failure = FAILURE_INIT;
    if (!simulate_plan(platform, plan, NULL, &simulation, &failure))
        fail_msg("%s", failure.text);
    return simulation.makespan_s;
}

/* Links of 0.03 + 0.001 x, work of 0.03 + x. */
static struct profile profile_of(int64_t workers)
{
    static const char form[] =
        "{\"schema\": \"scow-profile-1\", \"kernel\": \"sleep\", \"settings\": [{\"windows\": "
        "[{\"tasks\": [1, 1000000], \"envelope\": {\"latency_s\": 0, \"s_per_task\": 0}, \"send\": "
        "{\"latency_s\": 0, \"s_per_task\": 0}, \"workers\": [{\"count\": %" PRId64
        ", \"link\": {\"latency_s\": 0.03, \"s_per_task\": 0.001}, \"receive\": {\"latency_s\": 0, "
        "\"s_per_task\": 0}, \"compute\": {\"latency_s\": 0.03, \"s_per_task\": 1}}]}]}]}";
    return profile_read(form, workers);
}

/* Every core task once, each rank one thing, and what is predicted is what the file's plan takes.
 */
static void planned_check(const struct profile *profile, const struct plan *plan, uint64_t seed)
{
    struct platform platform;
    struct plan again;
    struct failure failure = FAILURE_INIT;
    char *text = plan_print(plan);
    double sum = 0;
    if (!platform_init(&platform, &profile->settings[0], 0, &failure) ||
        !platform_map(&platform, &profile->settings[0], plan->tasks, &failure) ||
        !plan_parse_any(&again, text, strlen(text), "plan.json", &failure))
        fail_msg("seed %" PRIu64 ": %s", seed, failure.text);
    for (size_t k = 0; k < plan->child_count; k++)
        sum += plan->children[k].tasks;
    if (plan->child_count > 0)
        assert_true(sum == plan->tasks);
    if (makespan_of(&platform, &again) != plan->predicted.makespan_s)
        fail_msg("seed %" PRIu64 ": %.17g s, predicted %.17g", seed, makespan_of(&platform, &again),
                 plan->predicted.makespan_s);
    plan_release(&again);
    platform_release(&platform);
    free(text);
}

static struct plan planned_tree(const struct profile *profile, double tasks, int64_t groups)
{
    const struct planning planning = {.profile = profile,
                                      .setting = &profile->settings[0],
                                      .scheduler = SCHEDULER_AUTO,
                                      .tasks = tasks,
                                      .effort_s = 1};
    struct failure failure = FAILURE_INIT;
    struct plan plan;
    if (!trees_make(&planning, groups, &plan, &failure))
        fail_msg("%s", failure.text);
    return plan;
}

/* 8 groups of 8 as by equal rounds at least. 72 ranks have a better plan with one master for all
 * where there is much to do, and in 2 groups where there is less; a thousand with two core tasks
 * each are to have many. */
static void trees_are_planned_where_they_pay(void **state)
{
    struct profile few = profile_of(72), many = profile_of(cases_are_many() ? 1000 : 300);
    struct plan plans[] = {planned_tree(&few, 640, 8), planned_tree(&few, 6400, 8),
                           planned_tree(&few, 640, TREE_AUTO), planned_tree(&few, 6400, TREE_AUTO),
                           planned_tree(&many, 2000, TREE_AUTO)};
    (void)state;
    assert_true(plans[0].predicted.makespan_s <= 10.585);
    assert_true(plans[1].predicted.makespan_s <= 100.795);
    assert_int_equal(plans[2].child_count, 2);
    assert_true(plans[2].predicted.makespan_s < 10.35);
    assert_int_equal(plans[3].child_count, 0);
    assert_true(plans[4].child_count > 1);
    assert_true(plans[4].predicted.makespan_s < 3.7 || !cases_are_many());
    for (size_t k = 0; k < COUNT_OF(plans); k++) {
        planned_check(k < 4 ? &few : &many, &plans[k], k);
        plan_release(&plans[k]);
    }
    profile_release(&few);
    profile_release(&many);
}

static void any_tree_is_a_plan(void **state)
{
    int made = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= cases_of(60); seed++) {
        struct dice dice = {seed};
        struct profile profile;
        struct plan plan;
        struct failure failure = FAILURE_INIT;
        sample_profile(&dice, 12, 1, &profile);
        const int64_t workers = profile_workers(&profile.settings[0].windows[0]);
        const struct planning planning = {.profile = &profile,
                                          .setting = &profile.settings[0],
                                          .scheduler = seed % 2 ? SCHEDULER_AUTO : SCHEDULER_QUICK,
                                          .tasks = (double)dice_whole(&dice, 1, 3000)};
        const int64_t groups = dice_whole(&dice, 1, workers / 2 + 1);
        if (trees_make(&planning, groups, &plan, &failure)) {
            assert_int_equal(plan.child_count, plan.worker_count);
            planned_check(&profile, &plan, seed);
            plan_release(&plan);
            made++;
        } else {
            assert_true(failure.code == FAILURE_INFEASIBLE || failure.code == FAILURE_USAGE);
            assert_true(failure.code == FAILURE_INFEASIBLE || 2 * groups > workers ||
                        (double)groups > planning.tasks);
        }
        profile_release(&profile);
    }
    assert_true(made > (int)(cases_of(60) / 3));
}

/* ---- groups of a file ---------------------------------------------------------------------- */

static struct group groups_of(const char *text, const struct profile *profile)
{
    struct group whole;
    struct failure failure = FAILURE_INIT;
    if (!grouping_parse(&whole, text, "groups.txt", profile, &failure))
        fail_msg("%s", failure.text);
    return whole;
}

/* A plan of them, whose ranks are those of the file. */
static void planned_groups(const char *text, double tasks, struct plan *plan)
{
    struct profile profile = profile_of(20);
    struct group whole = groups_of(text, &profile);
    const struct planning planning = {.profile = &profile,
                                      .setting = &profile.settings[0],
                                      .scheduler = SCHEDULER_AUTO,
                                      .tasks = tasks,
                                      .effort_s = 0.05};
    struct failure failure = FAILURE_INIT;
    if (!trees_make_of(&planning, &whole, "groups.txt", plan, &failure))
        fail_msg("%s", failure.text);
    planned_check(&profile, plan, 0);
    grouping_release(&whole);
    profile_release(&profile);
}

static void ranks_check(const struct plan *plan, int64_t master, int64_t first, int64_t last)
{
    assert_int_equal(plan->master, master);
    assert_int_equal(plan->child_count, 0);
    assert_true(plan->worker_count <= last - first + 1);
    for (int64_t slot = 0; slot < plan->worker_count; slot++)
        assert_true(plan->workers[slot] + 1 >= first && plan->workers[slot] + 1 <= last);
}

/* Whoever stands first in a line assigns to the others, wherever they are. */
static void groups_are_those_of_the_file(void **state)
{
    struct plan plan;
    (void)state;
    planned_groups("7, 1-4  # not a neighbour\n\n20 11-14\n", 400, &plan);
    assert_int_equal(plan.child_count, 2);
    for (size_t k = 0; k < 2; k++) {
        const bool seventh = plan.workers[k] + 1 == 7;
        ranks_check(&plan.children[k], seventh ? 7 : 20, seventh ? 1 : 11, seventh ? 4 : 14);
    }
    plan_release(&plan);
}

/* What stands further to the right belongs to what stands above it. */
static void groups_of_groups_are_planned(void **state)
{
    struct plan plan;
    (void)state;
    planned_groups("1\n  2-5\n  6-9\n10\n    11 14-16\n    12 17-20\n", 2000, &plan);
    assert_int_equal(plan.child_count, 2);
    for (size_t k = 0; k < 2; k++) {
        const struct plan *child = &plan.children[k];
        const int64_t at = child->master;
        assert_true(at == 1 || at == 10);
        assert_int_equal(child->child_count, 2);
        for (size_t j = 0; j < 2; j++) {
            const struct plan *leaf = &child->children[j];
            if (at == 1)
                ranks_check(leaf, leaf->master == 2 ? 2 : 6, leaf->master + 1, leaf->master + 3);
            else
                ranks_check(leaf, leaf->master == 11 ? 11 : 12, leaf->master == 11 ? 14 : 17,
                            leaf->master == 11 ? 16 : 20);
        }
    }
    plan_release(&plan);
}

static void what_is_no_group_is_refused(void **state)
{
    static const struct {
        const char *text, *sentence;
    } cases[] = {
        {"# nobody\n",
         "groups.txt: has no groups: give a line of ranks for each, the master's first"},
        {"1-3\n\n4\n", "groups.txt, line 3: is a master without workers: add their ranks"},
        {"1-3\n 4-5\n", "groups.txt, line 1: has groups of its own, so it is a master's rank "
                        "alone: give the other ranks a line of their own below it"},
        {"1\n   2-3\n  4-5\n", "groups.txt, line 3: is indented like no line above it: indent it "
                               "more than its master's line, or exactly as another group"},
        {"1-3\n3-5\n",
         "groups.txt, line 2: has rank 3, which line 1 has, too: leave it out in one of "
         "them"},
        {"5-9\n1-5\n", "groups.txt, line 2: has rank 5, which line 1 has, too: leave it out in one "
                       "of them"},
        {"1\n  2-3 1\n", "groups.txt, line 2: has rank 1, which line 1 has, too: leave it out in "
                         "one of them"},
        {"1-3 2\n", "groups.txt, line 1: has rank 2 twice: leave one out"},
        {"1\n\t2-3\n", "groups.txt, line 2: indent with blanks, not with tabs"},
        {"1-3\n5-4\n", "groups.txt, line 2: give the lower rank of a range first, as in 3-8"},
        {"0-3\n", "groups.txt, line 1: rank 0 is the master of all groups: give ranks from 1 on"},
        {"1-3\n4-99999999\n", "groups.txt, line 2: no job has so many ranks"},
        {"1 - 3\n", "groups.txt, line 1: write a range without blanks, as 3-8"},
        {"1-3-5\n", "groups.txt, line 1: '1-3-5' is no rank, no range of ranks (3-8) and no class "
                    "of the profile"},
    };
    (void)state;
    for (size_t k = 0; k < COUNT_OF(cases); k++) {
        struct group whole;
        struct failure failure = FAILURE_INIT;
        assert_false(grouping_parse(&whole, cases[k].text, "groups.txt", NULL, &failure));
        assert_string_equal(failure.text, cases[k].sentence);
        assert_int_equal(failure.code, FAILURE_MISMATCH);
    }
}

/* A class is all of its ranks. */
static void classes_are_their_ranks(void **state)
{
    static const char text[] =
        "{\"schema\": \"scow-profile-1\", \"kernel\": \"sleep\", \"settings\": [{\"windows\": "
        "[{\"tasks\": [1, 9], \"envelope\": {\"latency_s\": 0, \"s_per_task\": 0}, \"send\": "
        "{\"latency_s\": 0, \"s_per_task\": 0}, \"workers\": ["
        "{\"name\": \"n1\", \"count\": 3, \"link\": {\"latency_s\": 0, \"s_per_task\": 0}, "
        "\"receive\": {\"latency_s\": 0, \"s_per_task\": 0}, "
        "\"compute\": {\"latency_s\": 0, \"s_per_task\": 1}}, "
        "{\"name\": \"n2\", \"count\": 2, \"link\": {\"latency_s\": 0, \"s_per_task\": 0}, "
        "\"receive\": {\"latency_s\": 0, \"s_per_task\": 0}, "
        "\"compute\": {\"latency_s\": 0, \"s_per_task\": 2}}]}]}]}";
    struct profile profile;
    struct failure failure = FAILURE_INIT;
    (void)state;
    if (!profile_parse(&profile, text, strlen(text), "p.json", &failure))
        fail_msg("%s", failure.text);
    struct group whole = groups_of("n2\nn1\n", &profile);
    assert_int_equal(whole.group_count, 2);
    assert_int_equal(whole.groups[0].master, 4);
    assert_int_equal(whole.groups[1].master, 1);
    assert_int_equal(grouping_workers(&whole), 3);
    assert_int_equal(grouping_highest(&whole), 5);
    grouping_release(&whole);
    assert_false(grouping_parse(&whole, "n1\nn3\n", "groups.txt", &profile, &failure));
    assert_string_equal(failure.text,
                        "groups.txt, line 2: 'n3' is no rank, no range of ranks (3-8) "
                        "and no class of the profile");
    profile_release(&profile);
}

static const struct several nobody_looked = {.looked = false};

/* Said without being asked where enough is saved, and only there. */
static void trees_are_offered_where_they_pay(void **state)
{
    static const struct {
        int64_t workers;
        double tasks;
        const char *told;
    } cases[] = {{72, 72000, NULL},
                 {72, 640, "masters     "},
                 {300, 2000, "tree        8 groups with masters of their own would take "}};
    (void)state;
    for (size_t k = 0; k < COUNT_OF(cases); k++) {
        struct profile profile = profile_of(cases[k].workers);
        const struct planning planning = {.profile = &profile,
                                          .setting = &profile.settings[0],
                                          .scheduler = SCHEDULER_AUTO,
                                          .tasks = cases[k].tasks,
                                          .effort_s = 0.05};
        struct plan plan;
        struct text text = TEXT_INIT;
        struct failure failure = FAILURE_INIT;
        if (!planning_make(&planning, &plan, &failure) ||
            !several_offer(&planning, &nobody_looked, &plan, &text, &failure))
            fail_msg("%s", failure.text);
        if (cases[k].told ? !text.bytes || !strstr(text.bytes, cases[k].told) : text.length > 0)
            fail_msg("%" PRId64 " workers: %s", cases[k].workers, text.bytes);
        text_release(&text);
        plan_release(&plan);
        profile_release(&profile);
    }
}

/* The thesis's 64 workers, one of which takes 1 / lambda of the port, and 64 with little to do for
 * each: the least of one master, several side by side and trees, whatever it is. */
static void the_least_is_taken(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        const double tasks = k == 0 ? 640 : k == 1 ? 2000 : 72000;
        struct profile profile = profile_of(k == 1 ? 300 : 72);
        const struct planning planning = {.profile = &profile,
                                          .setting = &profile.settings[0],
                                          .scheduler = SCHEDULER_QUICK,
                                          .tasks = tasks,
                                          .effort_s = 0.05};
        struct several several;
        struct plan plan, side, tree;
        struct failure failure = FAILURE_INIT;
        if (!planning_make(&planning, &plan, &failure) ||
            !masters_make(&planning, MASTERS_AUTO, &side, &failure) ||
            !trees_make(&planning, TREE_AUTO, &tree, &failure))
            fail_msg("%s", failure.text);
        const double one_s = plan.predicted.makespan_s;
        const double least_s =
            fmin(side.predicted.makespan_s, fmin(tree.predicted.makespan_s, one_s));
        if (!several_take(&planning, &plan, &several, &failure))
            fail_msg("%s", failure.text);
        const bool one = plan.star_count == 0 && plan.child_count == 0;
        assert_int_equal(one, k == 2);
        assert_true(one ? several.one_s == 0 : several.one_s == one_s);
        if (!(plan.predicted.makespan_s <= (1 + TREE_GAIN) * least_s))
            fail_msg("%g core tasks: %g s, where %g are possible", tasks, plan.predicted.makespan_s,
                     least_s);
        planned_check(&profile, &plan, (uint64_t)k);
        plan_release(&plan);
        plan_release(&side);
        plan_release(&tree);
        profile_release(&profile);
    }
}

/* ---- weights -------------------------------------------------------------------------------- */

static const char digest[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

/* Over two orders of magnitude, and besides lighter in the first half. */
static struct task_weights *dice_weights(struct dice *dice, int64_t tasks, bool bytes)
{
    double *items = calloc((size_t)tasks, sizeof *items);
    for (int64_t k = 0; k < tasks; k++)
        items[k] = dice_scale(dice, 0.3, 3) * (2 * k < tasks ? 0.3 : 3);
    struct task_weights *weights = weights_new("w", digest, items, tasks);
    for (int64_t k = 0; k < tasks; k++)
        items[k] = dice_scale(dice, 0.1, 10);
    weights->bytes = bytes ? weights_new("b", digest, items, tasks) : NULL;
    free(items);
    return weights;
}

/* As simulated, every core task is computed once, and takes what it weighs; what is computed is all
 * that there is. */
static void simulated_check(const struct profile *profile, const struct plan *plan, uint64_t seed)
{
    struct failure failure = FAILURE_INIT;
    struct platform platform;
    struct simulation simulation;
    struct trace trace = {.count = 0};
    unsigned char *seen = calloc((size_t)plan->tasks, 1);
    assert_true(platform_init(&platform, &profile->settings[0], 0, &failure) &&
                platform_map(&platform, &profile->settings[0], plan->tasks, &failure) &&
                simulate_plan(&platform, plan, &trace, &simulation, &failure));
    for (size_t k = 0; k < trace.count; k++) {
        const struct trace_event *event = &trace.events[k];
        if (event->operation != OPERATION_COMPUTE)
            continue;
        const double load = (double)event->tasks, first = (double)event->first;
        const struct cost compute =
            platform_worker(platform_nearest(&platform, load), event->rank - 1)->compute;
        const double wanted_s =
            cost_of(compute, load) * platform_weight(&platform, compute, first, load);
        if (!(fabs(event->end_s - event->start_s - wanted_s) <= 1e-9 * (wanted_s + event->end_s)))
            fail_msg("seed %" PRIu64 ": core tasks from %" PRId64 " on take %.17g s, not %.17g",
                     seed, event->first, event->end_s - event->start_s, wanted_s);
        for (int64_t i = 0; i < event->tasks; i++)
            assert_int_equal(seen[event->first + i]++, 0);
    }
    assert_null(memchr(seen, 0, (size_t)plan->tasks));
    free(seen);
    trace_release(&trace);
    platform_release(&platform);
}

/* Units of the core tasks that ranks first .. last compute. */
static double simulated_units(const struct trace *trace, const struct work *work, int64_t first,
                              int64_t last)
{
    double sum = 0;
    for (size_t k = 0; k < trace->count; k++) {
        const struct trace_event *event = &trace->events[k];
        if (event->operation == OPERATION_COMPUTE && event->rank >= first && event->rank <= last)
            sum += work_before(work, (double)(event->first + event->tasks)) -
                   work_before(work, (double)event->first);
    }
    return sum;
}

/* What a group's master is told its core tasks weigh is what those weigh that it gets. */
static void groups_check(const struct profile *profile, const struct plan *plan, uint64_t seed)
{
    const struct profile_setting *setting = &profile->settings[0];
    const int64_t ranks = profile_workers(&setting->windows[0]) + 1;
    struct failure failure = FAILURE_INIT;
    struct platform platform;
    struct simulation simulation;
    struct trace trace = {.count = 0};
    assert_true(platform_init(&platform, setting, 0, &failure) &&
                platform_map(&platform, setting, plan->tasks, &failure) &&
                simulate_plan(&platform, plan, &trace, &simulation, &failure));
    for (size_t k = 0; k < plan_leaves(plan); k++) {
        const struct plan *leaf = plan_leaf(plan, k);
        const int64_t workers = plan_workers_behind(plan, leaf->master, ranks);
        struct setting_part part;
        assert_true(setting_part_group(&part, setting, leaf->master, workers, plan));
        const double told = part.weights->mean * leaf->tasks;
        const double simulated = simulated_units(&trace, &setting->weights->work, leaf->master + 1,
                                                 leaf->master + workers);
        assert_true((double)part.weights->work.tasks == leaf->tasks);
        if (!(fabs(told - simulated) <= 1e-9 * plan->tasks))
            fail_msg("seed %" PRIu64 ", group %zu: told %.17g, simulated %.17g", seed, k, told,
                     simulated);
        setting_part_release(&part);
    }
    trace_release(&trace);
    platform_release(&platform);
}

static void weighed_jobs_can_have_trees(void **state)
{
    int made = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= cases_of(60); seed++) {
        struct dice dice = {seed};
        struct profile profile;
        struct plan plan;
        struct failure failure = FAILURE_INIT;
        sample_profile(&dice, 12, 1, &profile);
        struct task_weights *weights =
            dice_weights(&dice, dice_whole(&dice, 20, 2000), seed % 3 == 0);
        profile_weigh(&profile, weights);
        const int64_t workers = profile_workers(&profile.settings[0].windows[0]);
        const struct planning planning = {.profile = &profile,
                                          .setting = &profile.settings[0],
                                          .scheduler = seed % 2 ? SCHEDULER_AUTO : SCHEDULER_QUICK,
                                          .tasks = (double)weights->work.tasks};
        const int64_t groups = dice_whole(&dice, 1, workers / 2 + 1);
        if (trees_make(&planning, groups, &plan, &failure)) {
            planned_check(&profile, &plan, seed);
            simulated_check(&profile, &plan, seed);
            groups_check(&profile, &plan, seed);
            assert_string_equal(plan.weights->sha256, digest);
            plan_release(&plan);
            made++;
        } else {
            assert_true(failure.code == FAILURE_INFEASIBLE || failure.code == FAILURE_USAGE);
        }
        weights_free(weights);
        profile_release(&profile);
    }
    assert_true(made > (int)(cases_of(60) / 3));
}

static void assert_trees_equal(const struct plan *a, const struct plan *b)
{
    assert_int_equal(a->worker_count, b->worker_count);
    assert_int_equal(a->round_count, b->round_count);
    assert_int_equal(a->child_count, b->child_count);
    for (size_t r = 0; r < a->round_count; r++)
        assert_memory_equal(a->rounds[r].loads, b->rounds[r].loads,
                            (size_t)a->worker_count * sizeof *a->rounds[r].loads);
    for (size_t k = 0; k < a->child_count; k++)
        assert_trees_equal(&a->children[k], &b->children[k]);
}

/* By weights that are all equal the same tree is planned as without; by others one that takes less
 * than packages of as many core tasks would. */
static void trees_go_by_weight(void **state)
{
    enum { TASKS = 640 };
    struct profile profile = profile_of(72);
    struct platform platform;
    struct failure failure = FAILURE_INIT;
    struct dice dice = {3};
    double items[TASKS];
    (void)state;
    for (int k = 0; k < TASKS; k++)
        items[k] = 7;
    struct task_weights *equal = weights_new("w", digest, items, TASKS);
    struct task_weights *weights = dice_weights(&dice, TASKS, false);
    struct plan plain = planned_tree(&profile, TASKS, 8);
    profile_weigh(&profile, equal);
    struct plan same = planned_tree(&profile, TASKS, 8);
    assert_trees_equal(&plain, &same);
    assert_true(fabs(same.predicted.makespan_s / plain.predicted.makespan_s - 1) < 1e-9);
    profile_weigh(&profile, weights);
    struct plan weighed = planned_tree(&profile, TASKS, 8);
    assert_true(platform_init(&platform, &profile.settings[0], 0, &failure) &&
                platform_map(&platform, &profile.settings[0], TASKS, &failure));
    const double by_number_s = makespan_of(&platform, &plain);
    if (!(weighed.predicted.makespan_s < 0.8 * by_number_s))
        fail_msg("%.4f s by weight, %.4f s by number", weighed.predicted.makespan_s, by_number_s);
    platform_release(&platform);
    plan_release(&plain);
    plan_release(&same);
    plan_release(&weighed);
    weights_free(equal);
    weights_free(weights);
    profile_release(&profile);
}

/* Regions that a calibration found count as weights do, also where the job was of another size. */
static void trees_go_by_regions(void **state)
{
    enum { TASKS = 640 };
    struct profile profile = profile_of(72);
    struct work *map = &profile.settings[0].map.work;
    struct dice dice = {3};
    struct failure failure = FAILURE_INIT;
    (void)state;
    struct task_weights *weights = dice_weights(&dice, TASKS, false);
    assert_true(work_coarsen(&weights->work, TASKS / 2));
    struct plan plain = planned_tree(&profile, TASKS, 8);
    profile_weigh(&profile, weights);
    struct plan weighed = planned_tree(&profile, TASKS, 8);
    profile_weigh(&profile, NULL);
    for (int half = 0; half < 2; half++) {
        struct platform platform;
        assert_true(work_copy(map, &weights->work));
        for (size_t k = 0; half && k < map->region_count; k++)
            map->regions[k].tasks /= 2;
        map->tasks = half ? TASKS / 2 : TASKS;
        assert_true(work_settle(map));
        struct plan mapped = planned_tree(&profile, TASKS, 8);
        assert_trees_equal(&mapped, &weighed);
        assert_null(mapped.weights);
        assert_true(platform_init(&platform, &profile.settings[0], 0, &failure) &&
                    platform_map(&platform, &profile.settings[0], TASKS, &failure));
        assert_true(makespan_of(&platform, &mapped) == mapped.predicted.makespan_s);
        assert_true(mapped.predicted.makespan_s < 0.8 * makespan_of(&platform, &plain));
        platform_release(&platform);
        plan_release(&mapped);
        work_release(map);
    }
    plan_release(&plain);
    plan_release(&weighed);
    weights_free(weights);
    profile_release(&profile);
}

/* Workers of 1 + 2x and 1 + 4x: in 5 s they make 2 and 1 core tasks. A link of 3 s a core task
 * feeds no more than one in 3 s. */
static void a_group_is_like_a_worker(void **state)
{
    struct platform_class classes[] = {{.first = 0, .count = 1, .compute = {1, 2}},
                                       {.first = 1, .count = 1, .compute = {1, 4}}};
    struct platform_window window = {
        .least = 1, .greatest = 100, .classes = classes, .class_count = 2};
    const struct platform platform = {.windows = &window, .window_count = 1, .worker_count = 2};
    const struct cost cost = group_cost(&platform, 3);
    (void)state;
    assert_true(fabs(cost.latency_s - 1) < 1e-12);
    assert_true(fabs(cost.s_per_task - 4.0 / 3) < 1e-12);
    assert_true(fabs((5 - cost.latency_s) / cost.s_per_task - 3) < 1e-12);
    classes[0].link = classes[1].link = (struct cost){0, 3};
    assert_true(fabs(group_cost(&platform, 3).s_per_task - 3) < 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_are_planned_where_they_pay),
        cmocka_unit_test(any_tree_is_a_plan),
        cmocka_unit_test(groups_are_those_of_the_file),
        cmocka_unit_test(groups_of_groups_are_planned),
        cmocka_unit_test(what_is_no_group_is_refused),
        cmocka_unit_test(classes_are_their_ranks),
        cmocka_unit_test(trees_are_offered_where_they_pay),
        cmocka_unit_test(the_least_is_taken),
        cmocka_unit_test(weighed_jobs_can_have_trees),
        cmocka_unit_test(trees_go_by_weight),
        cmocka_unit_test(trees_go_by_regions),
        cmocka_unit_test(a_group_is_like_a_worker),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
