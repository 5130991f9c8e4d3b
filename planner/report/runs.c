#include "planner/report/runs.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "planner/base/json_text.h"
#include "planner/report/residuals.h"

/* Sums over the workers that took part: of their work, and of their ends. */
struct ends {
    double work_s;        /* of all workers together */
    double sum_s, sum_s2; /* of their ends, and of the squares of these */
    int64_t workers, packages;
};

static struct ends ends_of(const struct trace_summary *summary)
{
    struct ends ends = {0};
    for (int64_t k = 0; k < summary->worker_count; k++) {
        const struct worker_summary *worker = &summary->workers[k];
        if (worker->packages == 0)
            continue;
        ends.work_s += worker->seconds[OPERATION_RECEIVE] + worker->seconds[OPERATION_COMPUTE] +
                       worker->seconds[OPERATION_OUTPUT];
        ends.sum_s += worker->end_s;
        ends.sum_s2 += worker->end_s * worker->end_s;
        ends.packages += worker->packages;
        ends.workers++;
    }
    return ends;
}

static double variation_of(const struct ends *ends)
{
    const double n = (double)ends->workers, mean_s = ends->sum_s / n;
    return n > 0 && mean_s > 0 ? sqrt(fmax(0, ends->sum_s2 / n - mean_s * mean_s)) / mean_s : 0;
}

bool run_summarise(const char *path, const struct run_record *record, struct run_figures *figures,
                   struct failure *failure)
{
    struct residuals residuals;
    if (!residuals_make(record, &residuals, failure))
        return false;
    const struct trace_summary *measured = &residuals.measured;
    const struct ends ends = ends_of(measured);
    const double ideal_s = ends.work_s / (double)(ends.workers > 0 ? ends.workers : 1);
    *figures = (struct run_figures){
        .path = path,
        .scheduler = record->rule ? record->rule : record->plan.scheduler,
        .makespan_s = measured->makespan_s,
        .over_ideal = ideal_s > 0 ? measured->makespan_s / ideal_s : (double)NAN,
        .variation = variation_of(&ends),
        .imbalance = measured->imbalance,
        .master_share = measured->makespan_s > 0 ? (measured->seconds[OPERATION_ENVELOPE] +
                                                    measured->seconds[OPERATION_SEND]) /
                                                       measured->makespan_s
                                                 : 0,
        .model_error = residuals.has_replayed ? residuals_model_error(&residuals) : (double)NAN,
        .packages = ends.packages,
    };
    residuals_release(&residuals);
    return true;
}

static int by_makespan(const void *a, const void *b)
{
    const struct run_figures *p = a, *q = b;
    return (p->makespan_s > q->makespan_s) - (p->makespan_s < q->makespan_s);
}

static void runs_sort(struct run_figures *runs, size_t count)
{
    qsort(runs, count, sizeof *runs, by_makespan);
}

void runs_describe(struct run_figures *runs, size_t count, struct text *text)
{
    runs_sort(runs, count);
    text_add(text, "%-12s%12s%9s%9s%11s%10s%9s%9s  %s\n", "scheduler", "makespan", "T/ideal",
             "ends +-", "imbalance", "packages", "master", "model", "run");
    for (size_t k = 0; k < count; k++) {
        const struct run_figures *run = &runs[k];
        text_add(text, "%-12s", run->scheduler ? run->scheduler : "unknown");
        text_add_seconds_column(text, run->makespan_s);
        text_add(text, "%9.3f%7.1f %%%9.1f %%%10" PRId64 "%7.1f %%", run->over_ideal,
                 100 * run->variation, 100 * run->imbalance, run->packages,
                 100 * run->master_share);
        if (isnan(run->model_error))
            text_add(text, "%9s", "-");
        else
            text_add(text, "%+7.1f %%", 100 * run->model_error);
        text_add(text, "  %s\n", run->path);
    }
}

void runs_print(struct run_figures *runs, size_t count, struct text *text)
{
    runs_sort(runs, count);
    struct json_text json = json_open(text, "{ ", ",\n  ");
    json_word(&json, "schema", "scow-runs-1");
    struct json_text list = json_open_in(&json, "runs", "[\n", ",\n");
    for (size_t k = 0; k < count; k++) {
        const struct run_figures *run = &runs[k];
        struct json_text row = json_open_in(&list, NULL, "    { ", ", ");
        json_word(&row, "run", run->path);
        json_word(&row, "scheduler", run->scheduler ? run->scheduler : "unknown");
        json_number(&row, "makespan_s", run->makespan_s);
        json_number(&row, "over_ideal", run->over_ideal);
        json_number(&row, "end_variation", run->variation);
        json_number(&row, "imbalance", run->imbalance);
        json_number(&row, "master_share", run->master_share);
        json_number(&row, "model_error", run->model_error);
        json_count(&row, "packages", run->packages);
        json_close(&row, " }");
    }
    json_close(&list, "\n  ]");
    json_close(&json, " }\n");
}
