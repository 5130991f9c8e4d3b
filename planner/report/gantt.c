#include "planner/report/gantt.h"

#include <inttypes.h>
#include <stdlib.h>

enum { COLUMNS = 72, WORKERS_MOST = 24 };
static const int64_t PACKAGES_MOST = 1000000;

/* Seconds of each operation in each column of each line: master, port, workers. */
struct chart {
    double (*cells)[COLUMNS][OPERATION_COUNT]; /* owned */
    int64_t lines, left_out;                   /* workers without one */
    bool starts;                               /* there are workers that start for a while */
    bool results;                              /* and results that come back */
    double column_s;
};

static const char letters[OPERATION_COUNT + 1] = "es=rco<w.S";

static void span_add(struct chart *chart, int64_t line, const struct trace_event *event)
{
    int first = (int)(event->start_s / chart->column_s);
    int last = (int)(event->end_s / chart->column_s);
    for (int k = first; k <= last && k < COLUMNS; k++) {
        double from_s = chart->column_s * k, to_s = from_s + chart->column_s;
        double start_s = event->start_s > from_s ? event->start_s : from_s;
        double end_s = event->end_s < to_s ? event->end_s : to_s;
        if (end_s > start_s)
            chart->cells[line][k][event->operation] += end_s - start_s;
    }
}

/* Lines of the workers by rank; -1: not drawn. */
static void trace_draw(struct chart *chart, const struct trace *trace, const int64_t *line_of)
{
    for (size_t k = 0; k < trace->count; k++) {
        const struct trace_event *event = &trace->events[k];
        if (event->operation == OPERATION_LINK || event->operation == OPERATION_RESULT)
            span_add(chart, 1, event);
        else if (event->rank == 0)
            span_add(chart, 0, event);
        else if (line_of[event->rank - 1] > 0 && event->operation != OPERATION_IDLE)
            span_add(chart, line_of[event->rank - 1], event);
        chart->starts = chart->starts || event->operation == OPERATION_START;
        chart->results = chart->results || event->operation == OPERATION_RESULT;
    }
}

/* Where more was done than there was time for, results were written behind the rest. */
static void cell_reveal(double *cell, double column_s)
{
    static const double ROUNDING = 1e-9;
    const double own_s = cell[OPERATION_RECEIVE] + cell[OPERATION_COMPUTE];
    if (own_s + cell[OPERATION_OUTPUT] > column_s * (1 + ROUNDING))
        cell[OPERATION_OUTPUT] = own_s < column_s ? column_s - own_s : 0;
}

/* The operation that has most of a cell, or a dot when all of them have less than half of it. */
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

static void chart_print(const struct chart *chart, const int64_t *drawn, double makespan_s,
                        struct text *text)
{
    for (int64_t line = 0; line < chart->lines; line++) {
        if (line < 2)
            text_add(text, "%-8s ", line == 0 ? "master" : "port");
        else
            text_add(text, "%-8" PRId64 " ", drawn[line - 2]);
        for (int k = 0; k < COLUMNS; k++) {
            if (line >= 2)
                cell_reveal(chart->cells[line][k], chart->column_s);
            text_add(text, "%c", cell_letter(chart->cells[line][k], chart->column_s));
        }
        text_add(text, "\n");
    }
    if (chart->left_out > 0)
        text_add(text, "         and %" PRId64 " more workers\n", chart->left_out);
    text_add(text, "         0%*s", COLUMNS - 1 - 12, "");
    text_add_seconds_column(text, makespan_s);
    text_add(text,
             "\n         e envelope  s send  = link  r receive  c compute  o output  . idle%s%s\n",
             chart->starts ? "  S start" : "", chart->results ? "  < result  w collect" : "");
}

/* The next worker gets a line, as long as there are some. */
static void worker_place(struct chart *chart, int64_t worker, int64_t *line_of, int64_t *drawn)
{
    if (line_of[worker] != 0)
        return;
    line_of[worker] = -1;
    if (chart->lines - 2 == WORKERS_MOST) {
        chart->left_out++;
        return;
    }
    drawn[chart->lines - 2] = worker;
    line_of[worker] = chart->lines++;
}

/* Those of the plan, and then whoever else did something. */
static void workers_place(struct chart *chart, const struct plan *plan, const struct trace *trace,
                          int64_t *line_of, int64_t *drawn)
{
    for (int64_t k = 0; k < plan->worker_count; k++)
        worker_place(chart, plan->workers[k], line_of, drawn);
    for (size_t k = 0; k < trace->count; k++)
        if (trace->events[k].rank > 0 && trace->events[k].operation != OPERATION_LINK)
            worker_place(chart, trace->events[k].rank - 1, line_of, drawn);
}

static int64_t workers_in(const struct plan *plan, const struct trace *trace)
{
    int64_t workers = plan_workers_needed(plan);
    for (size_t k = 0; k < trace->count; k++)
        if (trace->events[k].rank > workers)
            workers = trace->events[k].rank;
    return workers;
}

static double end_of(const struct trace *trace)
{
    double end_s = 0;
    for (size_t k = 0; k < trace->count; k++)
        end_s = trace->events[k].end_s > end_s ? trace->events[k].end_s : end_s;
    return end_s;
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
    int64_t drawn[WORKERS_MOST];
    const double makespan_s = end_of(trace);
    struct chart chart = {.lines = 2, .column_s = makespan_s / COLUMNS};
    int64_t *line_of = calloc((size_t)workers_in(plan, trace) + 1, sizeof *line_of);
    chart.cells = calloc(2 + WORKERS_MOST, sizeof *chart.cells);
    if (chart.cells && line_of) {
        workers_place(&chart, plan, trace, line_of, drawn);
        trace_draw(&chart, trace, line_of);
        chart_print(&chart, drawn, makespan_s, text);
    } else {
        failure_memory(failure, "drawing a chart");
    }
    free(chart.cells);
    free(line_of);
    return failure->code == FAILURE_NONE;
}
