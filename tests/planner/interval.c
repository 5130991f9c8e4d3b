/* How certain a prediction is: against independent draws from the same statement. */
#include "planner/studies/interval.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "planner/model/platform.h"
#include "planner/replan/watching.h"
#include "planner/simulate/decision.h"
#include "planner/simulate/simulate.h"
#include "tests/cases.h"
#include "tests/checks.h"
#include "tests/planner/samples.h"

static double normal(struct dice *dice)
{
    return sqrt(-2 * log(1 - dice_unit(dice))) * cos(6.283185307179586 * dice_unit(dice));
}

/* Without anything that is uncertain. */
static void fits_forget(struct profile *profile)
{
    profile->history_count = 0;
    for (size_t k = 0; k < profile->setting_count; k++) {
        struct profile_setting *setting = &profile->settings[k];
        setting->spread_count = 0;
        for (size_t w = 0; w < setting->window_count; w++) {
            struct profile_window *window = &setting->windows[w];
            window->envelope.fit = window->send.fit = (struct fit){.n = 0};
            for (size_t i = 0; i < window->worker_count; i++) {
                struct profile_worker *worker = &window->workers[i];
                worker->link.fit = worker->receive.fit = (struct fit){.n = 0};
                worker->compute.fit = worker->output.fit = (struct fit){.n = 0};
            }
        }
    }
}

static void what_is_certain_is_what_is_simulated(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= cases_of(40); seed++) {
        struct dice dice = {seed};
        struct profile profile;
        struct plan plan;
        struct platform platform;
        struct simulation simulation;
        struct interval interval;
        struct failure failure = FAILURE_INIT;
        sample_profile(&dice, 20, 1, &profile);
        sample_plan(&dice, profile_workers(&profile.settings[0].windows[0]), seed % 3 == 0, &plan);
        fits_forget(&profile);
        assert_false(interval_known(&profile, &profile.settings[0]));
        assert_true(platform_init(&platform, &profile.settings[0], 0, &failure));
        assert_true(simulate_plan(&platform, &plan, NULL, &simulation, &failure));
        const struct interval_request request = {
            .profile = &profile, .setting = &profile.settings[0], .plan = &plan, .seed = seed};
        assert_true(interval_draw(&request, &interval, &failure));
        assert_true(interval.ensemble.count >= 200);
        for (int64_t k = 0; k < interval.ensemble.count; k++)
            if (interval.ensemble.runs[k].makespan_s != simulation.makespan_s)
                fail_msg("seed %" PRIu64 ": %.17g instead of %.17g", seed,
                         interval.ensemble.runs[k].makespan_s, simulation.makespan_s);
        assert_true(ensemble_quantile(&interval.ensemble, 0.05) == simulation.makespan_s);
        assert_true(ensemble_quantile(&interval.ensemble, 0.999) == simulation.makespan_s);
        assert_true(ensemble_typical(&interval.ensemble, simulation.makespan_s) == 0);
        interval_release(&interval);
        platform_release(&platform);
        plan_release(&plan);
        profile_release(&profile);
    }
}

/* Two classes of one worker each, one window: everything that follows starts from here. */
struct bench {
    struct profile profile;
    struct profile_setting setting;
    struct profile_window window;
    struct profile_worker workers[2];
    double history[4];
    struct spread spreads[2];
    struct plan plan;
    int64_t order[2];
    struct plan_round rounds[2];
    double loads[2][2];
};

static void bench_init(struct bench *bench, int64_t repeat)
{
    *bench = (struct bench){.order = {0, 1}, .loads = {{20, 30}, {5, 0}}};
    for (int k = 0; k < 2; k++)
        bench->workers[k] = (struct profile_worker){.count = 1,
                                                    .link.cost = {1e-3, 1e-4},
                                                    .receive.cost = {0, 1e-5},
                                                    .compute.cost = {2e-3, k == 0 ? 3e-2 : 2e-2}};
    bench->window = (struct profile_window){.least = 1,
                                            .greatest = 100,
                                            .envelope.cost = {1e-4, 1e-5},
                                            .send.cost = {1e-4, 0},
                                            .workers = bench->workers,
                                            .worker_count = 2};
    bench->setting = (struct profile_setting){
        .windows = &bench->window, .window_count = 1, .spreads = bench->spreads};
    bench->profile = (struct profile){
        .settings = &bench->setting, .setting_count = 1, .history = bench->history};
    bench->rounds[0] = (struct plan_round){repeat, bench->loads[0]};
    bench->rounds[1] = (struct plan_round){1, bench->loads[1]};
    bench->plan = (struct plan){.tasks = 50 * (double)repeat + 5,
                                .workers = bench->order,
                                .worker_count = 2,
                                .rounds = bench->rounds,
                                .round_count = 2};
}

static void bench_draw(const struct bench *bench, uint64_t seed, struct interval *interval)
{
    struct failure failure = FAILURE_INIT;
    const struct interval_request request = {
        .profile = &bench->profile, .setting = &bench->setting, .plan = &bench->plan, .seed = seed};
    if (!interval_draw(&request, interval, &failure))
        fail_msg("%s", failure.text);
}

static double bench_width(const struct bench *bench)
{
    struct interval interval;
    bench_draw(bench, 11, &interval);
    const double width =
        ensemble_quantile(&interval.ensemble, 0.95) - ensemble_quantile(&interval.ensemble, 0.05);
    interval_release(&interval);
    return width;
}

static double lognormal(double deviation, double z)
{
    const double variance = log(1 + deviation * deviation);
    return exp(sqrt(variance) * z - variance / 2);
}

/* The costs that nature has, where the profile says `fitted`. */
static struct cost truth_draw(struct dice *dice, const struct measured_cost *fitted, double common)
{
    const struct fit *fit = &fitted->fit;
    const double a = normal(dice), b = normal(dice);
    const double c = fit->correlation * a + sqrt(1 - fit->correlation * fit->correlation) * b;
    return (struct cost){common * (fitted->cost.latency_s + fit->stderr_latency_s * a),
                         common * (fitted->cost.s_per_task + fit->stderr_s_per_task * c)};
}

/* A run of the bench's plan: two workers, each of whose packages wait for nothing once it has
 * begun (the bench is bound by computing, and the costs before it are certain). */
static double truth_simulate(struct dice *dice, const struct bench *bench, double history)
{
    double ends_s[2] = {0, 0}, master_s = 0, port_s = 0;
    const double drift_z = normal(dice), common = lognormal(history, normal(dice));
    struct cost costs[2];
    for (int k = 0; k < 2; k++) {
        const struct measured_cost *compute = &bench->workers[k].compute;
        costs[k] = truth_draw(dice, compute, common * lognormal(compute->fit.drift, drift_z));
    }
    for (size_t r = 0; r < 2; r++)
        for (int64_t repeat = 0; repeat < bench->rounds[r].repeat; repeat++)
            for (int k = 0; k < 2; k++) {
                const double load = bench->loads[r][k];
                if (load == 0)
                    continue;
                master_s += common * (2e-4 + 1e-5 * load);
                port_s = fmax(port_s, master_s) + common * (1e-3 + 1e-4 * load);
                const double once_s = costs[k].latency_s + costs[k].s_per_task * load;
                const double noise = bench->workers[k].compute.fit.deviation;
                ends_s[k] = fmax(ends_s[k], port_s) + common * 1e-5 * load +
                            once_s * lognormal(noise, normal(dice));
            }
    return fmax(ends_s[0], ends_s[1]);
}

static void uncertain(struct bench *bench)
{
    for (int k = 0; k < 2; k++)
        bench->workers[k].compute.fit = (struct fit){.stderr_latency_s = 2e-3,
                                                     .stderr_s_per_task = 4e-4,
                                                     .correlation = -0.7,
                                                     .deviation = 0.1,
                                                     .drift = 0.01,
                                                     .n = 40};
    bench->profile.history_count = 4;
    for (int k = 0; k < 4; k++)
        bench->history[k] = k % 2 == 0 ? 0.015 : -0.015;
}

/* 500 truths against the interval: 90 % within, give or take four standard errors of that count,
 * and as many below as above. */
static void intervals_cover_what_they_say(void **state)
{
    enum { TRUTHS = 500 };
    struct bench bench;
    struct interval interval;
    int within = 0, below = 0;
    struct dice dice = {20261};
    (void)state;
    bench_init(&bench, 6);
    uncertain(&bench);
    assert_true(interval_known(&bench.profile, &bench.setting));
    bench_draw(&bench, 7, &interval);
    const double low_s = ensemble_quantile(&interval.ensemble, 0.05);
    const double high_s = ensemble_quantile(&interval.ensemble, 0.95);
    for (int k = 0; k < TRUTHS; k++) {
        const double truth_s = truth_simulate(&dice, &bench, 0.015);
        within += truth_s >= low_s && truth_s <= high_s;
        below += truth_s < low_s;
    }
    printf("seeds 7 and 20261: %d of %d truths in [%.4f, %.4f], %d below\n", within, TRUTHS, low_s,
           high_s, below);
    assert_true(fabs(within / (double)TRUTHS - 0.9) < 4 * sqrt(0.9 * 0.1 / TRUTHS));
    assert_true(fabs(below / (double)TRUTHS - 0.05) < 4 * sqrt(0.05 * 0.95 / TRUTHS));
    interval_release(&interval);
}

static void more_uncertainty_is_a_wider_interval(void **state)
{
    struct bench bench;
    (void)state;
    bench_init(&bench, 6);
    double *const members[] = {&bench.workers[0].compute.fit.stderr_latency_s,
                               &bench.workers[0].compute.fit.stderr_s_per_task,
                               &bench.workers[0].compute.fit.deviation,
                               &bench.workers[0].compute.fit.drift,
                               &bench.workers[0].compute.fit.drift_own,
                               &bench.history[0]};
    const double steps[] = {1e-3, 3e-4, 0.05, 0.01, 0.01, 0.01};
    bench.profile.history_count = 1;
    assert_true(bench_width(&bench) == 0);
    for (size_t k = 0; k < COUNT_OF(members); k++) {
        double before_s = 0;
        for (int step = 1; step <= 4; step++) {
            *members[k] = step * steps[k];
            const double width_s = bench_width(&bench);
            if (!(width_s > before_s))
                fail_msg("member %zu, step %d: %.6g s after %.6g s", k, step, width_s, before_s);
            before_s = width_s;
        }
        *members[k] = 0;
    }
}

/* A window cut in two where nothing breaks, one worker's packages half in the one and half in the
 * other: they share their error, which would average out otherwise. */
static void windows_of_one_cost_are_one(void **state)
{
    struct bench bench;
    struct interval whole, cut;
    (void)state;
    bench_init(&bench, 5);
    bench.loads[1][0] = 100;
    bench.plan.tasks = 5 * 50 + 100;
    bench.workers[0].compute.fit.stderr_s_per_task = 3e-3;
    bench_draw(&bench, 7, &whole);
    struct profile_window windows[2] = {bench.window, bench.window};
    windows[0].greatest = 50;
    windows[1].least = 51;
    bench.setting.windows = windows;
    bench.setting.window_count = 2;
    bench_draw(&bench, 7, &cut);
    /* The second window takes deviates of its own, so single packages differ: compare the spread.
     */
    const double whole_s =
        ensemble_quantile(&whole.ensemble, 0.95) - ensemble_quantile(&whole.ensemble, 0.05);
    const double cut_s =
        ensemble_quantile(&cut.ensemble, 0.95) - ensemble_quantile(&cut.ensemble, 0.05);
    print_message("width %.4f s, cut in two %.4f s\n", whole_s, cut_s);
    assert_true(fabs(cut_s / whole_s - 1) < 0.1);
    interval_release(&whole);
    interval_release(&cut);
}

/* What is known about single packages of their size counts before the fit's deviation. */
static void spreads_are_for_computing(void **state)
{
    struct bench bench;
    (void)state;
    bench_init(&bench, 6);
    bench.workers[0].compute.fit.deviation = bench.workers[1].compute.fit.deviation = 0.01;
    const double narrow_s = bench_width(&bench);
    bench.setting.spread_count = 2;
    bench.spreads[0] = (struct spread){10, 0.2};
    bench.spreads[1] = (struct spread){40, 0.2};
    const double wide_s = bench_width(&bench);
    assert_true(wide_s > 5 * narrow_s);
}

/* One worker who computes and nothing else: the mean is the prediction, for small deviations and
 * for great ones, and the deviation of the sum is that of a sum. */
static void draws_are_unbiased(void **state)
{
    static const double deviations[] = {0.05, 0.25, 0.5, 1.0};
    (void)state;
    for (size_t d = 0; d < COUNT_OF(deviations); d++) {
        struct bench bench;
        struct interval interval;
        double mean_s = 0, variance_s2 = 0;
        bench_init(&bench, 10);
        bench.workers[0] = (struct profile_worker){
            .count = 2, .compute = {{0, 1e-2}, {.deviation = deviations[d], .n = 9}}};
        bench.window.worker_count = 1;
        bench.window.envelope.cost = bench.window.send.cost = (struct cost){0, 0};
        bench.loads[0][1] = 0;
        bench_draw(&bench, 3 + d, &interval);
        for (int64_t k = 0; k < interval.ensemble.count; k++)
            mean_s += interval.ensemble.runs[k].makespan_s / (double)interval.ensemble.count;
        for (int64_t k = 0; k < interval.ensemble.count; k++)
            variance_s2 += pow(interval.ensemble.runs[k].makespan_s - mean_s, 2) /
                           (double)interval.ensemble.count;
        /* Ten packages of 0.2 s and one of 0.05 s. */
        const double sum_s = 2.05, sum_s2 = pow(deviations[d], 2) * (10 * 0.04 + 0.0025);
        const double error_s = sqrt(sum_s2 / (double)interval.ensemble.count);
        if (fabs(mean_s - sum_s) > 4 * error_s)
            fail_msg("deviation %g: mean %.6f s instead of %.6f s", deviations[d], mean_s, sum_s);
        assert_true(fabs(sqrt(variance_s2 / sum_s2) - 1) < 0.15);
        interval_release(&interval);
    }
}

/* Jitter is seconds, whatever a package takes. */
static void jitter_adds_up(void **state)
{
    static const double jitter_s = 0.02;
    struct bench bench;
    struct interval interval;
    double squares = 0;
    (void)state;
    bench_init(&bench, 10);
    bench.workers[0] =
        (struct profile_worker){.count = 2, .compute = {{0, 1e-2}, {.jitter_s = jitter_s, .n = 9}}};
    bench.window.worker_count = 1;
    bench.window.envelope.cost = bench.window.send.cost = (struct cost){0, 0};
    bench.loads[0][1] = 0;
    assert_true(interval_known(&bench.profile, &bench.setting));
    bench_draw(&bench, 5, &interval);
    for (int64_t k = 0; k < interval.ensemble.count; k++)
        squares +=
            pow(interval.ensemble.runs[k].makespan_s - 2.05, 2) / (double)interval.ensemble.count;
    assert_true(fabs(sqrt(squares) / (sqrt(11) * jitter_s) - 1) < 0.15);
    interval_release(&interval);
}

/* A worker that mostly waits for the port drifts in what it computes, not in its waiting. */
static void waiting_does_not_drift(void **state)
{
    struct bench large;
    struct interval interval;
    (void)state;
    bench_init(&large, 5000000);
    for (int k = 0; k < 2; k++) {
        large.workers[k].link.cost.s_per_task = 0.2;
        large.workers[k].compute.fit = (struct fit){.drift_own = 0.1, .n = 40};
    }
    bench_draw(&large, 9, &interval);
    const double width = (ensemble_quantile(&interval.ensemble, 0.95) -
                          ensemble_quantile(&interval.ensemble, 0.05)) /
                         ensemble_quantile(&interval.ensemble, 0.5);
    printf("relative width: %.4f\n", width);
    assert_true(width > 0 && width < 0.4 * 2 * 1.645 * 0.1);
    interval_release(&interval);
}

/* A plan too large to simulate package by package: what all packages share is as wide as in a small
 * one, and single packages do not count any more. */
static void large_plans_are_quick(void **state)
{
    struct bench small, large;
    struct interval few, many;
    (void)state;
    bench_init(&small, 50);
    bench_init(&large, 5000000);
    uncertain(&small);
    uncertain(&large);
    for (int k = 0; k < 2; k++)
        small.workers[k].compute.fit.deviation = 0;
    bench_draw(&small, 5, &few);
    bench_draw(&large, 6, &many);
    assert_true(many.ensemble.count >= 50 && few.ensemble.count == 1000);
    const double few_width =
        (ensemble_quantile(&few.ensemble, 0.9) - ensemble_quantile(&few.ensemble, 0.1)) /
        ensemble_quantile(&few.ensemble, 0.5);
    const double many_width =
        (ensemble_quantile(&many.ensemble, 0.9) - ensemble_quantile(&many.ensemble, 0.1)) /
        ensemble_quantile(&many.ensemble, 0.5);
    printf("relative widths: %.4f of 50 rounds, %.4f of 5,000,000\n", few_width, many_width);
    assert_true(fabs(many_width / few_width - 1) < 0.4);
    /* Of single packages alone: 0.1 of a package, over the root of their number. */
    const struct interval_request request = {.profile = &large.profile,
                                             .setting = &large.setting,
                                             .plan = &large.plan,
                                             .seed = 8,
                                             .packages_only = true};
    struct failure failure = FAILURE_INIT;
    struct interval alone;
    assert_true(interval_draw(&request, &alone, &failure));
    const double width =
        (ensemble_quantile(&alone.ensemble, 0.9) - ensemble_quantile(&alone.ensemble, 0.1)) /
        ensemble_quantile(&alone.ensemble, 0.5);
    assert_true(width > 0 && width < 2 * 1.2816 * 0.1 / sqrt(5e6) * 1.6);
    interval_release(&few);
    interval_release(&many);
    interval_release(&alone);
}

/* The bench's plan with this tail, as a run would assign it. */
static struct watching_request tail_request(const struct bench *bench)
{
    return (struct watching_request){.plan = &bench->plan,
                                     .setting = &bench->setting,
                                     .tail = bench->plan.tail,
                                     .ahead = WATCHING_AHEAD};
}

static void certain_tails_are_what_is_simulated(void **state)
{
    static const char *const tails[] = {"fac:30%", "gss:50%", "awf-c:100%", "ss:1%", "fac"};
    (void)state;
    for (size_t k = 0; k < sizeof tails / sizeof *tails; k++) {
        struct bench bench;
        struct interval interval;
        struct simulation simulation;
        struct failure failure = FAILURE_INIT;
        bench_init(&bench, 8);
        bench.plan.tail = (char[16]){0};
        snprintf(bench.plan.tail, 16, "%s", tails[k]);
        const struct watching_request request = tail_request(&bench);
        assert_true(watching_simulate(&request, NULL, &simulation, &failure));
        bench_draw(&bench, 3, &interval);
        assert_false(interval.without_tail);
        assert_true(interval.ensemble.runs[0].makespan_s == simulation.makespan_s);
        assert_true(interval.ensemble.runs[interval.ensemble.count - 1].makespan_s ==
                    simulation.makespan_s);
        interval_release(&interval);
    }
}

/* Packages that differ by 0.3, against the simulation's own noise, which is drawn in another way.
 */
static void tails_are_drawn_as_they_are_assigned(void **state)
{
    enum { SEEDS = 1000 };
    char tail[] = "fac:40%";
    struct bench bench;
    struct interval tailed;
    struct watching watching;
    struct ensemble_summary robustness;
    struct scenario scenario = SCENARIO_INIT;
    struct failure failure = FAILURE_INIT;
    (void)state;
    bench_init(&bench, 10);
    bench.window.envelope.fit.deviation = bench.window.send.fit.deviation = 0.3;
    for (int k = 0; k < 2; k++) {
        struct profile_worker *worker = &bench.workers[k];
        worker->link.fit.deviation = worker->receive.fit.deviation = 0.3;
        worker->compute.fit.deviation = worker->output.fit.deviation = 0.3;
    }
    bench.plan.tail = tail;
    bench_draw(&bench, 21, &tailed);
    const struct watching_request request = tail_request(&bench);
    scenario.noise = 0.3;
    assert_true(watching_init(&watching, &request, &failure));
    assert_true(ensemble_study(&(const struct ensemble_setup){.platform = &watching.platform,
                                                              .decision = &watching.decision,
                                                              .scenario = &scenario,
                                                              .runs = SEEDS},
                               &robustness, &failure));
    watching_release(&watching);
    const double median_s = ensemble_quantile(&tailed.ensemble, 0.5);
    const double high_s = ensemble_quantile(&tailed.ensemble, 0.95);
    printf("seed 21: median %.4f s, of the simulations %.4f s; 95 %% below %.4f s and %.4f s\n",
           median_s, robustness.median_s, high_s, robustness.p95_s);
    assert_true(fabs(median_s / robustness.median_s - 1) < 0.02);
    assert_true(fabs(high_s / robustness.p95_s - 1) < 0.03);
    interval_release(&tailed);
}

/* As in a small plan: what workers share is as wide. */
static void tails_of_large_plans_are_drawn(void **state)
{
    static const int64_t repeats[] = {400, 250000, 20000000000};
    double widths[3];
    char tail[] = "fac:10%";
    (void)state;
    for (int k = 0; k < 3; k++) {
        struct bench bench;
        struct interval interval;
        bench_init(&bench, repeats[k]);
        uncertain(&bench);
        bench.plan.tail = tail;
        bench_draw(&bench, 4, &interval);
        assert_false(interval.without_tail);
        widths[k] = (ensemble_quantile(&interval.ensemble, 0.95) -
                     ensemble_quantile(&interval.ensemble, 0.05)) /
                    ensemble_quantile(&interval.ensemble, 0.5);
        interval_release(&interval);
    }
    print_message("relative widths: %.4f, %.4f, %.4f\n", widths[0], widths[1], widths[2]);
    assert_true(fabs(widths[1] / widths[0] - 1) < 0.3 && fabs(widths[2] / widths[0] - 1) < 0.3);
}

static void tails_of_very_many_workers_are_left_out(void **state)
{
    char tail[] = "fac:10%";
    struct bench bench;
    struct interval interval;
    (void)state;
    bench_init(&bench, 250000);
    bench.workers[1].count = 100000;
    bench.plan.tail = tail;
    bench_draw(&bench, 4, &interval);
    assert_true(interval.without_tail);
    interval_release(&interval);
}

/* The draws of a normal distribution given by its quantiles. */
static void quantiles_go_on_beyond_the_draws(void **state)
{
    enum { DRAWS = 400 };
    struct ensemble ensemble;
    struct failure failure = FAILURE_INIT;
    struct dice dice = {99};
    (void)state;
    assert_true(ensemble_init(&ensemble, DRAWS, &failure));
    for (int k = 0; k < DRAWS; k++)
        ensemble_add(&ensemble, 100 + 5 * normal(&dice));
    ensemble_sort(&ensemble);
    assert_true(fabs(ensemble_quantile(&ensemble, 0.5) - 100) < 1.2);
    assert_true(fabs(ensemble_quantile(&ensemble, 0.9) - (100 + 5 * 1.2816)) < 1.6);
    assert_true(fabs(ensemble_quantile(&ensemble, 0.9999) - (100 + 5 * 3.719)) < 5);
    assert_true(fabs(ensemble_typical(&ensemble, 100) - 0.05 * 0.6745) < 0.008);
    double before_s = 0;
    for (int k = 1; k < 2000; k++) {
        const double here_s = ensemble_quantile(&ensemble, k / 2000.0);
        assert_true(here_s >= before_s);
        before_s = here_s;
    }
    ensemble_release(&ensemble);
}

static void plans_that_do_not_fit_are_refused(void **state)
{
    struct bench bench;
    struct failure failure = FAILURE_INIT;
    struct interval interval = {.ensemble = {.count = 77}};
    (void)state;
    bench_init(&bench, 1);
    bench.loads[0][0] = 101;
    const struct interval_request request = {
        .profile = &bench.profile, .setting = &bench.setting, .plan = &bench.plan, .seed = 1};
    assert_false(interval_draw(&request, &interval, &failure));
    assert_int_equal(failure.code, FAILURE_MISMATCH);
    assert_int_equal(interval.ensemble.count, 77);
}

static double parts_of(struct bench *bench, char *tail)
{
    struct failure failure = FAILURE_INIT;
    struct interval interval;
    bench->plan.tail = tail;
    const struct interval_request request = {
        .profile = &bench->profile, .setting = &bench->setting, .plan = &bench->plan};
    assert_true(interval_draw(&request, &interval, &failure));
    const double parts_s = interval.parts_s;
    interval_release(&interval);
    bench->plan.tail = NULL;
    return parts_s;
}

/* Packages of 0.6 s go out in two parts, each of which costs its worker 2 ms, as a run with
 * copies has them; many short rounds do not, nor does what is assigned on request. */
static void parts_may_take_longer(void **state)
{
    struct bench bench;
    struct platform platform;
    struct scenario scenario = SCENARIO_INIT;
    struct simulation whole, parts;
    struct failure failure = FAILURE_INIT;
    (void)state;
    bench_init(&bench, 1);
    assert_true(fabs(parts_of(&bench, NULL) - 2e-3) < 1e-9);
    assert_true(parts_of(&bench, (char[]){"fac"}) == 0);
    assert_true(platform_init(&platform, &bench.setting, 0, &failure));
    const struct decision decision = {.plan = &bench.plan};
    scenario.copies = true;
    struct dispatch *dispatch = decision_dispatch(&decision, &platform, &scenario, &failure);
    assert_non_null(dispatch);
    assert_true(simulate_scenario(&platform, dispatch, &scenario, NULL, &parts, &failure));
    assert_true(simulate_plan(&platform, &bench.plan, NULL, &whole, &failure));
    assert_true(parts.packages > whole.packages);
    assert_true(parts.makespan_s <= whole.makespan_s + 2e-3);
    dispatch_free(&dispatch);
    platform_release(&platform);
    bench_init(&bench, 1000);
    assert_true(parts_of(&bench, NULL) == 0);
}

/* ---- several masters ----------------------------------------------------------------------- */

/* Two workers behind a master each, side by side (ranks 0 and 2) or below rank 0 (ranks 1 and 3),
 * with as many packages of 10 ms for both, and nothing else that takes time. */
struct pair {
    struct bench bench;
    double loads[2], whole[2];
    struct plan_round rounds[2], all;
    int64_t workers[2], tops[2];
    struct plan parts[2];
};

static void pair_init(struct pair *pair, bool tree, int64_t packages, double drift_own)
{
    struct plan *plan = &pair->bench.plan;
    bench_init(&pair->bench, 1);
    pair->bench.setting.spreads = NULL;
    pair->bench.window.send.cost = pair->bench.window.envelope.cost = (struct cost){1e-7, 0};
    pair->bench.window.worker_count = 1;
    pair->bench.workers[0] = (struct profile_worker){
        .count = tree ? 4 : 3, .compute = {{0, 1e-3}, {.n = 9, .drift_own = drift_own}}};
    *plan = (struct plan){.tasks = 20 * (double)packages};
    for (int k = 0; k < 2; k++) {
        pair->loads[k] = 10;
        pair->whole[k] = 10 * (double)packages;
        pair->rounds[k] = (struct plan_round){packages, &pair->loads[k]};
        pair->workers[k] = tree ? 2 * k + 1 : 2 * k;
        pair->tops[k] = 2 * k;
        pair->parts[k] = (struct plan){.tasks = pair->whole[k],
                                       .master = 2 * k,
                                       .workers = &pair->workers[k],
                                       .worker_count = 1,
                                       .rounds = &pair->rounds[k],
                                       .round_count = 1};
    }
    pair->all = (struct plan_round){1, pair->whole};
    if (tree) {
        plan->workers = pair->tops;
        plan->worker_count = 2;
        plan->rounds = &pair->all;
        plan->round_count = 1;
        plan->children = pair->parts;
        plan->child_count = 2;
    } else {
        plan->stars = pair->parts;
        plan->star_count = 2;
    }
    plan_inherit(plan);
}

/* Both workers together, by hand: side by side, what one has not begun goes to the other, so that
 * rates add up; in a tree each has what it was given. */
static double pair_truth(struct dice *dice, bool tree, int64_t packages, double drift_own)
{
    const double first = lognormal(drift_own, normal(dice));
    const double second = lognormal(drift_own, normal(dice));
    const double part_s = 0.01 * (double)packages;
    return tree ? part_s * fmax(first, second) : 2 * part_s / (1 / first + 1 / second);
}

static char half_assigned[] = "fac:50%";

/* As they are simulated where nothing is uncertain, and as independent draws say where a worker
 * drifts: with few packages, all of which are simulated, and with many. A worker cannot give `late`
 * of its packages away. */
static void several_masters_are_drawn_as_they_run(void **state)
{
    static const struct {
        bool tree;
        int64_t packages;
        double late;
        char *tail;
    } rows[] = {{false, 300, 3, NULL},
                {false, 12000, 0, NULL},
                {true, 300, 0, NULL},
                {false, 300, 3, half_assigned}};
    enum { TRUTHS = 2000 };
    /* Quantiles of 160 draws of such a width are off by a hundredth. */
    static const double DRIFT = 0.1, NEAR = 0.03;
    (void)state;
    for (size_t row = 0; row < COUNT_OF(rows); row++) {
        static const double shares[] = {0.05, 0.5, 0.95};
        struct dice dice = {11 + row};
        struct ensemble truths;
        struct interval interval;
        struct pair pair;
        struct failure failure = FAILURE_INIT;
        pair_init(&pair, rows[row].tree, rows[row].packages, 0);
        pair.bench.plan.tail = rows[row].tail;
        bench_draw(&pair.bench, 5, &interval);
        const double planned_s = 0.01 * (double)rows[row].packages;
        for (int64_t k = 0; k < interval.ensemble.count; k++)
            assert_true(fabs(interval.ensemble.runs[k].makespan_s / planned_s - 1) < 1e-3);
        interval_release(&interval);

        pair_init(&pair, rows[row].tree, rows[row].packages, DRIFT);
        pair.bench.plan.tail = rows[row].tail;
        bench_draw(&pair.bench, 5, &interval);
        assert_false(interval.without_tail);
        assert_true(interval.ensemble.count >= 50);
        assert_true(ensemble_init(&truths, TRUTHS, &failure));
        for (int k = 0; k < TRUTHS; k++)
            ensemble_add(&truths, pair_truth(&dice, rows[row].tree, rows[row].packages, DRIFT));
        ensemble_sort(&truths);
        for (size_t k = 0; k < COUNT_OF(shares); k++) {
            const double drawn_s = ensemble_quantile(&interval.ensemble, shares[k]);
            const double truth_s = ensemble_quantile(&truths, shares[k]);
            const double off = drawn_s / truth_s - 1;
            const double late = rows[row].late / (double)rows[row].packages;
            if (!(off > -NEAR && off < NEAR + late))
                fail_msg("row %zu: %.4f s instead of %.4f s at %g", row, drawn_s, truth_s,
                         shares[k]);
        }
        ensemble_release(&truths);
        interval_release(&interval);
    }
}

/* What workers already have cannot move: with three packages each, the slower one decides. */
static void short_runs_cannot_move_much(void **state)
{
    struct interval interval;
    struct pair pair;
    (void)state;
    pair_init(&pair, false, 3, 0.2);
    bench_draw(&pair.bench, 5, &interval);
    struct dice dice = {3};
    int slower = 0;
    enum { TRUTHS = 1000 };
    const double median_s = ensemble_quantile(&interval.ensemble, 0.5);
    for (int k = 0; k < TRUTHS; k++)
        slower += pair_truth(&dice, true, 3, 0.2) > median_s;
    if (slower < TRUTHS * 45 / 100 || slower > TRUTHS * 55 / 100)
        fail_msg("%d of %d are slower than %.4f s", slower, (int)TRUTHS, median_s);
    interval_release(&interval);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_certain_is_what_is_simulated),
        cmocka_unit_test(intervals_cover_what_they_say),
        cmocka_unit_test(more_uncertainty_is_a_wider_interval),
        cmocka_unit_test(windows_of_one_cost_are_one),
        cmocka_unit_test(spreads_are_for_computing),
        cmocka_unit_test(draws_are_unbiased),
        cmocka_unit_test(jitter_adds_up),
        cmocka_unit_test(large_plans_are_quick),
        cmocka_unit_test(waiting_does_not_drift),
        cmocka_unit_test(certain_tails_are_what_is_simulated),
        cmocka_unit_test(tails_are_drawn_as_they_are_assigned),
        cmocka_unit_test(tails_of_large_plans_are_drawn),
        cmocka_unit_test(tails_of_very_many_workers_are_left_out),
        cmocka_unit_test(parts_may_take_longer),
        cmocka_unit_test(several_masters_are_drawn_as_they_run),
        cmocka_unit_test(short_runs_cannot_move_much),
        cmocka_unit_test(quantiles_go_on_beyond_the_draws),
        cmocka_unit_test(plans_that_do_not_fit_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
