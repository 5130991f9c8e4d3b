/* Whole jobs of scow go, simulated: surveyed, planned by its own pilot, and done as that decides.
 * Their times are compared with the predictions. Core tasks differ along the job, and workers
 * differ. */
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "calibrate/go/go_pilot.h"
#include "planner/dispatch/survey.h"
#include "planner/simulate/scenario.h"
#include "planner/simulate/star.h"
#include "tests/cases.h"
#include "tests/checks.h"
#include "tests/planner/platforms.h"

enum { TASKS_MOST = 4000, WORKERS_MOST = 8 };
static const double TASK_S = 0.02, LATENCY_S = 1e-3;

/* ---- a job --------------------------------------------------------------------------------- */

enum shape { SHAPE_STEP, SHAPE_RAMP, SHAPE_BLOCK, SHAPE_LOGNORMAL, SHAPE_EQUAL, SHAPES };
static const char *const shape_names[] = {"step", "ramp", "block", "log-normal", "equal"};

struct job_trial {
    int64_t tasks;
    int workers;
    double speeds[WORKERS_MOST];  /* what a task takes there, relative */
    double noise;                 /* of packages, relative */
    double seconds[TASKS_MOST];   /* by task */
    struct task_weights *weights; /* owned: that the pilot knows; NULL: none */
    struct dice dice;
    /* Under way. */
    struct trace simulated; /* owned; future events, too */
    struct trace seen;      /* owned; of packages that are reported */
    struct go_pilot *pilot;
    struct pilot_context context;
    bool planned;
    /* Afterwards. */
    struct plan_prediction predicted;
    size_t classes; /* of workers in the profile */
    double slowest; /* of these, relative to the quickest */
    double makespan_s;
};

static double normal_of(struct dice *dice)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += dice_roll(dice);
    return sum;
}

static void shape_fill(struct job_trial *trial, enum shape shape)
{
    struct dice *dice = &trial->dice;
    const double tasks = (double)trial->tasks, times = dice_scale(dice, 3, 50);
    const double share = 0.02 + 0.18 * dice_roll(dice), sigma = 0.3 + 0.9 * dice_roll(dice);
    const double first = shape == SHAPE_STEP ? 1 - share : (1 - share) * dice_roll(dice);
    for (int64_t k = 0; k < trial->tasks; k++) {
        const double at = (double)k / tasks;
        double factor = 1;
        if ((shape == SHAPE_STEP || shape == SHAPE_BLOCK) && at >= first && at < first + share)
            factor = times;
        else if (shape == SHAPE_RAMP)
            factor = 1 + (times - 1) * at;
        else if (shape == SHAPE_LOGNORMAL)
            factor = exp(sigma * normal_of(dice));
        trial->seconds[k] = TASK_S * factor * exp(0.05 * normal_of(dice));
    }
}

static void price(void *pricer, const struct package *package, struct star_cost *cost)
{
    struct job_trial *trial = pricer;
    double sum_s = 0;
    for (int64_t k = package->first; k < package->first + package->count; k++)
        sum_s += trial->seconds[k];
    sum_s *= trial->speeds[package->worker];
    cost->compute_s = (LATENCY_S + sum_s) * exp(trial->noise * normal_of(&trial->dice));
}

/* ---- the pilot ----------------------------------------------------------------------------- */

/* A master knows of packages that are reported. */
static void trace_see(struct job_trial *trial, double now_s)
{
    const struct trace *all = &trial->simulated;
    double ends_s[TASKS_MOST] = {0}; /* by package */
    trace_release(&trial->seen);
    for (size_t i = 0; i < all->count; i++) {
        const struct trace_event *event = &all->events[i];
        assert_in_range(event->package, 0, TASKS_MOST - 1);
        ends_s[event->package] = fmax(ends_s[event->package], event->end_s);
    }
    for (size_t i = 0; i < all->count; i++)
        if (ends_s[all->events[i].package] <= now_s)
            assert_true(trace_add(&trial->seen, &all->events[i]));
}

static struct survey_levels trial_levels(void *self, const struct survey_timings *timings)
{
    struct job_trial *trial = self;
    double now_s = 0;
    for (size_t i = 0; i < trial->simulated.count; i++)
        now_s = fmax(now_s, trial->simulated.events[i].start_s);
    trace_see(trial, now_s);
    return trial->pilot->base.levels(&trial->pilot->base, &trial->context, timings);
}

static struct dispatch *trial_plan(void *self, const struct survey_remaining *remaining)
{
    struct job_trial *trial = self;
    trace_see(trial, remaining->now_s);
    trial->context.remaining = remaining;
    trial->planned = true;
    return trial->pilot->base.plan(&trial->pilot->base, &trial->context);
}

static const double bandwidth_found = 1.25e9;

static void classes_take(struct job_trial *trial, const struct profile *profile)
{
    double least_s = HUGE_VAL, most_s = 0;
    if (profile->setting_count == 0)
        return;
    const struct profile_window *window = &profile->settings[0].windows[0];
    trial->classes = window->worker_count;
    for (size_t k = 0; k < window->worker_count; k++) {
        least_s = fmin(least_s, window->workers[k].compute.cost.s_per_task);
        most_s = fmax(most_s, window->workers[k].compute.cost.s_per_task);
        /* Half of their processors, of times that costs may leave some out of; as was found. */
        assert_true(window->workers[k].availability >= 0.5 && window->workers[k].availability <= 1);
        assert_true(window->workers[k].bandwidth == bandwidth_found);
    }
    trial->slowest = most_s / least_s;
}

static void trial_simulate(struct job_trial *trial, uint64_t seed)
{
    struct platform platform =
        platform_of_equals(trial->workers, 1, trial->tasks, (struct cost){1e-6, 1e-9},
                           (struct cost){0, 0}, (struct cost){LATENCY_S, TASK_S});
    struct scenario scenario = SCENARIO_INIT;
    struct simulation simulation;
    struct failure failure = FAILURE_INIT;
    const struct survey_setup setup = {.tasks = trial->tasks,
                                       .workers = trial->workers,
                                       .most = trial->tasks,
                                       .seed = seed,
                                       .planner = {trial_levels, trial_plan, trial}};
    const struct variation variation = {.price = price, .self = trial};
    struct dispatch *dispatch = dispatch_new_survey(&setup);
    assert_non_null(dispatch);
    scenario.variation = &variation;
    if (!simulate_scenario(&platform, dispatch, &scenario, &trial->simulated, &simulation,
                           &failure))
        fail_msg("%s", failure.text);
    trial->makespan_s = simulation.makespan_s;
    dispatch_free(&dispatch);
    platform_release(&platform);
}

/* Whole, with a job that nobody computes. */
static void trial_run(struct job_trial *trial, uint64_t seed)
{
    static const struct scow_task task = {.name = "simulated"};
    static char names[WORKERS_MOST][8];
    struct run_had had[WORKERS_MOST];
    struct bandwidth bandwidths[WORKERS_MOST];
    const struct run_had_list all_had = {had, WORKERS_MOST};
    char *workers[WORKERS_MOST];
    char profile[] = "/tmp/scow-go-jobs-XXXXXX", plan[] = "/tmp/scow-go-jobs-XXXXXX";
    const struct kernel kernel = {.task = &task};
    const struct place place = {.machine = (char[]){"none"}, .isa = (char[]){"none"}};
    const struct job job = {.task = &task};
    struct progress progress;
    struct go_pilot pilot;
    for (int k = 0; k < WORKERS_MOST; k++) {
        snprintf(names[k], sizeof names[k], "a:%d", k + 1);
        workers[k] = names[k];
        had[k] = (struct run_had){1, 1, 2};
        bandwidths[k] = (struct bandwidth){bandwidth_found, k == 0};
    }
    assert_true(close(mkstemp(profile)) == 0 && close(mkstemp(plan)) == 0);
    const struct pilot_origin origin = {.kernel = &kernel,
                                        .place = &place,
                                        .names = workers,
                                        .bandwidths = bandwidths,
                                        .profile = profile,
                                        .threads = 1,
                                        .weights = trial->weights};
    go_pilot_init(&pilot, &origin, plan, true);
    progress_init(&progress, NULL, trial->tasks, -1);
    trial->pilot = &pilot;
    trial->context = (struct pilot_context){.pilot = &pilot.base,
                                            .trace = &trial->seen,
                                            .had = &all_had,
                                            .job = &job,
                                            .progress = &progress,
                                            .most = trial->tasks,
                                            .workers = trial->workers};
    trial_simulate(trial, seed);
    trial->predicted = pilot.base.predicted;
    classes_take(trial, &pilot.profile);
    go_pilot_release(&pilot);
    progress_end(&progress);
    trace_release(&trial->simulated);
    trace_release(&trial->seen);
    unlink(profile);
    unlink(plan);
}

static struct job_trial *trial_new(uint64_t seed, int64_t tasks, int workers)
{
    struct job_trial *trial = calloc(1, sizeof *trial);
    assert_non_null(trial);
    *trial = (struct job_trial){
        .tasks = tasks, .workers = workers, .noise = 0.02, .dice = dice_of(seed)};
    for (int k = 0; k < WORKERS_MOST; k++)
        trial->speeds[k] = 1;
    return trial;
}

static void trial_free(struct job_trial *trial)
{
    weights_free(trial->weights);
    free(trial);
}

static bool is_inside(const struct job_trial *trial)
{
    const double *interval_s = trial->predicted.interval_s;
    return trial->makespan_s >= interval_s[0] && trial->makespan_s <= interval_s[1];
}

static double width_of(const struct job_trial *trial)
{
    const double *interval_s = trial->predicted.interval_s;
    return (interval_s[1] - interval_s[0]) / trial->predicted.makespan_s;
}

/* ---- tests --------------------------------------------------------------------------------- */

enum { JOBS = 120, UNLIKE = 24, WEIGHED = 21, OFFS_MOST = 4000 };

/* Results of many jobs. */
struct tally {
    int count, inside, told; /* told: with workers of several classes */
    double offs[OFFS_MOST], widths;
};

static void tally_add(struct tally *tally, const struct job_trial *trial)
{
    assert_true(trial->planned && tally->count < OFFS_MOST);
    tally->inside += is_inside(trial);
    tally->told += trial->classes > 1;
    tally->widths += width_of(trial);
    tally->offs[tally->count++] = fabs(trial->makespan_s / trial->predicted.makespan_s - 1);
}

static int ascending(const void *a, const void *b)
{
    const double p = *(const double *)a, q = *(const double *)b;
    return (p > q) - (p < q);
}

/* Returns by how much predictions are off in the median. */
static double tally_print(struct tally *tally, const char *what)
{
    qsort(tally->offs, (size_t)tally->count, sizeof tally->offs[0], ascending);
    const double median = tally->offs[tally->count / 2];
    printf("%-16s %3d of %3d inside, off by %.1f %% in the median, %.1f %% at nine tenths, width "
           "%.0f %%, %d with unlike workers\n",
           what, tally->inside, tally->count, 100 * median,
           100 * tally->offs[tally->count * 9 / 10], 100 * tally->widths / tally->count,
           tally->told);
    return median;
}

/* Of so many jobs, each in its interval with 90 %, hardly ever fewer than this are, by chance. */
static double inside_least(int count)
{
    return count * 0.86 - 3 * sqrt(count * 0.9 * 0.1);
}

static uint64_t seed_first(void)
{
    const char *asked = getenv("SEED");
    return asked ? strtoull(asked, NULL, 10) : 1001;
}

/* Intervals of 90 % hold about as often as they say: what hardly differs is inside more often, for
 * a simulated machine does not change its pace while a real one does. */
static void jobs_end_in_their_intervals(void **state)
{
    (void)state;
    struct tally tallies[SHAPES] = {{.count = 0}};
    const uint64_t from = seed_first(), jobs = cases_of(JOBS);
    int inside = 0, count = 0;
    printf("seeds %d to %d\n", (int)from, (int)(from + jobs - 1));
    for (uint64_t seed = from; seed < from + jobs; seed++) {
        struct dice dice = dice_of(seed * 7919);
        const int64_t tasks = (int64_t)dice_scale(&dice, 800, TASKS_MOST);
        struct job_trial *trial = trial_new(seed, tasks, (int)dice_between(&dice, 1, WORKERS_MOST));
        shape_fill(trial, (enum shape)(seed % SHAPES));
        trial_run(trial, seed);
        tally_add(&tallies[seed % SHAPES], trial);
        trial_free(trial);
    }
    for (int shape = 0; cases_are_many() && shape < SHAPES; shape++) {
        struct tally *tally = &tallies[shape];
        assert_true(tally_print(tally, shape_names[shape]) < 0.08);
        assert_true(tally->inside >= inside_least(tally->count));
        inside += shape == SHAPE_EQUAL ? 0 : tally->inside;
        count += shape == SHAPE_EQUAL ? 0 : tally->count;
    }
    assert_true(inside >= 0.86 * count && inside <= 0.97 * count);
}

/* Workers of two speeds, where the job has heavy parts: told apart from these, and planned for. */
static void unlike_workers_are_predicted(void **state)
{
    (void)state;
    static const enum shape shapes[] = {SHAPE_STEP, SHAPE_RAMP, SHAPE_BLOCK};
    struct tally tally = {.count = 0};
    const uint64_t from = seed_first(), jobs = cases_of(UNLIKE);
    int twice = 0;
    for (uint64_t seed = from; seed < from + jobs; seed++) {
        struct dice dice = dice_of(seed * 7919);
        struct job_trial *trial = trial_new(seed, (int64_t)dice_scale(&dice, 800, TASKS_MOST),
                                            (int)dice_between(&dice, 2, WORKERS_MOST));
        const int slow = (int)dice_between(&dice, 1, trial->workers - 1);
        for (int k = 0; k < slow; k++)
            trial->speeds[k] = 2;
        shape_fill(trial, shapes[seed % COUNT_OF(shapes)]);
        trial_run(trial, seed);
        tally_add(&tally, trial);
        twice += fabs(trial->slowest / 2 - 1) < 0.2;
        trial_free(trial);
    }
    const double median = tally_print(&tally, "two speeds");
    printf("of %d jobs with workers of two speeds %d were seen to be twice as slow\n", tally.count,
           twice);
    assert_true(twice >= 0.85 * tally.count);
    assert_true(median < 0.05);
    assert_true(tally.inside >= 0.8 * tally.count);
}

/* Gives the weights of the trial's core tasks as known beforehand: except a part that is the same
 * for all, and a part that is not known. */
static void weights_give(struct job_trial *trial, double constant, double unknown)
{
    char digest[65] = {0};
    double mean_s = 0, *items = calloc((size_t)trial->tasks, sizeof *items);
    assert_non_null(items);
    memset(digest, '0', sizeof digest - 1);
    for (int64_t k = 0; k < trial->tasks; k++) {
        items[k] = trial->seconds[k];
        mean_s += items[k] / (double)trial->tasks;
    }
    for (int64_t k = 0; k < trial->tasks; k++)
        trial->seconds[k] = (constant * mean_s + (1 - constant) * trial->seconds[k]) *
                            exp(unknown * normal_of(&trial->dice));
    trial->weights = weights_new("lengths", digest, items, trial->tasks);
    assert_non_null(trial->weights);
    free(items);
}

/* Weights that say what core tasks take, but for a part that is the same for all and 5 % that
 * nobody knows: what would be off by tens of percent is predicted closely, and ends together. */
static void weights_are_planned_by(void **state)
{
    (void)state;
    static const enum shape shapes[] = {SHAPE_LOGNORMAL, SHAPE_STEP, SHAPE_RAMP};
    struct tally tally = {.count = 0};
    const uint64_t from = seed_first(), jobs = cases_of(WEIGHED);
    double losses = 0;
    for (uint64_t seed = from; seed < from + jobs; seed++) {
        struct dice dice = dice_of(seed * 7919);
        const int workers = (int)dice_between(&dice, 1, WORKERS_MOST);
        struct job_trial *trial =
            trial_new(seed, (int64_t)dice_scale(&dice, 400, TASKS_MOST), workers);
        double sum_s = 0;
        shape_fill(trial, shapes[seed % COUNT_OF(shapes)]);
        weights_give(trial, 0.5 * dice_roll(&dice), 0.05);
        for (int64_t k = 0; k < trial->tasks; k++)
            sum_s += trial->seconds[k];
        trial_run(trial, seed);
        tally_add(&tally, trial);
        losses += trial->makespan_s * workers / sum_s - 1;
        trial_free(trial);
    }
    const double median = tally_print(&tally, "weights");
    printf("%.2f %% longer than perfectly balanced, in the mean\n", 100 * losses / tally.count);
    assert_true(!cases_are_many() || (median < 0.02 && losses / tally.count < 0.035));
    assert_true(tally.inside >= inside_least(tally.count));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jobs_end_in_their_intervals),
        cmocka_unit_test(unlike_workers_are_predicted),
        cmocka_unit_test(weights_are_planned_by),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
