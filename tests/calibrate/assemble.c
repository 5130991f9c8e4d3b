/* Profiles: from timings to a setting. */
#include <math.h>

#include "calibrate/fit/assemble.h"
#include "calibrate/fit/classes.h"
#include "tests/calibrate/synthetic.h"
#include "tests/checks.h"

enum { WORKERS = 3, LARGEST = 512 };
static char *const names[WORKERS] = {(char[]){"a:1"}, (char[]){"a:2"}, (char[]){"b:3"}};

/* Timings of one rank alone, as `rank`. */
static void rank_time(const struct machine *machine, enum operation operation, int rank,
                      struct samples *samples)
{
    const int64_t before = samples->count;
    machine_time(machine, operation, 1, LARGEST, (uint64_t)rank * 31 + (uint64_t)operation,
                 samples);
    for (int64_t i = before; i < samples->count; i++)
        samples->items[i].rank = rank;
}

/* Ranks whose computing takes so many times as long; `loud` times the usual noise. */
static struct samples cluster_of(const double factors[WORKERS], int64_t link_break, double loud)
{
    struct samples samples = {0};
    const struct machine envelope = {.latency_s = 1e-5, .s_per_task = 2e-6, .noise = 0.05 * loud};
    const struct machine send = {.latency_s = 5e-6, .noise = 0.05 * loud};
    const struct machine link = {.latency_s = 1e-5,
                                 .s_per_task = 1e-7,
                                 .jump_at = link_break,
                                 .jump_s = 1e-4,
                                 .rate_factor = 2,
                                 .noise = 0.05 * loud};
    const struct machine receive = {.latency_s = 5e-6, .s_per_task = 1e-6, .noise = 0.05 * loud};
    const struct machine output = {.latency_s = 1e-4, .s_per_task = 2e-5, .noise = 0.05 * loud};
    rank_time(&envelope, OPERATION_ENVELOPE, 0, &samples);
    rank_time(&send, OPERATION_SEND, 0, &samples);
    const struct machine answer = {.latency_s = 8e-6, .noise = 0.05};
    const struct machine request = {
        .latency_s = 2e-4, .jump_at = 8, .jump_s = 1e-4, .rate_factor = 1, .noise = 0.05};
    rank_time(&answer, OPERATION_ANSWER, 0, &samples);
    for (int rank = 1; rank <= WORKERS; rank++) {
        const struct machine compute = {
            .latency_s = 1e-4, .s_per_task = 1e-3 * factors[rank - 1], .noise = 0.02 * loud};
        rank_time(&link, OPERATION_LINK, rank, &samples);
        rank_time(&request, OPERATION_REQUEST, rank, &samples);
        rank_time(&receive, OPERATION_RECEIVE, rank, &samples);
        rank_time(&compute, OPERATION_COMPUTE, rank, &samples);
        rank_time(&output, OPERATION_OUTPUT, rank, &samples);
    }
    return samples;
}

static struct samples cluster(const double factors[WORKERS], int64_t link_break)
{
    return cluster_of(factors, link_break, 1);
}

static bool near(const struct measured_cost *cost, double tasks, double seconds)
{
    return fabs(cost_of(cost->cost, tasks) / seconds - 1) < 0.05;
}

/* Results that return cost the port as much from every worker, and the master when it writes them.
 */
static void test_returned_results(void **state)
{
    (void)state;
    const double factors[WORKERS] = {1, 1, 1};
    const struct machine result = {.latency_s = 5e-5, .s_per_task = 3e-6, .noise = 0.05};
    const struct machine collect = {.latency_s = 2e-5, .s_per_task = 1e-6, .noise = 0.05};
    struct samples samples = cluster(factors, 0);
    struct profile_setting setting;
    struct failure failure = FAILURE_INIT;
    rank_time(&collect, OPERATION_COLLECT, 0, &samples);
    for (int rank = 1; rank <= WORKERS; rank++)
        rank_time(&result, OPERATION_RESULT, rank, &samples);
    assert_true(assemble_setting(&samples, 0, LARGEST, WORKERS, names, &setting, &failure));
    assert_int_equal(setting.window_count, 1);
    const struct profile_window *window = &setting.windows[0];
    assert_int_equal(window->worker_count, 1);
    assert_true(near(&window->collect, 100, 1.2e-4) && near(&window->collect, 10, 3e-5));
    assert_true(near(&window->workers[0].result, 100, 3.5e-4) &&
                near(&window->workers[0].result, 10, 8e-5));
    assert_true(window->workers[0].result.fit.n > 20 && window->collect.fit.n > 20);
    profile_setting_release(&setting);
    samples_release(&samples);
}

static void test_every_cost(void **state)
{
    (void)state;
    const double factors[WORKERS] = {1, 1, 3};
    struct samples samples = cluster(factors, 0);
    struct profile_setting setting;
    struct failure failure = FAILURE_INIT;
    assert_true(assemble_setting(&samples, 0, LARGEST, WORKERS, names, &setting, &failure));
    assert_int_equal(setting.window_count, 1);
    const struct profile_window *window = &setting.windows[0];
    assert_true(window->least == 1 && window->greatest == LARGEST);
    assert_true(near(&window->envelope, 100, 2.1e-4));
    assert_true(near(&window->send, 100, 5e-6) && window->send.cost.s_per_task == 0);
    assert_true(near(&window->answer, 100, 8e-6) && window->answer.fit.n > 20);
    /* Nothing is known of what nobody has timed. */
    assert_true(window->collect.fit.n == 0 && window->workers[0].result.fit.n == 0);
    /* Two that are alike, and one that is not. */
    assert_int_equal(window->worker_count, 2);
    assert_int_equal(window->workers[0].count, 2);
    assert_string_equal(window->workers[0].name, "a:1 to a:2");
    assert_string_equal(window->workers[1].name, "b:3");
    for (int k = 0; k < 2; k++) {
        const struct profile_worker *worker = &window->workers[k];
        assert_true(near(&worker->link, 100, 2e-5));
        assert_true(near(&worker->receive, 100, 1.05e-4));
        assert_true(near(&worker->compute, 100, k == 0 ? 0.1001 : 0.3001));
        assert_true(near(&worker->output, 100, 2.1e-3));
        /* A request's break makes no window. */
        assert_true(near(&worker->request, 100, 3e-4) && worker->request.fit.n > 20);
        assert_true(worker->compute.fit.n > 100 && worker->compute.fit.r2 > 0.9);
        assert_true(worker->compute.fit.stderr_s_per_task > 0);
    }
    /* That one takes three times as long is no difference between places, nor unforeseen. */
    assert_true(setting.spread_count > 0);
    for (size_t k = 0; k < setting.spread_count; k++)
        assert_true(setting.spreads[k].deviation < 0.03);
    assert_true(setting.score.held_out > 0 && setting.score.held_out < 0.04);
    assert_true(setting.score.noise > 0);
    samples_release(&samples);
    profile_setting_release(&setting);
}

/* The last one of three workers becomes a class of its own. */
static void last_is_another_kind(const struct samples *samples)
{
    struct profile_setting setting;
    struct failure failure = FAILURE_INIT;
    assert_true(assemble_setting(samples, 0, LARGEST, WORKERS, names, &setting, &failure));
    const struct profile_window *window = &setting.windows[0];
    assert_int_equal(window->worker_count, 2);
    assert_int_equal(window->workers[0].count, 2);
    profile_setting_release(&setting);
}

/* On a simulated cluster equal workers differ only by rounding, which exceeds the noise. */
static void test_without_noise(void **state)
{
    (void)state;
    const double factors[WORKERS] = {1, 1 + 1e-13, 1.03};
    struct samples samples = cluster_of(factors, 0, 0);
    last_is_another_kind(&samples);
    samples_release(&samples);
}

/* A link that takes a hundredth of a worker's time more than another's: that is the port's time,
 * and three workers wait for it. */
static void test_links_tell_workers_apart(void **state)
{
    (void)state;
    const double factors[WORKERS] = {1, 1, 1};
    struct samples samples = cluster_of(factors, 0, 0);
    for (int64_t i = 0; i < samples.count; i++)
        if (samples.items[i].operation == OPERATION_LINK)
            samples.items[i].seconds *= samples.items[i].rank == WORKERS ? 500 : 400;
    last_is_another_kind(&samples);
    samples_release(&samples);
}

static const struct profile_worker *class_of(const struct profile_window *window, int64_t worker)
{
    const struct profile_worker *class = window->workers;
    for (; worker >= class->count; class ++)
        worker -= class->count;
    return class;
}

/* Each differs little from the one before: a plan's makespan goes with the slowest of a class,
 * whose cost is the mean. */
static void test_classes_are_narrow(void **state)
{
    (void)state;
    const double factors[WORKERS] = {1, 1.012, 1.025};
    struct samples samples = cluster_of(factors, 0, 0);
    struct profile_setting setting;
    struct failure failure = FAILURE_INIT;
    assert_true(assemble_setting(&samples, 0, LARGEST, WORKERS, names, &setting, &failure));
    for (int64_t worker = 0; worker < WORKERS; worker++) {
        const double real_s = 1e-4 + 1e-1 * factors[worker];
        const struct profile_worker *class = class_of(&setting.windows[0], worker);
        assert_true(fabs(cost_of(class->compute.cost, 100) / real_s - 1) < 0.01);
    }
    samples_release(&samples);
    profile_setting_release(&setting);
}

/* Writing takes as long as computing: together they differ by less than they may, but where results
 * are written while the next ones are computed, one worker is slower than the other. */
static void test_output_hides_no_difference(void **state)
{
    (void)state;
    const double factors[WORKERS] = {1, 1, 1.016};
    struct samples samples = cluster_of(factors, 0, 0);
    for (int64_t i = 0; i < samples.count; i++)
        if (samples.items[i].operation == OPERATION_OUTPUT)
            samples.items[i].seconds *= 40;
    last_is_another_kind(&samples);
    samples_release(&samples);
}

/* One operation breaks: all have two windows, and those that do not break the same cost in both. */
static void test_windows(void **state)
{
    (void)state;
    const double factors[WORKERS] = {1, 1, 1};
    struct samples samples = cluster(factors, 40);
    struct profile_setting setting;
    struct failure failure = FAILURE_INIT;
    assert_true(assemble_setting(&samples, 0, LARGEST, WORKERS, names, &setting, &failure));
    assert_int_equal(setting.window_count, 2);
    const struct profile_window *low = &setting.windows[0], *high = &setting.windows[1];
    assert_true(low->least == 1 && low->greatest >= 32 && low->greatest < 64);
    assert_true(high->least == low->greatest + 1 && high->greatest == LARGEST);
    assert_true(low->worker_count == 1 && low->workers[0].count == WORKERS);
    assert_true(near(&low->workers[0].link, 20, 1.2e-5));
    assert_true(near(&high->workers[0].link, 200, 1.5e-4));
    assert_true(low->workers[0].compute.cost.s_per_task ==
                high->workers[0].compute.cost.s_per_task);
    samples_release(&samples);
    profile_setting_release(&setting);
}

/* Which timings count: of links those of workers that wait, of receiving those of workers that
 * compute; cold packages never count. */
static void test_which_samples_count(void **state)
{
    (void)state;
    const double factors[WORKERS] = {1, 1, 1};
    struct samples samples = cluster(factors, 0);
    const int64_t count = samples.count;
    for (int64_t i = 0; i < count; i++) {
        struct sample twin = samples.items[i];
        const bool link = twin.operation == OPERATION_LINK;
        if (link || twin.operation == OPERATION_RECEIVE) {
            samples.items[i].waited = link;
            twin.waited = !link;
            twin.seconds *= 100;
            assert_true(samples_add(&samples, &twin));
        }
        twin.cold = true;
        twin.seconds *= 100;
        assert_true(samples_add(&samples, &twin));
    }
    struct profile_setting setting;
    struct failure failure = FAILURE_INIT;
    assert_true(assemble_setting(&samples, 0, LARGEST, WORKERS, names, &setting, &failure));
    const struct profile_worker *worker = &setting.windows[0].workers[0];
    assert_true(near(&worker->link, 100, 2e-5));
    assert_true(near(&worker->receive, 100, 1.05e-4));
    assert_true(near(&worker->compute, 100, 0.1001));
    samples_release(&samples);
    profile_setting_release(&setting);
}

/* Where all packages are cold, they count. */
static void test_cold_samples(void **state)
{
    (void)state;
    const double factors[WORKERS] = {1, 1, 1};
    struct samples samples = cluster(factors, 0);
    struct profile_setting setting;
    struct failure failure = FAILURE_INIT;
    for (int64_t i = 0; i < samples.count; i++)
        samples.items[i].cold = true;
    assert_true(assemble_setting(&samples, 0, LARGEST, WORKERS, names, &setting, &failure));
    assert_true(near(&setting.windows[0].workers[0].compute, 100, 0.1001));
    samples_release(&samples);
    profile_setting_release(&setting);
}

/* No timing of anything: a profile that can be planned with, not a failure. */
static void test_no_samples(void **state)
{
    (void)state;
    struct samples samples = {0};
    struct profile_setting setting;
    struct failure failure = FAILURE_INIT;
    assert_true(assemble_setting(&samples, 0, 1, WORKERS, names, &setting, &failure));
    assert_int_equal(setting.window_count, 1);
    assert_true(setting.windows[0].workers[0].compute.cost.s_per_task > 0);
    assert_true(setting.windows[0].workers[0].compute.cost.s_per_task < 1e-8);
    assert_true(setting.windows[0].workers[0].output.cost.s_per_task == 0);
    profile_setting_release(&setting);
}

/* Two kinds of ranks, many of each: two classes, each with the cost of all its ranks. */
static void test_many_ranks(void **state)
{
    (void)state;
    enum { RANKS = 300, SLOW = 200 };
    const struct machine quick = {.latency_s = 1e-4, .s_per_task = 1e-3, .noise = 0.02};
    const struct machine slow = {.latency_s = 1e-4, .s_per_task = 2e-3, .noise = 0.02};
    struct samples samples = {0};
    struct failure failure = FAILURE_INIT;
    int count = 0;
    for (int rank = 1; rank <= RANKS; rank++)
        rank_time(rank < SLOW ? &quick : &slow, OPERATION_COMPUTE, rank, &samples);
    struct worker_class *classes = classes_make(&samples, 0, RANKS, NULL, &count, &failure);
    assert_non_null(classes);
    assert_int_equal(count, 2);
    for (int k = 0; k < 2; k++) {
        assert_int_equal(classes[k].least, k == 0 ? 1 : SLOW);
        assert_int_equal(classes[k].greatest, k == 0 ? SLOW - 1 : RANKS);
        assert_int_equal(classes[k].fitted, classes[k].greatest);
        assert_true(near(&classes[k].costs[2].pieces[0].cost, 100, k == 0 ? 0.1001 : 0.2001));
    }
    free(classes);
    samples_release(&samples);
}

/* Equal ranks that drift from pass to pass, each by itself: all sizes of a pass are off together,
 * and are no proof of a difference. */
static void test_ranks_that_drift(void **state)
{
    (void)state;
    enum { RANKS = 64, CLASSES_MOST = 6 };
    const struct machine drifting = {
        .latency_s = 1e-4, .s_per_task = 1e-3, .noise = 0.01, .drift_own = 0.05};
    struct samples samples = {0};
    struct failure failure = FAILURE_INIT;
    int count = 0;
    for (int rank = 1; rank <= RANKS; rank++)
        rank_time(&drifting, OPERATION_COMPUTE, rank, &samples);
    struct worker_class *classes = classes_make(&samples, 0, RANKS, NULL, &count, &failure);
    assert_non_null(classes);
    assert_true(count <= CLASSES_MOST);
    free(classes);
    samples_release(&samples);
}

/* One timing of a worker's first package since it was begun anew, and what its trace tells of its
 * start (0: nothing). */
static void fresh_add(struct samples *samples, int rank, int64_t tasks, double seconds,
                      double told_s)
{
    struct sample sample = {.operation = OPERATION_COMPUTE,
                            .rank = rank,
                            .cold = true,
                            .fresh = true,
                            .tasks = tasks,
                            .seconds = seconds};
    assert_true(samples_add(samples, &sample));
    sample.operation = OPERATION_START;
    sample.seconds = told_s;
    assert_true(told_s == 0 || samples_add(samples, &sample));
}

/* A start is found in its own timings, or in first packages that told nothing of it; cold memory is
 * none. It is in every window. */
static void test_starts(void **state)
{
    static const double factors[WORKERS] = {1, 1, 3};
    static const struct {
        double first_s, told_s, start_s;
    } cases[] = {{2.502, 0, 2.5}, {0.0021, 2.5, 2.5}, {0.004, 0, 0}};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct samples samples = cluster(factors, 100);
        struct profile_setting setting;
        struct failure failure = FAILURE_INIT;
        for (int rank = 1; rank <= WORKERS; rank++)
            for (int pass = 0; pass < 2; pass++)
                fresh_add(&samples, rank, 2, cases[k].first_s * (1 + 0.002 * pass),
                          cases[k].told_s * (1 + 0.002 * pass));
        assert_true(assemble_setting(&samples, 0, LARGEST, WORKERS, names, &setting, &failure));
        assert_true(setting.window_count > 1);
        for (size_t w = 0; w < setting.window_count; w++) {
            const struct profile_worker *worker = &setting.windows[w].workers[0];
            assert_true(fabs(worker->start.cost.latency_s - cases[k].start_s) <= 0.01);
            assert_true(worker->start.fit.n == (cases[k].start_s > 0 ? 4 : 0));
            assert_true(near(&worker->compute, 50, 0.0501));
        }
        samples_release(&samples);
        profile_setting_release(&setting);
    }
}

/* Where core tasks differ, a long first package does not mean a start; a start that is longer than
 * their differences does. */
static void test_no_start_of_unlike_tasks(void **state)
{
    static const double factors[WORKERS] = {1, 1, 1};
    static const struct {
        double first_s;
        bool start;
    } cases[] = {{0.5, false}, {30, true}};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct samples samples = cluster(factors, 100);
        struct profile_setting setting;
        struct failure failure = FAILURE_INIT;
        for (int64_t i = 0; i < samples.count; i++)
            if (samples.items[i].operation == OPERATION_COMPUTE)
                samples.items[i].seconds +=
                    i % 8 == 0 ? 0.5 * (double)samples.items[i].tasks : 0; /* heavy ones */
        for (int rank = 1; rank <= WORKERS; rank++)
            fresh_add(&samples, rank, 1, cases[k].first_s, 0);
        assert_true(assemble_setting(&samples, 0, LARGEST, WORKERS, names, &setting, &failure));
        for (int64_t w = 0; w < (int64_t)setting.windows[0].worker_count; w++) {
            const double start_s = setting.windows[0].workers[w].start.cost.latency_s;
            assert_true((start_s > 0) == cases[k].start);
        }
        samples_release(&samples);
        profile_setting_release(&setting);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_cost),
        cmocka_unit_test(test_returned_results),
        cmocka_unit_test(test_without_noise),
        cmocka_unit_test(test_links_tell_workers_apart),
        cmocka_unit_test(test_classes_are_narrow),
        cmocka_unit_test(test_output_hides_no_difference),
        cmocka_unit_test(test_windows),
        cmocka_unit_test(test_which_samples_count),
        cmocka_unit_test(test_cold_samples),
        cmocka_unit_test(test_starts),
        cmocka_unit_test(test_no_start_of_unlike_tasks),
        cmocka_unit_test(test_no_samples),
        cmocka_unit_test(test_many_ranks),
        cmocka_unit_test(test_ranks_that_drift),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
