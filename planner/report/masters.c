#include "planner/report/masters.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "planner/report/residuals_star.h"

/* ---- a star as a run ------------------------------------------------------------------------ */

/* A star as a run of its own; all that its record contains is borrowed from the whole run's. */
struct star_view {
    struct run_record record;
    const struct run_record *whole;
    struct run_loss *losses; /* owned */
    int64_t master, end;     /* its ranks, the master's first */
    double begun_s;          /* start of its first envelope; HUGE_VAL: not seen yet */
    /* While its trace is read: */
    const struct trace_taker *taker;
    struct trace here; /* owned */
};

struct masters_views {
    size_t count;
    struct star_view items[];
};

static bool is_of(const struct star_view *view, int64_t rank)
{
    return rank >= view->master && rank < view->end;
}

/* Passes on the star's part of a block; in it, the star's master is rank 0. */
static bool view_take(void *self, const struct trace *block)
{
    struct star_view *view = self;
    view->here.count = 0;
    for (size_t k = 0; k < block->count; k++) {
        struct trace_event event = block->events[k];
        if (!is_of(view, event.rank))
            continue;
        if (event.operation == OPERATION_ENVELOPE)
            view->begun_s = fmin(view->begun_s, event.start_s);
        if (event.rank == view->master)
            event.rank = 0;
        if (!trace_add(&view->here, &event))
            return false;
    }
    return view->here.count == 0 || view->taker->take(view->taker->self, &view->here);
}

static bool view_read(void *self, const struct trace_taker *taker, struct failure *failure)
{
    struct star_view *view = self;
    const struct trace_taker own = {view_take, view};
    view->taker = taker;
    return run_trace_read(view->whole, &own, failure);
}

/* The star's ranks end where those of the next master begin. */
static int64_t ranks_end(const struct plan *plan, int64_t master)
{
    int64_t end = INT32_MAX;
    for (size_t k = 0; k < plan->star_count; k++)
        if (plan->stars[k].master > master && plan->stars[k].master < end)
            end = plan->stars[k].master;
    return end;
}

/* The star's part of the plan, with what holds for the whole plan. */
static struct plan plan_of(const struct plan *whole, const struct plan *star)
{
    struct plan plan = *whole;
    plan.stars = NULL;
    plan.star_count = 0;
    plan.scheduler = star->scheduler;
    plan.tasks = star->tasks;
    plan.first = star->first;
    plan.master = star->master;
    plan.workers = star->workers;
    plan.worker_count = star->worker_count;
    plan.rounds = star->rounds;
    plan.round_count = star->round_count;
    plan.predicted = star->predicted;
    return plan;
}

static bool losses_take(struct star_view *view)
{
    const struct run_record *whole = view->whole;
    view->losses = calloc((size_t)whole->loss_count + 1, sizeof *view->losses);
    view->record.losses = view->losses;
    view->record.loss_count = 0;
    for (int64_t k = 0; view->losses && k < whole->loss_count; k++)
        if (is_of(view, whole->losses[k].worker + 1))
            view->losses[view->record.loss_count++] = whole->losses[k];
    return view->losses != NULL;
}

/* To be released. Must not be moved in memory. */
static bool view_init(struct star_view *view, const struct run_record *whole, size_t k)
{
    const struct plan *star = &whole->plan.stars[k];
    *view = (struct star_view){.record = *whole,
                               .whole = whole,
                               .master = star->master,
                               .end = ranks_end(&whole->plan, star->master),
                               .begun_s = HUGE_VAL};
    view->record.plan = plan_of(&whole->plan, star);
    view->record.star = true;
    view->record.star_last =
        view->end - 1 < run_record_ranks(whole) ? view->end - 1 : run_record_ranks(whole);
    view->record.trace = (struct trace){.count = 0};
    view->record.long_trace = (struct run_trace){.self = view,
                                                 .read = view_read,
                                                 .ranks = run_record_ranks(whole),
                                                 .packages = whole->long_trace.packages};
    return losses_take(view);
}

static void view_release(struct star_view *view)
{
    free(view->losses);
    trace_release(&view->here);
}

void masters_views_free(struct masters_views **views)
{
    for (size_t k = 0; *views && k < (*views)->count; k++)
        view_release(&(*views)->items[k]);
    free(*views);
    *views = NULL;
}

struct masters_views *masters_views_new(const struct run_record *record)
{
    const size_t count = record->plan.star_count;
    struct masters_views *views = calloc(1, sizeof *views + count * sizeof *views->items);
    for (bool good = views != NULL; good && views->count < count;) {
        good = view_init(&views->items[views->count], record, views->count);
        views->count++;
        if (!good)
            masters_views_free(&views);
    }
    return views;
}

const struct run_record *masters_view(const struct masters_views *views, size_t k)
{
    return &views->items[k].record;
}

/* ---- together ------------------------------------------------------------------------------- */

/* Adds `more`, whose times begin later_s later. */
static bool summary_join(struct trace_summary *all, const struct trace_summary *more,
                         double later_s)
{
    const int64_t workers =
        more->worker_count > all->worker_count ? more->worker_count : all->worker_count;
    struct worker_summary *room = realloc(all->workers, ((size_t)workers + 1) * sizeof *room);
    if (!room)
        return false;
    all->workers = room;
    for (int64_t k = all->worker_count; k <= workers; k++)
        room[k] = (struct worker_summary){.packages = 0};
    all->worker_count = workers;
    for (int64_t k = 0; k < more->worker_count; k++)
        if (more->workers[k].packages > 0) {
            room[k] = more->workers[k];
            room[k].end_s += later_s;
        }
    for (int k = 0; k < OPERATION_COUNT; k++)
        all->seconds[k] += more->seconds[k];
    all->hidden_s += more->hidden_s;
    all->makespan_s = fmax(all->makespan_s, later_s + more->makespan_s);
    return true;
}

static int64_t rounds_listed(int64_t rounds)
{
    return rounds < ROUNDS_LISTED ? rounds : ROUNDS_LISTED;
}

/* A round of the whole run ends with the last star that ends its round of that number. */
static bool rounds_join(struct trace_summary *all, const struct trace_summary *more, double later_s)
{
    const double *ends_s = more->round_ends_s; /* NULL: it has no rounds */
    const int64_t had = rounds_listed(all->round_count),
                  more_count = ends_s ? rounds_listed(more->round_count) : 0;
    const int64_t count = more_count > had ? more_count : had;
    double *room = realloc(all->round_ends_s, ((size_t)count + 1) * sizeof *room);
    if (!room)
        return false;
    all->round_ends_s = room;
    for (int64_t k = 0; k < count; k++)
        room[k] = fmax(k < had ? room[k] : 0, k < more_count ? later_s + ends_s[k] : 0);
    if (more->round_count > all->round_count)
        all->round_count = more->round_count;
    return true;
}

/* Computes means over the workers, and the busiest master. */
static void shares_join(struct trace_summary *all, const struct trace_summary *more)
{
    const double had = (double)all->workers_used, used = (double)more->workers_used;
    const double share = had + used > 0 ? used / (had + used) : 0;
    all->worker_utilization += share * (more->worker_utilization - all->worker_utilization);
    all->master_utilization += share * (more->master_utilization - all->master_utilization);
    all->network_utilization = fmax(all->network_utilization, more->network_utilization);
    all->workers_used += more->workers_used;
}

static double busy_s(const struct worker_summary *worker)
{
    return worker->seconds[OPERATION_RECEIVE] + worker->seconds[OPERATION_COMPUTE] +
           worker->seconds[OPERATION_OUTPUT];
}

/* Workers of a star that has ended wait for the others: that counts as idle time. */
static void idle_settle(struct trace_summary *all, struct worker_summary *worker)
{
    const double idle_s =
        fmax(all->makespan_s - busy_s(worker) - worker->seconds[OPERATION_START], 0);
    all->seconds[OPERATION_IDLE] += idle_s - worker->seconds[OPERATION_IDLE];
    worker->seconds[OPERATION_IDLE] = idle_s;
}

/* Computes the balance over all workers, once all are added. */
static void balance_settle(struct trace_summary *all)
{
    const double used = (double)all->workers_used;
    double busiest_s = 0, sum_s = 0, last_s = -1;
    all->last_worker = -1;
    for (int64_t k = 0; k < all->worker_count; k++) {
        struct worker_summary *worker = &all->workers[k];
        if (worker->packages > 0)
            idle_settle(all, worker);
        busiest_s = fmax(busiest_s, busy_s(worker));
        sum_s += busy_s(worker);
        if (worker->packages > 0 && worker->end_s > last_s) {
            last_s = worker->end_s;
            all->last_worker = k;
        }
    }
    all->imbalance = sum_s > 0 ? busiest_s * used / sum_s - 1 : 0;
    all->worker_busy_share = sum_s > 0 ? sum_s / (used * all->makespan_s) : 0;
}

static void cause_add(struct causes *all, int64_t worker, enum cause cause, double seconds)
{
    all->workers[worker].seconds[cause] += seconds;
    all->seconds[cause] += seconds;
}

/* Before its star began and after it ended, a worker waited like those of other stars. */
static void causes_settle(struct causes *all, const struct causes *star, double later_s,
                          double earlier_s)
{
    for (int64_t k = 0; k < star->worker_count; k++)
        if (star->workers[k].busy_s > 0) {
            cause_add(all, k, CAUSE_START, later_s);
            cause_add(all, k, CAUSE_END, fmax(earlier_s, 0));
        }
}

static bool causes_join(struct causes *all, const struct causes *more)
{
    const int64_t workers =
        more->worker_count > all->worker_count ? more->worker_count : all->worker_count;
    struct worker_causes *room = realloc(all->workers, ((size_t)workers + 1) * sizeof *room);
    if (!room)
        return false;
    all->workers = room;
    for (int64_t k = all->worker_count; k <= workers; k++)
        room[k] = (struct worker_causes){{0}, 0};
    all->worker_count = workers;
    for (int64_t k = 0; k < more->worker_count; k++)
        if (more->workers[k].busy_s > 0)
            room[k] = more->workers[k];
    for (int k = 0; k < CAUSE_COUNT; k++)
        all->seconds[k] += more->seconds[k];
    return true;
}

static bool figures_join(struct trace_summary *all, const struct trace_summary *more,
                         struct causes *causes, const struct causes *more_causes, double later_s)
{
    const bool good = summary_join(all, more, later_s) && rounds_join(all, more, later_s) &&
                      causes_join(causes, more_causes);
    shares_join(all, more);
    return good;
}

/* Adds a star of the run, which began later_s later than the first one. */
static bool star_join(struct residuals *all, const struct residuals *star, double later_s)
{
    all->has_predicted = all->has_predicted && star->has_predicted;
    all->has_replayed = all->has_replayed && star->has_replayed;
    return figures_join(&all->measured, &star->measured, &all->causes.measured,
                        &star->causes.measured, later_s) &&
           figures_join(&all->predicted, &star->predicted, &all->causes.predicted,
                        &star->causes.predicted, 0) &&
           figures_join(&all->replayed, &star->replayed, &all->causes.replayed,
                        &star->causes.replayed, later_s);
}

/* How much earlier than the whole run that star ended. */
static double earlier_s(const struct trace_summary *all, const struct trace_summary *star,
                        double later_s)
{
    return all->makespan_s - (later_s + star->makespan_s);
}

static void star_settle(struct residuals *all, const struct residuals *star, double later_s)
{
    causes_settle(&all->causes.measured, &star->causes.measured, later_s,
                  earlier_s(&all->measured, &star->measured, later_s));
    causes_settle(&all->causes.predicted, &star->causes.predicted, 0,
                  earlier_s(&all->predicted, &star->predicted, 0));
    causes_settle(&all->causes.replayed, &star->causes.replayed, later_s,
                  earlier_s(&all->replayed, &star->replayed, later_s));
}

/* The end without losses: each star would have ended as planned. NaN: not known for any. */
static double undisturbed_join(const struct residuals *all)
{
    double end_s = (double)NAN;
    bool known = false;
    for (size_t k = 0; k < all->star_count; k++) {
        const struct residuals *star = &all->stars[k];
        known = known || !isnan(star->undisturbed_s);
        end_s = fmax(end_s,
                     isnan(star->undisturbed_s) ? star->predicted.makespan_s : star->undisturbed_s);
    }
    return known && all->has_predicted ? end_s : (double)NAN;
}

static bool all_join(struct residuals *all)
{
    double first_s = HUGE_VAL;
    bool good = true;
    all->has_predicted = all->has_replayed = true;
    for (size_t k = 0; k < all->star_count; k++)
        first_s = fmin(first_s, all->stars[k].begun_s);
    for (size_t k = 0; good && k < all->star_count; k++)
        good = star_join(all, &all->stars[k], all->stars[k].begun_s - first_s);
    for (size_t k = 0; good && k < all->star_count; k++)
        star_settle(all, &all->stars[k], all->stars[k].begun_s - first_s);
    all->undisturbed_s = undisturbed_join(all);
    balance_settle(&all->measured);
    balance_settle(&all->predicted);
    balance_settle(&all->replayed);
    return good;
}

static bool star_make(const struct run_record *record, size_t k, struct residuals *star,
                      struct failure *failure)
{
    struct star_view view;
    const bool good = view_init(&view, record, k)
                          ? residuals_star_make(&view.record, NULL, 0, star, failure)
                          : failure_memory(failure, "reading a run of several masters");
    star->record = record; /* the view is about to be released */
    star->begun_s = isfinite(view.begun_s) ? view.begun_s : 0;
    view_release(&view);
    return good;
}

bool masters_residuals(const struct run_record *record, struct residuals *residuals,
                       struct failure *failure)
{
    const size_t count = record->plan.star_count;
    bool good = true;
    *residuals = (struct residuals){.record = record, .undisturbed_s = (double)NAN};
    residuals->stars = calloc(count, sizeof *residuals->stars);
    if (!residuals->stars)
        return failure_memory(failure, "reading a run of several masters");
    for (; good && residuals->star_count < count; residuals->star_count++)
        good = star_make(record, residuals->star_count, &residuals->stars[residuals->star_count],
                         failure);
    if (good && !all_join(residuals))
        good = failure_memory(failure, "reading a run of several masters");
    residuals_take_interval(record, residuals);
    if (!good)
        residuals_release(residuals);
    return good;
}

/* ---- words ---------------------------------------------------------------------------------- */

static int64_t packages_of(const struct trace_summary *summary)
{
    int64_t packages = 0;
    for (int64_t k = 0; k < summary->worker_count; k++)
        packages += summary->workers[k].packages;
    return packages;
}

static int64_t tasks_of(const struct trace_summary *summary)
{
    int64_t tasks = 0;
    for (int64_t k = 0; k < summary->worker_count; k++)
        tasks += summary->workers[k].tasks;
    return tasks;
}

static void percent_column(struct text *text, double share)
{
    if (isnan(share))
        text_add(text, "%10s", "-");
    else
        text_add(text, "%+8.1f %%", 100 * share);
}

/* Core tasks that moved to that master's workers from those of others. */
static int64_t moved_to(const struct run_record *record, int64_t master)
{
    int64_t tasks = 0;
    for (int64_t k = 0; k < record->move_count; k++)
        tasks += record->moves[k].to == master ? record->moves[k].tasks : 0;
    return tasks;
}

static int64_t moved_from(const struct run_record *record, int64_t master)
{
    int64_t tasks = 0;
    for (int64_t k = 0; k < record->move_count; k++)
        tasks += record->moves[k].from == master ? record->moves[k].tasks : 0;
    return tasks;
}

static void star_row(const struct residuals *star, int64_t master, struct text *text)
{
    const double predicted_s = star->has_predicted ? star->predicted.makespan_s : (double)NAN;
    text_add(text, "%-8" PRId64 "%12" PRId64 "%12" PRId64 "%12" PRId64, master,
             star->measured.workers_used, tasks_of(&star->measured), packages_of(&star->measured));
    if (star->has_predicted)
        text_add_seconds_column(text, predicted_s);
    else
        text_add(text, "%12s", "-");
    text_add_seconds_column(text, star->measured.makespan_s);
    percent_column(text, residuals_error(predicted_s, star->measured.makespan_s));
    text_add(text, "%10.1f %%", 100 * star->measured.master_utilization);
    if (star->record->move_count > 0)
        text_add(text, "%10" PRId64 "%10" PRId64, moved_from(star->record, master),
                 moved_to(star->record, master));
    text_add(text, "\n");
}

/* ---- groups of a tree ----------------------------------------------------------------------- */

/* Sums over a group's workers. */
struct group_sum {
    int64_t workers, tasks, packages;
    double end_s;
};

static struct group_sum group_sum(const struct trace_summary *summary, const struct plan *group)
{
    struct group_sum sum = {0, 0, 0, 0};
    for (int64_t slot = 0; slot < group->worker_count; slot++) {
        const struct worker_summary worker = trace_summary_worker(summary, group->workers[slot]);
        sum.workers += worker.packages > 0;
        sum.tasks += worker.tasks;
        sum.packages += worker.packages;
        sum.end_s = fmax(sum.end_s, worker.end_s);
    }
    return sum;
}

static double group_predicted_s(const struct residuals *residuals, const struct plan *group)
{
    return residuals->has_predicted ? group_sum(&residuals->predicted, group).end_s : (double)NAN;
}

static void group_row(const struct residuals *residuals, const struct plan *group,
                      struct text *text)
{
    const struct group_sum sum = group_sum(&residuals->measured, group);
    const double predicted_s = group_predicted_s(residuals, group);
    text_add(text, "%-8" PRId64 "%12" PRId64 "%12" PRId64 "%12" PRId64, group->master, sum.workers,
             sum.tasks, sum.packages);
    if (isnan(predicted_s))
        text_add(text, "%12s", "-");
    else
        text_add_seconds_column(text, predicted_s);
    text_add_seconds_column(text, sum.end_s);
    percent_column(text, residuals_error(predicted_s, sum.end_s));
    text_add(text, "\n");
}

static void group_rows(const struct residuals *residuals, const struct plan *plan,
                       struct text *text)
{
    for (size_t k = 0; k < plan->child_count; k++)
        if (plan->children[k].child_count > 0)
            group_rows(residuals, &plan->children[k], text);
        else
            group_row(residuals, &plan->children[k], text);
}

static void groups_text(const struct residuals *residuals, struct text *text)
{
    text_add(text, "%-8s%12s%12s%12s%12s%12s%10s\n", "master", "workers", "core tasks", "packages",
             "predicted", "measured", "error");
    group_rows(residuals, &residuals->record->plan, text);
    text_add(text, "\n");
}

static void group_json(const struct residuals *residuals, const struct plan *group,
                       struct json_text *rows)
{
    const struct group_sum sum = group_sum(&residuals->measured, group);
    const double predicted_s = group_predicted_s(residuals, group);
    struct json_text json = json_open_in(rows, NULL, "    {", ", ");
    json_count(&json, "rank", group->master);
    json_count(&json, "workers", sum.workers);
    json_count(&json, "tasks", sum.tasks);
    json_count(&json, "packages", sum.packages);
    struct json_text makespan = json_open_in(&json, "makespan", "{", ", ");
    json_number(&makespan, "predicted_s", predicted_s);
    json_number(&makespan, "measured_s", sum.end_s);
    json_number(&makespan, "error", residuals_error(predicted_s, sum.end_s));
    json_close(&makespan, "}");
    json_close(&json, "}");
}

static void groups_json(const struct residuals *residuals, const struct plan *plan,
                        struct json_text *rows)
{
    for (size_t k = 0; k < plan->child_count; k++)
        if (plan->children[k].child_count > 0)
            groups_json(residuals, &plan->children[k], rows);
        else
            group_json(residuals, &plan->children[k], rows);
}

/* ---- either --------------------------------------------------------------------------------- */

static bool is_tree(const struct residuals *residuals)
{
    return residuals->record->plan.child_count > 0;
}

void masters_text(const struct residuals *residuals, struct text *text)
{
    if (is_tree(residuals))
        groups_text(residuals, text);
    if (residuals->star_count == 0)
        return;
    text_add(text, "%-8s%12s%12s%12s%12s%12s%10s%12s%s\n", "master", "workers", "core tasks",
             "packages", "predicted", "measured", "error", "master busy",
             residuals->record->move_count > 0 ? "     given     taken" : "");
    for (size_t k = 0; k < residuals->star_count; k++)
        star_row(&residuals->stars[k], residuals->record->plan.stars[k].master, text);
    text_add(text, "\n");
}

static void star_json(const struct residuals *star, int64_t master, struct json_text *rows)
{
    struct json_text json = json_open_in(rows, NULL, "    {", ", ");
    const double predicted_s = star->has_predicted ? star->predicted.makespan_s : (double)NAN;
    json_count(&json, "rank", master);
    json_count(&json, "workers", star->measured.workers_used);
    json_count(&json, "tasks", tasks_of(&star->measured));
    json_count(&json, "packages", packages_of(&star->measured));
    json_count(&json, "given", moved_from(star->record, master));
    json_count(&json, "taken", moved_to(star->record, master));
    struct json_text makespan = json_open_in(&json, "makespan", "{", ", ");
    json_number(&makespan, "predicted_s", predicted_s);
    json_number(&makespan, "measured_s", star->measured.makespan_s);
    json_number(&makespan, "error", residuals_error(predicted_s, star->measured.makespan_s));
    json_number(&makespan, "drift", residuals_drift(star));
    json_number(&makespan, "model_error", residuals_model_error(star));
    json_close(&makespan, "}");
    json_number(&json, "master_utilization", star->measured.master_utilization);
    json_close(&json, "}");
}

void masters_json(const struct residuals *residuals, struct json_text *json)
{
    struct json_text rows;
    if (is_tree(residuals)) {
        rows = json_open_in(json, "groups", "[\n", ",\n");
        groups_json(residuals, &residuals->record->plan, &rows);
        json_close(&rows, "\n  ]");
    }
    if (residuals->star_count == 0)
        return;
    rows = json_open_in(json, "masters", "[\n", ",\n");
    for (size_t k = 0; k < residuals->star_count; k++)
        star_json(&residuals->stars[k], residuals->record->plan.stars[k].master, &rows);
    json_close(&rows, "\n  ]");
}
