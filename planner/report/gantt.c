#include "planner/report/gantt.h"

#include <inttypes.h>
#include <stdlib.h>

#include "planner/simulate/simulate.h"

enum { COLUMNS = 72, WORKERS_MOST = 24 };
static const int64_t PACKAGES_MOST = 1000000;

/* Seconds of each operation in each column of each line: master, port, workers. */
struct chart {
    double (*cells)[COLUMNS][OPERATION_COUNT]; /* owned */
    int64_t lines;
    double column_s;
};

static const char letters[OPERATION_COUNT + 1] = "es=rco.";

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

/* Lines of the workers by rank; 0: not drawn. */
static void trace_draw(struct chart *chart, const struct trace *trace, const int64_t *line_of)
{
    for (size_t k = 0; k < trace->count; k++) {
        const struct trace_event *event = &trace->events[k];
        if (event->operation == OPERATION_LINK)
            span_add(chart, 1, event);
        else if (event->rank == 0)
            span_add(chart, 0, event);
        else if (line_of[event->rank - 1] > 0 && event->operation != OPERATION_IDLE)
            span_add(chart, line_of[event->rank - 1], event);
    }
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

static void chart_print(const struct chart *chart, const struct plan *plan, double makespan_s,
                        struct text *text)
{
    for (int64_t line = 0; line < chart->lines; line++) {
        if (line < 2)
            text_add(text, "%-8s ", line == 0 ? "master" : "port");
        else
            text_add(text, "%-8" PRId64 " ", plan->workers[line - 2]);
        for (int k = 0; k < COLUMNS; k++)
            text_add(text, "%c", cell_letter(chart->cells[line][k], chart->column_s));
        text_add(text, "\n");
    }
    if (plan->worker_count > WORKERS_MOST)
        text_add(text, "         and %" PRId64 " more workers\n",
                 (plan->worker_count - WORKERS_MOST));
    text_add(text, "         0%*s", COLUMNS - 1 - 12, "");
    text_add_seconds_column(text, makespan_s);
    text_add(text,
             "\n         e envelope  s send  = link  r receive  c compute  o output  . idle\n");
}

static bool chart_draw(const struct platform *platform, const struct plan *plan,
                       const struct trace *trace, double makespan_s, struct text *text)
{
    int64_t drawn = plan->worker_count < WORKERS_MOST ? plan->worker_count : WORKERS_MOST;
    struct chart chart = {.lines = 2 + drawn, .column_s = makespan_s / COLUMNS};
    chart.cells = calloc((size_t)chart.lines, sizeof *chart.cells);
    int64_t *line_of = calloc((size_t)platform->worker_count, sizeof *line_of);
    bool good = chart.cells && line_of;
    if (good) {
        for (int64_t k = 0; k < drawn; k++)
            line_of[plan->workers[k]] = 2 + k;
        trace_draw(&chart, trace, line_of);
        chart_print(&chart, plan, makespan_s, text);
    }
    free(chart.cells);
    free(line_of);
    return good;
}

bool gantt_draw(const struct platform *platform, const struct plan *plan, struct text *text,
                struct failure *failure)
{
    struct trace trace = {NULL, 0, 0};
    struct simulation simulation;
    if (plan_packages(plan) > PACKAGES_MOST)
        return failure_set(failure, FAILURE_USAGE,
                           "the plan has %" PRId64
                           " packages, too many for a chart: leave --gantt out",
                           plan_packages(plan));
    bool good = simulate_plan(platform, plan, &trace, &simulation, failure);
    if (good && !chart_draw(platform, plan, &trace, simulation.makespan_s, text))
        good = failure_memory(failure, "drawing a chart");
    trace_release(&trace);
    return good;
}
