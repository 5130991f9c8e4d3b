/*
 * A lower bound on every schedule's makespan: the least T that satisfies three conditions which
 * any schedule that ends at T satisfies.
 *
 * Lines under the costs. Let c(x) be the time an operation takes for a package of x tasks; within
 * window v, x in (lo_v - 1, hi_v + 1) (fractional loads may lie that far outside), it is
 * C_v + c_v x. With q = min_v c_v and Q = min_v [C_v + (c_v - q) max(lo_v - 1, 0)] every package
 * costs c(x) >= Q + q x, because C_v + c_v x = q x + C_v + (c_v - q) x and c_v >= q. With
 * d = min_v [c_v + C_v / (hi_v + 1)] every package costs c(x) >= d x. So n >= m packages that hold
 * y tasks together cost at least max(m Q + q y, d y). Q alone bounds a single package's time.
 *
 * Write M, K, A for the Q of master (e + s), link and worker (r + w + o), the last two minimised
 * over the workers; m, k_i, a_i for their q; d_i for the worker's d. Let n workers take part.
 *
 * 1. Compute. The j-th worker that is reached has its first package only after j packages have
 *    passed master and port, hence not before t_j = M + K + (j - 1) max(M, K). A worker i reached
 *    as number j works off y_i tasks in at least max(A + a_i y_i, d_i y_i), so
 *    y_i <= (T - t_j - A) / a_i and y_i <= (T - t_j) / d_i. Summed over n workers, both right-hand
 *    sides are products of a decreasing sequence and the 1/a_i (or 1/d_i), and by the rearrangement
 *    inequality no choice and order of workers gives more than the n fastest, fastest first.
 * 2. Master. It handles at least n packages, then the last of them crosses the link and is worked
 *    on: T >= max(n M + m X, d_master X) + K + A.
 * 3. Port. At least n packages cross it after the first passed the master, then the last is worked
 *    on: T - M - A >= n K + sum k_i y_i, where y_i <= (T - t_1 - A) / a_i as in 1. The most tasks
 *    for that port time is a fractional knapsack: cheapest links first.
 *
 * Condition 1 becomes easier with n, 2 and 3 become harder: for a given T the least n that
 * satisfies 1 decides. All three become easier as T grows, so the least T is found by bisection,
 * and its lower end, at which they fail for every n, is the bound. Neighbouring equal workers enter
 * as one class through the closed form of an arithmetic series.
 */
#include "planner/bound.h"

#include <math.h>
#include <stdlib.h>

#include "planner/cost.h"

/* Q, q and d of the comment above, of one operation. */
struct lines {
    double fixed_s, s_per_task, s_per_task_packed;
};

struct bound_class {
    int64_t count;
    double compute, compute_packed, link; /* a_i, d_i, k_i */
};

struct bound_problem {
    struct bound_class *by_compute, *by_packed, *by_link; /* owned, each sorted ascending */
    int64_t class_count;
    double tasks;
    struct lines master;
    double link_s, worker_s; /* K, A */
};

static void lines_window(struct lines *lines, struct cost cost,
                         const struct platform_window *window)
{
    double packed = cost.s_per_task + cost.latency_s / ((double)window->greatest + 1);
    lines->s_per_task = fmin(lines->s_per_task, cost.s_per_task);
    lines->s_per_task_packed = fmin(lines->s_per_task_packed, packed);
}

/* Once s_per_task is known. */
static void lines_fixed(struct lines *lines, struct cost cost, const struct platform_window *window)
{
    double least = fmax((double)window->least - 1, 0);
    double fixed = cost.latency_s + (cost.s_per_task - lines->s_per_task) * least;
    lines->fixed_s = fmin(lines->fixed_s, fixed);
}

/* The lines of an operation whose cost in each window is costs[window]. */
static struct lines lines_of(const struct platform *platform, const struct cost *costs)
{
    struct lines lines = {HUGE_VAL, HUGE_VAL, HUGE_VAL};
    for (int64_t k = 0; k < platform->window_count; k++)
        lines_window(&lines, costs[k], &platform->windows[k]);
    for (int64_t k = 0; k < platform->window_count; k++)
        lines_fixed(&lines, costs[k], &platform->windows[k]);
    return lines;
}

/* Workers from `first` on that share a class in every window. */
static int64_t workers_alike(const struct platform *platform, const int64_t *at, int64_t first)
{
    int64_t end = platform->worker_count;
    for (int64_t k = 0; k < platform->window_count; k++) {
        const struct platform_class *class = &platform->windows[k].classes[at[k]];
        if (class->first + class->count < end)
            end = class->first + class->count;
    }
    return end - first;
}

static void class_add(struct bound_problem *problem, const struct platform *platform, int64_t *at,
                      struct cost *costs, int64_t count)
{
    for (int64_t k = 0; k < platform->window_count; k++) {
        const struct platform_class *class = &platform->windows[k].classes[at[k]];
        costs[k] = cost_sum(cost_sum(class->receive, class->compute), class->output);
    }
    struct lines worker = lines_of(platform, costs);
    for (int64_t k = 0; k < platform->window_count; k++)
        costs[k] = platform->windows[k].classes[at[k]].link;
    struct lines link = lines_of(platform, costs);
    problem->worker_s = fmin(problem->worker_s, worker.fixed_s);
    problem->link_s = fmin(problem->link_s, link.fixed_s);
    struct bound_class added = {count, worker.s_per_task, worker.s_per_task_packed,
                                link.s_per_task};
    int64_t place = problem->class_count++;
    problem->by_compute[place] = problem->by_packed[place] = problem->by_link[place] = added;
}

static int rate_compare(double a, double b)
{
    return (a > b) - (a < b);
}

static int compute_compare(const void *a, const void *b)
{
    const struct bound_class *x = a, *y = b;
    return rate_compare(x->compute, y->compute);
}

static int packed_compare(const void *a, const void *b)
{
    const struct bound_class *x = a, *y = b;
    return rate_compare(x->compute_packed, y->compute_packed);
}

static int link_compare(const void *a, const void *b)
{
    const struct bound_class *x = a, *y = b;
    return rate_compare(x->link, y->link);
}

static void classes_sort(struct bound_problem *problem)
{
    size_t count = (size_t)problem->class_count, size = sizeof *problem->by_compute;
    qsort(problem->by_compute, count, size, compute_compare);
    qsort(problem->by_packed, count, size, packed_compare);
    qsort(problem->by_link, count, size, link_compare);
}

/* Walk through all windows' classes side by side. `at` and `costs` have one place per window. */
static void classes_fill(struct bound_problem *problem, const struct platform *platform,
                         int64_t *at, struct cost *costs)
{
    for (int64_t first = 0; first < platform->worker_count;) {
        int64_t count = workers_alike(platform, at, first);
        class_add(problem, platform, at, costs, count);
        first += count;
        for (int64_t k = 0; k < platform->window_count; k++) {
            const struct platform_class *class = &platform->windows[k].classes[at[k]];
            at[k] += first == class->first + class->count;
        }
    }
    for (int64_t k = 0; k < platform->window_count; k++)
        costs[k] = cost_sum(platform->windows[k].envelope, platform->windows[k].send);
    problem->master = lines_of(platform, costs);
    classes_sort(problem);
}

static bool problem_init(struct bound_problem *problem, const struct platform *platform,
                         double tasks)
{
    int64_t classes = 0;
    for (int64_t k = 0; k < platform->window_count; k++)
        classes += platform->windows[k].class_count;
    size_t windows = (size_t)platform->window_count, size = sizeof(struct bound_class);
    *problem = (struct bound_problem){.tasks = tasks, .link_s = HUGE_VAL, .worker_s = HUGE_VAL};
    problem->by_compute = calloc((size_t)classes, size);
    problem->by_packed = calloc((size_t)classes, size);
    problem->by_link = calloc((size_t)classes, size);
    int64_t *at = calloc(windows, sizeof *at);
    struct cost *costs = calloc(windows, sizeof *costs);
    bool good = problem->by_compute && problem->by_packed && problem->by_link && at && costs;
    if (good)
        classes_fill(problem, platform, at, costs);
    free(at);
    free(costs);
    return good;
}

static void problem_release(struct bound_problem *problem)
{
    free(problem->by_compute);
    free(problem->by_packed);
    free(problem->by_link);
}

/* Tasks that the first `count` of equal workers work off, of whom the first has `spare_s` seconds
 * and each further one `step_s` less (none has less than nothing). */
static double class_tasks(double spare_s, double step_s, double count, double rate)
{
    if (!(spare_s > 0))
        return 0;
    if (step_s > 0)
        count = fmin(count, floor(spare_s / step_s) + 1);
    return count * (spare_s - step_s * (count - 1) / 2) / rate;
}

/* The least number of equal workers, at most `count`, that work off `tasks`. */
static int64_t class_least(double spare_s, double step_s, int64_t count, double rate, double tasks)
{
    int64_t low = 1, high = count;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (class_tasks(spare_s, step_s, (double)middle, rate) >= tasks)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Condition 1 with the rates of one line; the least number of workers, 0 when all are too few. */
static int64_t workers_least(const struct bound_problem *problem, double makespan_s, bool packed)
{
    const struct bound_class *classes = packed ? problem->by_packed : problem->by_compute;
    double step_s = fmax(problem->master.fixed_s, problem->link_s);
    double spare_s = makespan_s - problem->master.fixed_s - problem->link_s;
    double left = problem->tasks;
    int64_t workers = 0;
    if (!packed)
        spare_s -= problem->worker_s;
    for (int64_t k = 0; k < problem->class_count; k++) {
        double rate = packed ? classes[k].compute_packed : classes[k].compute;
        double here_s = spare_s - step_s * (double)workers;
        double tasks = class_tasks(here_s, step_s, (double)classes[k].count, rate);
        if (tasks >= left)
            return workers + class_least(here_s, step_s, classes[k].count, rate, left);
        left -= tasks;
        workers += classes[k].count;
    }
    return 0;
}

static bool master_suffices(const struct bound_problem *problem, double makespan_s, int64_t workers)
{
    const struct lines *master = &problem->master;
    double packages_s = master->fixed_s * (double)workers + master->s_per_task * problem->tasks;
    double busy_s = fmax(packages_s, master->s_per_task_packed * problem->tasks);
    return makespan_s >= busy_s + problem->link_s + problem->worker_s;
}

static bool port_suffices(const struct bound_problem *problem, double makespan_s, int64_t workers)
{
    double room_s = makespan_s - problem->master.fixed_s - problem->worker_s;
    double spare_s = room_s - problem->link_s;
    double left = problem->tasks;
    room_s -= problem->link_s * (double)workers;
    for (int64_t k = 0; k < problem->class_count; k++) {
        const struct bound_class *class = &problem->by_link[k];
        double tasks = fmin(left, class_tasks(spare_s, 0, (double)class->count, class->compute));
        if (room_s < class->link * tasks)
            return false;
        room_s -= class->link * tasks;
        left -= tasks;
    }
    return left <= 0;
}

static bool makespan_possible(const struct bound_problem *problem, double makespan_s)
{
    int64_t workers = workers_least(problem, makespan_s, false);
    int64_t packed = workers_least(problem, makespan_s, true);
    if (workers == 0 || packed == 0)
        return false;
    if (packed > workers)
        workers = packed;
    return master_suffices(problem, makespan_s, workers) &&
           port_suffices(problem, makespan_s, workers);
}

double bound_makespan(const struct platform *platform, double tasks)
{
    enum { HALVINGS = 100 };
    struct bound_problem problem;
    double low = 0, high = 1e-9;
    if (!problem_init(&problem, platform, tasks)) {
        problem_release(&problem);
        return 0; /* no memory: nothing is proven */
    }
    while (!makespan_possible(&problem, high) && isfinite(high))
        high *= 4;
    for (int k = 0; k < HALVINGS && high - low > 1e-14 * high; k++) {
        double middle = low + (high - low) / 2;
        if (makespan_possible(&problem, middle))
            high = middle;
        else
            low = middle;
    }
    problem_release(&problem);
    return low * (1 - 1e-12); /* what rounding may have added */
}
