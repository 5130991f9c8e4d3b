#include "planner/strips/strips_plan.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/model/shared.h"

/* Costs depend on the window of a width, and widths on costs: both are computed in turn, so many
 * times at most. */
enum { ROUNDS_MOST = 8 };

double strips_border_s(const struct exchange *exchange, int64_t cells)
{
    return exchange->latency_s + exchange->s_per_byte * (double)sizeof(double) * (double)cells;
}

/* ---- choosing ------------------------------------------------------------------------------ */

/* Workers in the order of their strips. */
struct line {
    int64_t *workers;         /* counted from 0 */
    struct strip_cost *costs; /* of each worker */
    double *widths;
    int64_t count;
    double step_s;
};

struct choosing {
    const struct strips_request *request;
    double border_s; /* of one exchange with one neighbour */
    double scale;    /* rows of this grid divided by those of the profile's grid */
    int64_t *order;  /* workers, the fastest first */
    double *paces;   /* seconds per column of each worker, which they are ordered by */
    struct line tried, best;
};

static bool line_make(struct line *line, int64_t count)
{
    line->workers = calloc((size_t)count, sizeof *line->workers);
    line->costs = calloc((size_t)count, sizeof *line->costs);
    line->widths = calloc((size_t)count, sizeof *line->widths);
    return line->workers && line->costs && line->widths;
}

static void line_release(struct line *line)
{
    free(line->workers);
    free(line->costs);
    free(line->widths);
}

static const struct profile_window *window_of(const struct profile_setting *setting, double width)
{
    size_t at = setting->window_count - 1;
    while (at > 0 && width < (double)setting->windows[at].least)
        at--;
    return &setting->windows[at];
}

/* The cost to compute a strip of that width once. */
static struct cost compute_cost(const struct choosing *choosing, int64_t worker, double width)
{
    const struct profile_window *window = window_of(choosing->request->setting, width);
    const struct cost cost = window->workers[profile_class(window, worker)].compute.cost;
    return (struct cost){fmax(0, cost.latency_s), cost.s_per_task * choosing->scale};
}

static int neighbours_of(int64_t place, int64_t count)
{
    return (place > 0) + (place + 1 < count);
}

/* Finds the costs of all workers for their present widths; false: they are as before. */
static bool line_cost(const struct choosing *choosing, struct line *line)
{
    bool changed = false;
    for (int64_t k = 0; k < line->count; k++) {
        const struct cost compute = compute_cost(choosing, line->workers[k], line->widths[k]);
        const struct strip_cost cost = {compute.s_per_task,
                                        compute.latency_s +
                                            neighbours_of(k, line->count) * choosing->border_s};
        const struct strip_cost *before = &line->costs[k];
        changed =
            changed || cost.s_per_column != before->s_per_column || cost.fixed_s != before->fixed_s;
        line->costs[k] = cost;
    }
    return changed;
}

/* Removes workers that would get less than a column; false: there is none. */
static bool line_shrink(struct line *line)
{
    int64_t kept = 0;
    for (int64_t k = 0; k < line->count; k++)
        if (line->widths[k] > 0) {
            line->workers[kept] = line->workers[k];
            line->costs[kept] = line->costs[k];
            line->widths[kept++] = line->widths[k];
        }
    const bool shrunk = kept < line->count;
    line->count = kept;
    return shrunk;
}

/* Divides the columns among the first `count` workers of the order. */
static void line_solve(const struct choosing *choosing, int64_t count, struct line *line)
{
    const int64_t columns = choosing->request->job.columns;
    line->count = count;
    for (int64_t k = 0; k < count; k++) {
        line->workers[k] = choosing->order[k];
        line->widths[k] = (double)columns / (double)count;
        line->costs[k] = (struct strip_cost){0, 0};
    }
    for (int round = 0; line_cost(choosing, line) && round < ROUNDS_MOST;) {
        line->step_s = strips_balance(line->costs, line->count, columns, 1, line->widths);
        round += !line_shrink(line); /* workers are removed at most `count` times */
    }
}

/* Orders workers by speed, the fastest first; equal ones by number. */
static void order_fill(struct choosing *choosing)
{
    const int64_t workers = choosing->request->workers;
    const double width = (double)choosing->request->job.columns / (double)workers;
    for (int64_t k = 0; k < workers; k++) {
        int64_t at = k;
        choosing->paces[k] = compute_cost(choosing, k, width).s_per_task;
        for (; at > 0 && choosing->paces[choosing->order[at - 1]] > choosing->paces[k]; at--)
            choosing->order[at] = choosing->order[at - 1];
        choosing->order[at] = k;
    }
}

/* Tries the first 1, 2, ... workers of the order, and keeps the best. */
static void line_choose(struct choosing *choosing)
{
    const struct strips_request *request = choosing->request;
    for (int64_t count = 1; count <= request->workers && count <= request->job.columns; count++) {
        const struct line before = choosing->best;
        line_solve(choosing, count, &choosing->tried);
        if (count > 1 && choosing->tried.step_s >= before.step_s)
            continue;
        choosing->best = choosing->tried;
        choosing->tried = before;
    }
}

/* ---- the plan ------------------------------------------------------------------------------ */

static bool strips_fill(const struct choosing *choosing, struct strips_plan *plan)
{
    const struct line *line = &choosing->best;
    const int64_t columns = choosing->request->job.columns;
    int64_t *whole = calloc((size_t)line->count, sizeof *whole);
    plan->strips = whole ? calloc((size_t)line->count, sizeof *plan->strips) : NULL;
    if (!plan->strips) {
        free(whole);
        return false;
    }
    strips_round(line->widths, line->count, columns, whole);
    for (int64_t k = 0; k < line->count; k++) {
        const double exchange_s = neighbours_of(k, line->count) * choosing->border_s;
        plan->strips[k] = (struct strip){
            .rank = line->workers[k] + 1,
            .columns = whole[k],
            .compute_s = line->costs[k].s_per_column * (double)whole[k] +
                         (line->costs[k].fixed_s - exchange_s),
            .exchange_s = exchange_s,
        };
    }
    plan->strip_count = (size_t)line->count;
    free(whole);
    return true;
}

/* The rows of the grid that the profile was measured with; 0: it was not measured with a grid. */
static double rows_measured(const struct profile *profile, const struct profile_setting *setting)
{
    const struct parameter *rows = parameter_list_find(&setting->parameters, "rows");
    rows = rows ? rows : parameter_list_find(&profile->parameters, "rows");
    return rows && !rows->word ? rows->number : 0;
}

static bool request_check(const struct strips_request *request, struct failure *failure)
{
    const struct profile *profile = request->profile;
    const struct profile_window *last =
        &request->setting->windows[request->setting->window_count - 1];
    if (!(rows_measured(profile, request->setting) > 0))
        return failure_set(failure, FAILURE_MISMATCH,
                           "the profile is of %s, and strips are for columns of a grid: calibrate "
                           "with -k jacobi --rows N",
                           profile->kernel);
    if (!(profile->exchange.latency_s > 0) && !(profile->exchange.s_per_byte > 0) &&
        request->workers > 1)
        return failure_set(failure, FAILURE_MISMATCH,
                           "the profile says nothing of exchanging borders (key \"exchange\"): "
                           "calibrate -k jacobi with two workers or more");
    for (size_t k = 0; k < last->worker_count; k++)
        if (!(last->workers[k].compute.cost.s_per_task > 0))
            return failure_set(failure, FAILURE_MISMATCH,
                               "the profile has a worker whose columns cost nothing: calibrate "
                               "with a larger --budget");
    return true;
}

static void choosing_release(struct choosing *choosing)
{
    free(choosing->order);
    free(choosing->paces);
    line_release(&choosing->tried);
    line_release(&choosing->best);
}

bool strips_choose(const struct strips_request *request, struct strips_plan *plan,
                   struct failure *failure)
{
    const int64_t workers = request->workers;
    if (!request_check(request, failure))
        return false;
    struct choosing choosing = {
        .request = request,
        .border_s = strips_border_s(&request->profile->exchange, request->job.rows),
        .scale = (double)request->job.rows / rows_measured(request->profile, request->setting),
        .order = calloc((size_t)workers, sizeof *choosing.order),
        .paces = calloc((size_t)workers, sizeof *choosing.paces),
    };
    struct strips_plan made = {.job = request->job,
                               .threads = profile_threads(request->profile, request->setting)};
    bool good = line_make(&choosing.tried, workers) && line_make(&choosing.best, workers) &&
                choosing.order && choosing.paces;
    if (good) {
        order_fill(&choosing);
        line_choose(&choosing);
        good = strips_fill(&choosing, &made);
    }
    choosing_release(&choosing);
    if (!good)
        return failure_memory(failure, "planning strips");
    strips_predict(&made, &request->profile->exchange);
    *plan = made;
    return true;
}

void strips_predict(struct strips_plan *plan, const struct exchange *exchange)
{
    const struct strips_job *job = &plan->job;
    struct strips_prediction predicted = {0};
    const double workers = (double)plan->strip_count;
    const double tests = ceil((double)job->iterations / (double)job->every);
    double compute_s = 0;
    for (size_t k = 0; k < plan->strip_count; k++) {
        const struct strip *strip = &plan->strips[k];
        compute_s = fmax(compute_s, strip->compute_s);
        predicted.step_s = fmax(predicted.step_s, strip->compute_s + strip->exchange_s);
    }
    /* At a test each worker reports and gets an answer, one after the other at the master. Finding
     * the greatest change reads as much memory as an iteration. */
    predicted.test_s =
        tests * workers * exchange->latency_s + (job->tolerance > 0 ? tests : 1) * compute_s;
    predicted.gather_s = (job->keep ? tests : 1) *
                         (strips_border_s(exchange, job->rows) - exchange->latency_s) *
                         (double)job->columns;
    predicted.total_s =
        (double)job->iterations * predicted.step_s + predicted.test_s + predicted.gather_s;
    plan->predicted = predicted;
}

void strips_describe(const struct strips_plan *plan, struct text *text)
{
    const struct strips_job *job = &plan->job;
    const struct strips_prediction *predicted = &plan->predicted;
    text_add(text,
             "%" PRId64 " rows x %" PRId64 " columns in strips for %zu worker%s, %" PRId64
             " iterations\n\n  rank    columns      compute     exchange    iteration\n",
             job->rows, job->columns, plan->strip_count, plan->strip_count == 1 ? "" : "s",
             job->iterations);
    for (size_t k = 0; k < plan->strip_count; k++) {
        const struct strip *strip = &plan->strips[k];
        text_add(text, "%6" PRId64 " %10" PRId64 " ", strip->rank, strip->columns);
        text_add_seconds_column(text, strip->compute_s);
        text_add(text, " ");
        text_add_seconds_column(text, strip->exchange_s);
        text_add(text, " ");
        text_add_seconds_column(text, strip->compute_s + strip->exchange_s);
        text_add(text, "\n");
    }
    text_add(text, "\n");
    shared_describe(plan->shared, plan->shared_count, text);
    text_add(text, "iteration   ");
    text_add_seconds(text, predicted->step_s);
    text_add(text, "\ntests       ");
    text_add_seconds(text, predicted->test_s);
    text_add(text, ", one every %" PRId64 " iterations\ngrid        ", job->every);
    text_add_seconds(text, predicted->gather_s);
    text_add(text, " to the master, %s\ntotal       ",
             job->keep ? "with every test" : "in the end");
    text_add_seconds(text, predicted->total_s);
    if (job->tolerance > 0)
        text_add(text, ", less if no cell changes by more than %g before", job->tolerance);
    text_add(text, "\n");
}

void strips_plan_release(struct strips_plan *plan)
{
    free(plan->kernel);
    free(plan->profile);
    free(plan->profile_sha256);
    parameter_list_release(&plan->parameters);
    free(plan->shared);
    free(plan->strips);
    *plan = (struct strips_plan){.kernel = NULL};
}
