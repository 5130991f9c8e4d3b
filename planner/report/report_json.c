/* A run's report as a JSON object. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/json_text.h"
#include "planner/model/beyond.h"
#include "planner/report/costs.h"
#include "planner/report/describe.h"
#include "planner/report/had.h"
#include "planner/report/levels.h"
#include "planner/report/masters.h"
#include "planner/report/outlook.h"
#include "planner/report/parts.h"
#include "planner/report/report.h"
#include "planner/report/residuals.h"

/* Writes "predicted" (null where there is none), "measured" and "error"; the first two in that
 * unit. */
static void pair_json(struct json_text *json, const struct residuals *residuals, bool seconds,
                      double predicted, double measured)
{
    if (!residuals->has_predicted)
        predicted = (double)NAN;
    json_number(json, seconds ? "predicted_s" : "predicted", predicted);
    json_number(json, seconds ? "measured_s" : "measured", measured);
    json_number(json, "error", residuals_error(predicted, measured));
}

/* Writes a pair with "drift" (replayed / predicted - 1) and "model_error" (measured / replayed -
 * 1). */
static void times_json(struct json_text *outer, const char *key, const struct residuals *residuals,
                       double predicted_s, double measured_s, double replayed_s)
{
    const double none = (double)NAN;
    struct json_text json = json_open_in(outer, key, "{", ", ");
    pair_json(&json, residuals, true, predicted_s, measured_s);
    predicted_s = residuals->has_predicted ? predicted_s : none;
    replayed_s = residuals->has_replayed ? replayed_s : none;
    json_number(&json, "drift", residuals_error(predicted_s, replayed_s));
    json_number(&json, "model_error", residuals_error(replayed_s, measured_s));
    json_close(&json, "}");
}

static void operations_json(struct json_text *outer, const struct residuals *residuals,
                            const double *predicted_s, const double *measured_s,
                            const double *replayed_s)
{
    struct json_text json = json_open_in(outer, "operations", "{", ", ");
    for (int k = 0; k < OPERATION_COUNT; k++)
        times_json(&json, operation_name((enum operation)k), residuals, predicted_s[k],
                   measured_s[k], replayed_s[k]);
    json_close(&json, "}");
}

static void causes_json(struct json_text *outer, const struct residuals *residuals,
                        const double *predicted_s, const double *measured_s,
                        const double *replayed_s)
{
    struct json_text json = json_open_in(outer, "causes", "{", ", ");
    for (int k = 0; k < CAUSE_COUNT; k++)
        times_json(&json, cause_name((enum cause)k), residuals, predicted_s[k], measured_s[k],
                   replayed_s[k]);
    json_close(&json, "}");
}

static void others_json(struct json_text *json, const struct plan *plan)
{
    struct json_text others = json_open_in(json, "others", "[", ", ");
    for (size_t k = 0; k < plan->other_count; k++) {
        const struct plan_other *other = &plan->others[k];
        struct json_text row = json_open_in(&others, NULL, "{", ", ");
        const struct parameter *block = parameter_list_block(&other->parameters);
        if (block)
            json_number(&row, "block", block->number);
        text_add_parameters(json_next(&row, NULL), &other->parameters);
        if (other->threads > 0)
            json_count(&row, "threads", other->threads);
        json_number(&row, "predicted_s", other->makespan_s);
        json_close(&row, "}");
    }
    json_close(&others, "]");
}

/* Writes "interval", and whether the run is "inside"; null where that is not known. */
static void interval_json(struct json_text *json, const struct residuals *residuals)
{
    const double measured_s = residuals->measured.makespan_s;
    const double *interval_s = residuals->interval_s;
    if (!(interval_s[1] > 0)) {
        json_raw(json, "interval", NULL);
        json_raw(json, "inside", NULL);
        return;
    }
    struct json_text ends = json_open_in(json, "interval", "[", ", ");
    json_number(&ends, NULL, interval_s[0]);
    json_number(&ends, NULL, interval_s[1]);
    json_close(&ends, "]");
    json_flag(json, "inside", measured_s >= interval_s[0] && measured_s <= interval_s[1]);
}

/* Writes the total error and its parts. */
static void makespan_json(struct json_text *json, const struct residuals *residuals)
{
    const struct run_record *record = residuals->record;
    const double predicted_s = residuals_predicted(residuals);
    const double measured_s = residuals->measured.makespan_s;
    json_number(json, "predicted_s", predicted_s);
    if (residuals->has_predicted && residuals->median_s > 0)
        json_number(json, "without_variation_s", residuals->predicted.makespan_s);
    json_number(json, "measured_s", measured_s);
    json_number(json, "error", residuals_error(predicted_s, measured_s));
    json_number(json, "drift", residuals_drift(residuals));
    json_number(json, "model_error", residuals_model_error(residuals));
    interval_json(json, residuals);
    json_number(json, "finish_s", record->finish_s);
    if (record->startup_s > 0)
        json_number(json, "startup_s", record->startup_s);
}

static void anew_json(struct json_text *outer, const struct residuals *residuals)
{
    const struct run_changes *changes = &residuals->record->changes;
    if (changes->count == 0)
        return;
    struct json_text json = json_open_in(outer, "planned_anew", "{", ", ");
    json_count(&json, "count", changes->count);
    json_count(&json, "round", changes->round);
    json_number(&json, "predicted_s", changes->end_s);
    json_number(&json, "error", residuals_error(changes->end_s, residuals->measured.makespan_s));
    json_close(&json, "}");
}

static void undisturbed_json(struct json_text *outer, const struct residuals *residuals)
{
    if (isnan(residuals->undisturbed_s))
        return;
    struct json_text json = json_open_in(outer, "without_losses", "{", ", ");
    json_number(&json, "predicted_s", residuals->undisturbed_s);
    json_number(&json, "error",
                residuals_error(residuals->undisturbed_s, residuals->measured.makespan_s));
    json_close(&json, "}");
}

/* Writes what was run, and where. */
static void origin_json(struct json_text *json, const struct run_record *record)
{
    json_word(json, "schema", "scow-report-1");
    json_word(json, "input", record->input);
    json_word(json, "input_sha256", record->input ? record->input_sha256 : NULL);
    json_word(json, "kernel", record->kernel);
    json_word(json, "plugin", record->plugin);
    json_word(json, "version", record->version);
    json_word(json, "command_line", record->command_line);
    json_word(json, "isa", record->isa);
    json_word(json, "method", record->method);
    json_word(json, "processor", record->processor);
    if (record->threads > 0) {
        json_count(json, "threads", record->threads);
        json_count(json, "workers_per_node", record->workers_per_node);
    }
    json_word(json, "scheduler", record->rule ? record->rule : record->plan.scheduler);
}

static void tasks_json(struct json_text *json, const struct run_record *record)
{
    json_count(json, "tasks", record->tasks);
    json_count(json, "tasks_done", record->tasks_done);
    json_count(json, "tasks_failed", record->tasks_failed);
    json_flag(json, "complete", record->tasks_done + record->tasks_failed == record->tasks);
    if (record->resumed == 0)
        return;
    json_count(json, "resumed", record->resumed);
    json_number(json, "resumed_tasks", parts_tasks(record));
    json_number(json, "part", record->part > 0 ? (double)record->part : (double)NAN);
}

static void memory_json(struct json_text *outer, const struct run_record *record)
{
    if (record->rank_peak == 0)
        return;
    struct json_text json = json_open_in(outer, "memory_bytes", "{", ", ");
    json_count(&json, "rank", record->rank_peak);
    json_count(&json, "command", record->command_peak);
    json_count(&json, "master", record->master_peak);
    json_close(&json, "}");
}

/* Joins runs of spaces, which align columns in the printed form. */
static void spaces_join(char *line)
{
    char *to = line;
    for (const char *from = line; *from; from++)
        if (*from != ' ' || from[1] != ' ')
            *to++ = *from;
    *to = '\0';
}

/* `lines` is changed by this. */
static void lines_json(char *lines, struct json_text *json)
{
    char *rest = lines, *line;
    while ((line = strsep(&rest, "\n"))) {
        if (!*line)
            continue;
        spaces_join(line);
        json_word(json, NULL, line);
    }
}

/* Writes sentences without their full stops: changes of the plan, lost workers, conditions that
 * differ from the calibration's, workers that nobody measured. */
static void remarks_json(struct json_text *json, const struct run_record *record)
{
    struct text lines = TEXT_INIT;
    text_add(&lines, "%s%s", record->told ? record->told : "",
             record->lost_told ? record->lost_told : "");
    describe_conditions(record, &lines);
    beyond_describe(&record->plan.beyond, &lines);
    char *all = text_take(&lines);
    struct json_text remarks = json_open_in(json, "remarks", "[", ", ");
    if (all)
        lines_json(all, &remarks);
    json->text->failed = json->text->failed || !all;
    json_close(&remarks, "]");
    free(all);
}

/* Writes what the run says about itself; some of it is JSON already. */
static void told_json(struct json_text *json, const struct run_record *record)
{
    if (record->outcome)
        json_raw(json, "result", record->outcome);
    text_add(json_next(json, "checksum"), "\"%016" PRIx64 "\"", record->checksum);
    memory_json(json, record);
    if (record->tail)
        json_word(json, "tail", record->tail);
    if (record->replanned)
        json_raw(json, "replanned", record->replanned);
    if (record->joined)
        json_raw(json, "joined_workers", record->joined);
    if (record->lost)
        json_raw(json, "lost_workers", record->lost);
    if (record->moved)
        json_raw(json, "moved", record->moved);
    remarks_json(json, record);
}

static void head_json(struct json_text *json, const struct residuals *residuals)
{
    const struct run_record *record = residuals->record;
    origin_json(json, record);
    tasks_json(json, record);
    if (residuals->measured.own_tasks > 0)
        json_count(json, "master_tasks", residuals->measured.own_tasks);
    parts_json(record, residuals_predicted(residuals), json);
    levels_json(record, json);
    told_json(json, record);
    makespan_json(json, residuals);
    run_costs_json(residuals, json);
    anew_json(json, residuals);
    undisturbed_json(json, residuals);
    beyond_json(&record->plan.beyond, json);
    others_json(json, &record->plan);
}

/* null where nothing was assigned on request. */
static void requests_json(struct json_text *outer, const struct residuals *residuals)
{
    const struct request_summary *requests = &residuals->requests;
    if (requests->count == 0) {
        json_raw(outer, "requests", NULL);
        return;
    }
    struct json_text json = json_open_in(outer, "requests", "{", ", ");
    pair_json(&json, residuals, true, requests->predicted_s, requests->measured_s);
    json_count(&json, "count", requests->count);
    json_close(&json, "}");
}

static void shares_json(struct json_text *outer, const struct residuals *residuals)
{
    const struct trace_summary *predicted = &residuals->predicted, *measured = &residuals->measured;
    const struct {
        const char *key;
        double predicted, measured;
    } rows[] = {
        {"worker_utilization", predicted->worker_utilization, measured->worker_utilization},
        {"master_utilization", predicted->master_utilization, measured->master_utilization},
        {"utilization", predicted->worker_utilization + predicted->master_utilization,
         measured->worker_utilization + measured->master_utilization},
        {"worker_busy_share", predicted->worker_busy_share, measured->worker_busy_share},
        {"network_utilization", predicted->network_utilization, measured->network_utilization},
        {"load_imbalance", predicted->imbalance, measured->imbalance}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        struct json_text json = json_open_in(outer, rows[k].key, "{", ", ");
        pair_json(&json, residuals, false, rows[k].predicted, rows[k].measured);
        json_close(&json, "}");
    }
}

static void worker_causes_json(struct json_text *json, const struct residuals *residuals,
                               int64_t worker)
{
    const struct worker_causes predicted = causes_worker(&residuals->causes.predicted, worker);
    const struct worker_causes measured = causes_worker(&residuals->causes.measured, worker);
    const struct worker_causes replayed = causes_worker(&residuals->causes.replayed, worker);
    causes_json(json, residuals, predicted.seconds, measured.seconds, replayed.seconds);
}

static void worker_json(struct json_text *workers, const struct residuals *residuals, int64_t k)
{
    const struct worker_summary predicted = trace_summary_worker(&residuals->predicted, k);
    const struct worker_summary measured = trace_summary_worker(&residuals->measured, k);
    const struct worker_summary replayed = trace_summary_worker(&residuals->replayed, k);
    struct json_text json = json_open_in(workers, NULL, "    {", ", ");
    json_count(&json, "worker", k);
    json_count(&json, "tasks", measured.tasks);
    json_count(&json, "packages", measured.packages);
    had_json(residuals->record, k, &json);
    network_json(&residuals->network, k, &json);
    times_json(&json, "end", residuals, predicted.end_s, measured.end_s, replayed.end_s);
    operations_json(&json, residuals, predicted.seconds, measured.seconds, replayed.seconds);
    worker_causes_json(&json, residuals, k);
    json_close(&json, "}");
}

static void workers_json(struct json_text *json, const struct residuals *residuals)
{
    const int64_t count = residuals_workers(residuals);
    struct json_text workers = json_open_in(json, "workers", "[\n", ",\n");
    for (int64_t k = 0; k < count; k++)
        if (!plan_has_master(&residuals->record->plan, k + 1))
            worker_json(&workers, residuals, k);
    json_close(&workers, "\n  ]");
}

static void rounds_json(struct json_text *json, const struct residuals *residuals)
{
    const int64_t all = residuals_rounds(residuals);
    const int64_t count = all < ROUNDS_LISTED ? all : ROUNDS_LISTED;
    struct json_text rounds = json_open_in(json, "rounds", "[\n", ",\n");
    for (int64_t k = 0; k < count; k++) {
        const struct round_ends ends = residuals_round(residuals, k);
        struct json_text row = json_open_in(&rounds, NULL, "    {", ", ");
        json_count(&row, "round", k);
        json_number(&row, "predicted_end_s", ends.predicted_s);
        json_number(&row, "measured_end_s", ends.measured_s);
        json_number(&row, "residual_s", ends.measured_s - ends.predicted_s);
        json_close(&row, "}");
    }
    json_close(&rounds, "\n  ]");
    if (all > count)
        json_count(json, "rounds_left_out", all - count);
}

static void explanation_json(struct json_text *json, const struct residuals *residuals)
{
    struct text sentence = TEXT_INIT;
    residuals_explain(residuals, &sentence);
    json_word(json, "explanation", sentence.bytes);
    json->text->failed = json->text->failed || sentence.failed;
    text_release(&sentence);
}

char *report_json(const struct run_record *record, struct failure *failure)
{
    struct residuals residuals;
    struct outlook outlook;
    struct text text = TEXT_INIT;
    if (!residuals_find(record, &residuals, failure))
        return NULL;
    struct json_text json = json_open(&text, "{ ", ",\n  ");
    head_json(&json, &residuals);
    operations_json(&json, &residuals, residuals.predicted.seconds, residuals.measured.seconds,
                    residuals.replayed.seconds);
    if (plan_writes_behind(&record->plan)) /* else all output takes time of its own */
        times_json(&json, "output_while_working", &residuals, residuals.predicted.hidden_s,
                   residuals.measured.hidden_s, residuals.replayed.hidden_s);
    requests_json(&json, &residuals);
    causes_json(&json, &residuals, residuals.causes.predicted.seconds,
                residuals.causes.measured.seconds, residuals.causes.replayed.seconds);
    shares_json(&json, &residuals);
    masters_json(&residuals, &json);
    workers_json(&json, &residuals);
    rounds_json(&json, &residuals);
    outlook_make(&residuals, &outlook);
    outlook_json(&outlook, &json);
    explanation_json(&json, &residuals);
    json_close(&json, " }\n");
    residuals_release(&residuals);
    return text_finish(&text, true, "writing the report", failure);
}
