/* Profiles and plans: parse(print(x)) = x to the last bit, over seeded random ones. */
#include <inttypes.h>
#include <stdio.h>

#include "planner/files/plan_brief.h"
#include "planner/files/plan_json.h"
#include "planner/files/profile_json.h"
#include "planner/model/beyond.h"
#include "planner/model/plan.h"
#include "planner/model/platform.h"
#include "planner/model/profile.h"
#include "tests/checks.h"
#include "tests/planner/samples.h"

static bool word_equal(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool cost_equal(const struct measured_cost *a, const struct measured_cost *b)
{
    const struct fit *f = &a->fit, *g = &b->fit;
    return a->cost.latency_s == b->cost.latency_s && a->cost.s_per_task == b->cost.s_per_task &&
           f->stderr_latency_s == g->stderr_latency_s &&
           f->stderr_s_per_task == g->stderr_s_per_task && f->correlation == g->correlation &&
           f->deviation == g->deviation && f->jitter_s == g->jitter_s && f->drift == g->drift &&
           f->drift_own == g->drift_own && f->r2 == g->r2 && f->n == g->n &&
           f->outliers == g->outliers;
}

static bool price_equal(const struct price *a, const struct price *b)
{
    return a->price_s == b->price_s && a->fee == b->fee && a->watts == b->watts;
}

static bool worker_equal(const struct profile_worker *a, const struct profile_worker *b)
{
    return word_equal(a->name, b->name) && a->count == b->count && cost_equal(&a->link, &b->link) &&
           cost_equal(&a->receive, &b->receive) && cost_equal(&a->compute, &b->compute) &&
           cost_equal(&a->output, &b->output) && cost_equal(&a->request, &b->request) &&
           cost_equal(&a->result, &b->result) && cost_equal(&a->start, &b->start) &&
           price_equal(&a->price, &b->price);
}

static void assert_window_equal(const struct profile_window *a, const struct profile_window *b)
{
    assert_true(a->least == b->least && a->greatest == b->greatest);
    assert_true(cost_equal(&a->envelope, &b->envelope) && cost_equal(&a->send, &b->send));
    assert_true(cost_equal(&a->answer, &b->answer) && cost_equal(&a->collect, &b->collect));
    assert_int_equal(a->worker_count, b->worker_count);
    for (size_t k = 0; k < a->worker_count; k++)
        assert_true(worker_equal(&a->workers[k], &b->workers[k]));
}

static void assert_profile_equal(const struct profile *a, const struct profile *b)
{
    assert_true(a->peaks.rank == b->peaks.rank && a->peaks.command == b->peaks.command &&
                a->peaks.master == b->peaks.master);
    assert_string_equal(a->kernel, b->kernel);
    assert_true(parameter_list_equal(&a->parameters, &b->parameters));
    assert_true(word_equal(a->origin.host_name, b->origin.host_name));
    assert_true(word_equal(a->origin.isa, b->origin.isa));
    assert_true(word_equal(a->origin.created, b->origin.created));
    assert_true(word_equal(a->plugin, b->plugin));
    assert_int_equal(a->origin.threads, b->origin.threads);
    assert_int_equal(a->origin.workers_per_node, b->origin.workers_per_node);
    assert_true(word_equal(a->origin.machine, b->origin.machine));
    assert_int_equal(a->origin.nodes, b->origin.nodes);
    assert_memory_equal(&a->origin.topology, &b->origin.topology, sizeof a->origin.topology);
    assert_memory_equal(&a->origin.kinds, &b->origin.kinds, sizeof a->origin.kinds);
    assert_true(a->overhead.start_s == b->overhead.start_s);
    assert_true(a->overhead.seal_s == b->overhead.seal_s);
    assert_true(price_equal(&a->master, &b->master));
    assert_true(word_equal(a->weights.source, b->weights.source));
    assert_true(word_equal(a->weights.sha256, b->weights.sha256));
    assert_int_equal(a->weights.tasks, b->weights.tasks);
    assert_memory_equal(&a->settings[0].weighing, &b->settings[0].weighing,
                        sizeof(struct weighing));
    assert_int_equal(a->history_count, b->history_count);
    for (size_t k = 0; k < a->history_count; k++)
        assert_true(a->history[k] == b->history[k]);
    assert_int_equal(a->setting_count, b->setting_count);
    for (size_t k = 0; k < a->setting_count; k++) {
        assert_true(parameter_list_equal(&a->settings[k].parameters, &b->settings[k].parameters));
        assert_memory_equal(&a->settings[k].memory, &b->settings[k].memory, sizeof(struct memory));
        assert_true(word_equal(a->settings[k].method, b->settings[k].method));
        assert_int_equal(a->settings[k].threads, b->settings[k].threads);
        assert_int_equal(a->settings[k].operating, b->settings[k].operating);
        assert_int_equal(platform_returns(&a->settings[k]), platform_returns(&b->settings[k]));
        assert_true(a->settings[k].score.held_out == b->settings[k].score.held_out);
        assert_true(a->settings[k].score.noise == b->settings[k].score.noise);
        assert_true(a->settings[k].extrapolation.above == b->settings[k].extrapolation.above);
        assert_true(a->settings[k].extrapolation.budget_s == b->settings[k].extrapolation.budget_s);
        assert_int_equal(a->settings[k].spread_count, b->settings[k].spread_count);
        for (size_t i = 0; i < a->settings[k].spread_count; i++) {
            assert_int_equal(a->settings[k].spreads[i].tasks, b->settings[k].spreads[i].tasks);
            assert_true(a->settings[k].spreads[i].deviation == b->settings[k].spreads[i].deviation);
        }
        assert_int_equal(a->settings[k].level_count, b->settings[k].level_count);
        for (size_t i = 0; i < a->settings[k].level_count; i++)
            assert_memory_equal(&a->settings[k].levels[i], &b->settings[k].levels[i],
                                sizeof(struct level_sample));
        assert_int_equal(a->settings[k].window_count, b->settings[k].window_count);
        for (size_t w = 0; w < a->settings[k].window_count; w++)
            assert_window_equal(&a->settings[k].windows[w], &b->settings[k].windows[w]);
    }
}

/* The last may be the last of all. */
static void sample_levels(struct dice *dice, struct profile_setting *setting)
{
    setting->level_count = (size_t)dice_whole(dice, 1, 4);
    setting->levels = calloc(setting->level_count, sizeof *setting->levels);
    assert_non_null(setting->levels);
    for (size_t k = 0; k < setting->level_count; k++)
        setting->levels[k] = (struct level_sample){dice_whole(dice, 1, 1000), 0.5 + dice_unit(dice),
                                                   0.1 + 20 * dice_unit(dice)};
    if (dice_whole(dice, 0, 1))
        setting->levels[setting->level_count - 1].next = 0;
}

static void profiles_round_trip(void **state)
{
    (void)state;
    static const char digest[] = "0123456789abcdef0123456789abcdef"
                                 "0123456789abcdef0123456789abcdef";
    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct dice dice = {seed};
        struct profile profile, again = {0};
        struct failure failure = FAILURE_INIT;
        sample_profile(&dice, 200, (size_t)dice_whole(&dice, 1, 3), &profile);
        sample_starts(&dice, &profile);
        sample_results(&dice, &profile);
        sample_prices(&dice, &profile);
        profile_operate(&profile, (enum operating)(seed % OPERATING_COUNT));
        profile.peaks.rank = (double)dice_whole(&dice, 0, 2) * 4e7;
        profile.peaks.master = profile.peaks.rank > 0 ? (double)dice_whole(&dice, 0, 2) * 3e7 : 0;
        if (dice_whole(&dice, 0, 1)) {
            profile.weights = (struct weights_name){strdup("w.txt"), strdup(digest), 7};
            profile.settings[0].weighing = (struct weighing){9, dice_unit(&dice), 0.25};
        }
        if (dice_whole(&dice, 0, 1))
            sample_levels(&dice, &profile.settings[0]);
        profile.peaks.command = profile.peaks.rank > 0 ? (double)dice_whole(&dice, 0, 2) * 1e9 : 0;
        char *text = profile_print(&profile);
        assert_non_null(text);
        if (!profile_parse(&again, text, strlen(text), "p.json", &failure))
            fail_msg("seed %" PRIu64 ": %s", seed, failure.text);
        assert_profile_equal(&profile, &again);
        free(text);
        profile_release(&profile);
        profile_release(&again);
    }
}

static bool predicted_equal(const struct plan_prediction *a, const struct plan_prediction *b)
{
    return a->known == b->known && a->makespan_s == b->makespan_s &&
           a->without_variation_s == b->without_variation_s && a->period_s == b->period_s &&
           a->worker_utilization == b->worker_utilization &&
           a->master_utilization == b->master_utilization && a->utilization == b->utilization &&
           a->worker_busy_share == b->worker_busy_share &&
           a->network_utilization == b->network_utilization &&
           a->lower_bound_s == b->lower_bound_s && a->gap == b->gap && a->output_s == b->output_s &&
           a->cpu_s == b->cpu_s && a->charge == b->charge && a->energy_j == b->energy_j &&
           a->turnaround_s == b->turnaround_s && a->interval_s[0] == b->interval_s[0] &&
           a->interval_s[1] == b->interval_s[1];
}

static void assert_plan_equal(const struct plan *a, const struct plan *b)
{
    assert_int_equal(a->buffers, b->buffers);
    assert_string_equal(a->kernel, b->kernel);
    assert_string_equal(a->scheduler, b->scheduler);
    assert_true(parameter_list_equal(&a->parameters, &b->parameters));
    assert_true(a->tasks == b->tasks && a->real_valued == b->real_valued);
    assert_true(word_equal(a->plugin, b->plugin));
    assert_true(word_equal(a->plugin_sha256, b->plugin_sha256));
    assert_true(word_equal(a->tail, b->tail));
    assert_true(word_equal(a->objective, b->objective));
    assert_true(a->deadline_s == b->deadline_s && a->budget == b->budget &&
                a->production == b->production);
    assert_int_equal(a->selected.count, b->selected.count);
    for (size_t k = 0; k < a->selected.count; k++)
        assert_true(a->selected.runs[k].first == b->selected.runs[k].first &&
                    a->selected.runs[k].last == b->selected.runs[k].last);
    assert_true(word_equal(a->profile, b->profile));
    assert_true(word_equal(a->profile_sha256, b->profile_sha256));
    assert_true(predicted_equal(&a->predicted, &b->predicted));
    assert_memory_equal(&a->choice, &b->choice, sizeof a->choice);
    assert_true(word_equal(a->beyond.name, b->beyond.name));
    assert_int_equal(a->beyond.measured, b->beyond.measured);
    assert_int_equal(a->beyond.workers, b->beyond.workers);
    assert_int_equal(a->beyond.rank, b->beyond.rank);
    assert_int_equal(a->threads, b->threads);
    assert_int_equal(a->operating, b->operating);
    assert_int_equal(a->more_levels, b->more_levels);
    assert_int_equal(a->level_count, b->level_count);
    for (size_t k = 0; k < a->level_count; k++)
        assert_memory_equal(&a->levels[k], &b->levels[k], sizeof *a->levels);
    assert_int_equal(a->other_count, b->other_count);
    for (size_t k = 0; k < a->other_count; k++) {
        assert_true(parameter_list_equal(&a->others[k].parameters, &b->others[k].parameters));
        assert_true(a->others[k].makespan_s == b->others[k].makespan_s);
        assert_int_equal(a->others[k].threads, b->others[k].threads);
    }
    assert_int_equal(a->worker_count, b->worker_count);
    assert_int_equal(a->round_count, b->round_count);
    size_t workers = (size_t)a->worker_count;
    assert_memory_equal(a->workers, b->workers, workers * sizeof *a->workers);
    for (size_t k = 0; k < a->round_count; k++) {
        assert_int_equal(a->rounds[k].repeat, b->rounds[k].repeat);
        for (size_t slot = 0; slot < workers; slot++)
            assert_true(a->rounds[k].loads[slot] == b->rounds[k].loads[slot]);
    }
}

static void plan_round_trip(const struct plan *plan, uint64_t seed)
{
    struct plan again = {0};
    struct failure failure = FAILURE_INIT;
    char *text = plan_print(plan);
    assert_non_null(text);
    if (!plan_parse(&again, text, strlen(text), "plan.json", &failure))
        fail_msg("seed %" PRIu64 ": %s", seed, failure.text);
    assert_plan_equal(plan, &again);
    free(text);
    plan_release(&again);
}

/* None, or what is expected of some levels. */
static void sample_expected(struct dice *dice, struct plan *plan)
{
    plan->more_levels = dice_whole(dice, 0, 1);
    plan->level_count = (size_t)dice_whole(dice, 0, 3);
    plan->levels = plan->level_count > 0 ? calloc(plan->level_count, sizeof *plan->levels) : NULL;
    for (size_t k = 0; k < plan->level_count; k++)
        plan->levels[k] =
            (struct plan_level){k == 0 ? plan->tasks : (double)dice_whole(dice, 1, 99),
                                dice_whole(dice, 0, 1) ? dice_unit(dice) : 0};
}

static void plans_round_trip(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct dice dice = {seed};
        struct plan plan;
        int64_t workers = seed % 50 == 0 ? 3000 : dice_whole(&dice, 1, 50);
        sample_plan(&dice, workers, seed % 3 == 0, &plan);
        plan.buffers = (int)(seed % 4); /* 0: does not say */
        plan.operating = (enum operating)(seed % OPERATING_COUNT);
        plan.tail = seed % 5 == 0 ? strdup("fac:20%") : NULL;
        if (seed % 5 > 0)
            plan.beyond = (struct plan_beyond){7, (int64_t)seed, dice_whole(&dice, 1, 7),
                                               seed % 5 > 2 ? strdup("n\"02") : NULL};
        sample_expected(&dice, &plan);
        plan_round_trip(&plan, seed);
        plan_release(&plan);
    }
}

/* The copy is whole when what it was made of is gone, workers beyond those measured included. */
static void copies_are_whole(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        struct dice dice = {seed};
        struct profile profile, again, copy;
        struct failure failure = FAILURE_INIT;
        sample_profile(&dice, 20, (size_t)dice_whole(&dice, 1, 3), &profile);
        assert_true(profile_copy(&again, &profile));
        assert_true(beyond_extend(&again, beyond_measured(&again) + 3, 1, &failure));
        assert_true(profile_copy(&copy, &again));
        profile_release(&again);
        assert_int_equal(copy.beyond, 3);
        assert_int_equal(profile_workers(&copy.settings[0].windows[0]),
                         profile_workers(&profile.settings[0].windows[0]) + 3);
        char *then = profile_print(&profile), *now = profile_print(&copy);
        assert_string_equal(then, now); /* without those beyond */
        free(then);
        free(now);
        profile_release(&profile);
        profile_release(&copy);
    }
}

/* Everything that a plan says, changed in turn. */
static void plans_are_compared(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        struct dice dice = {seed};
        struct plan plan, copy;
        sample_plan(&dice, dice_whole(&dice, 1, 20), seed % 3 == 0, &plan);
        plan.tail = strdup("fac");
        plan.beyond = (struct plan_beyond){7, (int64_t)seed, 2, strdup("n02")};
        assert_true(plan_copy(&copy, &plan));
        assert_plan_equal(&plan, &copy);
        assert_true(plan_equal(&plan, &copy));
        copy.rounds[copy.round_count - 1].repeat++;
        assert_false(plan_equal(&plan, &copy));
        copy.rounds[copy.round_count - 1].repeat--;
        copy.rounds[0].loads[0] += 1;
        assert_false(plan_equal(&plan, &copy));
        copy.rounds[0].loads[0] = plan.rounds[0].loads[0];
        copy.workers[0] += 1000;
        assert_false(plan_equal(&plan, &copy));
        copy.workers[0] -= 1000;
        copy.beyond.name[0] = 'm';
        assert_false(plan_equal(&plan, &copy));
        copy.beyond.name[0] = 'n';
        copy.predicted.known = !copy.predicted.known;
        assert_false(plan_equal(&plan, &copy));
        copy.predicted.known = !copy.predicted.known;
        assert_true(plan_equal(&plan, &copy));
        free(copy.tail);
        copy.tail = NULL;
        assert_false(plan_equal(&plan, &copy));
        plan_release(&plan);
        plan_release(&copy);
    }
}

/* A hundred thousand workers stay within a megabyte, and come back. */
static void plan_of_many_is_small(void **state)
{
    enum { MANY = 100000 };
    (void)state;
    struct plan plan = {.kernel = strdup("sleep"),
                        .scheduler = strdup("static"),
                        .tasks = 0,
                        .worker_count = MANY,
                        .round_count = 3};
    plan.workers = calloc(MANY, sizeof *plan.workers);
    plan.rounds = calloc(3, sizeof *plan.rounds);
    assert_true(plan.kernel && plan.scheduler && plan.workers && plan.rounds);
    for (size_t k = 0; k < 3; k++) {
        plan.rounds[k].repeat = 1000;
        plan.rounds[k].loads = calloc(MANY, sizeof *plan.rounds[k].loads);
        assert_non_null(plan.rounds[k].loads);
    }
    for (int64_t slot = 0; slot < MANY; slot++) {
        plan.workers[slot] = slot;
        for (size_t k = 0; k < 3; k++) {
            const int64_t step = slot / 25000;
            plan.rounds[k].loads[slot] = (double)(1000 + 7 * step);
            plan.tasks += 1000 * plan.rounds[k].loads[slot];
        }
    }
    char *text = plan_print(&plan);
    assert_non_null(text);
    assert_true(strlen(text) < 1000);
    free(text);
    plan_round_trip(&plan, 0);
    assert_int_equal(plan_workers_needed(&plan), MANY);
    assert_int_equal(plan_packages(&plan), 3000 * (int64_t)MANY);
    assert_true(plan_largest_load(&plan) == 1021);
    plan_release(&plan);
}

/* A list of its own, one in its stars or groups, and weights. */
static void brief_plans_have_no_lists(void **state)
{
    static const char stars[] =
        "{\"schema\": \"scow-plan-1\", \"kernel\": \"sleep\", \"scheduler\": \"by hand\", "
        "\"tasks\": 15, \"stars\": [{\"scheduler\": \"one\", \"tasks\": 10, \"workers\": [0, 1], "
        "\"rounds\": [{\"repeat\": 1, \"loads\": [1, 1]}, {\"repeat\": 2, \"loads\": [2, 2]}]}, "
        "{\"master\": 3, \"scheduler\": \"other\", \"tasks\": 5, \"workers\": [3], \"rounds\": "
        "[{\"repeat\": 5, \"loads\": [1]}]}]}";
    static const char tree[] =
        "{\"schema\": \"scow-plan-1\", \"kernel\": \"sleep\", \"scheduler\": \"by hand\", "
        "\"tasks\": 6, \"workers\": [0], \"rounds\": [{\"repeat\": 1, \"loads\": [6]}], "
        "\"children\": [{\"scheduler\": \"other\", \"tasks\": 6, \"workers\": [1, 2], \"rounds\": "
        "[{\"repeat\": 3, \"loads\": [1, 1]}]}]}";
    static const struct {
        const char *text;
        struct plan_lists lists;
    } rows[] = {{stars, {8, 5, 2}}, {tree, {4, 3, 2}}};
    static const double weights[] = {1, 2};
    (void)state;
    for (size_t k = 0; k < COUNT_OF(rows); k++) {
        struct failure failure = FAILURE_INIT;
        struct plan plan;
        if (!plan_parse_any(&plan, rows[k].text, strlen(rows[k].text), "plan.json", &failure))
            fail_msg("%s", failure.text);
        plan.weights = weights_new("w.txt", "0", weights, 2);
        assert_non_null(plan.weights);
        const struct plan_lists lists = plan_lists(&plan);
        assert_int_equal(lists.rounds, rows[k].lists.rounds);
        assert_int_equal(lists.loads, rows[k].lists.loads);
        assert_int_equal(lists.weights, rows[k].lists.weights);
        char *text = plan_print_brief(&plan), *whole = plan_print(&plan);
        assert_true(text && whole);
        assert_true(strstr(whole, "loads") && strstr(whole, "weights"));
        assert_null(strstr(text, "loads"));
        assert_null(strstr(text, "weights"));
        assert_true(strstr(text, "\"scheduler\": \"other\"") && strstr(text, "\"workers\": ["));
        free(whole);
        free(text);
        plan_release(&plan);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(profiles_round_trip),   cmocka_unit_test(plans_round_trip),
        cmocka_unit_test(copies_are_whole),      cmocka_unit_test(plans_are_compared),
        cmocka_unit_test(plan_of_many_is_small), cmocka_unit_test(brief_plans_have_no_lists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
