#include "planner/studies/pairs_table.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/json_text.h"
#include "planner/base/limits.h"

/* Rows of the printed table, which would get too long; the JSON has all pairs. */
enum { ROWS_MOST = 40 };
static const double TOLERANCE = 0.05; /* Definitions 5 and 6, relative */

static const struct {
    enum ranking_order order;
    const char *key, *words;
} orders[PAIRS_ORDERS] = {
    {RANKING_BY_FEED, "feed", "cheapest to feed first"},
    {RANKING_BY_WORK, "work", "fastest first"},
    {RANKING_BY_RATIO, "ratio", "least share of the port first"},
};

/* ---- finding them -------------------------------------------------------------------------- */

static bool order_make(const struct platform *platform, int64_t w, struct pairs_window *window)
{
    const int k = window->order_count;
    struct ranking ranking;
    if (!ranking_init(&ranking, platform, &platform->windows[w], true, orders[k].order))
        return false;
    window->equal = ranking.equal || ranking_homogeneous(&ranking, TOLERANCE);
    if (window->equal && !ranking.equal)
        ranking_average(&ranking);
    window->orders[k].order = orders[k].order;
    window->orders[k].ranking = ranking;
    window->order_count++;
    return pairs_find(&ranking, &window->orders[k].pairs);
}

static bool window_make(const struct platform *platform, int64_t w, struct pairs_window *window)
{
    bool good = true;
    window->least = platform->windows[w].least;
    window->greatest = platform->windows[w].greatest;
    while (good && window->order_count < (window->equal ? 1 : PAIRS_ORDERS))
        good = order_make(platform, w, window);
    if (good && window->equal) {
        window->feed = window->orders[0].ranking.workers[0].feed;
        window->work = window->orders[0].ranking.workers[0].work;
    }
    return good;
}

bool pairs_table_make(const struct platform *platform, struct pairs_table *table,
                      struct failure *failure)
{
    struct pairs_table made = {.workers = platform->worker_count};
    bool good = true;
    made.windows = calloc((size_t)platform->window_count, sizeof *made.windows);
    if (made.windows == NULL)
        return failure_memory(failure, "finding perfect pairs");
    for (int64_t w = 0; good && w < platform->window_count; w++)
        good = window_make(platform, made.window_count++, &made.windows[w]);
    if (good)
        *table = made;
    else
        pairs_table_release(&made);
    return good || failure_memory(failure, "finding perfect pairs");
}

void pairs_table_release(struct pairs_table *table)
{
    for (int64_t w = 0; w < table->window_count; w++)
        for (int k = 0; k < table->windows[w].order_count; k++) {
            ranking_release(&table->windows[w].orders[k].ranking);
            pairs_release(&table->windows[w].orders[k].pairs);
        }
    free(table->windows);
    *table = (struct pairs_table){.windows = NULL};
}

static double lambda_of(const struct pairs_window *window)
{
    return window->feed.s_per_task > 0 ? window->work.s_per_task / window->feed.s_per_task
                                       : HUGE_VAL;
}

/* ---- for people ---------------------------------------------------------------------------- */

static void row_text(const struct pairs_window *window, const struct pair *pair, struct text *text)
{
    const char *outside = pair->least < (double)window->least ? "no: too small" : "no: too large";
    text_add(text, "%9" PRId64, pair->workers);
    text_add_seconds_column(text, pair->period_s);
    if (pair->greatest <= pair->least * (1 + 1e-9))
        text_add(text, "%18.6g", pair->least);
    else
        text_add(text, "%9.4g-%-8.4g", pair->least, pair->greatest);
    text_add(text, "%14.7g%12.7g%8.3f%8.3f  %s%s\n", pair->tasks, pair->tasks / pair->period_s,
             pair->port_utilization, pair->worker_utilization, pair->in_window ? "yes" : outside,
             pair->from ? "" : "; fed up to this period");
}

static void rows_text(const struct pairs_window *window, const struct pairs *pairs,
                      struct text *text)
{
    if (pairs->count == 0)
        return;
    text_add(text, "%9s%12s%18s%14s%12s%8s%8s  %s\n", "workers", "period", "package",
             "tasks/period", "tasks/s", "U_h", "U_c", "in window");
    for (size_t k = 0; k < pairs->count; k++)
        if (pairs->count <= ROWS_MOST ||
            (k + 1) * ROWS_MOST / pairs->count > k * ROWS_MOST / pairs->count)
            row_text(window, &pairs->items[k], text);
    if (pairs->count > ROWS_MOST)
        text_add(text, "            %d of %zu pairs: --json prints them all\n", ROWS_MOST,
                 pairs->count);
    if (pairs->more && pairs->count >= PAIRS_MOST)
        text_add(text, "            these are the first ones\n");
}

static void any_text(const struct pair_gap *gap, struct text *text)
{
    text_add(text, "any         ");
    if (gap->last >= LIMIT_WORKERS)
        text_add(text, "all workers, however many,");
    else if (gap->first == gap->last)
        text_add(text, "%" PRId64 " worker%s", gap->first, gap->first == 1 ? "" : "s");
    else if (gap->first == 1)
        text_add(text, "up to %" PRId64 " workers", gap->last);
    else
        text_add(text, "%" PRId64 " to %" PRId64 " workers", gap->first, gap->last);
    text_add(text, " %s kept busy by any period\n", gap->last == 1 ? "is" : "are");
}

static void gap_text(const struct pairs_table *table, const struct pair_gap *gap, struct text *text)
{
    if (gap->any)
        any_text(gap, text);
    else if (gap->last >= table->workers && gap->first > 1)
        text_add(text, "none        no period keeps more than %" PRId64 " worker%s busy\n",
                 gap->first - 1, gap->first == 2 ? "" : "s");
    else if (gap->last >= table->workers)
        text_add(text, "none        no period keeps even one worker busy\n");
    else
        text_add(text, "none        no period keeps %" PRId64 " to %" PRId64 " workers busy\n",
                 gap->first, gap->last);
}

/* An order that is the same as an earlier one is not printed again. */
static bool order_new(const struct pairs_window *window, int k)
{
    const struct ranking *own = &window->orders[k].ranking;
    for (int other = 0; other < k; other++) {
        const struct ranking *ranking = &window->orders[other].ranking;
        bool same = true;
        for (int64_t i = 0; same && i < own->count; i++)
            same = own->workers[i].id == ranking->workers[i].id;
        if (same)
            return false;
    }
    return true;
}

static void window_text(const struct pairs_table *table, const struct pairs_window *window,
                        struct text *text)
{
    text_add(text, "window      packages of %" PRId64 " to %" PRId64 " core tasks\n", window->least,
             window->greatest);
    for (int k = 0; k < window->order_count; k++) {
        const struct pairs *pairs = &window->orders[k].pairs;
        if (!order_new(window, k)) {
            text_add(text, "order       %s: as above\n", orders[k].words);
            continue;
        }
        if (!window->equal)
            text_add(text, "order       %s\n", orders[k].words);
        rows_text(window, pairs, text);
        for (size_t g = 0; g < pairs->gap_count; g++)
            gap_text(table, &pairs->gaps[g], text);
    }
    if (!window->equal)
        return;
    if (!(lambda_of(window) < HUGE_VAL))
        return;
    text_add(text,
             "lambda      %.5g: computing a core task takes so many times what sending it does\n",
             lambda_of(window));
    text_add(text, "T_lambda    ");
    text_add_seconds(text, lambda_of(window) * window->feed.latency_s);
    text_add(text, ": lambda times the latency of sending\n");
}

void pairs_table_text(const struct pairs_table *table, struct text *text)
{
    text_add(text, "profile     %" PRId64 " workers\n", table->workers);
    for (int64_t w = 0; w < table->window_count; w++) {
        text_add(text, "\n");
        window_text(table, &table->windows[w], text);
    }
}

/* ---- for programs -------------------------------------------------------------------------- */

static void pair_json(const struct pair *pair, struct json_text *pairs)
{
    struct json_text json = json_open_in(pairs, NULL, "{", ", ");
    json_count(&json, "workers", pair->workers);
    json_number(&json, "period_s", pair->period_s);
    json_word(&json, "fed", pair->from ? "from" : "up to");
    struct json_text loads = json_open_in(&json, "loads", "[", ", ");
    json_number(&loads, NULL, pair->least);
    json_number(&loads, NULL, pair->greatest);
    json_close(&loads, "]");
    json_number(&json, "tasks", pair->tasks);
    json_number(&json, "tasks_per_s", pair->tasks / pair->period_s);
    json_number(&json, "master_utilization", pair->port_utilization);
    json_number(&json, "worker_utilization", pair->worker_utilization);
    json_flag(&json, "in_window", pair->in_window);
    json_close(&json, "}");
}

/* Numbers of workers end at LIMIT_WORKERS: a gap that reaches it is printed without an end. */
static void gap_json(const struct pair_gap *gap, struct json_text *gaps)
{
    struct json_text json = json_open_in(gaps, NULL, "{", ", ");
    json_count(&json, "first", gap->first);
    if (gap->last < LIMIT_WORKERS)
        json_count(&json, "last", gap->last);
    else
        json_raw(&json, "last", NULL);
    json_word(&json, "fed", gap->any ? "any" : "never");
    json_close(&json, "}");
}

static void order_json(const struct pairs_window *window, int k, struct json_text *list)
{
    const struct pairs *pairs = &window->orders[k].pairs;
    struct json_text json = json_open_in(list, NULL, "{", ",\n        ");
    json_word(&json, "order", window->equal ? "any" : orders[k].key);
    json_flag(&json, "more", pairs->more);
    struct json_text items = json_open_in(&json, "pairs", "[\n          ", ",\n          ");
    for (size_t i = 0; i < pairs->count; i++)
        pair_json(&pairs->items[i], &items);
    json_close(&items, "]");
    struct json_text gaps = json_open_in(&json, "without", "[", ", ");
    for (size_t g = 0; g < pairs->gap_count; g++)
        gap_json(&pairs->gaps[g], &gaps);
    json_close(&gaps, "]");
    json_close(&json, "}");
}

static void window_json(const struct pairs_window *window, struct json_text *windows)
{
    struct json_text json = json_open_in(windows, NULL, "{", ",\n      ");
    struct json_text tasks = json_open_in(&json, "tasks", "[", ", ");
    json_count(&tasks, NULL, window->least);
    json_count(&tasks, NULL, window->greatest);
    json_close(&tasks, "]");
    json_flag(&json, "equal", window->equal);
    if (window->equal) {
        json_number(&json, "lambda", lambda_of(window));
        json_number(&json, "lambda_latency_s", lambda_of(window) * window->feed.latency_s);
    }
    struct json_text list = json_open_in(&json, "orders", "[\n      ", ",\n      ");
    for (int k = 0; k < window->order_count; k++)
        order_json(window, k, &list);
    json_close(&list, "]");
    json_close(&json, "}");
}

void pairs_table_json(const struct pairs_table *table, struct text *text)
{
    struct json_text json = json_open(text, "{ ", ",\n  ");
    json_word(&json, "schema", "scow-pairs-1");
    json_count(&json, "workers", table->workers);
    struct json_text windows = json_open_in(&json, "windows", "[\n    ", ",\n    ");
    for (int64_t w = 0; w < table->window_count; w++)
        window_json(&table->windows[w], &windows);
    json_close(&windows, "\n  ]");
    json_close(&json, " }\n");
}
