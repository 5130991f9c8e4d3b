/* Whole campaigns on simulated machines, whose clock is as fast as they can be computed: budgets
 * are kept whatever commands cost, and what is measured suffices to find the costs. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "calibrate/campaign.h"
#include "tests/calibrate/synthetic.h"
#include "tests/cases.h"
#include "tests/checks.h"

enum { AHEAD = 3, WORKERS_MOST = 16 };

/* Beside what computing costs. */
struct cluster {
    struct machine compute;
    double start_s, overhead_s;
    int workers;
    int64_t tasks;
    int64_t failing; /* of so many core tasks the last one fails; 0: none */
    struct generator generator;
    double now_s;
    bool started;
    int64_t probes;
    /* What was said, and by how much the end was off that was foreseen in the middle of passes. */
    char said[400];
    double foreseen_s, foreseen_at_s;
};

static double compute_s(struct cluster *cluster, int64_t tasks)
{
    const struct machine *machine = &cluster->compute;
    const double exact = machine->latency_s + machine->s_per_task * (double)tasks;
    return exact * fmax(0.1, 1 + machine->noise * generator_normal(&cluster->generator));
}

static void event_add(struct trace *trace, int rank, enum operation operation,
                      const struct package *package, double start_s, double end_s)
{
    const struct trace_event event = {.rank = rank,
                                      .operation = (int32_t)operation,
                                      .package = package->index,
                                      .first = package->first,
                                      .tasks = package->count,
                                      .start_s = start_s,
                                      .end_s = end_s};
    assert_true(trace_add(trace, &event));
}

/* One worker's packages, one after the other; each is sent when the one AHEAD before it is done. */
static double worker_work(struct cluster *cluster, const struct probe_work *work, int worker,
                          bool fresh, struct probe_outcome *outcome)
{
    double ends_s[AHEAD] = {0}, free_s = 0;
    int64_t done = 0;
    for (int64_t i = 0; i < work->count; i++) {
        const struct package *package = &work->packages[i];
        const double sent_s = ends_s[done % AHEAD];
        if (package->worker != worker || cluster->now_s + sent_s > work->until_s)
            continue;
        struct package sent = *package;
        sent.index = done * cluster->workers + worker;
        event_add(&outcome->trace, 0, OPERATION_ENVELOPE, &sent, sent_s, sent_s + 1e-5);
        event_add(&outcome->trace, 0, OPERATION_SEND, &sent, sent_s + 1e-5, sent_s + 2e-5);
        event_add(&outcome->trace, worker + 1, OPERATION_LINK, &sent, sent_s, sent_s + 1e-5);
        event_add(&outcome->trace, worker + 1, OPERATION_RECEIVE, &sent, free_s, free_s + 1e-6);
        const double end_s = free_s + 1e-6 + compute_s(cluster, sent.count) +
                             (fresh && done == 0 ? cluster->start_s : 0);
        event_add(&outcome->trace, worker + 1, OPERATION_COMPUTE, &sent, free_s + 1e-6, end_s);
        event_add(&outcome->trace, worker + 1, OPERATION_OUTPUT, &sent, end_s, end_s + 1e-4);
        ends_s[done++ % AHEAD] = free_s = end_s + 1e-4;
        outcome->tasks += sent.count;
    }
    return free_s;
}

static bool cluster_run(void *self, const struct probe_work *work, struct probe_outcome *outcome,
                        struct failure *failure)
{
    struct cluster *cluster = self;
    const bool fresh = work->afresh || !cluster->started;
    double end_s = 0;
    (void)failure;
    *outcome = (struct probe_outcome){.worked_s = 0};
    for (int worker = 0; worker < cluster->workers; worker++)
        end_s = fmax(end_s, worker_work(cluster, work, worker, fresh, outcome));
    cluster->started = true;
    cluster->probes++;
    cluster->now_s += end_s + cluster->overhead_s;
    outcome->failed = cluster->failing > 0 ? outcome->tasks / cluster->failing : 0;
    work->tick.tell(work->tick.self);
    return true;
}

static double cluster_now(void *self)
{
    return ((struct cluster *)self)->now_s;
}

static void watch_say(void *self, const char *sentence)
{
    struct cluster *cluster = self;
    snprintf(cluster->said, sizeof cluster->said, "%s", sentence);
}

/* The first that is foreseen once passes have begun. */
static void watch_tell(void *self, int pass, int passes, double left_s)
{
    struct cluster *cluster = self;
    (void)passes;
    if (pass < 0 || cluster->foreseen_s > 0)
        return;
    cluster->foreseen_at_s = cluster->now_s;
    cluster->foreseen_s = cluster->now_s + left_s;
}

static const struct campaign_effort usual = {.growth = 2, .sets = 4, .copies_most = 32};

static bool cluster_measure(struct cluster *cluster, double budget_s, bool may_extend,
                            struct samples *samples, struct campaign_outcome *outcome,
                            struct failure *failure)
{
    struct campaign campaign = {.prober = {cluster_run, cluster_now, cluster},
                                .effort = usual,
                                .watch = {watch_tell, watch_say, cluster},
                                .workers = cluster->workers,
                                .tasks = cluster->tasks,
                                .package_most = 1 << 20,
                                .seed = 7};
    campaign.effort.budget_s = budget_s;
    campaign.effort.may_extend = may_extend;
    for (int i = 0; i < 10; i++)
        generator_uniform(&cluster->generator);
    return campaign_run(&campaign, samples, outcome, failure);
}

/* A number from 10^low to 10^high. */
static double power(struct generator *generator, double low, double high)
{
    return pow(10, low + (high - low) * generator_uniform(generator));
}

static struct cluster cluster_random(uint64_t seed)
{
    struct generator generator = {seed * 0x9e3779b97f4a7c15u + 1};
    for (int i = 0; i < 10; i++)
        generator_uniform(&generator);
    struct cluster cluster = {.overhead_s = power(&generator, -3, -1.5), .generator = {seed + 1}};
    cluster.compute.latency_s = power(&generator, -5, 1);
    cluster.compute.s_per_task = power(&generator, -6, 0.5);
    cluster.compute.noise = power(&generator, -3, -1);
    cluster.start_s = generator_uniform(&generator) < 0.5 ? 0 : power(&generator, -1, 1);
    cluster.workers = 1 + (int)(8 * generator_uniform(&generator));
    cluster.tasks = (int64_t)power(&generator, 1, 5);
    return cluster;
}

/* A worker's first package may use up the budget at once. */
static void test_budgets_are_kept(void **state)
{
    (void)state;
    static const double budgets[] = {4, 20, 120};
    for (uint64_t seed = 1; seed <= cases_of(60); seed++)
        for (size_t k = 0; k < COUNT_OF(budgets); k++) {
            struct cluster cluster = cluster_random(seed);
            struct samples samples = {0};
            struct campaign_outcome outcome;
            struct failure failure = FAILURE_INIT;
            assert_true(cluster_measure(&cluster, budgets[k], false, &samples, &outcome, &failure));
            const struct machine *compute = &cluster.compute;
            const double first_s =
                (compute->latency_s + compute->s_per_task) * (1 + 5 * compute->noise) +
                cluster.start_s;
            const double most_s = fmax(1.25 * budgets[k], first_s + 2 * cluster.overhead_s);
            if (cluster.now_s > most_s)
                fail_msg("seed %" PRIu64 ": a budget of %g s took %g s (latency %g s, %g s a task, "
                         "start %g s, %" PRId64 " tasks)",
                         seed, budgets[k], cluster.now_s, compute->latency_s, compute->s_per_task,
                         cluster.start_s, cluster.tasks);
            samples_release(&samples);
        }
}

/* The predicted remaining time is off by at most a quarter of the whole, once passes have begun. */
static void test_time_left(void **state)
{
    (void)state;
    const uint64_t machines = cases_of(60);
    uint64_t told = 0, off = 0;
    for (uint64_t seed = 1; seed <= machines; seed++) {
        struct cluster cluster = cluster_random(seed);
        struct samples samples = {0};
        struct campaign_outcome outcome;
        struct failure failure = FAILURE_INIT;
        assert_true(cluster_measure(&cluster, 30, true, &samples, &outcome, &failure));
        told += cluster.foreseen_s > 0;
        off += cluster.foreseen_s > 0 && fabs(cluster.foreseen_s / cluster.now_s - 1) > 0.25;
        samples_release(&samples);
    }
    print_message("%" PRIu64 " of %" PRIu64 " ends were foreseen wrongly\n", off, told);
    assert_true(told > machines / 2 && off * 10 <= told);
}

/* A program that loads for 4 s for every package: at least three sizes, the largest a worker's
 * share, though that takes longer than is usual, which is said before. */
static void test_a_large_latency(void **state)
{
    (void)state;
    struct cluster cluster = {.compute = {.latency_s = 4, .s_per_task = 0.005, .noise = 0.002},
                              .overhead_s = 0.005,
                              .workers = 2,
                              .tasks = 1000,
                              .generator = {3}};
    struct samples samples = {0};
    struct campaign_outcome outcome;
    struct failure failure = FAILURE_INIT;
    assert_true(cluster_measure(&cluster, 30, true, &samples, &outcome, &failure));
    print_message("%g s: %s\n", cluster.now_s, cluster.said);
    assert_true(outcome.largest == 500 && outcome.wanted == 0);
    assert_true(cluster.now_s < 60);
    samples_release(&samples);
}

/* Nor is a budget that was given exceeded: what is missing is told. */
static void test_a_large_latency_and_little_time(void **state)
{
    (void)state;
    static const double budgets[] = {4, 10, 20};
    for (size_t k = 0; k < COUNT_OF(budgets); k++) {
        struct cluster cluster = {.compute = {.latency_s = 4, .s_per_task = 0.005, .noise = 0.002},
                                  .overhead_s = 0.005,
                                  .workers = 2,
                                  .tasks = 1000,
                                  .generator = {3}};
        struct samples samples = {0};
        struct campaign_outcome outcome;
        struct failure failure = FAILURE_INIT;
        assert_true(cluster_measure(&cluster, budgets[k], false, &samples, &outcome, &failure));
        print_message("%g s: %g s, up to %" PRId64 ", wanted %" PRId64 " in %g s\n", budgets[k],
                      cluster.now_s, outcome.largest, outcome.wanted, outcome.wanted_s);
        assert_true(cluster.now_s < 1.25 * budgets[k] && cluster.said[0] == '\0');
        assert_true(outcome.wanted > outcome.largest && outcome.wanted_s > budgets[k]);
        samples_release(&samples);
    }
}

/* A program that starts once for a worker: no timing that counts has its start in it. */
static void test_a_long_start(void **state)
{
    (void)state;
    struct cluster cluster = {.compute = {.latency_s = 1e-4, .s_per_task = 0.007, .noise = 0.02},
                              .start_s = 2.5,
                              .overhead_s = 0.005,
                              .workers = 2,
                              .tasks = 1000,
                              .generator = {3}};
    struct samples samples = {0};
    struct campaign_outcome outcome;
    struct failure failure = FAILURE_INIT;
    int fresh = 0;
    assert_true(cluster_measure(&cluster, 20, false, &samples, &outcome, &failure));
    print_message("%g s, up to %" PRId64 "\n", cluster.now_s, outcome.largest);
    assert_true(cluster.now_s < 25 && outcome.wanted == 0);
    for (int64_t i = 0; i < samples.count; i++) {
        const struct sample *sample = &samples.items[i];
        if (sample->operation != OPERATION_COMPUTE)
            continue;
        fresh += sample->fresh;
        assert_true(sample->cold || sample->seconds < 0.0085 * (double)sample->tasks + 1e-3);
    }
    assert_true(fresh >= 2);
    samples_release(&samples);
}

static void test_all_fail(void **state)
{
    (void)state;
    struct cluster cluster = {.compute = {.latency_s = 0.01, .noise = 0.01},
                              .workers = 2,
                              .tasks = 1000,
                              .failing = 1,
                              .generator = {3}};
    struct samples samples = {0};
    struct campaign_outcome outcome;
    struct failure failure = FAILURE_INIT;
    assert_false(cluster_measure(&cluster, 20, false, &samples, &outcome, &failure));
    assert_int_equal(failure.code, FAILURE_FAILED);
    assert_true(outcome.failed == outcome.tasks && outcome.tasks < 10 && cluster.now_s < 1);
    /* One of three is no reason to end. */
    cluster.failing = 3;
    failure = (struct failure)FAILURE_INIT;
    assert_true(cluster_measure(&cluster, 20, false, &samples, &outcome, &failure));
    assert_true(outcome.failed > 0 && outcome.failed < outcome.tasks / 2);
    samples_release(&samples);
}

/* Larger packages than plans have do not count; of too many sizes the smallest are kept. */
static void peaks_are_of_sizes(void **state)
{
    (void)state;
    struct rank_peaks peaks = {.count = 0};
    assert_true(rank_peaks_most(&peaks, 10) == 0);
    rank_peaks_add(&peaks, 4, 7);
    rank_peaks_add(&peaks, 4, 5);
    rank_peaks_add(&peaks, 100, 90);
    rank_peaks_add(&peaks, 16, 8);
    assert_true(rank_peaks_most(&peaks, 100) == 90);
    assert_true(rank_peaks_most(&peaks, 99) == 8);
    assert_true(rank_peaks_most(&peaks, 15) == 7);
    assert_true(rank_peaks_most(&peaks, 1) == 7);
    for (int64_t tasks = 1000; tasks > 0; tasks--)
        rank_peaks_add(&peaks, tasks, 1000 - (double)tasks);
    assert_int_equal(peaks.count, RANK_PEAKS_MOST);
    assert_true(rank_peaks_most(&peaks, 1000) == 999);
    assert_true(rank_peaks_most(&peaks, 1) == 999);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_budgets_are_kept),
        cmocka_unit_test(test_time_left),
        cmocka_unit_test(test_a_large_latency),
        cmocka_unit_test(test_a_large_latency_and_little_time),
        cmocka_unit_test(test_a_long_start),
        cmocka_unit_test(test_all_fail),
        cmocka_unit_test(peaks_are_of_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
