#include "planner/report/gantt.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { COLUMNS = 72, WORKERS_MOST = 24, MASTERS_MOST = 8 };
enum { LINES_MOST = WORKERS_MOST + 2 * MASTERS_MOST, LABEL = 32 };
static const int64_t PACKAGES_MOST = 1000000;

/* The seconds of each operation in each column of a line. */
struct line {
    double cells[COLUMNS][OPERATION_COUNT];
    char label[LABEL];
    bool works; /* it is the line of a worker */
};

/* Numbers of lines count from 1; for a rank 0: it has none yet, -1: it is not drawn. */
struct chart {
    struct line *lines; /* owned */
    int64_t line_count;
    int64_t *own, *port;     /* owned; by rank: its own line, and that of transfers to it */
    const struct plan *plan; /* borrowed */
    int64_t ranks;
    bool several;             /* there are several masters */
    int64_t workers_most;     /* drawn of each master */
    int64_t masters;          /* masters that are drawn */
    int64_t left_out, unseen; /* workers of drawn masters that are left out; masters that are */
    bool starts, results;     /* are there starts of workers, are there results that return */
    double makespan_s, column_s;
};

static const char letters[OPERATION_COUNT + 1] = "es=rco<w.S";

/* ---- what is drawn -------------------------------------------------------------------------- */

static void span_add(const struct chart *chart, int64_t number, const struct trace_event *event)
{
    int first = (int)(event->start_s / chart->column_s);
    int last = (int)(event->end_s / chart->column_s);
    for (int k = first; k <= last && k < COLUMNS; k++) {
        double from_s = chart->column_s * k, to_s = from_s + chart->column_s;
        double start_s = event->start_s > from_s ? event->start_s : from_s;
        double end_s = event->end_s < to_s ? event->end_s : to_s;
        if (end_s > start_s)
            chart->lines[number - 1].cells[k][event->operation] += end_s - start_s;
    }
}

static bool is_carried(const struct trace_event *event)
{
    return event->operation == OPERATION_LINK || event->operation == OPERATION_RESULT;
}

static void trace_draw(struct chart *chart, const struct trace *trace)
{
    for (size_t k = 0; k < trace->count; k++) {
        const struct trace_event *event = &trace->events[k];
        const int64_t line = is_carried(event) ? chart->port[event->rank] : chart->own[event->rank];
        if (line > 0 && event->operation != OPERATION_IDLE)
            span_add(chart, line, event);
        chart->starts = chart->starts || event->operation == OPERATION_START;
        chart->results = chart->results || event->operation == OPERATION_RESULT;
    }
}

/* ---- lines ---------------------------------------------------------------------------------- */

/* Begins the next line, with that label. */
static int64_t line_add(struct chart *chart, const char *label, int64_t number)
{
    struct line *line = &chart->lines[chart->line_count++];
    if (number < 0)
        snprintf(line->label, sizeof line->label, "%s", label);
    else
        snprintf(line->label, sizeof line->label, "%s%" PRId64, label, number);
    return chart->line_count;
}

/* Gives the next worker of a master a line while there are lines left; the label has its number
 * with one master, its rank with several. */
static void worker_place(struct chart *chart, int64_t rank, int64_t *placed)
{
    if (chart->own[rank] != 0)
        return;
    chart->own[rank] = -1;
    if (*placed == chart->workers_most) {
        chart->left_out++;
        return;
    }
    ++*placed;
    chart->own[rank] =
        line_add(chart, chart->several ? "rank " : "", chart->several ? rank : rank - 1);
    chart->lines[chart->line_count - 1].works = true;
}

/* Places the workers of the master's plan, then others of its ranks that did something. */
static void workers_place(struct chart *chart, const struct plan *star, int64_t end,
                          const struct trace *trace)
{
    int64_t placed = 0;
    for (int64_t k = 0; k < star->worker_count; k++)
        worker_place(chart, star->workers[k] + 1, &placed);
    for (size_t k = 0; k < trace->count; k++) {
        const struct trace_event *event = &trace->events[k];
        if (event->rank > star->master && event->rank < end && !is_carried(event))
            worker_place(chart, event->rank, &placed);
    }
}

/* Marks all ranks of a master that is not drawn. */
static void star_hide(struct chart *chart, int64_t master, int64_t end)
{
    chart->unseen++;
    for (int64_t rank = master; rank < end; rank++)
        chart->own[rank] = -1;
}

/* Places the line of transfers from the master to its workers, or to the masters of its groups. */
static void port_place(struct chart *chart, const struct plan *star, int64_t end)
{
    const int64_t port = line_add(chart, "port", -1);
    for (int64_t rank = star->master + 1; star->child_count == 0 && rank < end; rank++)
        chart->port[rank] = port;
    for (int64_t k = 0; k < star->worker_count; k++)
        chart->port[star->workers[k] + 1] = port;
}

/* Places a master, with the ranks up to the next master. */
static void star_place(struct chart *chart, const struct plan *star, const struct trace *trace)
{
    int64_t end = star->master + 1;
    while (end < chart->ranks && !plan_has_master(chart->plan, end))
        end++;
    if (chart->masters == MASTERS_MOST) {
        star_hide(chart, star->master, end);
        return;
    }
    chart->masters++;
    chart->own[star->master] =
        line_add(chart, chart->several ? "master " : "master", chart->several ? star->master : -1);
    port_place(chart, star, end);
    if (star->child_count == 0)
        workers_place(chart, star, end, trace);
}

/* Places a master, followed by the masters of its groups. */
static void masters_place(struct chart *chart, const struct plan *plan, const struct trace *trace)
{
    for (size_t k = 0; k < plan->star_count; k++)
        star_place(chart, &plan->stars[k], trace);
    if (plan->star_count == 0)
        star_place(chart, plan, trace);
    for (size_t k = 0; k < plan->child_count; k++)
        masters_place(chart, &plan->children[k], trace);
}

/* ---- the chart ---------------------------------------------------------------------------- */

/* Where operations add up to more than the column's time, results were written while the others
 * went on: only the part of writing counts that the others leave time for. */
static void cell_reveal(double *cell, double column_s)
{
    static const double ROUNDING = 1e-9;
    const double own_s = cell[OPERATION_RECEIVE] + cell[OPERATION_COMPUTE];
    if (own_s + cell[OPERATION_OUTPUT] > column_s * (1 + ROUNDING))
        cell[OPERATION_OUTPUT] = own_s < column_s ? column_s - own_s : 0;
}

/* The letter of the operation that has most of a cell, or a dot where all of them together have
 * less than half of it. */
static char cell_letter(const double *cell, double column_s)
{
    int most = 0;
    double busy_s = 0;
    for (int k = 0; k < OPERATION_COUNT; k++) {
        busy_s += cell[k];
        if (cell[k] > cell[most])
            most = k;
    }
    return busy_s < column_s / 2 ? '.' : letters[most];
}

static void line_print(struct line *line, int width, double column_s, struct text *text)
{
    text_add(text, "%-*s", width, line->label);
    for (int k = 0; k < COLUMNS; k++) {
        if (line->works)
            cell_reveal(line->cells[k], column_s);
        text_add(text, "%c", cell_letter(line->cells[k], column_s));
    }
    text_add(text, "\n");
}

static void chart_print(const struct chart *chart, struct text *text)
{
    const int width = chart->several ? 13 : 9;
    for (int64_t k = 0; k < chart->line_count; k++)
        line_print(&chart->lines[k], width, chart->column_s, text);
    if (chart->left_out > 0)
        text_add(text, "%*sand %" PRId64 " more workers%s\n", width, "", chart->left_out,
                 chart->unseen > 0 ? " of these masters" : "");
    if (chart->unseen > 0)
        text_add(text, "%*sand %" PRId64 " more masters with their workers\n", width, "",
                 chart->unseen);
    text_add(text, "%*s0%*s", width, "", COLUMNS - 1 - 12, "");
    text_add_seconds_column(text, chart->makespan_s);
    text_add(text, "\n%*se envelope  s send  = link  r receive  c compute  o output  . idle%s%s\n",
             width, "", chart->starts ? "  S start" : "",
             chart->results ? "  < result  w collect" : "");
}

/* ---- beginning and end ---------------------------------------------------------------------- */

static int64_t ranks_in(const struct plan *plan, const struct trace *trace)
{
    int64_t last = plan_workers_needed(plan);
    for (size_t k = 0; k < trace->count; k++)
        if (trace->events[k].rank > last)
            last = trace->events[k].rank;
    return last + 1;
}

static double end_of(const struct trace *trace)
{
    double end_s = 0;
    for (size_t k = 0; k < trace->count; k++)
        end_s = trace->events[k].end_s > end_s ? trace->events[k].end_s : end_s;
    return end_s;
}

/* How many workers are drawn of each master; it is equal for all. */
static int64_t workers_of_each(const struct plan *plan)
{
    const int64_t masters = (int64_t)plan_leaves(plan);
    return WORKERS_MOST / (masters < MASTERS_MOST ? masters : MASTERS_MOST);
}

/* To be released in any case. */
static bool chart_init(struct chart *chart, const struct plan *plan, const struct trace *trace)
{
    *chart = (struct chart){.plan = plan,
                            .ranks = ranks_in(plan, trace),
                            .several = plan_is_several(plan),
                            .workers_most = workers_of_each(plan),
                            .makespan_s = end_of(trace)};
    chart->column_s = chart->makespan_s / COLUMNS;
    chart->lines = calloc(LINES_MOST, sizeof *chart->lines);
    chart->own = calloc((size_t)chart->ranks, sizeof *chart->own);
    chart->port = calloc((size_t)chart->ranks, sizeof *chart->port);
    return chart->lines && chart->own && chart->port;
}

static void chart_release(struct chart *chart)
{
    free(chart->lines);
    free(chart->own);
    free(chart->port);
}

bool gantt_check(const struct plan *plan, struct failure *failure)
{
    return plan_packages(plan) <= PACKAGES_MOST ||
           failure_set(failure, FAILURE_USAGE,
                       "the plan has %" PRId64 " packages, too many for a chart: leave --gantt out",
                       plan_packages(plan));
}

bool gantt_draw(const struct plan *plan, const struct trace *trace, struct text *text,
                struct failure *failure)
{
    struct chart chart;
    if (chart_init(&chart, plan, trace)) {
        masters_place(&chart, plan, trace);
        trace_draw(&chart, trace);
        chart_print(&chart, text);
    } else {
        failure_memory(failure, "drawing a chart");
    }
    chart_release(&chart);
    return failure->code == FAILURE_NONE;
}
