/* Plans that are watched: every task once, nothing lost where all goes as planned, and little where
 * a worker becomes slow in the middle. */
#include "planner/dispatch/watch.h"
#include "planner/dispatch/weighted.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "planner/dispatch/dispatch_kind.h"
#include "planner/replan/replan.h"
#include "planner/replan/watch_units.h"
#include "planner/schedulers/scheduler.h"
#include "planner/simulate/ensemble.h"
#include "tests/cases.h"
#include "tests/planner/plans_simulated.h"
#include "tests/planner/platforms.h"

struct setup {
    struct platform platform;
    struct plan plan;
    struct replan_setup remaining;
    struct watch_setup watch;
};

/* On the setup's platform. */
static void setup_plan(struct setup *setup, struct dice *dice)
{
    setup->plan =
        plan_with(&setup->platform, nearbyint(dice_scale(dice, 5e3, 2e5)), SCHEDULER_QUICK);
    setup->remaining = (struct replan_setup){.platform = &setup->platform,
                                             .most = (int64_t)plan_largest_load(&setup->plan)};
    setup->watch = (struct watch_setup){.plan = &setup->plan,
                                        .platform = &setup->platform,
                                        .workers = setup->platform.worker_count,
                                        .tolerance = 0.1,
                                        .planner = {replan_remaining, &setup->remaining}};
}

static void setup_init(struct setup *setup, struct dice *dice)
{
    setup->platform = platform_cluster(dice, dice_between(dice, 2, 32));
    setup_plan(setup, dice);
}

/* With results that are written behind; some would take longer than the work. */
static void setup_init_behind(struct setup *setup, struct dice *dice)
{
    setup->platform = platform_cluster(dice, dice_between(dice, 2, 32));
    setup->platform.write_behind = true;
    struct platform_window *window = &setup->platform.windows[0];
    for (int64_t k = 0; k < window->class_count; k++) {
        struct platform_class *class = &window->classes[k];
        const double share = dice_scale(dice, 0.05, 2);
        class->output =
            (struct cost){share * class->compute.latency_s, share * class->compute.s_per_task};
        class->holds = share > 1.1 ? PLATFORM_HOLDS_OUTPUT : PLATFORM_HOLDS_COMPUTE;
    }
    setup_plan(setup, dice);
}

/* With results that return, each package's or all at the end, over a port that takes from little up
 * to half of the time for them. */
static void returning(struct setup *setup, struct dice *dice, enum results results)
{
    setup->platform = platform_cluster(dice, dice_between(dice, 2, 8));
    setup->platform.results = results;
    struct platform_window *window = &setup->platform.windows[0];
    const double share = dice_scale(dice, 0.02, 0.5) / (double)setup->platform.worker_count;
    window->collect = (struct cost){0.02 * window->envelope.latency_s, 0};
    for (int64_t k = 0; k < window->class_count; k++) {
        struct platform_class *class = &window->classes[k];
        class->result =
            (struct cost){share * class->compute.latency_s, share * class->compute.s_per_task};
    }
    setup_plan(setup, dice);
}

static void setup_init_returning(struct setup *setup, struct dice *dice)
{
    returning(setup, dice, RESULTS_PACKAGE);
}

static void setup_init_at_the_end(struct setup *setup, struct dice *dice)
{
    returning(setup, dice, RESULTS_END);
}

static void setup_release(struct setup *setup)
{
    platform_release(&setup->platform);
    plan_release(&setup->plan);
}

struct outcome {
    double makespan_s;
    int64_t asked, adopted; /* new plans */
};

static struct outcome simulate(const struct setup *setup, const struct decision *decision,
                               const struct scenario *scenario)
{
    struct failure failure = FAILURE_INIT;
    struct simulation simulation = {0};
    struct trace trace = {.count = 0};
    struct outcome outcome = {0, 0, 0};
    struct dispatch *dispatch = decision_dispatch(decision, &setup->platform, scenario, &failure);
    if (!dispatch ||
        !simulate_scenario(&setup->platform, dispatch, scenario, &trace, &simulation, &failure))
        fail_msg("%s", failure.text);
    outcome.makespan_s = simulation.makespan_s;
    if (scenario->lost_worker < 0)
        tasks_are_all(&setup->platform, &setup->plan, &trace);
    if (decision->watch && scenario->lost_worker < 0) {
        const struct watch_change *changes = dispatch_watch_changes(dispatch, &outcome.asked);
        for (int64_t k = 0; k < outcome.asked; k++) {
            assert_true(changes[k].end_s < changes[k].kept_end_s || !changes[k].adopted);
            assert_true(changes[k].now_s > 0 && changes[k].tasks > 0);
            outcome.adopted += changes[k].adopted;
        }
    }
    trace_release(&trace);
    dispatch_free(&dispatch);
    return outcome;
}

/* A copy in which one worker takes `factor` times as long. */
static struct platform platform_with_slow(const struct platform *platform, int64_t worker,
                                          double factor)
{
    struct platform copy = *platform;
    struct platform_window *window = calloc(1, sizeof *window);
    assert_non_null(window);
    *window = platform->windows[0];
    window->classes = calloc((size_t)window->class_count, sizeof *window->classes);
    assert_non_null(window->classes);
    for (int64_t k = 0; k < window->class_count; k++)
        window->classes[k] = platform->windows[0].classes[k];
    struct platform_class *class = &window->classes[worker];
    struct cost *const costs[] = {&class->receive, &class->compute, &class->output};
    for (int k = 0; k < 3; k++) {
        costs[k]->latency_s *= factor;
        costs[k]->s_per_task *= factor;
    }
    copy.windows = window;
    return copy;
}

/* The makespan of a plan that reckons with the worker's mean rate until `end_s`. */
static double known_with_end(const struct setup *setup, const struct scenario *scenario,
                             const char *scheduler, double end_s)
{
    const double from_s = fmin(scenario->slow_from_s, end_s);
    const double mean = end_s / (from_s + (end_s - from_s) / scenario->slow_factor);
    struct platform slow = platform_with_slow(&setup->platform, scenario->slow_first, mean);
    struct setup known = *setup;
    known.plan = plan_with(&slow, setup->plan.tasks, scheduler);
    platform_release(&slow);
    const struct decision decision = {.plan = &known.plan};
    const double makespan_s = simulate(&known, &decision, scenario).makespan_s;
    plan_release(&known.plan);
    return makespan_s;
}

/* What a planner gets that knows from the start when the worker becomes slow: it reckons with the
 * worker's mean rate until the end, which it finds by iteration, until it does not move. */
static double known_from_the_start(const struct setup *setup, const struct scenario *scenario)
{
    static const char *const names[] = {"scow-mp", "scow-pwu", "umr-scow"};
    const struct decision kept = {.plan = &setup->plan};
    double best_s = simulate(setup, &kept, scenario).makespan_s;
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        double before_s = HUGE_VAL;
        for (int k = 0; k < 6 && best_s < before_s; k++) {
            before_s = best_s;
            best_s = fmin(best_s, known_with_end(setup, scenario, names[n], best_s));
        }
    }
    return best_s;
}

/* Or it makes one plan until then, and another from then on for what is left. */
static double known_in_two(const struct setup *setup, const struct scenario *scenario)
{
    const double planned_s = setup->plan.predicted.makespan_s;
    const double left = ceil(setup->plan.tasks * (1 - scenario->slow_from_s / planned_s));
    struct platform slow =
        platform_with_slow(&setup->platform, scenario->slow_first, scenario->slow_factor);
    struct plan remaining = plan_with(&slow, left, SCHEDULER_QUICK);
    const double rest_s = remaining.predicted.makespan_s;
    plan_release(&remaining);
    platform_release(&slow);
    return scenario->slow_from_s + rest_s;
}

/* How many platforms a property of means sees, how many one that holds for each of them, and how
 * many of a plan in which one worker becomes slow. */
static uint64_t seeds, each_seeds, slow_seeds;

static double mean_of(double sum)
{
    return sum / (double)seeds;
}

static void mean_is_below(double mean, double limit)
{
    assert_true(mean < limit || !cases_are_many());
}

/* With nothing known, the rest is the whole: as good as the scheduler's plan, nearly. */
static void plans_for_the_rest_are_good(void **state)
{
    double sum = 0, worst = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        struct dice dice = dice_of(seed);
        struct setup setup;
        setup_init(&setup, &dice);
        const size_t workers = (size_t)setup.platform.worker_count;
        struct watch_state *states = calloc(workers, sizeof *states);
        assert_non_null(states);
        for (size_t k = 0; k < workers; k++)
            states[k] = (struct watch_state){.factor = 1, .used = true};
        const struct watch_remaining remaining = {.tasks = (int64_t)setup.plan.tasks,
                                                  .workers = setup.platform.worker_count,
                                                  .states = states};
        struct watch_answer answer = {.end_s = 0};
        assert_true(replan_remaining(&setup.remaining, &remaining, &answer));
        const double off = answer.end_s / setup.plan.predicted.makespan_s - 1;
        sum += off;
        worst = fmax(worst, off);
        plan_release(&answer.plan);
        free(states);
        setup_release(&setup);
    }
    mean_is_below(mean_of(sum), 0.05);
    assert_true(worst < 0.15);
}

/* Watching alone costs little: packages in hand are fewer, and towards the end they are smaller. */
static void where_all_goes_as_planned_nothing_changes(void **state)
{
    const struct scenario usual = SCENARIO_INIT;
    double sum = 0, worst = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        struct dice dice = dice_of(seed);
        struct setup setup;
        setup_init(&setup, &dice);
        const struct decision decision = {.plan = &setup.plan, .watch = &setup.watch};
        const struct outcome watched = simulate(&setup, &decision, &usual);
        assert_int_equal(watched.asked, 0);
        sum += watched.makespan_s / setup.plan.predicted.makespan_s - 1;
        worst = fmax(worst, watched.makespan_s / setup.plan.predicted.makespan_s - 1);
        setup_release(&setup);
    }
    print_message("watching costs %.2f %% in the mean, %.2f %% at worst\n", 100 * mean_of(sum),
                  100 * worst);
    mean_is_below(mean_of(sum), 0.0125);
    assert_true(worst < 0.1);
}

static void watching_costs_little(void (*init)(struct setup *, struct dice *), const char *where,
                                  uint64_t platforms, double most)
{
    const struct scenario usual = SCENARIO_INIT;
    double sum = 0;
    for (uint64_t seed = 1; seed <= platforms; seed++) {
        struct dice dice = dice_of(seed);
        struct setup setup;
        init(&setup, &dice);
        const struct decision decision = {.plan = &setup.plan, .watch = &setup.watch};
        const struct outcome watched = simulate(&setup, &decision, &usual);
        if (watched.asked > 0)
            fail_msg("seed %" PRIu64 ": %d new plans", seed, (int)watched.asked);
        sum += watched.makespan_s / setup.plan.predicted.makespan_s - 1;
        setup_release(&setup);
    }
    print_message("%s, watching costs %.2f %% in the mean\n", where, 100 * sum / (double)platforms);
    mean_is_below(sum / (double)platforms, most);
}

/* Packages overlap then, and none of them is taken to be slow for it. */
static void where_results_are_written_behind_neither(void **state)
{
    (void)state;
    watching_costs_little(setup_init_behind, "written behind", cases_of(12), 0.08);
}

/* A package is reported when its results have come, which wait for those of others. */
static void where_results_return_neither(void **state)
{
    (void)state;
    watching_costs_little(setup_init_returning, "returning", cases_of(3), 0.05);
    watching_costs_little(setup_init_at_the_end, "returning at the end", cases_of(3), 0.05);
}

/* Below this, a worker has too much in hand when it becomes slow. */
enum { ROUNDS_LEAST = 12 };
/* Of so many platforms, one may miss its 15 %: none of those that are always simulated. */
enum { MISSES_FEWER = 200 };

/* One worker becomes four times as slow in the middle half of the run; -1: too few rounds. */
static double slow_over(uint64_t seed, void (*init)(struct setup *, struct dice *),
                        double *unwatched)
{
    struct dice dice = dice_of(seed);
    struct setup setup;
    struct scenario slow = SCENARIO_INIT;
    double over = -1;
    init(&setup, &dice);
    slow.slow_workers = 1;
    slow.slow_factor = 4;
    slow.slow_first = dice_between(&dice, 0, setup.platform.worker_count - 1);
    slow.slow_from_s = setup.plan.predicted.makespan_s * (0.25 + 0.5 * dice_roll(&dice));
    if (plan_rounds_total(&setup.plan) >= ROUNDS_LEAST) {
        const struct decision plain = {.plan = &setup.plan};
        const struct decision decision = {.plan = &setup.plan, .watch = &setup.watch};
        const double known_s =
            fmin(known_from_the_start(&setup, &slow), known_in_two(&setup, &slow));
        over = simulate(&setup, &decision, &slow).makespan_s / known_s - 1;
        *unwatched = simulate(&setup, &plain, &slow).makespan_s / known_s - 1;
    }
    setup_release(&setup);
    return over;
}

/* What a slow worker costs over what a planner gets that knows. */
struct slowness {
    double sum, worst, unwatched;
    uint64_t count, below[3]; /* plans; of them at most 5, 10 and 15 % over */
};

/* On so many platforms, and on more where none of them has a plan of enough rounds. */
static struct slowness slowness_of(void (*init)(struct setup *, struct dice *), uint64_t platforms)
{
    struct slowness slowness = {.count = 0};
    for (uint64_t seed = 1; seed <= platforms || slowness.count == 0; seed++) {
        double unwatched = 0;
        const double over = slow_over(seed, init, &unwatched);
        if (over == -1)
            continue;
        if (over > 0.15)
            print_message("seed %" PRIu64 ": %.1f %% over\n", seed, 100 * over);
        for (int k = 0; k < 3; k++)
            slowness.below[k] += over <= 0.05 * (k + 1);
        slowness.sum += over;
        slowness.worst = fmax(slowness.worst, over);
        slowness.unwatched += unwatched;
        slowness.count++;
    }
    return slowness;
}

static void slowness_print(const struct slowness *slowness, const char *where)
{
    const double count = (double)slowness->count;
    print_message("%s, %" PRIu64 " plans: a slow worker costs %.1f %% in the mean, %.1f %% at "
                  "worst, at most 5 %% on %" PRIu64 ", 10 %% on %" PRIu64 ", 15 %% on %" PRIu64
                  "; unwatched %.1f %%\n",
                  where, slowness->count, 100 * slowness->sum / count, 100 * slowness->worst,
                  slowness->below[0], slowness->below[1], slowness->below[2],
                  100 * slowness->unwatched / count);
}

static void slow_workers_cost_little(void **state)
{
    (void)state;
    const struct slowness slowness = slowness_of(setup_init, slow_seeds);
    slowness_print(&slowness, "written before");
    assert_true(3 * slowness.count > slow_seeds);
    assert_true(slowness.count - slowness.below[2] <= slowness.count / MISSES_FEWER);
    mean_is_below(slowness.sum / (double)slowness.count, 0.03);
}

static void where_results_are_written_behind_they_do_too(void **state)
{
    (void)state;
    const struct slowness slowness = slowness_of(setup_init_behind, slow_seeds / 5);
    slowness_print(&slowness, "written behind");
    assert_true(slowness.sum < slowness.unwatched);
    mean_is_below(slowness.sum / (double)slowness.count, 0.1);
}

static void where_results_return_they_do_too(void **state)
{
    static const struct {
        void (*init)(struct setup *, struct dice *);
        const char *where;
    } ways[] = {{setup_init_returning, "returning"},
                {setup_init_at_the_end, "returning at the end"}};
    (void)state;
    for (size_t k = 0; k < (cases_are_many() ? COUNT_OF(ways) : 1); k++) {
        const struct slowness slowness = slowness_of(ways[k].init, slow_seeds / 12);
        slowness_print(&slowness, ways[k].where);
        assert_true(slowness.sum < slowness.unwatched);
        mean_is_below(slowness.sum / (double)slowness.count, 0.1);
    }
}

/* A watch that is asked more often than need be, as a master does that polls. */
struct restless {
    struct dispatch base;
    struct dispatch *inner; /* owned */
    double asked_s;
    bool waits;
    int64_t asked; /* in vain, as it must be */
};

static void ask_in_vain(struct restless *self, double until_s)
{
    const double between_s = (self->asked_s + until_s) / 2;
    struct package package;
    if (!self->waits || !(between_s > self->asked_s) || between_s >= dispatch_due_s(self->inner))
        return;
    assert_int_equal(dispatch_next(self->inner, between_s, &package), DISPATCH_WAIT);
    self->asked_s = between_s;
    self->asked++;
}

static enum dispatch_answer restless_next(struct dispatch *dispatch, double now_s,
                                          struct package *package)
{
    struct restless *self = (struct restless *)dispatch;
    ask_in_vain(self, now_s);
    const enum dispatch_answer answer = dispatch_next(self->inner, now_s, package);
    self->asked_s = now_s;
    self->waits = answer == DISPATCH_WAIT;
    assert_true(!self->waits || dispatch_due_s(self->inner) > now_s);
    return answer;
}

static void restless_done(struct dispatch *dispatch, const struct package *package,
                          struct dispatch_times times)
{
    struct restless *self = (struct restless *)dispatch;
    ask_in_vain(self, times.end_s);
    self->waits = false;
    dispatch_report(self->inner, package, times);
}

static const struct dispatch *restless_inner(const struct dispatch *dispatch)
{
    return ((const struct restless *)dispatch)->inner;
}

/* Who is asked only when something has happened, or is due, and who is asked all the time decide
 * the same: the simulation's master and a real one. */
static void asking_often_changes_nothing(void **state)
{
    static const struct dispatch_kind kind = {
        .next = restless_next, .done = restless_done, .inner = restless_inner};
    int64_t asked = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= each_seeds; seed++) {
        struct dice dice = dice_of(seed);
        struct setup setup;
        struct scenario slow = SCENARIO_INIT;
        struct simulation simulation;
        struct failure failure = FAILURE_INIT;
        setup_init(&setup, &dice);
        slow.slow_workers = 1;
        slow.slow_factor = 4;
        slow.slow_from_s = setup.plan.predicted.makespan_s * dice_roll(&dice);
        const struct decision decision = {.plan = &setup.plan, .watch = &setup.watch};
        struct restless restless = {.base = {&kind}, .inner = dispatch_new_watch(&setup.watch)};
        assert_non_null(restless.inner);
        assert_true(
            simulate_scenario(&setup.platform, &restless.base, &slow, NULL, &simulation, &failure));
        assert_true(simulation.makespan_s == simulate(&setup, &decision, &slow).makespan_s);
        asked += restless.asked;
        dispatch_free(&restless.inner);
        setup_release(&setup);
    }
    assert_true(asked > (int64_t)each_seeds);
}

/* Two workers, a second a task; the first is soon done, and the second, which has nearly all, takes
 * hours from then on: nobody reports, and that is enough to give what is left to the first. */
static void silence_is_news(void **state)
{
    struct platform platform = platform_of_equals(2, 1, 1000, (struct cost){0, 1e-3},
                                                  (struct cost){0, 0}, (struct cost){0, 1});
    double loads[] = {1, 50};
    int64_t workers[] = {0, 1};
    struct plan_round round = {3, loads};
    const struct plan plan = {
        .tasks = 153, .worker_count = 2, .workers = workers, .round_count = 1, .rounds = &round};
    const struct replan_setup remaining = {.platform = &platform, .most = 50};
    const struct watch_setup setup = {.plan = &plan,
                                      .platform = &platform,
                                      .workers = 2,
                                      .tolerance = 0.1,
                                      .planner = {replan_remaining, &remaining}};
    struct scenario slow = SCENARIO_INIT;
    struct simulation simulation;
    struct failure failure = FAILURE_INIT;
    struct dispatch *watch = dispatch_new_watch(&setup);
    int64_t changes = 0;
    (void)state;
    assert_non_null(watch);
    slow.slow_workers = 1;
    slow.slow_first = 1;
    slow.slow_factor = 1e3;
    slow.slow_from_s = 3;
    assert_true(simulate_scenario(&platform, watch, &slow, NULL, &simulation, &failure));
    const struct watch_change *change = dispatch_watch_changes(watch, &changes);
    assert_true(changes > 0 && change->adopted && change->worker == 1);
    assert_true(change->now_s < 100 && simulation.earliest_end_s < 200);
    dispatch_free(&watch);
    platform_release(&platform);
}

/* Two workers, packages of one unit, and core tasks worth nearly nothing and nearly two in turn:
 * each package takes what its core tasks do, which is no news of who does them, nor of one that is
 * late.
 */
static void other_worth_is_no_news(void **state)
{
    enum { TASKS = 40 };
    struct platform units = platform_of_equals(2, 1, TASKS, (struct cost){0, 1e-6},
                                               (struct cost){0, 0}, (struct cost){1e-3, 1});
    struct platform tasks = units; /* borrows its windows */
    double loads[] = {1, 1}, weights[TASKS];
    int64_t workers[] = {0, 1}, changes = 1;
    struct plan_round round = {TASKS / 2, loads};
    const struct plan plan = {
        .tasks = TASKS, .worker_count = 2, .workers = workers, .round_count = 1, .rounds = &round};
    const struct replan_setup remaining = {.platform = &units, .most = TASKS};
    const struct watch_setup setup = {.plan = &plan,
                                      .platform = &units,
                                      .workers = 2,
                                      .tolerance = 0.1,
                                      .planner = {replan_remaining, &remaining}};
    const struct scenario usual = SCENARIO_INIT;
    struct simulation simulation;
    struct failure failure = FAILURE_INIT;
    struct work work;
    (void)state;
    for (int k = 0; k < TASKS; k++)
        weights[k] = k % 2 == 0 ? 0.05 : 1.95;
    assert_true(work_weigh(&work, weights, TASKS) && work_copy(&tasks.work, &work));
    tasks.work_tasks = TASKS;
    struct dispatch *watch = dispatch_new_watch(&setup);
    struct dispatch *weighted = dispatch_new_weighted(watch, &work, TASKS, 0);
    assert_non_null(weighted);
    assert_true(simulate_scenario(&tasks, weighted, &usual, NULL, &simulation, &failure));
    dispatch_watch_changes(watch, &changes);
    assert_int_equal(changes, 0);
    dispatch_free(&weighted);
    work_release(&tasks.work);
    platform_release(&units);
}

/* A plan of the beginning of a job, before a tail, may be of core tasks that weigh nothing. */
static void nothing_is_not_counted_in_units(void **state)
{
    static const double weights[] = {0, 0, 0, 0, 0, 0, 2, 2, 1, 1};
    struct platform platform = platform_of_equals(2, 1, 10, (struct cost){0, 1e-6},
                                                  (struct cost){0, 0}, (struct cost){1e-3, 1});
    double loads[] = {3, 3};
    int64_t workers[] = {0, 1};
    struct plan_round round = {1, loads};
    const struct plan plan = {
        .tasks = 6, .worker_count = 2, .workers = workers, .round_count = 1, .rounds = &round};
    struct watch_units units;
    (void)state;
    assert_true(work_weigh(&platform.work, weights, 10));
    platform.work_tasks = 10;
    platform.weighed = true;
    assert_true(watch_units_make(&units, &platform, &plan));
    assert_false(watch_units_used(&units));
    watch_units_release(&units);
    platform_release(&platform);
}

/* Never finds a plan, and counts how often one is looked for. */
static bool nothing_found(const void *self, const struct watch_remaining *remaining,
                          struct watch_answer *answer)
{
    int64_t *const *asked = self;
    (void)remaining;
    (void)answer;
    ++**asked;
    return false;
}

/* Packages of one core task whose times differ much, so that rates are news all the time, and
 * nobody finds a plan for so many: looking for one, which takes the master longer than a package,
 * is not done at every report, but whenever an eighth less is left. */
static void vain_searches_are_few(void **state)
{
    enum { TASKS = 4000 };
    struct platform platform = platform_of_equals(2, 1, TASKS, (struct cost){0, 1e-6},
                                                  (struct cost){0, 0}, (struct cost){0, 1e-2});
    double loads[] = {1, 1};
    int64_t workers[] = {0, 1}, count = 0, *const asked = &count;
    struct plan_round round = {TASKS / 2, loads};
    const struct plan plan = {
        .tasks = TASKS, .worker_count = 2, .workers = workers, .round_count = 1, .rounds = &round};
    const struct watch_setup setup = {.plan = &plan,
                                      .platform = &platform,
                                      .workers = 2,
                                      .tolerance = 0.01,
                                      .planner = {nothing_found, &asked}};
    struct scenario noisy = SCENARIO_INIT;
    struct simulation simulation;
    struct failure failure = FAILURE_INIT;
    struct dispatch *watch = dispatch_new_watch(&setup);
    (void)state;
    assert_non_null(watch);
    noisy.noise = 0.5;
    assert_true(simulate_scenario(&platform, watch, &noisy, NULL, &simulation, &failure));
    assert_in_range(count, 1, 100);
    dispatch_free(&watch);
    platform_release(&platform);
}

/* Every other worker has half of its processor but from two to four fifths of the predicted run.
 * *least_s: when all would be done, without latencies, were the work shared perfectly. */
static void load_often(const struct setup *setup, struct availability *loads, double *least_s)
{
    const struct platform_window *window = &setup->platform.windows[0];
    const int64_t workers = setup->platform.worker_count;
    const double whole_s = setup->plan.predicted.makespan_s;
    double all = 0, shared = 0; /* core tasks a second */
    loads->places = calloc((size_t)workers + 1, sizeof *loads->places);
    struct availability_series *series = availability_series(loads, "shared");
    assert_true(loads->places && series && availability_add(series, 0, 0.5, 1) &&
                availability_add(series, 0.4 * whole_s, 1, 1) &&
                availability_add(series, 0.8 * whole_s, 0.5, 1));
    for (int64_t k = 0; k < workers; k++) {
        const double rate = 1 / platform_class_work(platform_worker(window, k)).s_per_task;
        all += rate;
        shared += k % 2 == 0 ? rate : 0;
        loads->places[k + 1] = k % 2 == 0;
    }
    const double done = 0.8 * whole_s * all - 0.2 * whole_s * shared;
    *least_s = 0.8 * whole_s + (setup->plan.tasks - done) / (all - shared / 2);
}

/* Each change asks for a new plan, and there are as many as workers: the last ones count, too. */
static void many_changes_are_followed(void **state)
{
    const int64_t workers = cases_are_many() ? 24 : 12;
    struct setup setup = {.platform =
                              platform_of_equals(workers, 1, 10000, (struct cost){1e-3, 0},
                                                 (struct cost){5e-3, 0}, (struct cost){1e-2, 0.1})};
    struct dice dice = dice_of(1);
    struct availability loads = {.series = NULL};
    struct scenario often = SCENARIO_INIT;
    double least_s;
    (void)state;
    setup_plan(&setup, &dice);
    load_often(&setup, &loads, &least_s);
    often.availability = &loads;
    often.noise = 0.02;
    const struct decision decision = {.plan = &setup.plan, .watch = &setup.watch};
    const double over = simulate(&setup, &decision, &often).makespan_s / least_s - 1;
    print_message("%.1f %% over what can be done\n", 100 * over);
    mean_is_below(over, 0.06);
    availability_release(&loads);
    setup_release(&setup);
}

/* Noise that the profile knows of asks for new plans hardly ever, and none makes things worse. */
static void noise_is_left_alone(void **state)
{
    double plain_s = 0, watched_s = 0;
    int64_t adopted = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        struct dice dice = dice_of(seed);
        struct setup setup;
        struct scenario noisy = SCENARIO_INIT;
        setup_init(&setup, &dice);
        noisy.seed = seed;
        noisy.noise = setup.watch.deviation = 0.1;
        const struct decision plain = {.plan = &setup.plan};
        const struct decision decision = {.plan = &setup.plan, .watch = &setup.watch};
        const struct outcome watched = simulate(&setup, &decision, &noisy);
        adopted += watched.adopted;
        assert_true(watched.adopted <= 12);
        watched_s += watched.makespan_s / setup.plan.predicted.makespan_s;
        plain_s += simulate(&setup, &plain, &noisy).makespan_s / setup.plan.predicted.makespan_s;
        setup_release(&setup);
    }
    print_message("%.2f new plans a run; %.2f %% longer\n", mean_of((double)adopted),
                  100 * (watched_s / plain_s - 1));
    assert_true(watched_s < 1.03 * plain_s);
    assert_true(adopted < 2 * (int64_t)seeds);
}

/* What a lost worker had is done by others, watched or not. */
static void losses_are_made_good(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= each_seeds; seed++) {
        struct dice dice = dice_of(seed);
        struct setup setup;
        struct scenario loss = SCENARIO_INIT;
        setup_init(&setup, &dice);
        loss.lost_worker = dice_between(&dice, 0, setup.platform.worker_count - 1);
        loss.lost_s = setup.plan.predicted.makespan_s * dice_roll(&dice);
        const struct decision decision = {.plan = &setup.plan, .watch = &setup.watch};
        assert_true(simulate(&setup, &decision, &loss).makespan_s >= loss.lost_s);
        setup_release(&setup);
    }
}

/* usage: planner-watch [SEEDS]: so many random platforms with a slow worker, of which those with
 * plans of enough rounds count. */
int main(int argc, char **argv)
{
    seeds = cases_of(24);
    each_seeds = cases_of(8);
    slow_seeds = argc > 1 ? strtoull(argv[1], NULL, 10) : cases_of(24);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_changes_are_followed),
        cmocka_unit_test(plans_for_the_rest_are_good),
        cmocka_unit_test(where_all_goes_as_planned_nothing_changes),
        cmocka_unit_test(where_results_are_written_behind_neither),
        cmocka_unit_test(where_results_return_neither),
        cmocka_unit_test(slow_workers_cost_little),
        cmocka_unit_test(where_results_are_written_behind_they_do_too),
        cmocka_unit_test(where_results_return_they_do_too),
        cmocka_unit_test(asking_often_changes_nothing),
        cmocka_unit_test(vain_searches_are_few),
        cmocka_unit_test(silence_is_news),
        cmocka_unit_test(other_worth_is_no_news),
        cmocka_unit_test(nothing_is_not_counted_in_units),
        cmocka_unit_test(noise_is_left_alone),
        cmocka_unit_test(losses_are_made_good),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
