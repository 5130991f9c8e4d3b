/* The evaluation of plans whose workers are nearly alike, so that each reaches the others' pace in
 * a round of its own: equal to the simulation of every package, at a cost that does not grow with
 * the number of rounds. */
#include <inttypes.h>
#include <math.h>

#include "planner/simulate/evaluate.h"
#include "tests/cases.h"
#include "tests/checks.h"
#include "tests/planner/platforms.h"

enum { WORKERS_MOST = 24, ENTRIES_MOST = 3 };

/* A plan of entries in which worker k gets loads[k] again and again. */
struct entries {
    struct plan plan;
    struct plan_round rounds[ENTRIES_MOST];
    int64_t workers[WORKERS_MOST];
    double loads[ENTRIES_MOST][WORKERS_MOST];
};

/* Workers that take `work_s`, each by its share of `apart` less than the slowest. */
static struct platform platform_nearly_alike(struct dice *dice, int64_t workers)
{
    const double work_s = 1, apart = dice_scale(dice, 1e-7, 1e-2);
    const double port_s = work_s / (double)workers;
    const struct cost master = {dice_scale(dice, 1e-3, 0.9) * port_s, 0};
    const struct cost link = {dice_scale(dice, 1e-3, 1.1) * port_s, 0};
    struct platform platform =
        platform_of_equals(workers, 1, 4, master, link, (struct cost){0, work_s});
    struct platform_class *classes = calloc((size_t)workers, sizeof *classes);
    assert_non_null(classes);
    for (int64_t k = 0; k < workers; k++) {
        classes[k] = platform.windows[0].classes[0];
        classes[k].first = k;
        classes[k].count = 1;
        classes[k].compute.s_per_task = work_s * (1 - apart * dice_roll(dice));
    }
    free(platform.windows[0].classes);
    platform.windows[0].classes = classes;
    platform.windows[0].class_count = workers;
    platform.buffers = (int)dice_between(dice, 1, 5);
    if (dice_roll(dice) < 0.3)
        platform_starts(dice, &platform, 10 * work_s);
    if (dice_roll(dice) < 0.3)
        platform_write_behind(dice, &platform, 1.2);
    return platform;
}

/* Workers without a load stand between the others now and then. */
static void entries_fill(struct dice *dice, int64_t workers, struct entries *entries)
{
    *entries = (struct entries){.plan = {.workers = entries->workers,
                                         .worker_count = workers,
                                         .rounds = entries->rounds,
                                         .round_count = (size_t)dice_between(dice, 1, 3)}};
    for (int64_t k = 0; k < workers; k++)
        entries->workers[k] = k;
    for (size_t r = 0; r < entries->plan.round_count; r++) {
        entries->rounds[r] =
            (struct plan_round){(int64_t)dice_scale(dice, 1, 30000), entries->loads[r]};
        const int64_t load = dice_between(dice, 1, 4);
        for (int64_t k = 0; k < workers; k++)
            entries->loads[r][k] = dice_roll(dice) < 0.1 && k > 0 ? 0 : (double)load;
    }
}

static void assert_ends(const double *wanted, const double *found, int64_t workers, uint64_t seed)
{
    for (int64_t k = 0; k < workers; k++)
        if (!(fabs(found[k] - wanted[k]) <= 1e-10 * wanted[k]))
            fail_msg("seed %" PRIu64 ": worker %" PRId64 " ends at %.17g, not at %.17g", seed, k,
                     found[k], wanted[k]);
}

/* Packages of the plan, and those that were evaluated. */
static void nearly_alike_case(uint64_t seed, double *packages, double *evaluated)
{
    struct dice dice = dice_of(seed);
    struct entries entries;
    const int64_t workers = dice_between(&dice, 2, WORKERS_MOST);
    struct platform platform = platform_nearly_alike(&dice, workers);
    double wanted[WORKERS_MOST], found[WORKERS_MOST];
    struct simulation simulation;
    struct failure failure = FAILURE_INIT;
    struct evaluator *evaluator = evaluator_new(&platform);
    entries_fill(&dice, workers, &entries);
    assert_non_null(evaluator);
    assert_true(simulate_packages(&platform, &entries.plan, NULL, &simulation, wanted, &failure));
    evaluator_makespan(evaluator, &entries.plan, found);
    assert_ends(wanted, found, workers, seed);
    *packages += (double)simulation.packages;
    *evaluated += (double)evaluator_effort(evaluator);
    evaluator_free(&evaluator);
    platform_release(&platform);
}

static void nearly_alike_workers_end_as_simulated(void **state)
{
    double packages = 0, evaluated = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= cases_of(300); seed++)
        nearly_alike_case(seed, &packages, &evaluated);
    print_message("%.3g packages, of which %.3g were evaluated\n", packages, evaluated);
    assert_true(evaluated < packages / 5);
}

/* Half of a thousand workers gain 10^-9 s a round on the others, and have leads of a thousandth of
 * a second each: the port takes them over one by one, one in some hundred rounds. */
static void takeovers_one_by_one_cost_their_workers(void **state)
{
    enum { WORKERS = 1000, ROUNDS_EACH = 40 };
    static int64_t workers[WORKERS];
    static double loads[WORKERS];
    struct platform_class classes[] = {
        {.first = 0, .count = WORKERS / 2, .link = {1e-7, 1e-9}, .compute = {1e-5, 0.1}},
        {.first = WORKERS / 2, .count = WORKERS / 2, .link = {1e-7, 1e-9}, .compute = {1e-5, 0.2}}};
    struct platform_window window = {1, 2, {1e-7, 1e-8}, {2e-7, 1e-8}, classes, 2, {0, 0}, {0, 0}};
    const struct platform platform = {
        .windows = &window, .window_count = 1, .worker_count = WORKERS, .buffers = 2};
    struct plan_round round = {666666665, loads};
    const struct plan plan = {
        .workers = workers, .worker_count = WORKERS, .rounds = &round, .round_count = 1};
    (void)state;
    for (int64_t k = 0; k < WORKERS; k++) {
        workers[k] = k;
        loads[k] = k < WORKERS / 2 ? 2 : 1;
    }
    classes[0].compute.latency_s += 1e-9;
    struct evaluator *evaluator = evaluator_new(&platform);
    assert_non_null(evaluator);
    const double makespan_s = evaluator_makespan(evaluator, &plan, NULL);
    print_message("%.17g s, %" PRId64 " packages evaluated\n", makespan_s / 666666665,
                  evaluator_effort(evaluator));
    assert_true(fabs(makespan_s / (666666665 * 0.200010001) - 1) < 1e-8);
    assert_true(evaluator_effort(evaluator) < (int64_t)ROUNDS_EACH * WORKERS);
    evaluator_free(&evaluator);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nearly_alike_workers_end_as_simulated),
        cmocka_unit_test(takeovers_one_by_one_cost_their_workers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
