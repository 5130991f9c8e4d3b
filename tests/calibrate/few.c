/* Few timings: what a much too short calibration says about a job, and what two starts say about
 * later starts of programs, holds as often as it promises. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "calibrate/fit/assemble.h"
#include "calibrate/fit/classes.h"
#include "calibrate/fit/few_places.h"
#include "planner/model/cost_map.h"
#include "tests/calibrate/synthetic.h"
#include "tests/checks.h"

enum { TASKS = 60, TRIALS = 400, WARM_UP = 10 };

static struct generator generator_of(uint64_t seed)
{
    struct generator generator = {seed * 0x9e3779b97f4a7c15u + 1};
    for (int i = 0; i < WARM_UP; i++) /* neighbouring seeds differ in few bits */
        generator_uniform(&generator);
    return generator;
}

/* ---- places -------------------------------------------------------------------------------- */

/* Every twelfth line runs into its time limit. */
static double limited(int64_t task, struct generator *generator)
{
    (void)generator;
    return task % 12 == 11 ? 1 : 0.1;
}

static double equal(int64_t task, struct generator *generator)
{
    (void)task, (void)generator;
    return 0.1;
}

static double scattered(int64_t task, struct generator *generator)
{
    (void)task;
    return 0.1 * exp(0.8 * generator_normal(generator));
}

struct job {
    double costs_s[TASKS], total_s;
};

static struct job job_of(double (*cost_s)(int64_t, struct generator *), struct generator *generator)
{
    struct job job = {.total_s = 0};
    for (int64_t k = 0; k < TASKS; k++) {
        job.costs_s[k] = cost_s(k, generator);
        job.total_s += job.costs_s[k];
    }
    return job;
}

static void place_time(const struct job *job, int rank, int64_t tasks, struct generator *generator,
                       struct samples *samples)
{
    struct sample sample = {.rank = rank, .operation = OPERATION_COMPUTE, .tasks = tasks};
    sample.first = (int64_t)(generator_uniform(generator) * (double)(TASKS - tasks + 1));
    for (int64_t k = 0; k < tasks; k++)
        sample.seconds += job->costs_s[sample.first + k];
    sample.seconds *= 1 + 0.02 * generator_normal(generator);
    assert_true(samples_add(samples, &sample));
}

/* Packages of one core task and of two, a few of each on two workers. */
static struct samples places_time(const struct job *job, struct generator *generator)
{
    struct samples samples = {0};
    for (int k = 0; k < 5; k++)
        for (int rank = 1; rank <= 2; rank++)
            place_time(job, rank, k < 2 ? 1 : 2, generator, &samples);
    return samples;
}

/* Two workers whose rate was found from what they took at all. */
struct fitted {
    struct profile_worker workers[2];
    struct profile_window window;
    struct profile_setting setting;
};

static void fitted_make(const struct samples *samples, struct fitted *fitted)
{
    double seconds = 0, tasks = 0;
    for (int64_t i = 0; i < samples->count; i++) {
        seconds += samples->items[i].seconds;
        tasks += (double)samples->items[i].tasks;
    }
    *fitted = (struct fitted){.window = {.least = 1, .greatest = TASKS, .worker_count = 2}};
    for (int k = 0; k < 2; k++)
        fitted->workers[k] = (struct profile_worker){
            .count = 1, .compute = {.cost = {0, seconds / tasks}, .fit = {.n = 10}}};
    fitted->window.workers = fitted->workers;
    fitted->setting = (struct profile_setting){.windows = &fitted->window, .window_count = 1};
}

struct tally {
    int inside, unseen;
    double width; /* mean */
};

/* The total against the 90 % interval that the map gives what was fitted. */
static void total_check(const struct fitted *fitted, const struct job *job, struct tally *tally)
{
    const struct cost_map *map = &fitted->setting.map;
    const double mean_s = TASKS * fitted->workers[0].compute.cost.s_per_task;
    const double low = cost_map_total(map, -1.645) * mean_s * 0.98;
    const double high = cost_map_total(map, 1.645) * mean_s * 1.02;
    tally->inside += low <= job->total_s && job->total_s <= high;
    tally->unseen += map->unseen > 0;
    tally->width += (high - low) / mean_s / TRIALS;
}

static struct tally totals_check(double (*cost_s)(int64_t, struct generator *))
{
    struct tally tally = {0, 0, 0};
    for (uint64_t seed = 1; seed <= TRIALS; seed++) {
        struct generator generator = generator_of(seed);
        struct failure failure = FAILURE_INIT;
        const struct job job = job_of(cost_s, &generator);
        struct samples samples = places_time(&job, &generator);
        struct fitted fitted;
        fitted_make(&samples, &fitted);
        assert_true(few_places_apply(&samples, 0, TASKS, &fitted.setting, &failure));
        assert_int_equal(fitted.setting.map.work.tasks, TASKS);
        total_check(&fitted, &job, &tally);
        samples_release(&samples);
    }
    printf("seeds 1 to %d: %d inside, with a mean width of %.0f %%\n", TRIALS, tally.inside,
           100 * tally.width);
    return tally;
}

static void unlike_lines_are_in_the_interval(void **state)
{
    (void)state;
    const struct tally some = totals_check(limited), all = totals_check(scattered);
    assert_true(all.inside >= 0.85 * TRIALS);
    assert_true(some.inside >= 0.6 * TRIALS); /* of a fourth, no heavy line was timed at all */
    assert_true(some.unseen == TRIALS);
}

static void equal_lines_stay_narrow(void **state)
{
    (void)state;
    const struct tally tally = totals_check(equal);
    assert_true(tally.inside >= 0.95 * TRIALS && tally.width < 0.25);
}

/* Nothing is unseen where every line was timed. */
static void all_that_there_is_says_it_all(void **state)
{
    (void)state;
    struct generator generator = generator_of(1);
    struct failure failure = FAILURE_INIT;
    struct samples samples = {0};
    struct fitted fitted;
    for (int64_t task = 0; task < TASKS; task++) {
        const struct sample sample = {.rank = 1,
                                      .operation = OPERATION_COMPUTE,
                                      .first = task,
                                      .tasks = 1,
                                      .seconds = limited(task, &generator)};
        assert_true(samples_add(&samples, &sample));
    }
    fitted_make(&samples, &fitted);
    assert_true(few_places_apply(&samples, 0, TASKS, &fitted.setting, &failure));
    assert_int_equal(fitted.setting.map.work.tasks, 0);
    samples_release(&samples);
}

/* ---- starts -------------------------------------------------------------------------------- */

static double start_draw(struct generator *generator)
{
    return 2.5 * (1 + 0.01 * generator_normal(generator));
}

/* The next start against what so many told of it. */
static int starts_inside(int starts)
{
    int inside = 0;
    for (uint64_t seed = 1; seed <= TRIALS; seed++) {
        struct generator generator = generator_of(seed);
        struct samples samples = {0};
        struct worker_class class = {.least = 1, .greatest = starts};
        class.costs[0].count = class.costs[1].count = class.costs[2].count = 1;
        for (int k = 0; k < starts; k++) {
            const struct sample sample = {.rank = k + 1,
                                          .operation = OPERATION_START,
                                          .fresh = true,
                                          .tasks = 1,
                                          .seconds = start_draw(&generator)};
            assert_true(samples_add(&samples, &sample));
        }
        const struct measured_cost start = start_fit(&samples, 0, &class);
        const double error_s =
            hypot(start.fit.stderr_latency_s, start.fit.deviation * start.cost.latency_s);
        inside += fabs(start_draw(&generator) - start.cost.latency_s) < 1.645 * error_s;
        samples_release(&samples);
    }
    printf("seeds 1 to %d: of what follows %d starts, %d inside\n", TRIALS, starts, inside);
    return inside;
}

static void few_starts_are_honest(void **state)
{
    (void)state;
    for (int starts = 1; starts <= 4; starts++)
        assert_true(starts_inside(starts) >= 0.85 * TRIALS);
    assert_true(starts_inside(16) <= 0.97 * TRIALS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unlike_lines_are_in_the_interval),
        cmocka_unit_test(equal_lines_stay_narrow),
        cmocka_unit_test(all_that_there_is_says_it_all),
        cmocka_unit_test(few_starts_are_honest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
