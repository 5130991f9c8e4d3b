#include "calibrate/assemble.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calibrate/regression.h"

enum { POINTS_MOST = 64 };

/* Timings below this are the clock's, not the operation's. */
static const double floor_s = 2e-7;

/* Points as they are fitted: nothing is less than the clock can tell. Returns whether any is more.
 */
static bool points_raise(double *y, int count)
{
    bool visible = false;
    for (int i = 0; i < count; i++) {
        visible = visible || y[i] > floor_s;
        y[i] = y[i] > floor_s ? y[i] : floor_s;
    }
    return visible;
}

static bool fit_failed(enum operation operation, int setting, int rank, const char *why,
                       struct failure *failure)
{
    return failure_set(failure, FAILURE_FAILED,
                       "the cost of %s (rank %d, setting %d) %s: calibrate again on a quieter "
                       "machine, without --quick",
                       operation_name(operation), rank, setting, why);
}

/* `grows`: an operation that does not cost more for larger packages was not measured. */
static bool fit(const struct samples *samples, int setting, int rank, enum operation operation,
                bool grows, struct measured_cost *cost, struct failure *failure)
{
    double x[POINTS_MOST], y[POINTS_MOST];
    int count = samples_points(samples, setting, rank, operation, x, y, POINTS_MOST);
    if (count < 0)
        return failure_memory(failure, "fitting costs");
    bool visible = points_raise(y, count);
    *cost = (struct measured_cost){.fit = {.n = count}};
    if (count > 0 && !visible && !grows)
        return true;
    switch (regression_fit(x, y, count, cost)) {
    case REGRESSION_GOOD:
        return true;
    case REGRESSION_CONSTANT:
        return !grows ||
               fit_failed(operation, setting, rank, "does not grow with the package", failure);
    case REGRESSION_EMPTY:
        return fit_failed(operation, setting, rank, "was not measured", failure);
    case REGRESSION_MEMORY:
        break;
    }
    return failure_memory(failure, "fitting costs");
}

static bool fit_worker(const struct samples *samples, int setting, int rank,
                       struct profile_worker *worker, struct failure *failure)
{
    worker->count = 1;
    return fit(samples, setting, rank, OPERATION_LINK, false, &worker->link, failure) &&
           fit(samples, setting, rank, OPERATION_RECEIVE, false, &worker->receive, failure) &&
           fit(samples, setting, rank, OPERATION_COMPUTE, true, &worker->compute, failure) &&
           fit(samples, setting, rank, OPERATION_OUTPUT, false, &worker->output, failure);
}

static bool window_fill(const struct samples *samples, int setting, char *const *names,
                        struct profile_window *window, struct failure *failure)
{
    if (!fit(samples, setting, 0, OPERATION_ENVELOPE, false, &window->envelope, failure) ||
        !fit(samples, setting, -1, OPERATION_SEND, false, &window->send, failure))
        return false;
    for (size_t i = 0; i < window->worker_count; i++) {
        struct profile_worker *worker = &window->workers[i];
        worker->name = strdup(names[i]);
        if (!worker->name)
            return failure_memory(failure, "writing the profile");
        if (!fit_worker(samples, setting, (int)i + 1, worker, failure))
            return false;
    }
    return true;
}

bool assemble_setting(const struct samples *samples, int setting, int64_t largest, int workers,
                      char *const *names, struct profile_setting *fitted, struct failure *failure)
{
    struct profile_setting made = {.window_count = 1};
    made.windows = calloc(1, sizeof *made.windows);
    if (!made.windows)
        return failure_memory(failure, "writing the profile");
    struct profile_window *window = made.windows;
    window->least = 1;
    window->greatest = largest;
    window->workers = calloc((size_t)workers, sizeof *window->workers);
    window->worker_count = window->workers ? (size_t)workers : 0;
    if (!window->workers)
        failure_memory(failure, "writing the profile");
    if (failure->code != FAILURE_NONE || !window_fill(samples, setting, names, window, failure)) {
        profile_setting_release(&made);
        return false;
    }
    *fitted = made;
    return true;
}
