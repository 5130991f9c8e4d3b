#include "planner/replan/replan.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/array.h"
#include "planner/dispatch/watch.h"
#include "planner/model/platform.h"
#include "planner/schedulers/scheduler.h"
#include "planner/simulate/events.h"
#include "planner/simulate/loop.h"

/* ---- replan platform ----------------------------------------------------------------------- */

/* The platform as measured while the plan was watched: every worker has a class of its own. */

/* Units of effort for each remaining package, for making, sorting and simulating its list. */
enum { EFFORT_KEPT = 10 };
/* A lost worker is made so slow that a scheduler gives it nothing. */
static const double lost_factor = 1e6;

struct rest_wanted {
    const struct watch_remaining *remaining;
    int64_t largest;
};

static struct cost cost_times(struct cost cost, double factor)
{
    return (struct cost){cost.latency_s * factor, cost.s_per_task * factor};
}

static bool window_measure(const struct rest_wanted *wanted, const struct platform_window *from,
                           struct platform_window *window)
{
    const int64_t workers = wanted->remaining->workers;
    const struct platform_class *final = &from->classes[from->class_count - 1];
    const int64_t last = final->first + final->count - 1;
    *window = *from;
    window->greatest = from->greatest < wanted->largest ? from->greatest : wanted->largest;
    window->class_count = workers;
    window->classes = calloc((size_t)workers, sizeof *window->classes);
    for (int64_t k = 0; window->classes && k < workers; k++) {
        const struct watch_state *state = &wanted->remaining->states[k];
        const double factor = state->lost ? lost_factor : state->factor;
        struct platform_class *class = &window->classes[k];
        *class = *platform_worker(from, k < last ? k : last);
        class->first = k;
        class->count = 1;
        class->receive = cost_times(class->receive, factor);
        class->compute = cost_times(class->compute, factor);
        class->output = cost_times(class->output, factor);
        class->start_s = 0; /* the time when the worker is ready includes what is left of it */
    }
    return window->classes != NULL;
}

/* Makes a platform of the workers with their present rates, in windows of packages up to `largest`
 * core tasks. Schedulers plan for it without results and by the default operating model, which is
 * quicker, because a run waits for the plan; their plans are then judged with both. To be released,
 * also after a failure. False: out of memory. */
static bool replan_platform(const struct platform *platform,
                            const struct watch_remaining *remaining, int64_t largest,
                            struct platform *measured)
{
    const struct rest_wanted wanted = {remaining, largest};
    bool good = true;
    *measured = (struct platform){.worker_count = remaining->workers,
                                  .buffers = platform->buffers,
                                  .write_behind = platform->write_behind};
    measured->windows = calloc((size_t)platform->window_count, sizeof *measured->windows);
    if (!measured->windows)
        return false;
    for (int64_t w = 0; good && w < platform->window_count; w++)
        if (platform->windows[w].least <= largest)
            good = window_measure(&wanted, &platform->windows[w],
                                  &measured->windows[measured->window_count++]);
    return good;
}

/* ---- replan -------------------------------------------------------------------------------- */

/*
 * Each worker gets as many core tasks as make it end at a common time tau: x_i = (tau - a_i) / c_i,
 * where c_i is its time per core task, latencies included, and a_i the time when it can begin. tau
 * follows from the sum of all x_i. By how much the port delays a worker is seen in a simulation and
 * added to a_i, a few times over.
 *
 * The first candidates are the plans that schedulers make for the workers' rates as if all were
 * idle, because schedulers can divide a port that is too slow for all; and, for several periods T,
 * packages that take each worker T.
 */

enum { CORRECTIONS = 5, HALVINGS = 60, SPREADS = 8, ROUNDS_MOST = 4096, FAILURES_MOST = 4 };
/* Limits of one candidate, because the new plan must be ready before the workers have nothing to
 * do: of its packages, and of its packages times workers, as all workers are searched for one that
 * may overtake another. */
static const int64_t packages_most = 100000, passing_most = 300000;

/* Of two plans that end at the same time, the one with smaller packages is easier to watch: this
 * part of the longest package's time is added to the makespan when plans are compared. */
static const double size_weight = 0.3;
struct replan_worker {
    bool takes_part;
    double begin_s; /* a_i above */
    double c_s;     /* per task */
    double usual;   /* package size */
    double quota;   /* x_i above */
    int64_t tasks, packages;
};

struct replan_search {
    const struct platform *platform;
    const struct watch_remaining *remaining;
    const struct platform_window *window; /* for the candidate's packages */
    double most;                          /* largest package of the candidate */
    struct replan_worker *workers;        /* owned */
    int64_t *order;                       /* owned: workers by when they are ready */
    struct loop loop;                     /* owned */
    int64_t largest;                      /* largest package that is allowed at all */
    struct package *list;                 /* owned: the candidate's packages */
    int64_t *following, *next;            /* owned: links the packages of each worker in a list */
    size_t list_capacity, following_capacity;
    struct plan *best;
    double best_s, best_score_s;
};

/* ---- forecasts ----------------------------------------------------------------------------- */

/* Sets the loop to the present state of the run: a worker has room for its next package when it
 * begins the last one that it has. */
static void star_stand(struct replan_search *search)
{
    struct star *star = &search->loop.star;
    star->master_s = star->port_s = search->remaining->now_s;
    for (int64_t k = 0; k < search->remaining->workers; k++) {
        const struct watch_state *state = &search->remaining->states[k];
        star->workers[k] = (struct star_worker){.free_s = state->ready_s, .end_s = state->ready_s};
        for (int i = 0; i < star->buffers; i++)
            star->starts[k * star->buffers + i] = state->last_start_s;
    }
    star->results_s = 0;
    if (search->loop.events)
        events_stand(search->loop.events, search->remaining->now_s);
}

static const struct platform_class *class_of(const struct replan_search *search,
                                             const struct platform_window *window, int64_t worker)
{
    const int64_t last = search->platform->worker_count - 1;
    return platform_worker(window, worker < last ? worker : last);
}

static struct star_cost send_cost(const struct replan_search *search, const struct package *package)
{
    const double tasks = (double)package->count;
    const double factor = search->remaining->states[package->worker].factor;
    const struct platform_window *window = platform_nearest(search->platform, tasks);
    struct star_cost cost = star_cost_of(window, class_of(search, window, package->worker), tasks);
    cost.receive_s *= factor;
    cost.compute_s *= factor;
    cost.output_s *= factor;
    return cost;
}

/* When the worker has room: as soon as it begins the last package that it has. */
static double room_from_s(const struct replan_search *search, int64_t worker)
{
    const struct star *star = &search->loop.star;
    return star->starts[worker * star->buffers + star->workers[worker].oldest];
}

/* Chooses as a watched plan does: the first package of the list whose worker has room when the port
 * is free or, if no worker has, that of the worker that will have room first. */
static int64_t package_choose(const struct replan_search *search)
{
    const double ready_s = star_later(search->loop.star.master_s, search->loop.star.port_s);
    int64_t chosen = -1, soonest = -1;
    double soonest_s = HUGE_VAL;
    for (int64_t k = 0; k < search->remaining->workers; k++) {
        if (search->next[k] < 0)
            continue;
        const double from_s = room_from_s(search, k);
        if (from_s <= ready_s && (chosen < 0 || search->next[k] < chosen))
            chosen = search->next[k];
        if (from_s < soonest_s) {
            soonest_s = from_s;
            soonest = search->next[k];
        }
    }
    return chosen >= 0 ? chosen : soonest;
}

/* Links each worker's packages of the list. False: out of memory. */
static bool list_link(struct replan_search *search, const struct package *list, int64_t count)
{
    int64_t *following = array_reserve(search->following, &search->following_capacity,
                                       (size_t)count, sizeof *following);
    if (!following)
        return false;
    search->following = following;
    for (int64_t k = 0; k < search->remaining->workers; k++)
        search->next[k] = -1;
    for (int64_t at = count - 1; at >= 0; at--) {
        following[at] = search->next[list[at].worker];
        search->next[list[at].worker] = at;
    }
    return true;
}

static double last_end(const struct replan_search *search)
{
    double end_s = search->loop.star.results_s;
    for (int64_t k = 0; k < search->remaining->workers; k++)
        if (!search->remaining->states[k].lost)
            end_s = star_later(end_s, search->loop.star.workers[k].end_s);
    return end_s;
}

/* A list of packages as the source of the loop. */
struct list_source {
    struct replan_search *search;
    const struct package *list;
    int64_t count, sent;
    bool passing;          /* a worker with room overtakes one without */
    struct star_cost cost; /* of the current package */
};

/* Takes the next package; the master prepares none before its worker is about to have room. */
static const struct package *list_pass(struct list_source *source)
{
    struct replan_search *search = source->search;
    struct star *star = &search->loop.star;
    const struct package *package = &source->list[package_choose(search)];
    const double from_s = room_from_s(search, package->worker);
    source->cost = send_cost(search, package);
    if (from_s > star->port_s)
        star->master_s =
            star_later(star->master_s, from_s - source->cost.envelope_s - source->cost.send_s);
    search->next[package->worker] = search->following[package - source->list];
    return package;
}

static enum loop_answer list_next(void *self, struct loop *loop, struct loop_package *next,
                                  struct failure *failure)
{
    struct list_source *source = self;
    const struct package *package = &source->list[source->sent];
    (void)loop;
    (void)failure;
    if (source->sent++ == source->count)
        return LOOP_END;
    if (source->passing)
        package = list_pass(source);
    else
        source->cost = send_cost(source->search, package);
    next->worker = package->worker;
    next->rank = package->worker + 1;
    next->load = (double)package->count;
    next->cost = &source->cost;
    return LOOP_SEND;
}

/* The end if packages are sent in this order, except that workers with room overtake those without.
 * Long lists, or lists without memory for the links, are taken strictly in this order. */
static double list_forecast(struct replan_search *search, const struct package *list, int64_t count)
{
    const bool passing = count <= passing_most / search->remaining->workers;
    struct failure none = FAILURE_INIT;
    struct list_source listed = {.search = search, .list = list, .count = count};
    const struct loop_source source = {.next = list_next, .self = &listed};
    star_stand(search);
    listed.passing = passing && list_link(search, list, count);
    loop_run(&search->loop, &source, &none); /* cannot fail: it does not wait, trace or report */
    return last_end(search);
}

static double kept_forecast(struct replan_search *search)
{
    return list_forecast(search, search->remaining->kept, search->remaining->kept_count);
}

/* The round in which a worker with so many packages gets package k. */
static int64_t round_of(int64_t k, int64_t packages, int64_t rounds)
{
    return k * rounds / packages;
}

/* The size of package k: the first packages have one core task more where the division leaves
 * some. */
static int64_t load_of(const struct replan_worker *worker, int64_t k)
{
    return worker->tasks / worker->packages + (k < worker->tasks % worker->packages);
}

/* The number of the worker's package in this round; -1: none. */
static int64_t package_in(const struct replan_worker *worker, int64_t round, int64_t rounds)
{
    if (worker->tasks == 0)
        return -1;
    const int64_t k = (round * worker->packages + rounds - 1) / rounds;
    return k < worker->packages && round_of(k, worker->packages, rounds) == round ? k : -1;
}

static int64_t rounds_needed(const struct replan_search *search)
{
    int64_t rounds = 0;
    for (int64_t k = 0; k < search->remaining->workers; k++)
        if (search->workers[k].tasks > 0 && search->workers[k].packages > rounds)
            rounds = search->workers[k].packages;
    return rounds;
}

/* Lists the candidate's packages in the order of sending. False: out of memory. */
static bool candidate_list(struct replan_search *search, int64_t *count)
{
    const int64_t rounds = rounds_needed(search);
    int64_t packages = 0;
    for (int64_t k = 0; k < search->remaining->workers; k++)
        packages += search->workers[k].tasks > 0 ? search->workers[k].packages : 0;
    struct package *list =
        array_reserve(search->list, &search->list_capacity, (size_t)packages, sizeof *list);
    if (!list)
        return false;
    search->list = list;
    *count = 0;
    for (int64_t round = 0; round < rounds; round++)
        for (int64_t at = 0; at < search->remaining->workers; at++) {
            const int64_t k = search->order[at];
            const int64_t package = package_in(&search->workers[k], round, rounds);
            if (package >= 0)
                list[(*count)++] =
                    (struct package){.worker = k, .count = load_of(&search->workers[k], package)};
        }
    return true;
}

static double candidate_forecast(struct replan_search *search)
{
    int64_t count;
    return candidate_list(search, &count) ? list_forecast(search, search->list, count) : HUGE_VAL;
}

/* ---- candidates ---------------------------------------------------------------------------- */

static double quotas_fill(struct replan_search *search, double tau_s)
{
    double sum = 0;
    for (int64_t k = 0; k < search->remaining->workers; k++) {
        struct replan_worker *worker = &search->workers[k];
        worker->quota = worker->takes_part ? fmax(0, (tau_s - worker->begin_s) / worker->c_s) : 0;
        sum += worker->quota;
    }
    return sum;
}

/* The common end at which all quotas add up to the remaining core tasks. */
static double end_solve(struct replan_search *search)
{
    const double tasks = (double)search->remaining->tasks;
    double low = search->remaining->now_s, high = low, step = 0;
    for (int64_t k = 0; k < search->remaining->workers; k++)
        if (search->workers[k].takes_part)
            step = fmax(step, search->workers[k].begin_s - low + search->workers[k].c_s * tasks);
    high += step;
    for (int k = 0; k < HALVINGS; k++) {
        const double middle = (low + high) / 2;
        if (quotas_fill(search, middle) < tasks)
            low = middle;
        else
            high = middle;
    }
    quotas_fill(search, high);
    return high;
}

static void packages_round(const struct replan_search *search, struct replan_worker *worker)
{
    const double least = (double)search->window->least;
    double packages = fmax(1, nearbyint(worker->quota / worker->usual));
    packages = fmax(packages, ceil(worker->quota / search->most));
    packages = fmin(packages, fmax(1, floor(worker->quota / least)));
    worker->tasks = (int64_t)nearbyint(fmin(worker->quota, packages * search->most));
    worker->packages = (int64_t)packages;
    if (worker->quota < least)
        worker->tasks = worker->quota >= least / 2 ? search->window->least : 0;
}

static int64_t room_of(const struct replan_search *search, const struct replan_worker *worker,
                       bool more)
{
    if (worker->tasks == 0)
        return 0;
    return more ? (int64_t)search->most * worker->packages - worker->tasks
                : worker->tasks - search->window->least * worker->packages;
}

static int64_t least_of(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Adds `off` core tasks to the existing packages (removes them where it is below 0), as far as
 * these have room; returns what is left over. */
static int64_t packages_fill(struct replan_search *search, int64_t off, int64_t taking)
{
    const bool more = off > 0;
    const int64_t each = (llabs(off) + taking - 1) / taking;
    for (int64_t k = 0; k < search->remaining->workers && off != 0; k++) {
        struct replan_worker *worker = &search->workers[k];
        const int64_t share = least_of(least_of(each, llabs(off)), room_of(search, worker, more));
        worker->tasks += more ? share : -share;
        off -= more ? share : -share;
    }
    return off;
}

/* Gives that worker one package more or one less; returns what is then left over. */
static int64_t package_add(const struct replan_search *search, struct replan_worker *worker,
                           int64_t off)
{
    const int64_t before = worker->tasks, wanted = before + off;
    worker->packages += off > 0 ? 1 : -1;
    const int64_t high = (int64_t)search->most * worker->packages;
    const int64_t low = search->window->least * worker->packages;
    worker->tasks = wanted > high ? high : wanted < low ? low : wanted;
    return off - (worker->tasks - before);
}

/* Where existing packages have no room, for example because each has one core task: one package
 * more, or one less, for workers whose quotas were rounded the other way, or for `any`. */
static int64_t packages_add(struct replan_search *search, int64_t off, bool any)
{
    const bool more = off > 0;
    for (int64_t k = 0; k < search->remaining->workers && off != 0 && more == (off > 0); k++) {
        struct replan_worker *worker = &search->workers[k];
        const double lacks = worker->quota - (double)worker->tasks;
        if (worker->tasks > 0 && (any || (more ? lacks > 0 : lacks < 0)) &&
            (more || worker->packages > 1))
            off = package_add(search, worker, off);
    }
    return off;
}

/* Distributes what rounding has left over, or takes back what it has given too much. False: that is
 * not possible. */
static bool tasks_settle(struct replan_search *search)
{
    int64_t off = search->remaining->tasks, taking = 0;
    for (int64_t k = 0; k < search->remaining->workers; k++) {
        off -= search->workers[k].tasks;
        taking += search->workers[k].tasks > 0;
    }
    for (int pass = 0; pass < SPREADS && off != 0 && taking > 0; pass++) {
        const int64_t left = packages_fill(search, off, taking);
        const int64_t added = left == off ? packages_add(search, left, false) : left;
        off = added == off ? packages_add(search, added, true) : added;
    }
    return off == 0;
}

static bool candidate_split(struct replan_search *search)
{
    int64_t packages = 0;
    for (int64_t k = 0; k < search->remaining->workers; k++) {
        packages_round(search, &search->workers[k]);
        packages += search->workers[k].tasks > 0 ? search->workers[k].packages : 0;
    }
    return packages <= packages_most && rounds_needed(search) <= ROUNDS_MOST &&
           tasks_settle(search);
}

/* Adds to a_i by how much the candidate's workers ended later than expected, which is mostly
 * because of the port. */
static void begins_correct(struct replan_search *search, double tau_s)
{
    for (int64_t k = 0; k < search->remaining->workers; k++) {
        struct replan_worker *worker = &search->workers[k];
        if (worker->tasks > 0)
            worker->begin_s += search->loop.star.workers[k].end_s - tau_s;
    }
}

/* The latest end of workers that get some of the remaining core tasks. Others may end later with
 * what they already have; where they are overdue that end is a guess, and no reason to let the
 * others take longer. */
static double taking_end(const struct replan_search *search)
{
    double end_s = search->remaining->now_s;
    for (int64_t k = 0; k < search->remaining->workers; k++)
        if (search->workers[k].tasks > 0)
            end_s = star_later(end_s, search->loop.star.workers[k].end_s);
    return end_s;
}

/* The seconds of the longest package: by so much a worker may be late unnoticed. */
static double longest_package(const struct replan_search *search)
{
    double longest_s = 0;
    for (int64_t k = 0; k < search->remaining->workers; k++) {
        const struct replan_worker *worker = &search->workers[k];
        if (worker->tasks > 0)
            longest_s =
                fmax(longest_s, worker->c_s * (double)worker->tasks / (double)worker->packages);
    }
    return longest_s;
}

static bool candidate_keep(struct replan_search *search, double end_s, double score_s)
{
    const int64_t workers = search->remaining->workers, rounds = rounds_needed(search);
    struct plan plan = {.tasks = (double)search->remaining->tasks, .worker_count = workers};
    plan.workers = malloc((size_t)workers * sizeof *plan.workers);
    plan.rounds = calloc((size_t)rounds + 1, sizeof *plan.rounds);
    bool good = rounds > 0 && plan.workers && plan.rounds;
    for (int64_t round = 0; good && round < rounds; round++) {
        double *loads = calloc((size_t)workers, sizeof *loads);
        plan.rounds[plan.round_count++] = (struct plan_round){1, loads};
        good = loads != NULL;
        for (int64_t at = 0; good && at < workers; at++) {
            const struct replan_worker *worker = &search->workers[search->order[at]];
            const int64_t package = package_in(worker, round, rounds);
            loads[at] = package >= 0 ? (double)load_of(worker, package) : 0;
        }
    }
    if (!good) {
        plan_release(&plan);
        return false;
    }
    memcpy(plan.workers, search->order, (size_t)workers * sizeof *plan.workers);
    plan_release(search->best);
    *search->best = plan;
    search->best_s = end_s;
    search->best_score_s = score_s;
    return true;
}

/* Begins a candidate: sizes and times per core task of packages that take period_s; workers begin
 * when they are ready. */
static void candidate_begin(struct replan_search *search, double period_s)
{
    const struct platform_window *window = search->window;
    for (int64_t k = 0; k < search->remaining->workers; k++) {
        const struct watch_state *state = &search->remaining->states[k];
        struct replan_worker *worker = &search->workers[k];
        const struct cost work = platform_class_work(class_of(search, window, k));
        const double latency_s = state->factor * work.latency_s;
        const double s_per_task = state->factor * work.s_per_task;
        const double full = s_per_task > 0 ? (period_s - latency_s) / s_per_task : search->most;
        worker->usual = fmin(fmax(floor(full), (double)window->least), search->most);
        worker->c_s = fmax((latency_s + s_per_task * worker->usual) / worker->usual, 1e-15);
        worker->begin_s = state->ready_s;
    }
}

/* Levels the ends of a candidate. True: it is better than any before. */
static bool candidate_level(struct replan_search *search)
{
    const double before_s = search->best_score_s;
    for (int k = 0; k < CORRECTIONS; k++) {
        const double tau_s = end_solve(search);
        if (!candidate_split(search))
            break;
        const double end_s = candidate_forecast(search);
        const double score_s =
            (end_s + taking_end(search)) / 2 + size_weight * longest_package(search);
        if (score_s < search->best_score_s && !candidate_keep(search, end_s, score_s))
            break;
        begins_correct(search, tau_s);
    }
    return search->best_score_s < before_s;
}

static bool candidate_try(struct replan_search *search, double period_s)
{
    candidate_begin(search, period_s);
    return candidate_level(search);
}

/* Tries more and more rounds until more no longer help. */
static void window_try(struct replan_search *search)
{
    candidate_begin(search, HUGE_VAL);
    const double rest_s = end_solve(search) - search->remaining->now_s;
    int failures = 0;
    for (int rounds = 1; rounds <= ROUNDS_MOST && failures < FAILURES_MOST;
         rounds += 3 * rounds / 10 + 1)
        failures = candidate_try(search, rest_s / rounds) ? 0 : failures + 1;
}

static bool set_choose(struct replan_search *search, bool all)
{
    bool some = false;
    for (int64_t k = 0; k < search->remaining->workers; k++) {
        const struct watch_state *state = &search->remaining->states[k];
        search->workers[k].takes_part = !state->lost && (all || state->used);
        some = some || search->workers[k].takes_part;
    }
    return some;
}

static void sets_try(struct replan_search *search)
{
    for (int all = 0; all < 2; all++)
        for (int64_t w = 0; w < search->platform->window_count && set_choose(search, all); w++) {
            search->window = &search->platform->windows[w];
            search->most = (double)least_of(search->window->greatest, search->largest);
            if (search->most >= (double)search->window->least)
                window_try(search);
        }
}

/* ---- schedulers' plans --------------------------------------------------------------------- */

/* Begins a candidate with the order, package sizes and shares of a plan, after what workers still
 * have to do. */
static void plan_follow(struct replan_search *search, const struct plan *plan)
{
    const struct watch_remaining *remaining = search->remaining;
    const double largest = plan_largest_load(plan),
                 end_s = remaining->now_s + plan->predicted.makespan_s;
    search->window = platform_nearest(search->platform, largest);
    search->most = fmin((double)search->window->greatest, (double)search->largest);
    candidate_begin(search, HUGE_VAL);
    for (int64_t k = 0; k < remaining->workers; k++)
        search->workers[k].takes_part = false;
    for (int64_t at = 0; at < plan->worker_count; at++) {
        struct replan_worker *worker = &search->workers[plan->workers[at]];
        const struct watch_state *state = &remaining->states[plan->workers[at]];
        double tasks = 0, packages = 0;
        for (size_t r = 0; r < plan->round_count; r++) {
            const double load = plan->rounds[r].loads[at];
            tasks += (double)plan->rounds[r].repeat * load;
            packages += load > 0 ? (double)plan->rounds[r].repeat : 0;
        }
        if (tasks > 0 && !state->lost) {
            const struct cost work =
                platform_class_work(class_of(search, search->window, plan->workers[at]));
            worker->takes_part = true;
            worker->usual = ceil(tasks / packages);
            worker->c_s = fmax(state->factor * cost_of(work, worker->usual) / worker->usual, 1e-15);
            worker->begin_s = end_s - worker->c_s * tasks + state->ready_s - remaining->now_s;
        }
    }
}

/* Orders the plan's workers first, as it activates them. */
static void order_follow(struct replan_search *search, const struct plan *plan)
{
    int64_t count = 0;
    for (int64_t k = 0; k < search->remaining->workers; k++)
        search->workers[k].tasks = 0;
    for (int64_t at = 0; at < plan->worker_count; at++) {
        search->order[count++] = plan->workers[at];
        search->workers[plan->workers[at]].tasks = 1;
    }
    for (int64_t k = 0; k < search->remaining->workers; k++)
        if (search->workers[k].tasks == 0)
            search->order[count++] = k;
}

static void schedulers_try(struct replan_search *search)
{
    static const char *const names[] = {"scow-mp", "scow-pwu"};
    struct platform measured;
    const bool good =
        replan_platform(search->platform, search->remaining, search->largest, &measured);
    for (size_t k = 0; good && k < sizeof names / sizeof *names; k++) {
        const struct schedule_request request = {
            .platform = &measured, .tasks = (double)search->remaining->tasks, .real_valued = false};
        struct plan plan = {.kernel = NULL};
        struct failure failure = FAILURE_INIT;
        if (scheduler_make(scheduler_find(names[k]), &request, &plan, &failure)) {
            order_follow(search, &plan);
            plan_follow(search, &plan);
            candidate_level(search);
        }
        plan_release(&plan);
    }
    platform_release(&measured);
}

/* ---- whole --------------------------------------------------------------------------------- */

static void order_sort(struct replan_search *search)
{
    for (int64_t k = 0; k < search->remaining->workers; k++) {
        int64_t at = k;
        for (; at > 0 && search->remaining->states[search->order[at - 1]].ready_s >
                             search->remaining->states[k].ready_s;
             at--)
            search->order[at] = search->order[at - 1];
        search->order[at] = k;
    }
}

/* The least seconds per core task of that worker with any package. Output that is written while it
 * computes does not count. */
static double task_least_s(const struct replan_search *search, int64_t worker)
{
    double least_s = HUGE_VAL;
    for (int64_t w = 0; w < search->platform->window_count; w++) {
        const struct platform_window *window = &search->platform->windows[w];
        const struct platform_class *class = class_of(search, window, worker);
        const struct cost work = search->platform->write_behind
                                     ? cost_sum(class->receive, class->compute)
                                     : platform_class_whole(class);
        const double most = (double)least_of(window->greatest, search->largest);
        if (most >= (double)window->least)
            least_s = fmin(least_s, cost_of(work, most) / most);
    }
    return fmax(search->remaining->states[worker].factor * least_s, 1e-15);
}

/* When all would be done if the port delayed no worker: a lower bound for every plan. */
static double end_bound(struct replan_search *search)
{
    if (!set_choose(search, true))
        return search->remaining->now_s;
    for (int64_t k = 0; k < search->remaining->workers; k++) {
        search->workers[k].c_s = task_least_s(search, k);
        search->workers[k].begin_s = search->remaining->states[k].ready_s;
    }
    return end_solve(search);
}

/* Can a plan be so much better than the present one that it is worth making? */
static bool is_worth_it(struct replan_search *search, struct watch_answer *answer)
{
    const struct watch_remaining *remaining = search->remaining;
    answer->kept_end_s = kept_forecast(search);
    if (!(remaining->gain > 0))
        return true;
    answer->end_s = end_bound(search);
    return answer->kept_end_s - answer->end_s >
           remaining->gain * (answer->kept_end_s - remaining->now_s);
}

bool replan_remaining(const void *setup, const struct watch_remaining *remaining,
                      struct watch_answer *answer)
{
    const struct replan_setup *own = setup;
    const size_t workers = (size_t)remaining->workers;
    struct plan best = {.workers = NULL};
    struct replan_search search = {.platform = own->platform,
                                   .remaining = remaining,
                                   .largest = own->most,
                                   .best = &best,
                                   .best_s = HUGE_VAL,
                                   .best_score_s = HUGE_VAL};
    search.workers = calloc(workers, sizeof *search.workers);
    search.order = calloc(workers, sizeof *search.order);
    search.next = calloc(workers, sizeof *search.next);
    struct platform like = *own->platform;
    like.buffers = WATCH_AHEAD;
    effort_use(own->effort, EFFORT_KEPT * (double)remaining->kept_count);
    bool answered = false;
    if (search.workers && search.order && search.next &&
        loop_init(&search.loop, &like, remaining->workers)) {
        answered = !is_worth_it(&search, answer);
        if (!answered) {
            schedulers_try(&search);
            order_sort(&search);
            sets_try(&search);
            answered = isfinite(search.best_s);
            answer->end_s = search.best_s;
            answer->plan = best;
        }
    }
    loop_release(&search.loop);
    free(search.next);
    free(search.following);
    free(search.list);
    free(search.order);
    free(search.workers);
    return answered;
}
