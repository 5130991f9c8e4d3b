/*
 * How long planning takes, and how good the plans are: the figures that are quoted of the planner.
 * Prints two tables; nothing is asserted. Times are the least of three runs.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "planner/files/plan_json.h"
#include "planner/schedulers/optimal/optimal_lp.h"
#include "planner/schedulers/scheduler.h"
#include "planner/simulate/simulate.h"
#include "tests/planner/platforms.h"
#include "tests/usage.h"

enum { REPETITIONS = 3, PLATFORMS = 20, MIXED = 12 };

/* Processor time: planning has one thread, and a busy machine should not change the figures. */
static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double resident_mb(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024;
}

static void die(const char *what)
{
    fprintf(stderr, "bench-planner: %s\n", what);
    exit(EXIT_FAILURE);
}

/* The least time of `repetitions` of making a plan, which is left in *plan. NULL for `scheduler`
 * means auto, within `effort` units where that is more than 0. */
static double time_effort(const struct scheduler *scheduler, const struct platform *platform,
                          double tasks, double effort, int repetitions, struct plan *plan)
{
    double least_s = HUGE_VAL;
    for (int k = 0; k < repetitions; k++) {
        struct effort left = {effort};
        const struct schedule_request request = {
            .platform = platform, .tasks = tasks, .effort = effort > 0 ? &left : NULL};
        struct failure failure = FAILURE_INIT;
        plan_release(plan);
        *plan = (struct plan){.kernel = NULL};
        const double start_s = now_s();
        const bool good = scheduler == NULL ? schedule_auto(&request, plan, NULL, &failure)
                                            : scheduler_make(scheduler, &request, plan, &failure);
        least_s = fmin(least_s, now_s() - start_s);
        if (!good)
            die(failure.text);
    }
    return least_s;
}

static double time_plan(const struct scheduler *scheduler, const struct platform *platform,
                        double tasks, struct plan *plan)
{
    return time_effort(scheduler, platform, tasks, 0, REPETITIONS, plan);
}

static void row(const char *what, double value, const char *unit, const char *target)
{
    printf("%-62s %10.3g %-11s %s\n", what, value, unit, target);
}

static struct plan named(void)
{
    return (struct plan){.kernel = NULL};
}

static void speed_distinct(void)
{
    struct dice dice = dice_of(1);
    struct platform platform = platform_cluster(&dice, 1024);
    struct plan plan = named();
    const double s = time_plan(scheduler_find("scow-mp"), &platform, 1e9, &plan);
    row("scow-mp, 1,024 distinct workers, 1e9 tasks", s, "s", "0.1");
    plan_release(&plan);
    platform_release(&platform);
}

/* Workers of four speeds, as many of each, fed fast enough that all of 100,000 take part. */
static struct platform four_classes(int64_t workers)
{
    struct platform platform =
        platform_of_equals(workers, 1, INT64_C(1) << 50, (struct cost){1e-6, 1e-9},
                           (struct cost){1e-6, 1e-9}, (struct cost){0.01, 1e-3});
    struct platform_window *window = &platform.windows[0];
    window->classes = realloc(window->classes, 4 * sizeof *window->classes);
    if (window->classes == NULL)
        die("out of memory");
    window->class_count = 4;
    for (int64_t c = 0; c < 4; c++) {
        window->classes[c] = window->classes[0];
        window->classes[c].first = workers / 4 * c;
        window->classes[c].count = workers / 4;
        window->classes[c].compute.s_per_task = 1e-3 * (1 + (double)c);
    }
    return platform;
}

static void speed_classes(void)
{
    struct platform platform = four_classes(100000);
    struct plan plan = named();
    const double s = time_plan(scheduler_find("scow-mp"), &platform, 1e12, &plan);
    row("scow-mp, 100,000 workers in 4 classes, 1e12 tasks", s, "s", "2");
    row("  its greatest resident memory", resident_mb(), "MiB", "500");
    plan.kernel = strdup("sleep");
    char *text = plan_print(&plan);
    row("  its plan as a file", text == NULL ? HUGE_VAL : (double)strlen(text) / 1e6, "MB", "1");
    free(text);
    plan_release(&plan);
    platform_release(&platform);
}

static void speed_many(void)
{
    struct platform platform = four_classes(10000);
    struct plan plan = named();
    row("auto with its effort of 1 s, 10,000 workers in 4 classes, 1e9 tasks",
        time_effort(NULL, &platform, 1e9, EFFORT_SECOND, 1, &plan), "s", "1");
    if (optimal_lp_available()) {
        row("optimal, the same",
            time_effort(scheduler_find("optimal"), &platform, 1e9, 0, 1, &plan), "s", "10");
        row("  above its lower bound", 100 * plan.predicted.gap, "%", "");
    }
    plan_release(&plan);
    platform_release(&platform);
}

static void speed_program(void)
{
    struct dice dice = dice_of(2);
    struct platform platform = platform_cluster(&dice, 32);
    struct ranking ranking;
    double loads[32 * 20], makespan_s, least_s = HUGE_VAL;
    if (!ranking_init(&ranking, &platform, &platform.windows[0], false, RANKING_BY_FEED))
        die("out of memory");
    const struct optimal_lp lp = {
        .ranking = &ranking, .count = 32, .rounds = 20, .buffers = platform.buffers, .tasks = 1e6};
    for (int k = 0; k < REPETITIONS; k++) {
        const double start_s = now_s();
        bool out_of_memory = false;
        if (!optimal_lp_solve(&lp, loads, &makespan_s, &out_of_memory))
            die("the program has no solution");
        least_s = fmin(least_s, now_s() - start_s);
    }
    row("optimal, one program of 32 distinct workers x 20 rounds", least_s, "s", "2");
    struct plan plan = named();
    row("optimal, its whole search on the same workers, 1e6 tasks",
        time_plan(scheduler_find("optimal"), &platform, 1e6, &plan), "s", "2");
    plan_release(&plan);
    ranking_release(&ranking);
    platform_release(&platform);
}

static void speed_compare(void)
{
    struct dice dice = dice_of(3);
    struct platform platform = platform_cluster(&dice, 64);
    struct plan plan = named();
    size_t all;
    const struct scheduler *list = scheduler_list(&all);
    const size_t count = scheduler_automatic(); /* what people wait for */
    double all_s = 0;
    for (size_t i = 0; i < count; i++)
        all_s += time_plan(&list[i], &platform, 1e6, &plan);
    row("every scheduler once, 64 distinct workers, 1e6 tasks", all_s, "s", "5");
    row("auto, the same", time_plan(NULL, &platform, 1e6, &plan), "s", "5");
    row("auto with its effort of 1 s, the same",
        time_effort(NULL, &platform, 1e6, EFFORT_SECOND, REPETITIONS, &plan), "s", "1");
    plan_release(&plan);
    platform_release(&platform);
}

static void speed_mixed(void)
{
    double slowest_s = 0;
    for (uint64_t seed = 1; seed <= 8; seed++) {
        struct dice dice = dice_of(700 + seed);
        struct platform platform = platform_mixed(&dice, 48);
        struct plan plan = named();
        const double s = time_effort(scheduler_find("scow-mp"), &platform, 1e5, 0, 1, &plan);
        slowest_s = fmax(slowest_s, s);
        plan_release(&plan);
        platform_release(&platform);
    }
    row("scow-mp, 48 workers dominated differently, slowest of 8", slowest_s, "s", "0.5");
}

static void speed_simulation(void)
{
    struct dice dice = dice_of(4);
    struct platform platform = platform_cluster(&dice, 64);
    struct plan plan = named();
    time_plan(scheduler_find("scow-mp"), &platform, 1e9, &plan);
    plan.rounds[0].repeat = 1900000 / plan.worker_count; /* only the length counts here */
    plan.round_count = 1;
    struct simulation simulation;
    struct failure failure = FAILURE_INIT;
    double packages = 0;
    const double start_s = now_s();
    for (int k = 0; k < 10; k++) {
        if (!simulate_plan(&platform, &plan, NULL, &simulation, &failure))
            die(failure.text);
        packages += (double)simulation.packages;
    }
    row("simulation", packages / (now_s() - start_s) / 1e6, "million/s", "> 5");
    plan_release(&plan);
    platform_release(&platform);
}

/* Ratio of a scheduler's makespan to that of `optimal`, over all platforms where it applies. */
struct standing {
    double sum, worst;
    int applies;
};

static void compare_on(const struct platform *platform, double tasks, struct standing *standings,
                       double *gap)
{
    const struct schedule_request request = {.platform = platform, .tasks = tasks};
    const struct scheduler *optimal = scheduler_find("optimal");
    struct schedule_set set;
    struct failure failure = FAILURE_INIT;
    double optimum_s = HUGE_VAL;
    if (!schedule_set_make(&request, &set, &failure))
        die(failure.text);
    for (size_t i = 0; i < set.count; i++)
        if (set.entries[i].scheduler == optimal) {
            optimum_s = set.entries[i].plan.predicted.makespan_s;
            *gap = set.entries[i].plan.predicted.gap;
        }
    for (size_t i = 0; i < set.count; i++) {
        const double ratio = set.entries[i].plan.predicted.makespan_s / optimum_s;
        if (!set.entries[i].made)
            continue;
        standings[i].sum += ratio;
        standings[i].worst = fmax(standings[i].worst, ratio);
        standings[i].applies++;
    }
    schedule_set_release(&set);
}

static int gap_compare(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static void comparison_print(const struct standing *standings, double *gaps, size_t platforms)
{
    size_t all;
    const struct scheduler *list = scheduler_list(&all);
    const size_t count = scheduler_automatic(); /* what people wait for */
    printf("%-10s %8s %8s %8s\n", "scheduler", "mean", "worst", "applies");
    for (size_t i = 0; i < count; i++)
        printf("%-10s %8.4f %8.4f %8d\n", list[i].name,
               standings[i].sum / fmax(standings[i].applies, 1), standings[i].worst,
               standings[i].applies);
    qsort(gaps, platforms, sizeof *gaps, gap_compare);
    printf("optimal above the lower bound: median %.2f %%, worst %.2f %%\n",
           100 * gaps[platforms / 2], 100 * gaps[platforms - 1]);
}

static void comparison(void)
{
    struct standing standings[SCHEDULERS_MOST] = {{0}};
    double gaps[PLATFORMS];
    for (uint64_t seed = 1; seed <= PLATFORMS; seed++) {
        struct dice dice = dice_of(500 + seed);
        struct platform platform = platform_cluster(&dice, dice_between(&dice, 4, 48));
        compare_on(&platform, floor(dice_scale(&dice, 1e3, 1e6)), standings, &gaps[seed - 1]);
        platform_release(&platform);
    }
    printf("\n%d random platforms of 4 to 48 workers, 1e3 to 1e6 tasks: makespan / optimal\n",
           PLATFORMS);
    comparison_print(standings, gaps, PLATFORMS);
}

/* Workers dominated by the master and by their links: two pairs by hand and random ones. */
static void comparison_mixed(void)
{
    struct standing standings[SCHEDULERS_MOST] = {{0}};
    double gaps[MIXED + 2];
    struct platform two = platform_split(1, 2, 2), eight = platform_split(4, 1.8, 8);
    compare_on(&two, 1000, standings, &gaps[0]);
    compare_on(&eight, 1000, standings, &gaps[1]);
    platform_release(&two);
    platform_release(&eight);
    for (uint64_t seed = 1; seed <= MIXED; seed++) {
        struct dice dice = dice_of(600 + seed);
        struct platform platform = platform_mixed(&dice, dice_between(&dice, 2, 16));
        compare_on(&platform, floor(dice_scale(&dice, 1e3, 1e5)), standings, &gaps[seed + 1]);
        platform_release(&platform);
    }
    printf("\n%d platforms of 2 to 16 workers dominated differently, 1e3 to 1e5 tasks\n",
           MIXED + 2);
    comparison_print(standings, gaps, MIXED + 2);
}

static const char usage_text[] =
    "usage: bench-planner\n"
    "How fast planning and simulating are, and how far each scheduler's plans are from the best\n"
    "on random platforms. Takes some minutes.\n";

int main(int argc, char **argv)
{
    if (usage_asked(argc, argv, usage_text))
        return EXIT_SUCCESS;
    printf("%-62s %10s %-11s %s\n", "what", "value", "unit", "target");
    speed_classes();
    speed_distinct();
    if (optimal_lp_available())
        speed_program();
    speed_compare();
    speed_mixed();
    speed_many();
    speed_simulation();
    if (optimal_lp_available()) {
        comparison();
        comparison_mixed();
    }
    return EXIT_SUCCESS;
}
