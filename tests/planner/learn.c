/* What a profile becomes after a run: against small computations in this file. */
#include "planner/report/learn.h"
#include "planner/model/shared.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "planner/files/profile_json.h"
#include "tests/checks.h"
#include "tests/planner/runs.h"
#include "tests/planner/samples.h"

static const char profile_text[] =
    "{ \"schema\": \"scow-profile-1\", \"kernel\": \"sleep\", \"settings\": [ { \"windows\": [\n"
    "  { \"tasks\": [1, 100], \"envelope\": {\"latency_s\": 0, \"s_per_task\": 0},\n"
    "    \"send\": {\"latency_s\": 0, \"s_per_task\": 0},\n"
    "    \"workers\": [ { \"count\": 2, \"receive\": {\"latency_s\": 0, \"s_per_task\": 0},\n"
    "                   \"compute\": {\"latency_s\": 0.01, \"s_per_task\": 0.1} } ] } ] } ] }";

/* A run of two workers whose packages have these sizes and times, by turns. */
static void run_make(const int64_t *sizes, const double *seconds, int packages,
                     struct run_record *record)
{
    struct failure failure = FAILURE_INIT;
    double free_s[2] = {0, 0};
    int64_t first = 0;
    *record = (struct run_record){.has_profile = true};
    assert_true(
        profile_parse(&record->profile, profile_text, strlen(profile_text), "p.json", &failure));
    struct plan *plan = &record->plan;
    plan->worker_count = 2;
    plan->workers = calloc(2, sizeof *plan->workers);
    plan->round_count = (size_t)packages / 2;
    plan->rounds = calloc(plan->round_count, sizeof *plan->rounds);
    assert_true(plan->workers && plan->rounds);
    plan->workers[1] = 1;
    for (int k = 0; k < packages; k++) {
        struct plan_round *round = &plan->rounds[k / 2];
        if (k % 2 == 0)
            round->loads = calloc(2, sizeof *round->loads);
        assert_non_null(round->loads);
        round->repeat = 1;
        round->loads[k % 2] = (double)sizes[k];
        const struct trace_event event = {
            k % 2 + 1, OPERATION_COMPUTE, k / 2,         k,
            first,     sizes[k],          free_s[k % 2], free_s[k % 2] + seconds[k]};
        free_s[k % 2] += seconds[k];
        first += sizes[k];
        assert_true(trace_add(&record->trace, &event));
    }
    plan->tasks = (double)first;
    record->tasks = record->tasks_done = first;
}

static struct measured_cost *compute_of(struct run_record *record)
{
    return &record->profile.settings[0].windows[0].workers[0].compute;
}

static void learn(struct run_record *record)
{
    struct failure failure = FAILURE_INIT;
    if (!learn_costs(record, &failure))
        fail_msg("%s", failure.text);
}

/* Costs of which the profile is not certain are replaced by those of a run with many sizes. */
static void sizes_enough_make_a_line(void **state)
{
    int64_t sizes[10];
    double seconds[10];
    struct run_record record;
    (void)state;
    for (int k = 0; k < 10; k++) {
        sizes[k] = 4 + k;
        seconds[k] = 0.05 + 0.13 * (double)sizes[k];
    }
    run_make(sizes, seconds, 10, &record);
    learn(&record);
    const struct measured_cost *cost = compute_of(&record);
    assert_true(fabs(cost->cost.latency_s - 0.05) < 1e-9);
    assert_true(fabs(cost->cost.s_per_task - 0.13) < 1e-10);
    assert_int_equal(cost->fit.n, 10);
    assert_true(cost->fit.stderr_latency_s > 0 && cost->fit.correlation < 0);
    assert_int_equal(record.profile.history_count, 1);
    /* Worker 1: 5, 7, 9, 11, 13 tasks, 5 (0.05) + 45 (0.13) s, against 0.01 and 0.1. */
    assert_true(fabs(record.profile.history[0] - (6.1 / 4.55 - 1)) < 1e-9);
    run_record_release(&record);
}

/* Packages of one size say how long one takes, and no more. */
static void one_size_scales_the_line(void **state)
{
    const int64_t sizes[4] = {10, 10, 10, 10};
    const double seconds[4] = {1.5, 1.53, 1.53, 1.5}; /* 1.515 on average, and 1.01 expected */
    struct run_record record;
    (void)state;
    run_make(sizes, seconds, 4, &record);
    learn(&record);
    const struct measured_cost *cost = compute_of(&record);
    assert_true(fabs(cost->cost.latency_s - 0.015) < 1e-12);
    assert_true(fabs(cost->cost.s_per_task - 0.15) < 1e-12);
    /* Packages are 0.015 s off, half of that are four together. */
    assert_true(fabs(cost->fit.deviation - 0.015 / 1.515) < 1e-12);
    assert_true(fabs(cost->fit.stderr_s_per_task / 0.15 - 0.0075 / 1.515) < 1e-12);
    run_record_release(&record);
}

/* Others have had three quarters of one worker's processor and half of the other's; the profile was
 * made with nine tenths of it. */
static void others_are_not_learnt(void **state)
{
    const int64_t sizes[4] = {10, 10, 10, 10};
    const double seconds[4] = {6, 3, 6, 3};
    struct run_record record;
    (void)state;
    run_make(sizes, seconds, 4, &record);
    record.had = calloc(2, sizeof *record.had);
    assert_non_null(record.had);
    record.had_count = 2;
    record.had[0] = 0.25;
    record.had[1] = 0.5;
    record.profile.settings[0].windows[0].workers[0].availability = 0.9;
    learn(&record);
    const struct cost cost = compute_of(&record)->cost;
    assert_true(fabs(cost_of(cost, 10) - 1.5 / 0.9) < 1e-12);
    /* Each worker's two packages of ten take 3.333 s in place of 2.02: this has drifted, they not.
     */
    assert_true(fabs(record.profile.history[0] - (2 * 1.5 / 0.9 / 2.02 - 1)) < 1e-6);
    run_record_release(&record);
}

/* With half of the profile's bandwidth, as the plan knew, packages of ten took 0.4 s on their
 * way. */
static void busy_networks_are_not_learnt(void **state)
{
    const int64_t sizes[4] = {10, 10, 10, 10};
    const double seconds[4] = {3, 3, 3, 3};
    struct run_record record;
    (void)state;
    run_make(sizes, seconds, 4, &record);
    struct measured_cost *link = &record.profile.settings[0].windows[0].workers[0].link;
    link->cost.s_per_task = 0.015;
    record.plan.shared = calloc(1, sizeof *record.plan.shared);
    assert_non_null(record.plan.shared);
    record.plan.shared[0] = (struct plan_shared){1, 2, 1, 0, 0.5, 0};
    record.plan.shared_count = 1;
    shared_follow(&record.profile, record.plan.shared, 1);
    assert_true(link->cost.s_per_task == 0.03);
    for (int k = 0; k < 4; k++) {
        const struct trace_event event = {k % 2 + 1, OPERATION_LINK, k / 2, k, INT64_C(10) * k, 10,
                                          0.4 * k,   0.4 * (k + 1)};
        assert_true(trace_add(&record.trace, &event));
    }
    learn(&record);
    assert_true(fabs(cost_of(link->cost, 10) - 0.2) < 1e-12);
    run_record_release(&record);
}

/* The part of the scatter that is known jitter is not relative noise. */
static void jitter_stays_jitter(void **state)
{
    const int64_t sizes[4] = {10, 10, 10, 10};
    const double seconds[4] = {1.5, 1.53, 1.53, 1.5};
    struct run_record record;
    (void)state;
    run_make(sizes, seconds, 4, &record);
    compute_of(&record)->fit.jitter_s = 0.012;
    learn(&record);
    const struct fit *fit = &compute_of(&record)->fit;
    assert_true(fit->jitter_s == 0.012);
    assert_true(fabs(fit->deviation - 0.009 / 1.515) < 1e-12); /* 0.015^2 = 0.012^2 + 0.009^2 */
    run_record_release(&record);
}

/* Inverse variances, with a latency that is certain: one parameter, the textbook's formula. */
static void what_is_known_is_pooled(void **state)
{
    const int64_t sizes[4] = {10, 10, 10, 10};
    const double seconds[4] = {1.1, 1.3, 1.1, 1.3};
    (void)state;
    for (int drifting = 0; drifting < 2; drifting++) {
        struct run_record record;
        run_make(sizes, seconds, 4, &record);
        struct measured_cost *cost = compute_of(&record);
        cost->cost.latency_s = 1e-9;
        cost->fit = (struct fit){.stderr_latency_s = 1e-9,
                                 .stderr_s_per_task = 0.004,
                                 .deviation = 0.1 / 1.2,
                                 .drift = drifting ? 0.5 : 0,
                                 .n = 40};
        learn(&record);
        const double history = record.profile.history[0]; /* 13 s for 10 s: 2.6 / 2 - 1 */
        assert_true(fabs(history - (2.6 / 2.0 - 1)) < 1e-6);
        const double drift = drifting ? 0.5 : history;
        const double run = 0.12, old = 0.1, old_s2 = 0.004 * 0.004;
        const double run_s2 = pow(0.01, 2) / 4 + pow(drift * run, 2);
        const double pooled = (old / old_s2 + run / run_s2) / (1 / old_s2 + 1 / run_s2);
        if (fabs(cost->cost.s_per_task / pooled - 1) > 1e-4)
            fail_msg("%.8g instead of %.8g", cost->cost.s_per_task, pooled);
        assert_true(fabs(cost->fit.stderr_s_per_task / sqrt(1 / (1 / old_s2 + 1 / run_s2)) - 1) <
                    1e-3);
        assert_int_equal(cost->fit.n, 44);
        run_record_release(&record);
    }
}

/* 40 runs: the latest 32 drifts are kept, and what is written can be read. */
static void histories_end_with_the_latest(void **state)
{
    const int64_t sizes[4] = {10, 10, 10, 10};
    double seconds[4] = {1, 1, 1, 1};
    struct run_record record;
    (void)state;
    run_make(sizes, seconds, 4, &record);
    record.profile.history = calloc(HISTORY_MOST, sizeof(double));
    assert_non_null(record.profile.history);
    for (int k = 0; k < HISTORY_MOST; k++)
        record.profile.history[k] = k / 100.0;
    record.profile.history_count = HISTORY_MOST;
    learn(&record);
    assert_int_equal(record.profile.history_count, HISTORY_MOST);
    assert_true(record.profile.history[0] == 0.01);
    assert_true(record.profile.history[HISTORY_MOST - 2] == 0.31);
    assert_true(fabs(record.profile.history[HISTORY_MOST - 1] - (2 / 2.02 - 1)) < 1e-9);
    run_record_release(&record);
}

/* Of a resumed run, packages of all parts count, except of one without a trace, and the drift is
 * one for all. */
static void all_parts_teach(void **state)
{
    const int64_t small[4] = {10, 10, 10, 10}, large[8] = {10, 20, 30, 40, 10, 20, 30, 40};
    const double fast[4] = {1, 1, 1, 1}, slow[8] = {2, 4, 6, 8, 2, 4, 6, 8};
    struct run_record record, whole;
    (void)state;
    run_make(small, fast, 4, &record);
    record.others = calloc(2, sizeof *record.others);
    assert_non_null(record.others);
    run_make(large, slow, 8, &record.others[record.other_count++]);
    run_make(small, fast, 4, &record.others[record.other_count++]);
    record.others[1].trace.count = 0;
    learn(&record);
    assert_int_equal(compute_of(&record)->fit.n, 12);
    assert_int_equal(record.profile.history_count, 1);
    run_make(large, slow, 8, &whole);
    learn(&whole);
    assert_true(record.profile.history[0] > -0.02 &&
                record.profile.history[0] < whole.profile.history[0]);
    run_record_release(&whole);
    run_record_release(&record);
}

/* Whatever profile and run: what is learnt is a profile. */
/* The run again, behind another master: its plan, and its trace on ranks from 3 on. */
static void masters_make(struct run_record *record, struct run_record *other)
{
    struct plan *plan = &record->plan;
    const size_t events = record->trace.count;
    struct plan *stars = calloc(2, sizeof *stars);
    assert_non_null(stars);
    stars[0] = *plan;
    stars[1] = other->plan;
    stars[1].master = 3;
    stars[1].first = plan->tasks;
    for (int64_t w = 0; w < 2; w++)
        stars[1].workers[w] += 3;
    *plan = (struct plan){.tasks = plan->tasks};
    other->plan = (struct plan){.tasks = 0};
    run_record_release(other);
    plan->stars = stars;
    plan->star_count = 2;
    for (size_t k = 0; k < events; k++) {
        struct trace_event event = record->trace.events[k];
        event.rank += 3;
        event.first += (int64_t)plan->tasks;
        assert_true(trace_add(&record->trace, &event));
    }
    plan->tasks *= 2;
    record->tasks *= 2;
    record->tasks_done *= 2;
    record->profile.settings[0].windows[0].workers[0].count = 5; /* a master is one of them */
}

/* Packages of several masters' workers teach what those of one master's do. */
static void several_masters_teach(void **state)
{
    int64_t sizes[10];
    double seconds[10];
    struct run_record record, other;
    (void)state;
    for (int k = 0; k < 10; k++) {
        sizes[k] = 4 + k;
        seconds[k] = 0.05 + 0.13 * (double)sizes[k];
    }
    run_make(sizes, seconds, 10, &record);
    run_make(sizes, seconds, 10, &other);
    masters_make(&record, &other);
    learn(&record);
    const struct measured_cost *cost = compute_of(&record);
    assert_true(fabs(cost->cost.latency_s - 0.05) < 1e-9);
    assert_true(fabs(cost->cost.s_per_task - 0.13) < 1e-10);
    assert_int_equal(cost->fit.n, 20);
    assert_int_equal(record.profile.history_count, 1);
    /* As of one of them: both had the same. */
    assert_true(fabs(record.profile.history[0] - (6.1 / 4.55 - 1)) < 1e-9);
    run_record_release(&record);
}

static void learnt_profiles_are_read(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct run_record record;
        struct profile again;
        struct failure failure = FAILURE_INIT;
        run_sample(seed, 0.3, &record);
        learn(&record);
        char *text = profile_print(&record.profile);
        assert_non_null(text);
        if (!profile_parse(&again, text, strlen(text), "p.json", &failure))
            fail_msg("seed %" PRIu64 ": %s", seed, failure.text);
        free(text);
        profile_release(&again);
        run_record_release(&record);
    }
}

/* Noise of packages is none of starts. */
static void starts_are_learnt(void **state)
{
    int checked = 0;
    (void)state;
    for (uint64_t seed = 2; seed <= 100; seed += 5) {
        struct run_record record;
        run_sample(seed, 0.3, &record);
        const struct profile_setting *setting = &record.profile.settings[0];
        double before_s[8];
        for (size_t k = 0; k < setting->windows[0].worker_count; k++)
            before_s[k] = setting->windows[0].workers[k].start.cost.latency_s;
        learn(&record);
        for (size_t k = 0; k < setting->windows[0].worker_count; k++)
            for (size_t w = 0; w < setting->window_count; w++) {
                const double start_s = setting->windows[w].workers[k].start.cost.latency_s;
                assert_true(fabs(start_s - before_s[k]) <= 1e-9 * before_s[k]);
                checked += start_s > 0;
            }
        run_record_release(&record);
    }
    assert_true(checked > 0);
}

static void runs_without_costs_teach_nothing(void **state)
{
    struct run_record record;
    struct failure missing = FAILURE_INIT, twice = FAILURE_INIT;
    (void)state;
    run_sample(2, 0, &record);
    record.has_profile = false;
    assert_false(learn_costs(&record, &missing));
    assert_failure(missing, FAILURE_MISMATCH,
                   "the run has no profile to write its costs into: run with a plan that names its "
                   "profile, or with -p PROFILE");
    record.has_profile = true;
    for (size_t k = 0; k < record.trace.count; k++)
        record.trace.events[k].package = 0;
    assert_false(learn_costs(&record, &twice));
    assert_failure(twice, FAILURE_MISMATCH,
                   "the run handed out packages twice or lost some, so its costs say little: run "
                   "again");
    run_record_release(&record);
}

/* 900 J in 10 s by two workers and the master; then 1500 J, half of which is believed. */
static void energy_teaches_watts(void **state)
{
    static const int64_t sizes[] = {10, 10, 20, 20};
    static const double seconds[] = {1, 1, 2, 2};
    struct run_record record;
    (void)state;
    run_make(sizes, seconds, 4, &record);
    const struct profile *profile = &record.profile;
    const struct price *price = &profile->settings[0].windows[0].workers[0].price;
    learn(&record);
    assert_true(price->watts == 0 && profile->master.watts == 0);
    record.startup_s = 2;
    record.used = (struct run_usage){.walltime_s = 12, .energy_j = 900};
    learn(&record);
    assert_true(fabs(price->watts - 30) < 1e-9 && fabs(profile->master.watts - 30) < 1e-9);
    record.used.energy_j = 1500;
    learn(&record);
    assert_true(fabs(price->watts - 40) < 1e-9 && fabs(profile->master.watts - 40) < 1e-9);
    run_record_release(&record);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_enough_make_a_line),
        cmocka_unit_test(one_size_scales_the_line),
        cmocka_unit_test(others_are_not_learnt),
        cmocka_unit_test(busy_networks_are_not_learnt),
        cmocka_unit_test(jitter_stays_jitter),
        cmocka_unit_test(what_is_known_is_pooled),
        cmocka_unit_test(histories_end_with_the_latest),
        cmocka_unit_test(all_parts_teach),
        cmocka_unit_test(several_masters_teach),
        cmocka_unit_test(learnt_profiles_are_read),
        cmocka_unit_test(starts_are_learnt),
        cmocka_unit_test(energy_teaches_watts),
        cmocka_unit_test(runs_without_costs_teach_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
