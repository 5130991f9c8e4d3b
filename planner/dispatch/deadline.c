#include "planner/dispatch/deadline.h"

#include <math.h>
#include <stdlib.h>

bool deadline_init(struct deadline *deadline, const struct deadline_setup *setup)
{
    *deadline = (struct deadline){.setup = *setup};
    deadline->workers = calloc((size_t)setup->workers, sizeof *deadline->workers);
    for (int64_t k = 0; deadline->workers && setup->start_s && k < setup->workers; k++)
        deadline->workers[k].start_s = setup->start_s(setup->self, k);
    return deadline->workers != NULL;
}

void deadline_release(struct deadline *deadline)
{
    free(deadline->workers);
    deadline->workers = NULL;
}

static struct deadline_cost cost_of_package(const struct deadline *deadline, int64_t worker,
                                            int64_t tasks)
{
    const struct deadline_setup *setup = &deadline->setup;
    if (setup->cost)
        return setup->cost(setup->self, worker, tasks);
    return (struct deadline_cost){0, (double)tasks};
}

static double factor_from(const struct deadline_worker *sums)
{
    return fmax(sums->measured_s / sums->expected, sums->last);
}

/* How many times longer than expected the worker takes: in the mean of its reports or, where that
 * was longer, in the last one. If it has not reported, as the others do. */
static double factor_of(const struct deadline *deadline, const struct deadline_worker *worker)
{
    if (worker->expected > 0)
        return factor_from(worker);
    if (deadline->all.expected > 0)
        return deadline->all.measured_s / deadline->all.expected;
    return deadline->setup.cost ? 1 : 0;
}

/* The same in the mean of its reports; if it has not reported, as the others do. */
static double mean_factor(const struct deadline *deadline, const struct deadline_worker *worker)
{
    return worker->expected > 0 ? worker->measured_s / worker->expected
                                : factor_of(deadline, worker);
}

double deadline_overdue_s(const struct deadline *deadline, int64_t at, int64_t tasks, double longer)
{
    const struct deadline_worker *worker = &deadline->workers[at];
    const double factor = mean_factor(deadline, worker);
    if (!(factor > 0))
        return HUGE_VAL;
    return worker->since_s + cost_of_package(deadline, at, tasks).work_s * factor * (1 + longer);
}

double deadline_deviation(const struct deadline *deadline)
{
    enum { ENOUGH = 5 };
    return deadline->compared >= ENOUGH ? sqrt(deadline->squares / deadline->compared) : HUGE_VAL;
}

double deadline_free_s(const struct deadline *deadline, int64_t at, double now_s)
{
    const struct deadline_worker *worker = &deadline->workers[at];
    const double left_s = worker->out > 0 ? worker->pending * mean_factor(deadline, worker) : 0;
    return fmax(now_s, worker->since_s + left_s);
}

struct cost deadline_package(const struct deadline *deadline, int64_t at, int64_t tasks)
{
    const double factor = mean_factor(deadline, &deadline->workers[at]);
    const struct deadline_cost one = cost_of_package(deadline, at, tasks);
    const struct deadline_cost two = cost_of_package(deadline, at, 2 * tasks);
    const double more_s = two.way_s - one.way_s + factor * (two.work_s - one.work_s);
    return (struct cost){fmax(0, one.way_s + factor * one.work_s - more_s), more_s / (double)tasks};
}

/* When the worker would end that package. */
static double end_of(const struct deadline *deadline, int64_t at, int64_t tasks, double now_s)
{
    const struct deadline_worker *worker = &deadline->workers[at];
    const struct deadline_cost cost = cost_of_package(deadline, at, tasks);
    const double factor = factor_of(deadline, worker) * (1 + deadline->setup.margin);
    const double free_s = worker->out > 0 ? worker->since_s + worker->pending * factor : now_s;
    return fmax(fmax(free_s, now_s + cost.way_s), worker->start_s) + cost.work_s * factor;
}

int64_t deadline_fit(const struct deadline *deadline, int64_t worker, int64_t tasks, double now_s)
{
    int64_t fits = 0, more = tasks + 1;
    if (tasks > 0 && end_of(deadline, worker, tasks, now_s) <= deadline->setup.end_s)
        return tasks;
    while (more - fits > 1) {
        const int64_t middle = fits + (more - fits) / 2;
        if (end_of(deadline, worker, middle, now_s) <= deadline->setup.end_s)
            fits = middle;
        else
            more = middle;
    }
    return fits;
}

bool deadline_fit_master(const struct deadline *deadline, double task_s, double now_s)
{
    const struct deadline_setup *setup = &deadline->setup;
    return now_s + task_s * (1 + setup->margin) <= setup->end_s;
}

void deadline_sent(struct deadline *deadline, int64_t at, int64_t tasks, double now_s)
{
    struct deadline_worker *worker = &deadline->workers[at];
    const struct deadline_cost cost = cost_of_package(deadline, at, tasks);
    if (worker->out++ == 0) {
        worker->since_s = fmax(now_s + cost.way_s, worker->start_s);
        worker->pending = 0;
    }
    worker->pending += cost.work_s;
    worker->arrival_s = now_s + cost.way_s;
}

/* Adds the deviation of a worker's report from its earlier reports, if there are any. */
static void deviation_add(struct deadline *deadline, const struct deadline_worker *worker,
                          double expected, double measured_s)
{
    const double before_s =
        worker->expected > 0 ? expected * worker->measured_s / worker->expected : 0;
    if (!(before_s > 0))
        return;
    deadline->squares += pow(measured_s / before_s - 1, 2);
    deadline->compared++;
}

static void sums_add(struct deadline_worker *sums, double expected, double measured_s)
{
    sums->expected += expected;
    sums->measured_s += measured_s;
    sums->last = expected > 0 ? measured_s / expected : 0;
}

void deadline_done(struct deadline *deadline, int64_t at, int64_t tasks, double start_s,
                   double end_s)
{
    struct deadline_worker *worker = &deadline->workers[at];
    const double expected = cost_of_package(deadline, at, tasks).work_s;
    /* It is not known how much of a first package's time was the worker's start: it is left out. */
    if (worker->start_s == 0 || worker->reported) {
        deviation_add(deadline, worker, expected, end_s - start_s);
        sums_add(worker, expected, end_s - start_s);
        sums_add(&deadline->all, expected, end_s - start_s);
    }
    worker->reported = true;
    worker->pending = fmax(0, worker->pending - expected);
    worker->since_s = fmax(end_s, worker->arrival_s);
    worker->out -= worker->out > 0;
}
