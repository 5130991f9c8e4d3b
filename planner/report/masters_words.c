/* What a report says of several masters, side by side or in a tree. */
#include <inttypes.h>
#include <math.h>

#include "planner/report/masters.h"

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
