#include "planner/report/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/text.h"
#include "planner/model/beyond.h"
#include "planner/model/conditions.h"
#include "planner/report/describe.h"
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
static void lines_json(char *lines, struct text *text)
{
    char *rest = lines, *line;
    const char *before = "";
    while ((line = strsep(&rest, "\n"))) {
        if (!*line)
            continue;
        spaces_join(line);
        text_add(text, "%s", before);
        text_add_quoted(text, line);
        before = ", ";
    }
}

/* A JSON array of sentences without their stops: changes of the plan, workers lost, conditions
 * other than the calibration's, workers that nobody measured. */
static void remarks_json(const struct run_record *record, struct text *text)
{
    struct text lines = TEXT_INIT;
    text_add(&lines, "%s%s", record->told ? record->told : "",
             record->lost_told ? record->lost_told : "");
    remarks_conditions(record, &lines);
    beyond_describe(&record->plan.beyond, &lines);
    char *all = text_take(&lines);
    text_add(text, "[");
    if (all)
        lines_json(all, text);
    text->failed = text->failed || !all;
    text_add(text, "]");
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
        text_add(text, "scheduler   %s, on request\n", record->rule);
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
    beyond_describe(&record->plan.beyond, text);
    text_add(text, "core tasks  %" PRId64 ", %" PRId64 " done", record->tasks, record->tasks_done);
    if (record->tasks_failed > 0)
        text_add(text, ", %" PRId64 " failed", record->tasks_failed);
    text_add(text, "\n");
    if (record->resumed > 0 && !residuals_untraced(record))
        resumed_add(text, record);
    parts_text(record, makespan_predicted(residuals), text);
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
    if (residuals->has_predicted && !residuals->has_replayed)
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
    text_add(text, "\n");
}

static void workers_add(struct text *text, const struct residuals *residuals)
{
    int64_t workers = residuals_workers(residuals);
    text_add(text, "%-8s%10s%24s%24s%24s%24s\n", "worker", "tasks", "receive", "compute", "output",
             "idle");
    text_add(text, "%18s", "");
    for (int k = 0; k < 4; k++)
        text_add(text, "%12s%12s", "predicted", "measured");
    text_add(text, "\n");
    for (int64_t k = 0; k < workers && k < ROWS_MOST; k++)
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
    if (!residuals_untraced(record)) {
        totals_add(&text, &residuals);
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

static void member_word(struct text *text, const char *key, const char *word)
{
    text_add(text, ",\n  \"%s\": ", key);
    if (word)
        text_add_quoted(text, word);
    else
        text_add(text, "null");
}

static void member_number(struct text *text, const char *before, const char *key, double number)
{
    text_add(text, "%s\"%s\": ", before, key);
    text_add_number(text, number);
}

/* {"predicted...": a, "measured...": b, "error": c, without the brace that ends it; predicted is
 * null when there is none. */
static void pair_open(struct text *text, const struct residuals *residuals, const char *unit,
                      double predicted, double measured)
{
    if (!residuals->has_predicted)
        predicted = (double)NAN;
    text_add(text, "{\"predicted%s\": ", unit);
    text_add_number(text, predicted);
    text_add(text, ", \"measured%s\": ", unit);
    text_add_number(text, measured);
    member_number(text, ", ", "error", residuals_error(predicted, measured));
}

/* A pair with "drift" (replayed / predicted - 1) and "model_error" (measured / replayed - 1). */
static void parts_add(struct text *text, const struct residuals *residuals, double predicted,
                      double measured, double replayed)
{
    const double none = (double)NAN;
    pair_open(text, residuals, "_s", predicted, measured);
    predicted = residuals->has_predicted ? predicted : none;
    replayed = residuals->has_replayed ? replayed : none;
    member_number(text, ", ", "drift", residuals_error(predicted, replayed));
    member_number(text, ", ", "model_error", residuals_error(replayed, measured));
    text_add(text, "}");
}

static void operations_json(struct text *text, const struct residuals *residuals,
                            const double *predicted_s, const double *measured_s,
                            const double *replayed_s)
{
    text_add(text, "{");
    for (int k = 0; k < OPERATION_COUNT; k++) {
        text_add(text, "%s\"%s\": ", k > 0 ? ", " : "", operation_name((enum operation)k));
        parts_add(text, residuals, predicted_s[k], measured_s[k], replayed_s[k]);
    }
    text_add(text, "}");
}

static void causes_json(struct text *text, const struct residuals *residuals,
                        const double *predicted_s, const double *measured_s,
                        const double *replayed_s)
{
    text_add(text, "{");
    for (int k = 0; k < CAUSE_COUNT; k++) {
        text_add(text, "%s\"%s\": ", k > 0 ? ", " : "", cause_name((enum cause)k));
        parts_add(text, residuals, predicted_s[k], measured_s[k], replayed_s[k]);
    }
    text_add(text, "}");
}

static void others_json(struct text *text, const struct plan *plan)
{
    text_add(text, ",\n  \"others\": [");
    for (size_t k = 0; k < plan->other_count; k++) {
        const struct plan_other *other = &plan->others[k];
        text_add(text, k > 0 ? ", {" : "{");
        text_add_block(text, &other->parameters, "", ", ");
        text_add_parameters(text, &other->parameters);
        if (other->threads > 0)
            text_add(text, ", \"threads\": %d", other->threads);
        member_number(text, ", ", "predicted_s", other->makespan_s);
        text_add(text, "}");
    }
    text_add(text, "]");
}

/* The total error and its parts. */
static void makespan_json(struct text *text, const struct residuals *residuals)
{
    const struct run_record *record = residuals->record;
    const double predicted_s = makespan_predicted(residuals);
    const double measured_s = residuals->measured.makespan_s;
    const double *interval_s = residuals->interval_s;
    member_number(text, ",\n  ", "predicted_s", predicted_s);
    member_number(text, ",\n  ", "measured_s", measured_s);
    member_number(text, ",\n  ", "error", residuals_error(predicted_s, measured_s));
    member_number(text, ",\n  ", "drift", residuals_drift(residuals));
    member_number(text, ",\n  ", "model_error", residuals_model_error(residuals));
    text_add(text, ",\n  \"interval\": ");
    if (interval_s[1] > 0) {
        text_add(text, "[");
        text_add_number(text, interval_s[0]);
        text_add(text, ", ");
        text_add_number(text, interval_s[1]);
        text_add(text, "], \"inside\": %s",
                 measured_s >= interval_s[0] && measured_s <= interval_s[1] ? "true" : "false");
    } else {
        text_add(text, "null, \"inside\": null");
    }
    member_number(text, ",\n  ", "finish_s", record->finish_s);
    if (record->startup_s > 0)
        member_number(text, ",\n  ", "startup_s", record->startup_s);
}

static void anew_json(struct text *text, const struct residuals *residuals)
{
    const struct run_changes *changes = &residuals->record->changes;
    if (changes->count == 0)
        return;
    text_add(text, ",\n  \"planned_anew\": {\"count\": %" PRId64 ", \"round\": %" PRId64,
             changes->count, changes->round);
    member_number(text, ", ", "predicted_s", changes->end_s);
    member_number(text, ", ", "error",
                  residuals_error(changes->end_s, residuals->measured.makespan_s));
    text_add(text, "}");
}

static void undisturbed_json(struct text *text, const struct residuals *residuals)
{
    if (isnan(residuals->undisturbed_s))
        return;
    member_number(text, ",\n  \"without_losses\": {", "predicted_s", residuals->undisturbed_s);
    member_number(text, ", ", "error",
                  residuals_error(residuals->undisturbed_s, residuals->measured.makespan_s));
    text_add(text, "}");
}

static void head_json(struct text *text, const struct residuals *residuals)
{
    const struct run_record *record = residuals->record;
    text_add(text, "{ \"schema\": \"scow-report-1\"");
    member_word(text, "input", record->input);
    member_word(text, "input_sha256", record->input ? record->input_sha256 : NULL);
    member_word(text, "kernel", record->kernel);
    member_word(text, "plugin", record->plugin);
    member_word(text, "version", record->version);
    member_word(text, "command_line", record->command_line);
    member_word(text, "isa", record->isa);
    member_word(text, "method", record->method);
    member_word(text, "processor", record->processor);
    if (record->threads > 0)
        text_add(text, ", \"threads\": %d, \"workers_per_node\": %d", record->threads,
                 record->workers_per_node);
    member_word(text, "scheduler", record->rule ? record->rule : record->plan.scheduler);
    text_add(text,
             ",\n  \"tasks\": %" PRId64 ", \"tasks_done\": %" PRId64 ", \"tasks_failed\": %" PRId64
             ", \"complete\": %s",
             record->tasks, record->tasks_done, record->tasks_failed,
             record->tasks_done + record->tasks_failed == record->tasks ? "true" : "false");
    if (record->resumed > 0) {
        text_add(text, ", \"resumed\": %d, \"resumed_tasks\": %.0f", record->resumed,
                 parts_tasks(record));
        member_number(text, ", ", "part", record->part > 0 ? (double)record->part : (double)NAN);
    }
    parts_json(record, makespan_predicted(residuals), text);
    if (record->outcome) /* JSON already */
        text_add(text, ",\n  \"result\": %s", record->outcome);
    text_add(text, ",\n  \"checksum\": \"%016" PRIx64 "\"", record->checksum);
    if (record->rank_peak > 0)
        text_add(text,
                 ",\n  \"memory_bytes\": {\"rank\": %" PRId64 ", \"command\": %" PRId64
                 ", \"master\": %" PRId64 "}",
                 record->rank_peak, record->command_peak, record->master_peak);
    if (record->tail)
        member_word(text, "tail", record->tail);
    if (record->replanned) /* JSON already */
        text_add(text, ",\n  \"replanned\": %s", record->replanned);
    if (record->lost) /* JSON already */
        text_add(text, ",\n  \"lost_workers\": %s", record->lost);
    text_add(text, ",\n  \"remarks\": ");
    remarks_json(record, text);
    makespan_json(text, residuals);
    anew_json(text, residuals);
    undisturbed_json(text, residuals);
    beyond_json(&record->plan.beyond, ",\n  ", text);
    others_json(text, &record->plan);
}

/* null where nothing was dealt on request. */
static void requests_json(struct text *text, const struct residuals *residuals)
{
    const struct request_summary *requests = &residuals->requests;
    text_add(text, ",\n  \"requests\": ");
    if (requests->count == 0) {
        text_add(text, "null");
        return;
    }
    pair_open(text, residuals, "_s", requests->predicted_s, requests->measured_s);
    text_add(text, ", \"count\": %" PRId64 "}", requests->count);
}

/* Of all output, and of none where it all takes time of its own. */
static void hidden_json(struct text *text, const struct residuals *residuals)
{
    text_add(text, ",\n  \"output_while_working\": ");
    parts_add(text, residuals, residuals->predicted.hidden_s, residuals->measured.hidden_s,
              residuals->replayed.hidden_s);
}

static void shares_json(struct text *text, const struct residuals *residuals)
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
        text_add(text, ",\n  \"%s\": ", rows[k].key);
        pair_open(text, residuals, "", rows[k].predicted, rows[k].measured);
        text_add(text, "}");
    }
}

static void worker_causes_json(struct text *text, const struct residuals *residuals, int64_t worker)
{
    const struct worker_causes predicted = causes_worker(&residuals->causes.predicted, worker);
    const struct worker_causes measured = causes_worker(&residuals->causes.measured, worker);
    const struct worker_causes replayed = causes_worker(&residuals->causes.replayed, worker);
    causes_json(text, residuals, predicted.seconds, measured.seconds, replayed.seconds);
}

static void workers_json(struct text *text, const struct residuals *residuals)
{
    int64_t workers = residuals_workers(residuals);
    text_add(text, ",\n  \"workers\": [\n");
    for (int64_t k = 0; k < workers; k++) {
        struct worker_summary predicted = trace_summary_worker(&residuals->predicted, k);
        struct worker_summary measured = trace_summary_worker(&residuals->measured, k);
        struct worker_summary replayed = trace_summary_worker(&residuals->replayed, k);
        text_add(text,
                 "    {\"worker\": %" PRId64 ", \"tasks\": %" PRId64 ", \"packages\": %" PRId64
                 ", \"end\": ",
                 k, measured.tasks, measured.packages);
        parts_add(text, residuals, predicted.end_s, measured.end_s, replayed.end_s);
        text_add(text, ", \"operations\": ");
        operations_json(text, residuals, predicted.seconds, measured.seconds, replayed.seconds);
        text_add(text, ", \"causes\": ");
        worker_causes_json(text, residuals, k);
        text_add(text, "}%s\n", k + 1 < workers ? "," : "");
    }
    text_add(text, "  ]");
}

static void rounds_json(struct text *text, const struct residuals *residuals)
{
    const int64_t all = residuals_rounds(residuals);
    const int64_t rounds = all < ROUNDS_LISTED ? all : ROUNDS_LISTED;
    text_add(text, ",\n  \"rounds\": [\n");
    for (int64_t k = 0; k < rounds; k++) {
        const double predicted_s = round_predicted(residuals, k);
        const double measured_s = round_end(&residuals->measured, k);
        text_add(text, "    {\"round\": %" PRId64, k);
        member_number(text, ", ", "predicted_end_s", predicted_s);
        member_number(text, ", ", "measured_end_s", measured_s);
        member_number(text, ", ", "residual_s", measured_s - predicted_s);
        text_add(text, "}%s\n", k + 1 < rounds ? "," : "");
    }
    text_add(text, "  ]");
    if (all > rounds)
        text_add(text, ",\n  \"rounds_left_out\": %" PRId64, all - rounds);
}

char *report_json(const struct run_record *record, struct failure *failure)
{
    struct residuals residuals;
    struct text text = TEXT_INIT, sentence = TEXT_INIT;
    if (!figures_make(record, &residuals, failure))
        return NULL;
    head_json(&text, &residuals);
    text_add(&text, ",\n  \"operations\": ");
    operations_json(&text, &residuals, residuals.predicted.seconds, residuals.measured.seconds,
                    residuals.replayed.seconds);
    if (plan_writes_behind(&record->plan))
        hidden_json(&text, &residuals);
    requests_json(&text, &residuals);
    text_add(&text, ",\n  \"causes\": ");
    causes_json(&text, &residuals, residuals.causes.predicted.seconds,
                residuals.causes.measured.seconds, residuals.causes.replayed.seconds);
    shares_json(&text, &residuals);
    workers_json(&text, &residuals);
    rounds_json(&text, &residuals);
    struct outlook outlook;
    outlook_make(&residuals, &outlook);
    outlook_json(&outlook, &text);
    residuals_explain(&residuals, &sentence);
    member_word(&text, "explanation", sentence.bytes);
    text.failed = text.failed || sentence.failed;
    text_add(&text, " }\n");
    text_release(&sentence);
    residuals_release(&residuals);
    return text_finish(&text, true, "writing the report", failure);
}
