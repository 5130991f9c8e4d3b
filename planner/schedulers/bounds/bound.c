/*
 * A lower bound on every schedule's makespan: the least T that satisfies three conditions which
 * any schedule that ends at T satisfies.
 *
 * Lines under the costs. Let c(x) be the time an operation takes for a package of x tasks; within
 * window v it is C_v + c_v x, for x from l_v = lo_v to g_v = hi_v, where fractional loads may lie
 * up to one task outside: l_v = max(lo_v - 1, 0), g_v = hi_v + 1. With q = min_v c_v and Q = min_v
 * [C_v + (c_v - q) l_v] every package costs c(x) >= Q + q x, because C_v + c_v x = q x + C_v + (c_v
 * - q) x and c_v >= q. With d = min_v [c_v + C_v / g_v] every package costs c(x) >= d x. With u =
 * min_v [C_v + c_v l_v] every package costs c(x) >= u. So n >= m packages that hold y tasks
 * together cost at least max(m Q + q y, d y), and every single one at least u. Where C_v < 0, l_v
 * takes the place of g_v in d, and where that makes Q < 0, Q = 0 and q = d instead, for there may
 * be any number of packages.
 *
 * Write M, K, A for the Q of master (e + s), link and worker (r + w + o), the last two minimised
 * over the workers; M', K', A' for their u, minimised likewise; m, k_i, a_i for their q; f, g_i,
 * d_i for their d. Let n workers take part.
 *
 *  - 1, compute. The j-th worker that is reached has its first package only after j packages have
 *    passed master and port, hence not before t_j = M' + K' + (j - 1) max(M', K'). A worker i
 *    reached as number j works off y_i tasks in at least max(A + a_i y_i, d_i y_i), so y_i <= (T -
 *    t_j - A) / a_i and y_i <= (T - t_j) / d_i. Summed over n workers, both right-hand sides are
 *    products of a decreasing sequence and the 1/a_i (or 1/d_i), and by the rearrangement
 *    inequality no choice and order of workers gives more than the n fastest, fastest first.
 *  - 2, master. It handles at least n packages, then the last of them crosses the link and is
 *    worked on: T >= max(n M + m X, f X) + K' + A'.
 *  - 3, port. At least n packages cross it after the first passed the master, then the last is
 *    worked on: T - M' - A' >= sum of all link times. Those of worker i, who gets n_i >= 1
 *    packages, are at least max(n_i K + k_i y_i, g_i y_i), so their sum is at least n K + sum k_i
 *    y_i and at least sum g_i y_i, the latter whatever n. As in 1, y_i <= min((T - t_1 - A) / a_i,
 *    (T - t_1) / d_i). The least of either sum under these limits is a fractional knapsack:
 *    cheapest links first.
 *
 * Condition 1 becomes easier with n, 2 and 3 become harder: for a given T the least n that
 * satisfies 1 decides. All three become easier as T grows, so the least T is found by bisection,
 * and its lower end, at which they fail for every n, is the bound. Neighbouring equal workers enter
 * as one class through the closed form of an arithmetic series.
 *
 * A worker starts before it begins anything: let s_i be its start and s the least of all. In 1, the
 * j-th worker that is reached begins not before max(t_j, s), which still rises with j, so that the
 * rearrangement holds. In 3, worker i begins not before max(t_1, s_i), and where all workers
 * together could not work off X tasks from then on, nothing does.
 *
 * Where results are written behind, r + w + o is only what holds the worker, r + w or o, and what
 * is bounded is T - Z (beside_least in bound_lines.h).
 */
#include "planner/schedulers/bounds/bound.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "planner/model/cost.h"
#include "planner/schedulers/bounds/bound_lines.h"

struct bound_class {
    int64_t count;
    double key;     /* the one of the rates that it is sorted by */
    double start_s; /* s_i */
    double compute, compute_packed, link, link_packed; /* a_i, d_i, k_i, g_i */
};

/* The classes in four orders, each with ascending keys. */
enum bound_order { BY_COMPUTE, BY_COMPUTE_PACKED, BY_LINK, BY_LINK_PACKED, BOUND_ORDERS };

struct bound_problem {
    struct bound_class *classes[BOUND_ORDERS]; /* owned */
    int64_t class_count;
    double tasks;
    double beyond; /* how far a load may lie outside its window: 1 where it may be fractional */
    struct lines master;
    double link_s, link_least_s;     /* K, K' */
    double worker_s, worker_least_s; /* A, A' */
    double start_s;                  /* s */
};

static void class_add(struct bound_problem *problem, const struct platform *platform, int64_t *at,
                      struct cost *costs, int64_t count)
{
    for (int64_t k = 0; k < platform->window_count; k++) {
        const struct platform_class *class = &platform->windows[k].classes[at[k]];
        costs[k] = platform_class_work(class);
    }
    struct lines worker = lines_of(platform, costs, problem->beyond);
    for (int64_t k = 0; k < platform->window_count; k++)
        costs[k] = platform->windows[k].classes[at[k]].link;
    struct lines link = lines_of(platform, costs, problem->beyond);
    problem->worker_s = fmin(problem->worker_s, worker.fixed_s);
    problem->worker_least_s = fmin(problem->worker_least_s, worker.least_s);
    problem->link_s = fmin(problem->link_s, link.fixed_s);
    problem->link_least_s = fmin(problem->link_least_s, link.least_s);
    const double start_s = platform->windows[0].classes[at[0]].start_s;
    problem->start_s = fmin(problem->start_s, start_s);
    const double keys[BOUND_ORDERS] = {worker.s_per_task, worker.s_per_task_packed, link.s_per_task,
                                       link.s_per_task_packed};
    for (int order = 0; order < BOUND_ORDERS; order++)
        problem->classes[order][problem->class_count] = (struct bound_class){
            count,         keys[order],         start_s, keys[BY_COMPUTE], keys[BY_COMPUTE_PACKED],
            keys[BY_LINK], keys[BY_LINK_PACKED]};
    problem->class_count++;
}

static int key_compare(const void *a, const void *b)
{
    const struct bound_class *x = a, *y = b;
    return (x->key > y->key) - (x->key < y->key);
}

/* Goes through all windows' classes side by side. `at` and `costs` have one entry for each
 * window. */
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
    problem->master = lines_of(platform, costs, problem->beyond);
    for (int order = 0; order < BOUND_ORDERS; order++)
        qsort(problem->classes[order], (size_t)problem->class_count,
              sizeof *problem->classes[order], key_compare);
}

static bool problem_init(struct bound_problem *problem, const struct platform *platform,
                         double tasks, bool real_valued)
{
    int64_t classes = 0;
    for (int64_t k = 0; k < platform->window_count; k++)
        classes += platform->windows[k].class_count;
    assert(classes > 0);
    size_t windows = (size_t)platform->window_count;
    *problem = (struct bound_problem){.tasks = tasks,
                                      .beyond = real_valued ? 1 : 0,
                                      .link_s = HUGE_VAL,
                                      .link_least_s = HUGE_VAL,
                                      .worker_s = HUGE_VAL,
                                      .worker_least_s = HUGE_VAL,
                                      .start_s = HUGE_VAL};
    int64_t *at = calloc(windows, sizeof *at);
    struct cost *costs = calloc(windows, sizeof *costs);
    bool good = at && costs;
    for (int order = 0; order < BOUND_ORDERS; order++) {
        problem->classes[order] = calloc((size_t)classes, sizeof *problem->classes[order]);
        good = good && problem->classes[order];
    }
    if (good)
        classes_fill(problem, platform, at, costs);
    free(at);
    free(costs);
    return good;
}

static void problem_release(struct bound_problem *problem)
{
    for (int order = 0; order < BOUND_ORDERS; order++)
        free(problem->classes[order]);
}

/* The core tasks that the first `count` of equal workers can do, where the first one has `spare_s`
 * seconds and each further one `step_s` less, but none less than 0. */
static double class_tasks(double spare_s, double step_s, double count, double rate)
{
    if (!(spare_s > 0))
        return 0;
    if (step_s > 0)
        count = fmin(count, floor(spare_s / step_s) + 1);
    return count * (spare_s - step_s * (count - 1) / 2) / rate;
}

/* The least number of equal workers, at most `count`, that can do `tasks` core tasks. */
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

/* T - t_1: what is left after the first package has reached its worker. */
static double spare_of(const struct bound_problem *problem, double makespan_s)
{
    return makespan_s - problem->master.least_s - problem->link_least_s;
}

/* How many of the first workers still start then; `spare_s` is that of spare_of. */
static double workers_held(const struct bound_problem *problem, double makespan_s, double spare_s,
                           double step_s)
{
    const double more_s = spare_s - (makespan_s - problem->start_s); /* s - t_1 */
    if (!(more_s > 0))
        return 0;
    return step_s > 0 ? floor(more_s / step_s) + 1 : HUGE_VAL;
}

/* The least number of equal workers, at most `count`, that can do `tasks` core tasks in `spare_s`
 * each. */
static int64_t held_least(double spare_s, int64_t count, double rate, double tasks)
{
    const double least = fmax(ceil(tasks * rate / spare_s), 1);
    return least < (double)count ? (int64_t)least : count;
}

/* Condition 1 with the rates of one line, BY_COMPUTE or BY_COMPUTE_PACKED; the least number of
 * workers, 0: all are too few. */
static int64_t workers_least(const struct bound_problem *problem, double makespan_s,
                             enum bound_order order)
{
    const struct bound_class *classes = problem->classes[order];
    const double step_s = fmax(problem->master.least_s, problem->link_least_s);
    const double work_s = order == BY_COMPUTE ? problem->worker_s : 0;
    double spare_s = spare_of(problem, makespan_s);
    const double held = workers_held(problem, makespan_s, spare_s, step_s);
    const double held_s = makespan_s - problem->start_s - work_s;
    double left = problem->tasks;
    int64_t workers = 0;
    spare_s -= work_s;
    for (int64_t k = 0; k < problem->class_count; k++) {
        const double rate = classes[k].key, count = (double)classes[k].count;
        const double here = fmin(fmax(held - (double)workers, 0), count);
        const double held_tasks = here > 0 ? class_tasks(held_s, 0, here, rate) : 0;
        if (here > 0 && held_tasks >= left)
            return workers + held_least(held_s, (int64_t)here, rate, left);
        left -= held_tasks;
        workers += (int64_t)here;
        const int64_t others = classes[k].count - (int64_t)here;
        const double here_s = spare_s - step_s * (double)workers;
        const double tasks = class_tasks(here_s, step_s, (double)others, rate);
        if (tasks >= left)
            return workers + class_least(here_s, step_s, others, rate, left);
        left -= tasks;
        workers += others;
    }
    return 0;
}

static bool master_suffices(const struct bound_problem *problem, double makespan_s, int64_t workers)
{
    const struct lines *master = &problem->master;
    double packages_s = master->fixed_s * (double)workers + master->s_per_task * problem->tasks;
    double busy_s = fmax(packages_s, master->s_per_task_packed * problem->tasks);
    return makespan_s >= busy_s + problem->link_least_s + problem->worker_least_s;
}

/* The knapsack of condition 3, by k_i or g_i: for how many seconds at least all core tasks occupy
 * the port; HUGE_VAL: the workers cannot do them all. */
static double port_least(const struct bound_problem *problem, double makespan_s,
                         enum bound_order order)
{
    double left = problem->tasks, held_s = 0;
    for (int64_t k = 0; k < problem->class_count && left > 0; k++) {
        const struct bound_class *class = &problem->classes[order][k];
        const double spare_s = fmin(spare_of(problem, makespan_s), makespan_s - class->start_s);
        double count = (double)class->count;
        double most = fmin(class_tasks(spare_s - problem->worker_s, 0, count, class->compute),
                           class_tasks(spare_s, 0, count, class->compute_packed));
        double tasks = fmin(left, most);
        held_s += class->key * tasks;
        left -= tasks;
    }
    return left > 0 ? HUGE_VAL : held_s;
}

static bool port_suffices(const struct bound_problem *problem, double makespan_s, int64_t workers)
{
    double room_s = makespan_s - problem->master.least_s - problem->worker_least_s;
    double latency_s = problem->link_s * (double)workers;
    return room_s >= latency_s + port_least(problem, makespan_s, BY_LINK) &&
           room_s >= port_least(problem, makespan_s, BY_LINK_PACKED);
}

static bool makespan_possible(const struct bound_problem *problem, double makespan_s)
{
    int64_t workers = workers_least(problem, makespan_s, BY_COMPUTE);
    int64_t packed = workers_least(problem, makespan_s, BY_COMPUTE_PACKED);
    if (workers == 0 || packed == 0)
        return false;
    if (packed > workers)
        workers = packed;
    return master_suffices(problem, makespan_s, workers) &&
           port_suffices(problem, makespan_s, workers);
}

bool bound_single_port(const struct platform *platform, double tasks, bool real_valued,
                       double *bound_s, struct failure *failure)
{
    enum { HALVINGS = 100 };
    struct bound_problem problem;
    double low = 0, high = 1e-9;
    if (!problem_init(&problem, platform, tasks, real_valued)) {
        problem_release(&problem);
        return failure_memory(failure, "planning");
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
    low += beside_least(platform, real_valued ? 1 : 0);
    *bound_s = low * (1 - 1e-12); /* rounding may have added so much */
    return true;
}
