#include "tests/bench/shared/knowing.h"

#include <math.h>
#include <stdlib.h>

enum { PACKAGES_MOST = 64, IMPROVEMENTS = 6 };

struct knowing {
    const struct world *world;
    const struct scenario *scenario;
    double *parts;            /* core tasks of each worker */
    struct package *packages; /* room for PACKAGES_MOST of each worker */
};

/* Seconds of its own that the worker has until then, and when it has had so many. */
static double had_s(const struct world *world, int64_t worker, double until_s)
{
    const struct availability_curve *curve = &availability_of(&world->loads, worker)->cpu;
    double sum_s = 0;
    for (size_t k = 0; k < curve->count && curve->steps[k].start_s < until_s; k++) {
        const double end_s =
            k + 1 < curve->count ? fmin(curve->steps[k + 1].start_s, until_s) : until_s;
        sum_s += (end_s - curve->steps[k].start_s) / curve->steps[k].stretch;
    }
    return sum_s;
}

static struct cost work_of(const struct world *world, int64_t worker)
{
    return platform_class_whole(platform_worker(&world->platform.windows[0], worker));
}

/* When all workers that can do their share have done it. */
static double end_common(const struct knowing *knowing, double each)
{
    const struct world *world = knowing->world;
    double low_s = 0, high_s = 1e6;
    for (int k = 0; k < 60; k++) {
        const double middle_s = (low_s + high_s) / 2;
        double tasks = 0;
        for (int64_t worker = 0; worker < world->workers; worker++) {
            const struct cost work = work_of(world, worker);
            const double free_s = had_s(world, worker, middle_s) - each * work.latency_s;
            knowing->parts[worker] = fmax(0, free_s / work.s_per_task);
            tasks += knowing->parts[worker];
        }
        *(tasks < world->tasks ? &low_s : &high_s) = middle_s;
    }
    return high_s;
}

static int package_compare(const void *a, const void *b)
{
    const struct package *one = a, *two = b;
    if (one->round != two->round)
        return one->round < two->round ? -1 : 1;
    return (one->worker > two->worker) - (one->worker < two->worker);
}

/* Whole parts of so many packages, in rounds; returns how many packages there are. */
static int64_t packages_make(const struct knowing *knowing, int64_t each)
{
    int64_t count = 0;
    double ends = 0, whole = 0;
    for (int64_t worker = 0; worker < knowing->world->workers; worker++)
        for (int64_t k = 0; k < each; k++) {
            ends += knowing->parts[worker] / (double)each;
            const double tasks = nearbyint(ends) - whole;
            whole += tasks;
            if (!(tasks > 0))
                continue;
            knowing->packages[count] = (struct package){
                .index = count, .round = k, .worker = worker, .count = (int64_t)tasks};
            count++;
        }
    if (count > 0)
        knowing->packages[count - 1].count += (int64_t)(knowing->world->tasks - whole);
    qsort(knowing->packages, (size_t)count, sizeof *knowing->packages, package_compare);
    for (int64_t k = 0, first = 0; k < count; first += knowing->packages[k++].count)
        knowing->packages[k].first = first;
    return count;
}

/* When each of the workers ends, from the trace. */
static double simulate(const struct knowing *knowing, int64_t count, double *ends_s)
{
    struct failure failure = FAILURE_INIT;
    struct trace trace = {.count = 0};
    struct simulation simulation;
    struct dispatch *dispatch =
        dispatch_new_list(knowing->packages, count, knowing->world->workers, PACKAGES_MOST);
    if (!dispatch || !simulate_scenario(&knowing->world->platform, dispatch, knowing->scenario,
                                        &trace, &simulation, &failure))
        world_die(failure.text);
    for (size_t k = 0; k < trace.count; k++)
        if (trace.events[k].rank > 0 && trace.events[k].operation != OPERATION_LINK)
            ends_s[trace.events[k].rank - 1] =
                fmax(ends_s[trace.events[k].rank - 1], trace.events[k].end_s);
    trace_release(&trace);
    dispatch_free(&dispatch);
    return simulation.makespan_s;
}

/* Workers that end early get more: as much as they can do in that time. */
static void parts_move(const struct knowing *knowing, const double *ends_s)
{
    const struct world *world = knowing->world;
    double speed = 0, late = 0, sum = 0;
    for (int64_t k = 0; k < world->workers; k++) {
        speed += 1 / work_of(world, k).s_per_task;
        late += ends_s[k] / work_of(world, k).s_per_task;
    }
    for (int64_t k = 0; k < world->workers; k++) {
        const double off_s = late / speed - ends_s[k];
        knowing->parts[k] = fmax(0, knowing->parts[k] + 0.7 * off_s / work_of(world, k).s_per_task);
        sum += knowing->parts[k];
    }
    for (int64_t k = 0; k < world->workers; k++)
        knowing->parts[k] *= world->tasks / sum;
}

double knowing_makespan(const struct world *world, const struct scenario *scenario)
{
    const size_t workers = (size_t)world->workers;
    double least_s = HUGE_VAL;
    struct knowing knowing = {world, scenario, calloc(workers, sizeof(double)),
                              calloc(workers * PACKAGES_MOST, sizeof(struct package))};
    double *ends_s = calloc(workers, sizeof *ends_s);
    if (!knowing.parts || !knowing.packages || !ends_s)
        world_die("out of memory");
    for (int64_t each = 1; each <= PACKAGES_MOST; each *= 2) {
        end_common(&knowing, (double)each);
        for (int turn = 0; turn < IMPROVEMENTS; turn++) {
            for (size_t k = 0; k < workers; k++)
                ends_s[k] = 0;
            least_s = fmin(least_s, simulate(&knowing, packages_make(&knowing, each), ends_s));
            parts_move(&knowing, ends_s);
        }
    }
    free(knowing.parts);
    free(knowing.packages);
    free(ends_s);
    return least_s;
}
