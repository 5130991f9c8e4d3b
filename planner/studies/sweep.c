/*
 * The knee is where speed-up times efficiency, S(n) S(n) / n, is greatest: there a further worker
 * costs more efficiency than it gains speed (D. L. Eager, J. Zahorjan, E. D. Lazowska, Speedup
 * versus efficiency in parallel systems, IEEE Trans. Comput. 38(3), 1989).
 */
#include "planner/studies/sweep.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/schedulers/scheduler.h"

enum { EVERY_UP_TO = 32, STEP_SHARE = 10 };

static void setting_release(struct profile_setting *setting)
{
    for (size_t k = 0; k < setting->window_count; k++)
        free(setting->windows[k].workers);
    free(setting->windows);
}

/* A copy in which the last class has `more` workers more; names stay borrowed. */
static bool setting_grow(const struct profile_setting *from, int64_t more,
                         struct profile_setting *grown)
{
    struct profile_setting copy = {.memory = from->memory};
    copy.windows = calloc(from->window_count, sizeof *copy.windows);
    for (size_t k = 0; copy.windows && k < from->window_count; k++) {
        struct profile_window *window = &copy.windows[k];
        size_t size = from->windows[k].worker_count * sizeof *window->workers;
        *window = from->windows[k];
        copy.window_count = k + 1;
        window->workers = malloc(size);
        if (!window->workers)
            break;
        memcpy(window->workers, from->windows[k].workers, size);
        window->workers[window->worker_count - 1].count += more;
    }
    if (copy.window_count < from->window_count || !copy.windows[copy.window_count - 1].workers) {
        setting_release(&copy);
        return false;
    }
    *grown = copy;
    return true;
}

static int64_t count_after(int64_t workers)
{
    return workers < EVERY_UP_TO ? workers + 1 : workers + (workers + STEP_SHARE - 1) / STEP_SHARE;
}

static bool row_make(const struct planning *planning, struct sweep_row *row,
                     struct failure *failure)
{
    struct plan plan;
    if (!planning_make(planning, &plan, failure))
        return false;
    row->workers = planning->workers;
    row->makespan_s = plan.predicted.makespan_s;
    row->node_seconds = (double)row->workers * row->makespan_s;
    plan_release(&plan);
    return true;
}

/* Speed-up is over one worker, whom the first row has. */
static void rows_compare(struct sweep *sweep)
{
    double best = 0;
    for (size_t k = 0; k < sweep->count; k++) {
        struct sweep_row *row = &sweep->rows[k];
        row->speedup = sweep->rows[0].makespan_s / row->makespan_s;
        row->efficiency = row->speedup / (double)row->workers;
        if (row->speedup * row->efficiency > best) {
            best = row->speedup * row->efficiency;
            sweep->knee = k;
        }
    }
}

static bool rows_make(struct planning *planning, int64_t last, struct sweep *sweep,
                      struct failure *failure)
{
    size_t count = 1; /* one worker alone */
    for (int64_t workers = count_after(1); workers <= last; workers = count_after(workers))
        count++;
    sweep->rows = calloc(count, sizeof *sweep->rows);
    if (!sweep->rows)
        return failure_memory(failure, "sweeping over worker counts");
    for (int64_t workers = 1; workers <= last; workers = count_after(workers)) {
        planning->workers = workers;
        if (!row_make(planning, &sweep->rows[sweep->count++], failure))
            return false;
    }
    rows_compare(sweep);
    return true;
}

bool sweep_make(const struct planning *planning, struct sweep *sweep, struct failure *failure)
{
    struct planning own = *planning;
    struct profile_setting grown;
    int64_t available = profile_workers(&planning->setting->windows[0]);
    int64_t last = planning->workers > 0 ? planning->workers : 2 * available;
    if (strcmp(own.scheduler, SCHEDULER_AUTO) == 0)
        own.scheduler = SCHEDULER_QUICK;
    struct sweep made = {.scheduler = own.scheduler, .available = available};
    if (!setting_grow(planning->setting, last > available ? last - available : 0, &grown))
        return failure_memory(failure, "sweeping over worker counts");
    own.setting = &grown;
    bool good = rows_make(&own, last, &made, failure);
    setting_release(&grown);
    if (good)
        *sweep = made;
    else
        sweep_release(&made);
    return good;
}

void sweep_release(struct sweep *sweep)
{
    free(sweep->rows);
    *sweep = (struct sweep){0};
}

void sweep_text(const struct sweep *sweep, struct text *text)
{
    text_add(text, "%9s%12s%10s%12s%16s   planned with %s\n", "workers", "makespan", "speed-up",
             "efficiency", "node-seconds", sweep->scheduler);
    for (size_t k = 0; k < sweep->count; k++) {
        const struct sweep_row *row = &sweep->rows[k];
        text_add(text, "%9" PRId64, row->workers);
        text_add_seconds_column(text, row->makespan_s);
        text_add(text, "%10.2f%10.1f %%%16.4g%s%s\n", row->speedup, 100 * row->efficiency,
                 row->node_seconds, k == sweep->knee ? "   <- knee" : "",
                 row->workers == sweep->available ? "   <- all available" : "");
    }
}

void sweep_json(const struct sweep *sweep, struct text *text)
{
    text_add(text, "{ \"schema\": \"scow-sweep-1\", \"scheduler\": \"%s\",", sweep->scheduler);
    text_add(text, " \"available\": %" PRId64 ", \"knee\": %" PRId64 ",\n  \"rows\": [\n",
             sweep->available, sweep->rows[sweep->knee].workers);
    for (size_t k = 0; k < sweep->count; k++) {
        const struct sweep_row *row = &sweep->rows[k];
        text_add(text, "    {\"workers\": %" PRId64 ", \"makespan_s\": ", row->workers);
        text_add_number(text, row->makespan_s);
        text_add(text, ", \"speedup\": ");
        text_add_number(text, row->speedup);
        text_add(text, ", \"efficiency\": ");
        text_add_number(text, row->efficiency);
        text_add(text, ", \"node_seconds\": ");
        text_add_number(text, row->node_seconds);
        text_add(text, "}%s\n", k + 1 < sweep->count ? "," : "");
    }
    text_add(text, "  ] }\n");
}

/* The search for the fewest workers that meet a deadline. */
struct deadline_search {
    struct planning planning;
    double deadline_s;
    struct plan kept;       /* owned; of `workers` workers */
    int64_t workers;        /* the fewest so far; 0: none */
    double least_s;         /* the least makespan seen */
    struct failure refused; /* why a number of workers had no plan at all */
};

/* Does a plan for `workers` workers meet the deadline? It is kept when it does. */
static bool deadline_try(struct deadline_search *search, int64_t workers, bool *met,
                         struct failure *failure)
{
    struct plan made;
    struct failure refused = FAILURE_INIT;
    search->planning.workers = workers;
    *met = false;
    if (!planning_make(&search->planning, &made, &refused)) {
        failure_set(&search->refused, refused.code, "%s", refused.text);
        return refused.code == FAILURE_INFEASIBLE ||
               failure_set(failure, refused.code, "%s", refused.text);
    }
    *met = made.predicted.makespan_s <= search->deadline_s;
    search->least_s = fmin(search->least_s, made.predicted.makespan_s);
    if (*met) {
        plan_release(&search->kept);
        search->kept = made;
        search->workers = workers;
    } else {
        plan_release(&made);
    }
    return true;
}

/* A few fewer than `workers`, one by one, and on from the first of them that does. */
static bool deadline_lower(struct deadline_search *search, int64_t workers, struct failure *failure)
{
    enum { FEWER_MOST = 3 };
    for (int64_t fewer = 1; fewer <= FEWER_MOST && fewer < workers; fewer++) {
        bool met;
        if (!deadline_try(search, workers - fewer, &met, failure))
            return false;
        if (met) {
            workers -= fewer;
            fewer = 0;
        }
    }
    return true;
}

/* As if more workers never took longer. */
static bool deadline_bisect(struct deadline_search *search, struct failure *failure)
{
    int64_t low = 1;
    while (low < search->workers) {
        int64_t middle = low + (search->workers - low) / 2;
        bool met;
        if (!deadline_try(search, middle, &met, failure))
            return false;
        if (!met)
            low = middle + 1;
    }
    return true;
}

static bool deadline_refuse(const struct deadline_search *search, int64_t workers,
                            struct failure *failure)
{
    if (!isfinite(search->least_s))
        return failure_set(failure, search->refused.code, "%s", search->refused.text);
    return failure_set(
        failure, FAILURE_INFEASIBLE,
        "no plan meets the deadline of %.6g s: the least predicted makespan is %.6g s, with up to "
        "%" PRId64 " workers",
        search->deadline_s, search->least_s, workers);
}

/* A plan for more workers may leave some idle, so more hardly ever take longer, and halving finds
 * the least number. But a scheduler that must use every worker can take longer with a slow one
 * more, and rounding can cost a task: therefore the way down before and after. */
bool sweep_deadline(const struct planning *planning, double deadline_s, struct plan *plan,
                    struct failure *failure)
{
    struct deadline_search search = {.planning = *planning,
                                     .deadline_s = deadline_s,
                                     .least_s = HUGE_VAL,
                                     .refused = FAILURE_INIT};
    int64_t available = profile_workers(&planning->setting->windows[0]);
    int64_t most =
        planning->workers > 0 && planning->workers < available ? planning->workers : available;
    bool met;
    bool good = deadline_try(&search, most, &met, failure) &&
                (met || deadline_lower(&search, most, failure)) &&
                deadline_bisect(&search, failure) &&
                deadline_lower(&search, search.workers, failure);
    if (good && search.workers == 0)
        good = deadline_refuse(&search, most, failure);
    if (good)
        *plan = search.kept;
    else
        plan_release(&search.kept);
    return good;
}
