/*
 * How many packages a worker should receive ahead: plans made for two, simulated with one to four
 * while every operation is noisy, and while one worker is late besides. Prints a table; nothing is
 * asserted.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "planner/report/causes.h"
#include "planner/schedulers/scheduler.h"
#include "planner/simulate/scenario.h"
#include "tests/planner/platforms.h"
#include "tests/usage.h"

enum { PLATFORMS = 20, SEEDS = 10, BUFFERS_MOST = 4 };

/* By the number of buffers. */
struct row {
    double makespan[BUFFERS_MOST + 1]; /* over that with PLATFORM_BUFFERS */
    double waiting[BUFFERS_MOST + 1];  /* share of the workers' time that a full buffer costs */
    int runs;
};

static void die(const char *what)
{
    fprintf(stderr, "bench-buffers: %s\n", what);
    exit(EXIT_FAILURE);
}

static double waiting_share(const struct trace *trace, double makespan_s)
{
    struct failure failure = FAILURE_INIT;
    struct causes causes;
    double all_s = 0;
    if (!causes_make(trace, NULL, false, &causes, &failure))
        die(failure.text);
    for (int64_t k = 0; k < causes.worker_count; k++)
        all_s += causes.workers[k].busy_s > 0 ? makespan_s : 0;
    const double share = causes.seconds[CAUSE_BUFFER] / all_s;
    causes_release(&causes);
    return share;
}

static double simulate(struct platform *platform, const struct plan *plan,
                       const struct scenario *scenario, int buffers, double *waiting)
{
    struct dispatch *dispatch = dispatch_new_plan(plan);
    struct failure failure = FAILURE_INIT;
    struct simulation simulation;
    struct trace trace = {.count = 0};
    platform->buffers = buffers;
    if (!dispatch ||
        !simulate_scenario(platform, dispatch, scenario, &trace, &simulation, &failure))
        die("a simulation failed");
    *waiting += waiting_share(&trace, simulation.makespan_s);
    dispatch_free(&dispatch);
    trace_release(&trace);
    return simulation.makespan_s;
}

static void plan_simulate(struct platform *platform, const struct plan *plan, bool late,
                          struct row *row)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct scenario scenario = SCENARIO_INIT;
        double makespan_s[BUFFERS_MOST + 1];
        scenario.noise = 0.2;
        scenario.seed = seed;
        scenario.slow_workers = late;
        scenario.slow_factor = 2;
        for (int buffers = 1; buffers <= BUFFERS_MOST; buffers++)
            makespan_s[buffers] =
                simulate(platform, plan, &scenario, buffers, &row->waiting[buffers]);
        for (int buffers = 1; buffers <= BUFFERS_MOST; buffers++)
            row->makespan[buffers] += makespan_s[buffers] / makespan_s[PLATFORM_BUFFERS];
        row->runs++;
    }
}

static void row_make(const struct scheduler *scheduler, bool late, struct row *row)
{
    for (uint64_t seed = 1; seed <= PLATFORMS; seed++) {
        struct dice dice = dice_of(100 + seed);
        struct platform platform = platform_cluster(&dice, dice_between(&dice, 4, 48));
        const struct schedule_request request = {.platform = &platform,
                                                 .tasks = floor(dice_scale(&dice, 1e3, 1e5))};
        struct plan plan = {.kernel = NULL};
        struct failure failure = FAILURE_INIT;
        if (!scheduler_make(scheduler, &request, &plan, &failure))
            die(failure.text);
        plan_simulate(&platform, &plan, late, row);
        plan_release(&plan);
        platform_release(&platform);
    }
}

static const char usage_text[] =
    "usage: bench-buffers\n"
    "What packages ahead of the one that a worker computes save, by simulation; some seconds.\n";

int main(int argc, char **argv)
{
    if (usage_asked(argc, argv, usage_text))
        return EXIT_SUCCESS;
    static const char *const schedulers[] = {"scow-mp", "umr", "umr2"};
    printf("20 %% noise on every operation; makespan over that with %d buffers, and the share of "
           "the workers' time\nthat waits for others' buffers, for 1 to %d buffers\n\n",
           PLATFORM_BUFFERS, BUFFERS_MOST);
    for (size_t k = 0; k < sizeof schedulers / sizeof *schedulers; k++)
        for (int late = 0; late < 2; late++) {
            struct row row = {.runs = 0};
            row_make(scheduler_find(schedulers[k]), late, &row);
            printf("%-8s %-28s", schedulers[k], late ? "the first worker half as fast" : "");
            for (int buffers = 1; buffers <= BUFFERS_MOST; buffers++)
                printf("%9.4f", row.makespan[buffers] / row.runs);
            printf("   ");
            for (int buffers = 1; buffers <= BUFFERS_MOST; buffers++)
                printf("%7.2f %%", 100 * row.waiting[buffers] / row.runs);
            printf("\n");
        }
    return EXIT_SUCCESS;
}
