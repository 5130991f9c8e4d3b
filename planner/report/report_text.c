/* A run's report as text. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "planner/model/beyond.h"
#include "planner/report/costs.h"
#include "planner/report/describe.h"
#include "planner/report/had.h"
#include "planner/report/levels.h"
#include "planner/report/masters.h"
#include "planner/report/members.h"
#include "planner/report/outlook.h"
#include "planner/report/parts.h"
#include "planner/report/report.h"
#include "planner/report/residuals.h"

/* Rows of a printed table; the JSON form has all. */
static const int64_t ROWS_MOST = 32;

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

/* Says which part of the run is reported. */
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
    text_add(text, "core task   %s%s%s%s\n", record->kernel ? record->kernel : "unknown",
             record->isa ? " (" : "", record->isa ? record->isa : "", record->isa ? ")" : "");
    if (record->method)
        text_add(text, "computed by %s\n", record->method);
    describe_conditions(record, text);
    if (record->rule)
        text_add(text, "scheduler   %s, %s\n", record->rule,
                 record->counted ? "by a counter that all workers share" : "on request");
    else
        text_add(text, "scheduler   %s%s%s%s\n",
                 record->plan.scheduler ? record->plan.scheduler : "unknown",
                 record->tail ? ", its end on request by " : "", record->tail ? record->tail : "",
                 record->replanned ? ", watched" : "");
    members_text(record, text);
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
    parts_text(record, residuals_predicted(residuals), text);
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

/* A row for results that were written asynchronously, beside the operations, because the hidden
 * part takes no time. */
static void hidden_row(struct text *text, const struct residuals *residuals)
{
    if (residuals->predicted.hidden_s > 0 || plan_writes_behind(&residuals->record->plan))
        seconds_row(text, residuals, "output while working", residuals->predicted.hidden_s,
                    residuals->measured.hidden_s, residuals->replayed.hidden_s);
}

/* A row for a run on request: the master's answers are a part of the makespan, too. */
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

/* A row for what the last plan promised that was made during the run, beside the first
 * prediction. */
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

/* A row for the prediction by mean costs, where the makespan above it is the median with variation:
 * everything below goes by mean costs. */
static void steady_row(struct text *text, const struct residuals *residuals)
{
    if (residuals->has_predicted && residuals->median_s > 0)
        seconds_row(text, residuals, "  by mean costs", residuals->predicted.makespan_s,
                    residuals->measured.makespan_s, residuals->replayed.makespan_s);
}

static const char *undisturbed_words(const struct run_record *record)
{
    if (record->member_count > 0)
        return "  all from the start";
    return record->loss_count == 1 ? "  without the loss" : "  without losses";
}

/* Above this row both prediction and run include the losses; in it only the run does. */
static void undisturbed_row(struct text *text, const struct residuals *residuals)
{
    const double measured_s = residuals->measured.makespan_s;
    if (isnan(residuals->undisturbed_s))
        return;
    text_add(text, "%-20s", undisturbed_words(residuals->record));
    text_add_seconds_column(text, residuals->undisturbed_s);
    text_add_seconds_column(text, measured_s);
    error_add(text, residuals_error(residuals->undisturbed_s, measured_s));
    text_add(text, "\n");
}

/* Adds the time that no package takes, and what the profile says of it; nothing where it was not
 * measured. */
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

/* Other operations have a row only where they took time. */
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
    seconds_row(text, residuals, "makespan", residuals_predicted(residuals), measured->makespan_s,
                residuals->replayed.makespan_s);
    steady_row(text, residuals);
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
    /* Plans of trees are never replayed. */
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
        const struct round_ends ends = residuals_round(residuals, k);
        text_add(text, "%-8" PRId64, k + 1);
        seconds_or_none(text, ends.predicted_s);
        seconds_or_none(text, ends.measured_s);
        seconds_or_none(text, ends.measured_s - ends.predicted_s);
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
    if (!residuals_find(record, &residuals, failure))
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
