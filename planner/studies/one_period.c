#include "planner/studies/one_period.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/json_text.h"
#include "planner/schedulers/scow/scow_exact.h"
#include "planner/schedulers/search/period.h"

/* Limits of the exact solutions, which keep them to about a second: nodes of the search,
 * workers. */
enum { NODES = 2000000, EXACT_MOST = 128 };
static const double ROUNDING = 1e-9;

/* The loads of one window while they are searched for, in the order of a ranking. */
struct making {
    const struct platform *platform;
    const struct platform_window *window;
    double period_s;
    double *loads; /* scratch */
    bool out_of_memory;
};

/* Keeps the loads of this ranking, if it is the best so far. */
static bool loads_keep(const struct making *making, const struct ranking *ranking, bool proven,
                       struct period_loads *into)
{
    if (into->loads == NULL)
        into->loads = calloc((size_t)making->platform->worker_count, sizeof *into->loads);
    if (into->loads == NULL)
        return false;
    for (int64_t i = 0; i < ranking->count; i++)
        into->loads[ranking->workers[i].id] = making->loads[i];
    into->utilization = utilization_of(ranking, making->period_s, making->loads);
    into->proven = proven;
    return true;
}

static bool ranking_open(struct making *making, struct ranking *ranking, enum ranking_view view,
                         enum ranking_order order)
{
    if (!ranking_init(ranking, making->platform, making->window, true, order)) {
        making->out_of_memory = true;
        return false;
    }
    if (view != RANKING_OF_GREATEST)
        ranking_turn(ranking, view, order);
    return true;
}

/* Do both rows, (4.5) of the master and (4.6) of the links, limit the loads? */
static bool rows_disagree(const struct making *making)
{
    struct ranking ranking;
    struct making own = *making;
    if (!ranking_open(&own, &ranking, RANKING_OF_GREATEST, RANKING_BY_FEED))
        return false;
    const unsigned views = ranking_views(&ranking, HUGE_VAL);
    ranking_release(&ranking);
    return (views >> RANKING_OF_LINK & 1u) != 0;
}

/* Does a core task take the port equally long for every worker? It does on a bus network, and where
 * the master limits (Theorem 14). */
static bool feeds_equal(const struct ranking *ranking)
{
    const struct cost first = ranking->workers[0].feed;
    for (int64_t i = 1; i < ranking->count; i++) {
        const struct cost feed = ranking->workers[i].feed;
        if (fabs(feed.s_per_task - first.s_per_task) > ROUNDING * first.s_per_task ||
            fabs(feed.latency_s - first.latency_s) > ROUNDING * fabs(first.latency_s))
            return false;
    }
    return true;
}

/* What the greedy may be below the optimum, by (4.30), in the ranking's order: the sum of H_i over
 * the q full workers and the next one, divided by that worker's h. (The print leaves out the next
 * worker's H, and is then too small.) A load that was left out because it is below the least
 * package is added. */
static double greedy_missed(const struct ranking *ranking, double period_s, const double *loads)
{
    double latency_s = 0;
    for (int64_t i = 0; i < ranking->count; i++) {
        const struct ranked_worker *worker = &ranking->workers[i];
        const double full = period_load(worker, period_s, ranking->greatest);
        if (full < ranking_least(ranking))
            continue;
        latency_s += fmax(worker->feed.latency_s, 0);
        if (loads[i] < full * (1 - ROUNDING))
            return latency_s / rate_of(worker->feed) + ranking_least(ranking);
    }
    return 0;
}

/* Tries the greedy with one view and order, and keeps its loads where they are better. */
static bool greedy_try(struct making *making, enum ranking_view view, enum ranking_order order,
                       struct period_window *into)
{
    struct ranking ranking;
    if (!ranking_open(making, &ranking, view, order))
        return false;
    const double made = period_production(&ranking, making->period_s, making->loads);
    const bool better = into->greedy.loads == NULL || made > into->greedy.utilization.tasks;
    const bool good = !better || loads_keep(making, &ranking, false, &into->greedy);
    if (better)
        into->missed =
            ranking.two_rows ? -1 : greedy_missed(&ranking, making->period_s, making->loads);
    ranking_release(&ranking);
    return good;
}

static bool greedy_make(struct making *making, bool two_rows, struct period_window *into)
{
    struct ranking ranking;
    if (two_rows) {
        into->theorem = 0;
        return greedy_try(making, RANKING_OF_MASTER, RANKING_BY_WORK, into) &&
               greedy_try(making, RANKING_OF_LINK, RANKING_BY_FEED, into);
    }
    if (!ranking_open(making, &ranking, RANKING_OF_GREATEST, RANKING_BY_FEED))
        return false;
    into->theorem = ranking.equal ? 4 : feeds_equal(&ranking) ? 14 : 7;
    ranking_release(&ranking);
    return greedy_try(making, RANKING_OF_GREATEST,
                      into->theorem == 14 ? RANKING_BY_WORK : RANKING_BY_FEED, into);
}

static bool production_make(struct making *making, bool two_rows, struct period_window *into)
{
    const struct exact_wish wish = {.gain = 0, .nodes = NODES};
    struct ranking ranking;
    bool proven;
    if (!ranking_open(making, &ranking, two_rows ? RANKING_OF_LINK : RANKING_OF_GREATEST,
                      RANKING_BY_FEED))
        return false;
    if (ranking.equal || ranking.count > EXACT_MOST) {
        period_production(&ranking, making->period_s, making->loads);
        proven = ranking.equal && !two_rows;
    } else {
        scow_exact_production(&ranking, making->period_s, &wish, making->loads, &proven,
                              &making->out_of_memory);
    }
    const bool good =
        !making->out_of_memory && loads_keep(making, &ranking, proven, &into->production);
    ranking_release(&ranking);
    return good;
}

/* Maximal utilisation: for many workers the best of three orders. It always has the one row of h_i,
 * as in (4.38). */
static bool balance_make(struct making *making, struct period_window *into)
{
    static const enum ranking_order orders[] = {RANKING_BY_FEED, RANKING_BY_WORK, RANKING_BY_RATIO};
    const struct utilization_wish wish = {.tasks = 0, .nodes = NODES};
    for (int k = 0; k < 3 && !into->balance.proven; k++) {
        struct ranking ranking;
        bool proven;
        if (!ranking_open(making, &ranking, RANKING_OF_GREATEST, orders[k]))
            return false;
        const struct utilization best =
            utilization_best(&ranking, making->period_s, &wish, making->loads, &proven);
        const struct utilization *before = &into->balance.utilization;
        const bool better = into->balance.loads == NULL ||
                            best.port + best.workers > before->port + before->workers;
        const bool good = !better || loads_keep(making, &ranking, proven, &into->balance);
        ranking_release(&ranking);
        if (!good)
            return false;
    }
    return true;
}

/* Replaces exact solutions that were not searched to their end by the greedy's where that is
 * better. */
static void window_settle(const struct making *making, struct period_window *window)
{
    const struct utilization *greedy = &window->greedy.utilization;
    const size_t size = (size_t)making->platform->worker_count * sizeof(double);
    if (window->production.utilization.tasks < greedy->tasks) {
        memcpy(window->production.loads, window->greedy.loads, size);
        window->production.utilization = *greedy;
    }
    window->greedy.proven = window->production.proven &&
                            greedy->tasks >= window->production.utilization.tasks * (1 - ROUNDING);
}

static bool window_make(const struct platform *platform, int64_t w, double period_s,
                        struct period_window *made)
{
    struct making making = {
        .platform = platform, .window = &platform->windows[w], .period_s = period_s};
    made->least = platform->windows[w].least;
    made->greatest = platform->windows[w].greatest;
    making.loads = calloc((size_t)platform->worker_count, sizeof *making.loads);
    if (making.loads == NULL)
        return false;
    const bool two_rows = rows_disagree(&making);
    const bool good = greedy_make(&making, two_rows, made) &&
                      production_make(&making, two_rows, made) && balance_make(&making, made);
    if (good)
        window_settle(&making, made);
    free(making.loads);
    return good;
}

/* Is the period long enough for any worker to get something? */
static bool period_suffices(const struct one_period *one)
{
    for (int64_t w = 0; w < one->window_count; w++)
        if (one->windows[w].production.utilization.used > 0)
            return true;
    return false;
}

bool one_period_make(const struct platform *platform, double period_s, struct one_period *one,
                     struct failure *failure)
{
    struct one_period made = {.period_s = period_s, .workers = platform->worker_count};
    bool good = true;
    made.windows = calloc((size_t)platform->window_count, sizeof *made.windows);
    if (made.windows == NULL)
        return failure_memory(failure, "planning a period");
    for (int64_t w = 0; good && w < platform->window_count; w++)
        good = window_make(platform, w, period_s, &made.windows[made.window_count++]);
    if (!good)
        failure_memory(failure, "planning a period");
    else if (!period_suffices(&made))
        good = failure_set(failure, FAILURE_INFEASIBLE,
                           "no worker can be sent and compute even the smallest package in %.10g "
                           "s: give a longer --period, or see --pairs for how long they may be",
                           period_s);
    if (good)
        *one = made;
    else
        one_period_release(&made);
    return good;
}

void one_period_release(struct one_period *one)
{
    for (int64_t w = 0; w < one->window_count; w++) {
        free(one->windows[w].production.loads);
        free(one->windows[w].greedy.loads);
        free(one->windows[w].balance.loads);
    }
    free(one->windows);
    *one = (struct one_period){.windows = NULL};
}

/* ---- for people ---------------------------------------------------------------------------- */

/* For example "1 to 9: 1.97, 10: 0.97": neighbours with equal loads together, workers counted from
 * 1. */
static void loads_text(const double *loads, int64_t count, struct text *text)
{
    enum { RUNS_MOST = 8 };
    int runs = 0;
    for (int64_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && loads[end] == loads[i];)
            end++;
        if (!(loads[i] > 0))
            continue;
        if (runs++ == RUNS_MOST) {
            text_add(text, ", ...");
            return;
        }
        text_add(text, "%s%" PRId64, runs > 1 ? ", " : "", i + 1);
        if (end - i > 1)
            text_add(text, " to %" PRId64, end);
        text_add(text, ": %.6g", loads[i]);
    }
}

static void line_text(const struct one_period *one, const char *name,
                      const struct period_loads *made, struct text *text)
{
    const struct utilization *own = &made->utilization;
    text_add(text, "%-12s%12.6g%12.6g%9" PRId64 "%9.4f%9.4f%9.4f  ", name, own->tasks,
             own->tasks / one->period_s, own->used, own->port, own->workers,
             own->port + own->workers);
    loads_text(made->loads, one->workers, text);
    text_add(text, "\n");
}

static void greedy_text(const struct period_window *window, struct text *text)
{
    if (window->theorem > 0)
        text_add(text, "greedy      by Theorem %d", window->theorem);
    else
        text_add(text, "greedy      by both the master's and the links' order");
    if (window->greedy.proven)
        text_add(text, ", as good as any");
    else if (window->missed >= 0)
        text_add(text, ", less than the best by at most %.4g core tasks (4.30)", window->missed);
    text_add(text, "\n");
}

static void window_text(const struct one_period *one, const struct period_window *window,
                        struct text *text)
{
    text_add(text, "\nwindow      packages of %" PRId64 " to %" PRId64 " core tasks\n",
             window->least, window->greatest);
    if (window->production.utilization.used == 0) {
        text_add(text, "            no worker is done with one in time\n");
        return;
    }
    text_add(text, "%-12s%12s%12s%9s%9s%9s%9s  %s\n", "most", "tasks", "tasks/s", "workers", "U_h",
             "U_c", "U", "worker: core tasks");
    line_text(one, "production", &window->production, text);
    line_text(one, "  greedy", &window->greedy, text);
    line_text(one, "utilization", &window->balance, text);
    greedy_text(window, text);
    if (!window->production.proven || !window->balance.proven)
        text_add(text, "            best found of%s%s: there are too many sets of workers to try\n",
                 window->production.proven ? "" : " production",
                 window->balance.proven ? "" : " utilization");
}

void one_period_text(const struct one_period *one, struct text *text)
{
    text_add(text, "period      ");
    text_add_seconds(text, one->period_s);
    text_add(text, ", %" PRId64 " workers, loads in fractions of a core task\n", one->workers);
    for (int64_t w = 0; w < one->window_count; w++)
        window_text(one, &one->windows[w], text);
}

/* ---- for programs -------------------------------------------------------------------------- */

/* Writes "workers" and "loads" as in a plan, without workers that have no load. */
static void loads_json(const double *loads, int64_t count, struct json_text *json)
{
    struct json_text workers = json_open_in(json, "workers", "[", ", ");
    for (int64_t i = 0; i < count; i++)
        if (loads[i] > 0)
            json_count(&workers, NULL, i);
    json_close(&workers, "]");
    struct json_text list = json_open_in(json, "loads", "[", ", ");
    for (int64_t i = 0; i < count; i++)
        if (loads[i] > 0)
            json_number(&list, NULL, loads[i]);
    json_close(&list, "]");
}

static void made_json(const struct one_period *one, const char *key,
                      const struct period_loads *made, struct json_text *window)
{
    const struct utilization *own = &made->utilization;
    struct json_text json = json_open_in(window, key, "{", ", ");
    json_number(&json, "tasks", own->tasks);
    json_number(&json, "master_utilization", own->port);
    json_number(&json, "worker_utilization", own->workers);
    json_number(&json, "utilization", own->port + own->workers);
    json_flag(&json, "proven", made->proven);
    loads_json(made->loads, one->workers, &json);
    json_close(&json, "}");
}

static void window_json(const struct one_period *one, const struct period_window *window,
                        struct json_text *windows)
{
    struct json_text json = json_open_in(windows, NULL, "{", ",\n      ");
    struct json_text tasks = json_open_in(&json, "tasks", "[", ", ");
    json_count(&tasks, NULL, window->least);
    json_count(&tasks, NULL, window->greatest);
    json_close(&tasks, "]");
    made_json(one, "production", &window->production, &json);
    made_json(one, "greedy", &window->greedy, &json);
    made_json(one, "balance", &window->balance, &json);
    if (window->theorem > 0)
        json_count(&json, "theorem", window->theorem);
    if (window->missed >= 0)
        json_number(&json, "missed_most", window->missed);
    json_close(&json, "}");
}

void one_period_json(const struct one_period *one, struct text *text)
{
    struct json_text json = json_open(text, "{ ", ",\n  ");
    json_word(&json, "schema", "scow-period-1");
    json_number(&json, "period_s", one->period_s);
    struct json_text windows = json_open_in(&json, "windows", "[\n    ", ",\n    ");
    for (int64_t w = 0; w < one->window_count; w++)
        window_json(one, &one->windows[w], &windows);
    json_close(&windows, "]");
    json_close(&json, " }\n");
}
