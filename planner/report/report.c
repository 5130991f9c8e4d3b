#include "planner/report/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/json_text.h"
#include "planner/model/beyond.h"
#include "planner/model/conditions.h"
#include "planner/report/costs.h"
#include "planner/report/describe.h"
#include "planner/report/had.h"
#include "planner/report/levels.h"
#include "planner/report/masters.h"
#include "planner/report/outlook.h"
#include "planner/report/parts.h"
#include "planner/report/residuals.h"

/* ---- remarks ------------------------------------------------------------------------------- */

/* What was out of the ordinary in a run. */

/* How the run was unlike its calibration: a line each, their heads in the first 12 columns. */
static void remarks_conditions(const struct run_record *record, struct text *text)
{
    const struct conditions here = {.processor = record->processor,
                                    .isa = record->isa,
                                    .method = record->method,
                                    .threads = record->threads,
                                    .workers_per_node = record->workers_per_node};
    if (record->has_profile)
        conditions_compare(
            &here, &record->profile,
            profile_find(&record->profile, &record->plan.parameters, record->plan.threads),
            "unlike      ", text);
}

/* Columns are for tables. */
static void spaces_join(char *line)
{
    char *to = line;
    for (const char *from = line; *from; from++)
        if (*from != ' ' || from[1] != ' ')
            *to++ = *from;
    *to = '\0';
}

/* `lines` is written to. */
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

/* Sentences without their stops: changes of the plan, workers lost, conditions other than the
 * calibration's, workers that nobody measured. */
static void remarks_json(struct json_text *json, const struct run_record *record)
{
    struct text lines = TEXT_INIT;
    text_add(&lines, "%s%s", record->told ? record->told : "",
             record->lost_told ? record->lost_told : "");
    remarks_conditions(record, &lines);
    beyond_describe(&record->plan.beyond, &lines);
    char *all = text_take(&lines);
    struct json_text remarks = json_open_in(json, "remarks", "[", ", ");
    if (all)
        lines_json(all, &remarks);
    json->text->failed = json->text->failed || !all;
    json_close(&remarks, "]");
    free(all);
}

/* ---- report -------------------------------------------------------------------------------- */

/* Rows of a table for people; all of them are in the JSON form. */
static const int64_t ROWS_MOST = 32;

const char *run_record_again(const struct run_record *record)
{
    return record->surveyed ? "the same scow go" : "scow run --resume";
}

static void interval_add(struct text *text, const struct residuals *residuals)
{
    const double *interval_s = residuals->interval_s;
    const double measured_s = residuals->measured.makespan_s;
    if (!(interval_s[1] > 0))
        return;
    text_add(text, "90 %% of runs were predicted between ");
    text_add_seconds(text, interval_s[0]);
    text_add(text, " and ");
    text_add_seconds(text, interval_s[1]);
    text_add(text, ": this one is %s\n",
             measured_s < interval_s[0]   ? "below its interval"
             : measured_s > interval_s[1] ? "above its interval"
                                          : "inside its interval");
}

/* Figures beside those of the plan; where a run left none, its head is all that there is. */
static bool figures_make(const struct run_record *record, struct residuals *residuals,
                         struct failure *failure)
{
    if (!residuals_untraced(record))
        return residuals_make(record, residuals, failure);
    residuals_unknown(record, residuals);
    return true;
}

/* NaN: it is not known. */
static double makespan_predicted(const struct residuals *residuals)
{
    return residuals->has_predicted ? residuals->predicted.makespan_s : (double)NAN;
}

/* Which part is below? */
static void resumed_add(struct text *text, const struct run_record *record)
{
    text_add(text, "resumed     %s; below is ", record->resumed == 1 ? "once" : "more than once");
    if (record->part == 0)
        text_add(text, "the last part, %.0f core tasks\n", record->plan.tasks);
    else
        text_add(text, "part %" PRId64 ", %.0f core tasks; --part N is about another one\n",
                 record->part, parts_tasks(record));
}

static void memory_text(const struct run_record *record, struct text *text)
{
    if (record->rank_peak <= 0)
        return;
    text_add(text, "memory      %.4g MB in a %s at most", (double)record->rank_peak / 1e6,
             record->master_peak > 0 ? "worker" : "rank");
    if (record->master_peak > 0)
        text_add(text, ", %.4g MB in the master", (double)record->master_peak / 1e6);
    if (record->command_peak > 0)
        text_add(text, ", %.4g MB in a command", (double)record->command_peak / 1e6);
    text_add(text, "\n");
}

static void head_add(struct text *text, const struct residuals *residuals)
{
    const struct run_record *record = residuals->record;
    text_add(text, "input       %s\n", record->input ? record->input : "none");
    text_add(text, "kernel      %s%s%s%s\n", record->kernel ? record->kernel : "unknown",
             record->isa ? " (" : "", record->isa ? record->isa : "", record->isa ? ")" : "");
    if (record->method)
        text_add(text, "computed by %s\n", record->method);
    remarks_conditions(record, text);
    if (record->rule)
        text_add(text, "scheduler   %s, %s\n", record->rule,
                 record->counted ? "by a counter that all workers share" : "on request");
    else
        text_add(text, "scheduler   %s%s%s%s\n",
                 record->plan.scheduler ? record->plan.scheduler : "unknown",
                 record->tail ? ", its end on request by " : "", record->tail ? record->tail : "",
                 record->replanned ? ", watched" : "");
    if (record->told)
        text_add(text, "%s", record->told);
    if (record->lost_told)
        text_add(text, "%s", record->lost_told);
    describe_others(&record->plan, text);
    if (!residuals_untraced(record))
        text_add(text, "workers     %" PRId64 "\n", residuals->measured.workers_used);
    had_text(record, text);
    network_text(&residuals->network, text);
    beyond_describe(&record->plan.beyond, text);
    text_add(text, "core tasks  %" PRId64 ", %" PRId64 " done", record->tasks, record->tasks_done);
    if (residuals->measured.own_tasks > 0)
        text_add(text, ", %" PRId64 " of them by the master", residuals->measured.own_tasks);
    if (record->tasks_failed > 0)
        text_add(text, ", %" PRId64 " failed", record->tasks_failed);
    text_add(text, "\n");
    if (record->resumed > 0 && !residuals_untraced(record))
        resumed_add(text, record);
    parts_text(record, makespan_predicted(residuals), text);
    run_costs_text(residuals, text);
    if (record->outcome)
        text_add(text, "result      %s\n", record->outcome);
    memory_text(record, text);
    text_add(text, "checksum    %016" PRIx64 "\n\n", record->checksum);
}

static void error_add(struct text *text, double error)
{
    if (isnan(error))
        text_add(text, "%10s", "-");
    else if (error > 10)
        text_add(text, "%7.4g x ", 1 + error);
    else
        text_add(text, "%+8.1f %%", 100 * error);
}

static void seconds_row(struct text *text, const struct residuals *residuals, const char *name,
                        double predicted_s, double measured_s, double replayed_s)
{
    text_add(text, "%-20s", name);
    if (residuals->has_predicted)
        text_add_seconds_column(text, predicted_s);
    else
        text_add(text, "%12s", "-");
    text_add_seconds_column(text, measured_s);
    error_add(text, residuals_error(predicted_s, measured_s));
    if (residuals->has_replayed && residuals->has_predicted) {
        error_add(text, residuals_error(predicted_s, replayed_s));
        error_add(text, residuals_error(replayed_s, measured_s));
    }
    text_add(text, "\n");
}

/* Of results written behind: beside the operations, for what they hide takes no time. */
static void hidden_row(struct text *text, const struct residuals *residuals)
{
    if (residuals->predicted.hidden_s > 0 || plan_writes_behind(&residuals->record->plan))
        seconds_row(text, residuals, "output while working", residuals->predicted.hidden_s,
                    residuals->measured.hidden_s, residuals->replayed.hidden_s);
}

/* Of a run on request: the master's answers take part of the makespan, too. */
static void requests_row(struct text *text, const struct residuals *residuals)
{
    const struct request_summary *requests = &residuals->requests;
    text_add(text, "%-20s", "requests");
    if (residuals->has_predicted)
        text_add_seconds_column(text, requests->predicted_s);
    else
        text_add(text, "%12s", "-");
    text_add_seconds_column(text, requests->measured_s);
    error_add(text, residuals_error(residuals->has_predicted ? requests->predicted_s : 0,
                                    requests->measured_s));
    text_add(text, "   %" PRId64 " of them\n", requests->count);
}

static void share_row(struct text *text, const struct residuals *residuals, const char *name,
                      double predicted, double measured)
{
    text_add(text, "%-20s", name);
    if (residuals->has_predicted)
        text_add(text, "%10.1f %%", 100 * predicted);
    else
        text_add(text, "%12s", "-");
    text_add(text, "%10.1f %%\n", 100 * measured);
}

static void causes_add(struct text *text, const struct residuals *residuals)
{
    for (int k = 0; k < CAUSE_COUNT; k++) {
        char name[40];
        snprintf(name, sizeof name, "  %s", cause_words((enum cause)k));
        seconds_row(text, residuals, name, residuals->causes.predicted.seconds[k],
                    residuals->causes.measured.seconds[k], residuals->causes.replayed.seconds[k]);
    }
}

/* Beside what was predicted at first: what the last plan that was made during the run promised. */
static void anew_row(struct text *text, const struct residuals *residuals)
{
    const struct run_changes *changes = &residuals->record->changes;
    const double measured_s = residuals->measured.makespan_s;
    if (changes->count == 0)
        return;
    text_add(text, "%-20s", "  as planned anew");
    text_add_seconds_column(text, changes->end_s);
    text_add_seconds_column(text, measured_s);
    error_add(text, residuals_error(changes->end_s, measured_s));
    text_add(text, "\n");
}

/* Above it, prediction and run have the same losses; here only the run has. */
static void undisturbed_row(struct text *text, const struct residuals *residuals)
{
    const double measured_s = residuals->measured.makespan_s;
    if (isnan(residuals->undisturbed_s))
        return;
    text_add(text, "%-20s",
             residuals->record->loss_count == 1 ? "  without the loss" : "  without losses");
    text_add_seconds_column(text, residuals->undisturbed_s);
    text_add_seconds_column(text, measured_s);
    error_add(text, residuals_error(residuals->undisturbed_s, measured_s));
    text_add(text, "\n");
}

/* What no package takes, beside what the profile knows of it; nothing where it was not measured. */
static void overhead_add(struct text *text, const char *name, double measured_s, double known_s)
{
    if (!(measured_s > 0) && known_s == 0 && strncmp(name, "before", 6) == 0)
        return;
    text_add(text, "%s", name);
    text_add_seconds(text, measured_s);
    if (known_s > 0) {
        text_add(text, ", ");
        text_add_seconds(text, known_s);
        text_add(text, " as the profile has it");
    }
    text_add(text, "\n");
}

/* The others have a row only where they took time. */
static bool operation_usual(enum operation operation)
{
    return operation != OPERATION_START && operation != OPERATION_RESULT &&
           operation != OPERATION_COLLECT;
}

static void totals_add(struct text *text, const struct residuals *residuals)
{
    const struct trace_summary *predicted = &residuals->predicted, *measured = &residuals->measured;
    text_add(text, "%-20s%12s%12s%10s", "", "predicted", "measured", "error");
    if (residuals->has_replayed && residuals->has_predicted)
        text_add(text, "%10s%10s", "drift", "model");
    text_add(text, "\n");
    seconds_row(text, residuals, "makespan", predicted->makespan_s, measured->makespan_s,
                residuals->replayed.makespan_s);
    anew_row(text, residuals);
    undisturbed_row(text, residuals);
    for (int k = 0; k < OPERATION_COUNT; k++)
        if (operation_usual((enum operation)k) || predicted->seconds[k] > 0 ||
            measured->seconds[k] > 0)
            seconds_row(text, residuals, operation_name((enum operation)k), predicted->seconds[k],
                        measured->seconds[k], residuals->replayed.seconds[k]);
    hidden_row(text, residuals);
    if (residuals->requests.count > 0)
        requests_row(text, residuals);
    causes_add(text, residuals);
    share_row(text, residuals, "worker utilization", predicted->worker_utilization,
              measured->worker_utilization);
    share_row(text, residuals, "master utilization", predicted->master_utilization,
              measured->master_utilization);
    share_row(text, residuals, "worker busy share", predicted->worker_busy_share,
              measured->worker_busy_share);
    share_row(text, residuals, "network utilization", predicted->network_utilization,
              measured->network_utilization);
    share_row(text, residuals, "load imbalance", predicted->imbalance, measured->imbalance);
    interval_add(text, residuals);
    /* Of a tree it is never played again. */
    if (residuals->has_predicted && !residuals->has_replayed &&
        residuals->record->plan.child_count == 0)
        text_add(text,
                 "drift and model cannot be told apart: packages were handed out twice, or are "
                 "not in the trace\n");
    overhead_add(text, "before the first round: ", residuals->record->startup_s,
                 residuals->record->profile.overhead.start_s);
    overhead_add(text, "after the last round: ", residuals->record->finish_s,
                 residuals->record->profile.overhead.seal_s);
    text_add(text, "\n");
}

static void worker_row(struct text *text, const struct residuals *residuals, int64_t worker)
{
    static const enum operation columns[] = {OPERATION_RECEIVE, OPERATION_COMPUTE, OPERATION_OUTPUT,
                                             OPERATION_IDLE};
    struct worker_summary predicted = trace_summary_worker(&residuals->predicted, worker);
    struct worker_summary measured = trace_summary_worker(&residuals->measured, worker);
    text_add(text, "%-8" PRId64 "%10" PRId64, worker + 1, measured.tasks);
    for (size_t k = 0; k < sizeof columns / sizeof *columns; k++) {
        text_add_seconds_column(text, predicted.seconds[columns[k]]);
        text_add_seconds_column(text, measured.seconds[columns[k]]);
    }
    had_column(residuals->record, worker, text);
    text_add(text, "\n");
}

static void workers_add(struct text *text, const struct residuals *residuals)
{
    int64_t workers = residuals_workers(residuals);
    text_add(text, "%-8s%10s%24s%24s%24s%24s", "worker", "tasks", "receive", "compute", "output",
             "idle");
    had_head(residuals->record, text);
    text_add(text, "\n");
    text_add(text, "%18s", "");
    for (int k = 0; k < 4; k++)
        text_add(text, "%12s%12s", "predicted", "measured");
    text_add(text, "\n");
    for (int64_t k = 0; k < workers && k < ROWS_MOST; k++)
        if (!plan_has_master(&residuals->record->plan, k + 1))
            worker_row(text, residuals, k);
    if (workers > ROWS_MOST)
        text_add(text, "and %" PRId64 " more: --json lists them all\n", (workers - ROWS_MOST));
    text_add(text, "\n");
}

static double round_end(const struct trace_summary *summary, int64_t round)
{
    return round < summary->round_count ? summary->round_ends_s[round] : 0;
}

/* Rounds of a plan that was made during the run were not predicted: NaN. */
static double round_predicted(const struct residuals *residuals, int64_t round)
{
    const struct run_changes *changes = &residuals->record->changes;
    if (!residuals->has_predicted || (changes->count > 0 && round >= changes->round))
        return (double)NAN;
    return round_end(&residuals->predicted, round);
}

static void seconds_or_none(struct text *text, double seconds)
{
    if (isnan(seconds))
        text_add(text, "%12s", "-");
    else
        text_add_seconds_column(text, seconds);
}

static void rounds_add(struct text *text, const struct residuals *residuals)
{
    int64_t rounds = residuals_rounds(residuals);
    text_add(text, "%-8s%12s%12s%12s\n", "round", "predicted", "measured", "residual");
    for (int64_t k = 0; k < rounds && k < ROWS_MOST; k++) {
        const double predicted_s = round_predicted(residuals, k);
        const double measured_s = round_end(&residuals->measured, k);
        text_add(text, "%-8" PRId64, k + 1);
        seconds_or_none(text, predicted_s);
        text_add_seconds_column(text, measured_s);
        seconds_or_none(text, measured_s - predicted_s);
        text_add(text, "\n");
    }
    if (rounds > ROWS_MOST)
        text_add(text, "and %" PRId64 " more: --json lists %s\n", (rounds - ROWS_MOST),
                 rounds > ROUNDS_LISTED ? "the first 100000" : "them all");
    text_add(text, "\n");
}

char *report_text(const struct run_record *record, struct failure *failure)
{
    struct residuals residuals;
    struct text text = TEXT_INIT;
    if (!figures_make(record, &residuals, failure))
        return NULL;
    head_add(&text, &residuals);
    levels_text(record, &text);
    if (!residuals_untraced(record)) {
        totals_add(&text, &residuals);
        masters_text(&residuals, &text);
        workers_add(&text, &residuals);
    }
    if (residuals.has_predicted)
        rounds_add(&text, &residuals);
    struct outlook outlook;
    outlook_make(&residuals, &outlook);
    outlook_text(&outlook, &text);
    residuals_explain(&residuals, &text);
    text_add(&text, "\n");
    residuals_release(&residuals);
    return text_finish(&text, true, "writing the report", failure);
}

/* "predicted", null where there is none, "measured" and "error"; the first two with this unit. */
static void pair_json(struct json_text *json, const struct residuals *residuals, bool seconds,
                      double predicted, double measured)
{
    if (!residuals->has_predicted)
        predicted = (double)NAN;
    json_number(json, seconds ? "predicted_s" : "predicted", predicted);
    json_number(json, seconds ? "measured_s" : "measured", measured);
    json_number(json, "error", residuals_error(predicted, measured));
}

/* A pair with "drift" (replayed / predicted - 1) and "model_error" (measured / replayed - 1). */
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

/* "interval" and whether the run is "inside"; null where it is not known. */
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

/* The total error and its parts. */
static void makespan_json(struct json_text *json, const struct residuals *residuals)
{
    const struct run_record *record = residuals->record;
    const double predicted_s = makespan_predicted(residuals);
    const double measured_s = residuals->measured.makespan_s;
    json_number(json, "predicted_s", predicted_s);
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

/* What ran, and where. */
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

/* What the run says of itself, some of it as JSON already. */
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
    parts_json(record, makespan_predicted(residuals), json);
    levels_json(record, json);
    told_json(json, record);
    makespan_json(json, residuals);
    run_costs_json(residuals, json);
    anew_json(json, residuals);
    undisturbed_json(json, residuals);
    beyond_json(&record->plan.beyond, json);
    others_json(json, &record->plan);
}

/* null where nothing was dealt on request. */
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
        worker_json(&workers, residuals, k);
    json_close(&workers, "\n  ]");
}

static void rounds_json(struct json_text *json, const struct residuals *residuals)
{
    const int64_t all = residuals_rounds(residuals);
    const int64_t count = all < ROUNDS_LISTED ? all : ROUNDS_LISTED;
    struct json_text rounds = json_open_in(json, "rounds", "[\n", ",\n");
    for (int64_t k = 0; k < count; k++) {
        const double predicted_s = round_predicted(residuals, k);
        const double measured_s = round_end(&residuals->measured, k);
        struct json_text row = json_open_in(&rounds, NULL, "    {", ", ");
        json_count(&row, "round", k);
        json_number(&row, "predicted_end_s", predicted_s);
        json_number(&row, "measured_end_s", measured_s);
        json_number(&row, "residual_s", measured_s - predicted_s);
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
    if (!figures_make(record, &residuals, failure))
        return NULL;
    struct json_text json = json_open(&text, "{ ", ",\n  ");
    head_json(&json, &residuals);
    operations_json(&json, &residuals, residuals.predicted.seconds, residuals.measured.seconds,
                    residuals.replayed.seconds);
    if (plan_writes_behind(&record->plan)) /* of all output; else it all takes time of its own */
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
