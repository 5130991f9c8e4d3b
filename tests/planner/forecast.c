/* Forecasters, with the errors that an independent program found; and the shares of processors that
 * plans get from them. */
#include <math.h>
#include <string.h>

#include "planner/files/observations_tsv.h"
#include "planner/forecast/bank.h"
#include "planner/model/shared.h"
#include "planner/studies/shares.h"
#include "tests/checks.h"
#include "tests/planner/samples.h"

#define assert_near(value, wanted, off) assert_true(fabs((value) - (wanted)) <= (off))

static void forecast_is(const struct bank *bank, enum forecast_by by, const char *name,
                        double error, double value)
{
    const struct forecast forecast = bank_forecast(bank, by);
    assert_string_equal(forecast.by, name);
    assert_near(forecast.error, error, 5e-8);
    assert_near(forecast.value, value, 5e-7);
}

static void steps_are_followed_by_the_last_value(void **state)
{
    struct bank bank = {.count = 0};
    (void)state;
    for (int k = 0; k < 20; k++)
        bank_add(&bank, k < 10 ? 0.9 : 0.5);
    forecast_is(&bank, FORECAST_BY_MSE, "last value", 0.16 / 19, 0.5);
}

static void alternation_is_followed_by_its_mean(void **state)
{
    struct bank bank = {.count = 0};
    (void)state;
    for (int k = 0; k < 20; k++)
        bank_add(&bank, k % 2 == 0 ? 0.9 : 0.5);
    forecast_is(&bank, FORECAST_BY_MSE, "running mean", 0.051526805, 0.7);
    forecast_is(&bank, FORECAST_BY_MAE, "smoothing 0.05", 0.212372669, 0.768407);
}

static void spikes_are_averaged_or_passed_over(void **state)
{
    struct bank bank = {.count = 0};
    (void)state;
    for (int k = 0; k < 20; k++)
        bank_add(&bank, k % 5 == 4 ? 0.1 : 0.9);
    forecast_is(&bank, FORECAST_BY_MSE, "mean of 5", 0.114526316, 0.74);
    forecast_is(&bank, FORECAST_BY_MAE, "median of 31", 0.168421053, 0.9);
}

static void ramps_are_followed_by_the_last_value(void **state)
{
    struct bank bank = {.count = 0};
    (void)state;
    for (int k = 0; k < 20; k++)
        bank_add(&bank, 0.9 - 0.02 * k);
    forecast_is(&bank, FORECAST_BY_MSE, "last value", 0.0004, 0.52);
}

/* From 51 values on all forecasts go by windows; with one outlier in a hundred only medians are
 * unaffected. */
static void long_series_keep_to_their_windows(void **state)
{
    struct bank bank = {.count = 0};
    (void)state;
    for (int k = 0; k < 1000; k++)
        bank_add(&bank, k % 100 == 50 ? 0.1 : k < 500 ? 0.8 : 0.4);
    for (int place = 0; place < FORECASTERS; place++) {
        const struct forecast one = bank_forecaster(&bank, place, FORECAST_BY_MAE);
        const bool of_all = strcmp(one.by, "running mean") == 0;
        const bool steady =
            strncmp(one.by, "smoothing", 9) == 0 || of_all || strncmp(one.by, "mean", 4) == 0;
        assert_true(one.value > 0.1 && one.value < 0.8);
        if (!steady)
            assert_near(one.value, 0.4, 1e-12);
    }
    assert_true(bank.window[0] >= 5 && bank.window[0] <= 21);
    assert_true(bank.window[1] >= 21 && bank.window[1] <= 51);
}

static void one_value_is_what_there_is(void **state)
{
    struct bank bank = {.count = 0};
    (void)state;
    bank_add(&bank, 0.3);
    for (int place = 0; place < FORECASTERS; place++)
        assert_near(bank_forecaster(&bank, place, FORECAST_BY_MSE).value, 0.3, 0);
    forecast_is(&bank, FORECAST_BY_MSE, "last value", 0, 0.3);
}

/* Ten looks of 10 s each: blocks of 20 s, back from the last one, average two. */
static void looks_are_averaged_over_blocks(void **state)
{
    struct observations seen = {.nodes = NULL};
    struct observed_node *node = observations_node(&seen, "n1");
    (void)state;
    for (int k = 0; k < 10; k++)
        assert_true(observations_add(&node->cpu, 1000 + 10 * k, k % 2 == 0 ? 0.9 : 0.5));
    const struct observed_forecast two = observed_forecast(&node->cpu, 20, FORECAST_BY_MSE);
    assert_int_equal(two.blocks, 5);
    assert_near(two.value, 0.7, 1e-12);
    assert_near(two.deviation, 0, 1e-12);
    const struct observed_forecast one = observed_forecast(&node->cpu, 5, FORECAST_BY_MSE);
    assert_int_equal(one.blocks, 10);
    assert_true(one.deviation > 0.1);
    /* 0.9 and 0.5 in turn: the running mean, or smoothing, whose deviation is of squares, too. */
    const struct observed_forecast absolute = observed_forecast(&node->cpu, 5, FORECAST_BY_MAE);
    assert_string_equal(one.by, "running mean");
    assert_string_equal(absolute.by, "smoothing 0.05");
    assert_true(absolute.deviation > one.deviation);
    /* Longer ones than a quarter of what was seen, 90 s, would say nothing of their deviation. */
    assert_int_equal(observed_forecast(&node->cpu, 1e9, FORECAST_BY_MSE).blocks, 5);
    observations_release(&seen);
}

/* Gaps tell nothing, and a node may have been observed for one kind only. */
static void lines_are_read(void **state)
{
    struct observations seen;
    struct failure failure = FAILURE_INIT;
    (void)state;
    assert_true(observations_parse(&seen,
                                   "# of May\n \t# and of June\n \r\n"
                                   "10.5\tn1\tcpu\t0.5\r\n11\tn 2\tcpu\t1\n"
                                   "99\tn1\tbandwidth\t1.5e9\n100\tn3\tbandwidth\t2e9",
                                   "load.tsv", &failure));
    assert_int_equal(seen.count, 3);
    assert_string_equal(seen.nodes[1].name, "n 2");
    assert_near(seen.nodes[0].cpu.items[0].value, 0.5, 0);
    assert_int_equal(seen.nodes[0].cpu.count, 1);
    assert_near(seen.nodes[0].bandwidth.items[0].value, 1.5e9, 0);
    assert_int_equal(seen.nodes[1].bandwidth.count, 0);
    assert_int_equal(seen.nodes[2].cpu.count, 0);
    observations_release(&seen);
}

#define WANTED                                                                                     \
    "give time_s, a node, cpu, and its availability above 0 and at most 1, or bandwidth and "      \
    "bytes "                                                                                       \
    "a second, separated by tabs"

static void wrong_lines_are_named(void **state)
{
    static const struct {
        const char *text, *sentence;
    } bad[] = {
        {"", "load.tsv: has no observations: make the file with 'scow sense -o FILE'"},
        {"10\tn1\tcpu\t1.5\n", "load.tsv, line 1: " WANTED},
        {"# x\n10\tn1\tcpu\t0\n", "load.tsv, line 2: " WANTED},
        {"10\tn1\tcpu\t\n20\tn1\tcpu\t1\n", "load.tsv, line 1: " WANTED},
        {"10\tn1\tbandwidth\t-1\n", "load.tsv, line 1: " WANTED},
        {"10\tn1\tbandwidth\tinf\n", "load.tsv, line 1: " WANTED},
        {"10\tn1\tdisk\t1\n", "load.tsv, line 1: " WANTED},
    };
    struct observations seen;
    (void)state;
    for (size_t k = 0; k < COUNT_OF(bad); k++) {
        struct failure here = FAILURE_INIT;
        assert_false(observations_parse(&seen, bad[k].text, "load.tsv", &here));
        assert_failure(here, FAILURE_MISMATCH, bad[k].sentence);
    }
}

/* A run adds what it found when it ends, and others have gone on looking. */
static void looks_are_put_in_order(void **state)
{
    struct observations seen = {.nodes = NULL};
    struct dice dice = {3};
    (void)state;
    for (size_t count = 1; count < 40; count++) {
        struct observed_node *node = observations_node(&seen, "n1");
        for (size_t k = 0; k < count; k++)
            assert_true(
                observations_add(&node->bandwidth, floor(8 * dice_unit(&dice)), (double)k + 1));
        assert_true(observations_sort(&seen));
        const struct observation *items = node->bandwidth.items;
        double sum = 0;
        for (size_t k = 0; k < count; k++) {
            sum += items[k].value;
            assert_true(
                k == 0 || items[k - 1].time_s < items[k].time_s ||
                (items[k - 1].time_s == items[k].time_s && items[k - 1].value < items[k].value));
        }
        assert_near(sum, (double)(count * (count + 1)) / 2, 0);
        observations_release(&seen);
    }
}

/* ---- shares -------------------------------------------------------------------------------- */

/* Classes of one worker each, of that many, named n1, n2, ... */
static void profile_named(struct profile *profile, struct dice *dice, size_t classes)
{
    do {
        profile_release(profile);
        sample_profile(dice, 8, 1, profile);
    } while (profile->settings[0].windows[0].worker_count != classes);
    for (size_t w = 0; w < profile->settings[0].window_count; w++)
        for (size_t k = 0; k < classes; k++) {
            char **name = &profile->settings[0].windows[w].workers[k].name;
            const char text[] = {'n', (char)('1' + k), '\0'};
            free(*name);
            *name = strdup(text);
        }
}

static void classes_find_their_nodes(void **state)
{
    struct observations seen;
    struct failure failure = FAILURE_INIT;
    struct profile profile = {0};
    struct plan_shared *shared;
    struct dice dice = {5};
    size_t count;
    (void)state;
    profile_named(&profile, &dice, 2);
    const struct profile_window *window = &profile.settings[0].windows[0];
    assert_true(observations_parse(&seen, "1\tn2\tcpu\t0.5\n1\tn1\tcpu\t1\n", "x", &failure));
    assert_true(shares_forecast(&seen, "x", &profile, 100, &shared, &count, &failure));
    assert_int_equal(count, 2);
    assert_near(shared[0].share, 1, 0);
    assert_near(shared[1].share, 0.5, 0);
    assert_int_equal(shared[0].first_rank, 1);
    assert_int_equal(shared[0].last_rank, window->workers[0].count);
    assert_int_equal(shared[1].last_rank, profile_workers(window));
    free(shared);
    /* Of what they had when they were measured: half was all that the second one had then. */
    profile.settings[0].windows[0].workers[0].availability = 0.8;
    profile.settings[0].windows[0].workers[1].availability = 0.5;
    assert_true(shares_forecast(&seen, "x", &profile, 100, &shared, &count, &failure));
    assert_int_equal(count, 2);
    assert_near(shared[0].share, 1.25, 1e-15);
    assert_near(shared[1].share, 1, 0);
    free(shared);
    observations_release(&seen);
    assert_true(observations_parse(&seen, "1\tn2\tcpu\t0.5\n1\tn3\tcpu\t1\n", "x", &failure));
    assert_false(shares_forecast(&seen, "x", &profile, 100, &shared, &count, &failure));
    assert_failure(
        failure, FAILURE_MISMATCH,
        "x: has no observation of 'n1', a class of the profile: run 'scow sense' there, too");
    observations_release(&seen);
    profile_release(&profile);
}

static void window_name(const struct profile_window *window, size_t class, const char *name)
{
    free(window->workers[class].name);
    window->workers[class].name = strdup(name);
}

/* Calibration names workers by node and rank; who senses knows nodes. */
static void workers_are_on_their_nodes(void **state)
{
    static const struct {
        const char *name;
        double share;
    } cases[] = {
        {"n1:1", 1}, {"n2:12", 0.5}, {"n1:1 to n1:4", 1}, {"n1:1 to n2:8", 0.75}, {"n3:1", 0.25}};
    struct observations seen;
    struct failure failure = FAILURE_INIT;
    struct profile profile = {0};
    struct plan_shared *shared;
    struct dice dice = {5};
    size_t count;
    (void)state;
    profile_named(&profile, &dice, 1);
    assert_true(observations_parse(
        &seen, "1\tn2\tcpu\t0.5\n1\tn1\tcpu\t1\n1\tn3:1\tcpu\t0.25\n1\t:1\tcpu\t0.1\n", "x",
        &failure));
    for (size_t k = 0; k < COUNT_OF(cases); k++) {
        window_name(&profile.settings[0].windows[0], 0, cases[k].name);
        assert_true(shares_forecast(&seen, "x", &profile, 100, &shared, &count, &failure));
        assert_near(shared[0].share, cases[k].share, 0);
        free(shared);
    }
    static const char *const nobodys[] = {"n4:1", "n1:", "n1:x", "n1 :1", "1"};
    for (size_t k = 0; k < COUNT_OF(nobodys); k++) {
        struct failure here = FAILURE_INIT;
        window_name(&profile.settings[0].windows[0], 0, nobodys[k]);
        assert_false(shares_forecast(&seen, "x", &profile, 100, &shared, &count, &here));
    }
    observations_release(&seen);
    profile_release(&profile);
}

static void classes_have_one_node_or_two(void **state)
{
    static const struct {
        const char *name, *first, *last;
    } cases[] = {
        {"n1:3", "n1", NULL},   {"n1:1 to n1:8", "n1", NULL},     {"n1:1 to n4:8", "n1", "n4"},
        {"fast", "fast", NULL}, {"fast to slow", "fast", "slow"}, {"n1:1 to n11:8", "n1", "n11"}};
    (void)state;
    for (size_t k = 0; k < COUNT_OF(cases); k++) {
        struct node_name nodes[2];
        const int count = shares_nodes(cases[k].name, nodes);
        assert_int_equal(count, cases[k].last ? 2 : 1);
        assert_int_equal(nodes[0].length, strlen(cases[k].first));
        assert_memory_equal(nodes[0].at, cases[k].first, nodes[0].length);
        if (count == 2)
            assert_memory_equal(nodes[1].at, cases[k].last, strlen(cases[k].last));
        assert_true(count == 1 || nodes[1].length == strlen(cases[k].last));
    }
}

/* The series of 0.9 and 0.5 above, in gigabytes a second, of 1.25 when the first class was
 * measured; what the network to the second one was nobody knows. */
static void networks_are_of_what_they_were(void **state)
{
    struct observations seen = {.nodes = NULL};
    struct failure failure = FAILURE_INIT;
    struct profile profile = {0};
    struct plan_shared *shared;
    struct dice dice = {5};
    size_t count;
    (void)state;
    profile_named(&profile, &dice, 2);
    for (int k = 0; k < 20; k++)
        for (int node = 1; node <= 2; node++) {
            const char name[] = {'n', (char)('0' + node), '\0'};
            assert_true(observations_add(&observations_node(&seen, name)->bandwidth, 1e9 * k,
                                         k < 10 ? 0.9e9 : 0.5e9));
        }
    profile.settings[0].windows[0].workers[0].bandwidth = 1.25e9;
    assert_true(shares_forecast(&seen, "x", &profile, 100, &shared, &count, &failure));
    assert_int_equal(count, 2);
    assert_near(shared[0].bandwidth, 0.4, 1e-15);
    assert_near(shared[0].bandwidth_deviation, sqrt(0.16 / 19) / 1.25, 1e-9);
    assert_near(shared[1].bandwidth, 0, 0);
    for (int k = 0; k < 2; k++) {
        assert_near(shared[k].share, 1, 0);
        assert_near(shared[k].deviation, 0, 0);
    }
    free(shared);
    observations_release(&seen);
    profile_release(&profile);
}

/* Half of the processor: computing takes twice as long, once, and is less certain. */
static void shares_slow_computing(void **state)
{
    const struct plan_shared half = {1, 1000, 0.5, 0.1, 0, 0};
    struct profile profile = {0}, before = {0};
    struct dice dice = {9}, again = {9};
    (void)state;
    sample_profile(&dice, 8, 2, &profile);
    sample_profile(&again, 8, 2, &before);
    shared_follow(&profile, &half, 1);
    shared_follow(&profile, &half, 1);
    for (size_t s = 0; s < 2; s++)
        for (size_t w = 0; w < profile.settings[s].window_count; w++)
            for (size_t k = 0; k < profile.settings[s].windows[w].worker_count; k++) {
                const struct profile_worker *now = &profile.settings[s].windows[w].workers[k];
                const struct profile_worker *was = &before.settings[s].windows[w].workers[k];
                assert_near(now->compute.cost.s_per_task, 2 * was->compute.cost.s_per_task, 0);
                assert_near(now->compute.cost.latency_s, 2 * was->compute.cost.latency_s, 0);
                assert_near(now->link.cost.s_per_task, was->link.cost.s_per_task, 0);
                assert_near(now->compute.fit.drift, hypot(was->compute.fit.drift, 0.2), 1e-15);
            }
    profile_release(&profile);
    profile_release(&before);
}

/* A quarter of the bandwidth to all: links take four times as long, and nothing else changes. */
static void bandwidth_slows_links(void **state)
{
    struct plan_shared quarter = {1, 1000, 1, 0, 0.25, 0.05};
    struct plan plan = {.shared = &quarter, .shared_count = 1};
    struct profile_worker worker = {.count = 3,
                                    .link = {{0.5, 2}, {0.01, 0.02, .drift = 0.15}},
                                    .compute = {{1, 3}, {.drift = 0.1}}};
    struct profile_window window = {.workers = &worker, .worker_count = 1};
    struct profile_setting setting = {.windows = &window, .window_count = 1};
    struct profile profile = {.settings = &setting, .setting_count = 1};
    struct text text = TEXT_INIT;
    (void)state;
    shared_follow(&profile, &quarter, 1);
    assert_near(worker.link.cost.latency_s, 2, 0);
    assert_near(worker.link.cost.s_per_task, 8, 0);
    assert_near(worker.link.fit.stderr_s_per_task, 0.08, 1e-15);
    assert_near(worker.link.fit.drift, 0.25, 1e-15); /* 0.15 and 0.05 / 0.25 */
    assert_near(worker.compute.cost.s_per_task, 3, 0);
    assert_near(worker.compute.fit.drift, 0.1, 0);
    assert_near(worker.result.fit.drift, 0, 0); /* none return */
    shared_undo(&profile, &plan);
    assert_near(worker.link.cost.latency_s, 0.5, 0);
    assert_near(worker.link.cost.s_per_task, 2, 0);
    assert_near(worker.link.fit.drift, 0.15, 1e-15);
    shared_describe(&quarter, 1, &text);
    assert_string_equal(
        text.bytes,
        "network     0.25 of the bandwidth at calibration, give or take 0.05, ranks 1 to 1000\n");
    text_release(&text);
}

/* The second and the last worker of five are selected, and have other shares. */
static void shares_are_taken_back(void **state)
{
    struct plan_shared shared[] = {{1, 2, 0.5, 0.1, 0, 0}, {3, 5, 1.25, 0.05, 0, 0}};
    struct plan_run runs[] = {{1, 1}, {4, 4}};
    struct plan plan = {.shared = shared, .shared_count = 2, .selected = {runs, 2}};
    struct profile_worker workers[2], before[2];
    struct profile_window window = {.workers = workers, .worker_count = 2};
    struct profile_setting setting = {.windows = &window, .window_count = 1};
    struct profile profile = {.settings = &setting, .setting_count = 1, .shared = true};
    const struct measured_cost measured = {
        {0.5, 2}, {0.01, 0.02, -0.5, .jitter_s = 0.1, .drift = 0.2, .drift_own = 0.3}};
    (void)state;
    for (int k = 0; k < 2; k++) {
        before[k] = workers[k] = (struct profile_worker){.count = 1, .compute = measured};
        workers[k].compute.cost.s_per_task /= shared[k].share;
        workers[k].compute.cost.latency_s /= shared[k].share;
        workers[k].compute.fit.jitter_s /= shared[k].share;
        workers[k].compute.fit.drift_own = hypot(0.3, shared[k].deviation / shared[k].share);
    }
    shared_undo(&profile, &plan);
    shared_undo(&profile, &plan);
    for (int k = 0; k < 2; k++) {
        const struct measured_cost *now = &workers[k].compute, *was = &before[k].compute;
        assert_near(now->cost.s_per_task, was->cost.s_per_task, 1e-15);
        assert_near(now->cost.latency_s, was->cost.latency_s, 1e-15);
        assert_near(now->fit.jitter_s, was->fit.jitter_s, 1e-15);
        assert_near(now->fit.drift_own, was->fit.drift_own, 1e-15);
    }
    shared_again(&profile, &plan);
    shared_again(&profile, &plan);
    assert_near(workers[0].compute.cost.s_per_task, 4, 1e-15);
    assert_near(workers[1].compute.cost.s_per_task, 1.6, 1e-15);
    assert_near(workers[0].compute.fit.drift_own, hypot(0.3, 0.2), 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_are_followed_by_the_last_value),
        cmocka_unit_test(alternation_is_followed_by_its_mean),
        cmocka_unit_test(spikes_are_averaged_or_passed_over),
        cmocka_unit_test(ramps_are_followed_by_the_last_value),
        cmocka_unit_test(long_series_keep_to_their_windows),
        cmocka_unit_test(one_value_is_what_there_is),
        cmocka_unit_test(looks_are_averaged_over_blocks),
        cmocka_unit_test(lines_are_read),
        cmocka_unit_test(wrong_lines_are_named),
        cmocka_unit_test(looks_are_put_in_order),
        cmocka_unit_test(classes_find_their_nodes),
        cmocka_unit_test(workers_are_on_their_nodes),
        cmocka_unit_test(classes_have_one_node_or_two),
        cmocka_unit_test(networks_are_of_what_they_were),
        cmocka_unit_test(shares_slow_computing),
        cmocka_unit_test(bandwidth_slows_links),
        cmocka_unit_test(shares_are_taken_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
