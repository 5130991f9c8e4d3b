#include "planner/report/masters.h"

#include <math.h>
#include <stdlib.h>

#include "planner/report/residuals_star.h"
#include "planner/report/star_views.h"

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
    const bool good = star_view_init(&view, record, k)
                          ? residuals_star_make(&view.record, NULL, 0, star, failure)
                          : failure_memory(failure, "reading a run of several masters");
    star->record = record; /* the view is about to be released */
    star->begun_s = isfinite(view.begun_s) ? view.begun_s : 0;
    star_view_release(&view);
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
