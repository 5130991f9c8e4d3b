#include "planner/report/parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "planner/report/prediction.h"
#include "planner/report/residuals.h"

/* Lines of the printed table; the JSON form has all. */
static const int64_t ROWS_MOST = 32;

/* How a part ended: in JSON, and in the printed report. */
static const struct {
    const char *name, *words;
} outcomes[PART_OUTCOMES] = {[PART_RUNNING] = {"running", "not ended"},
                             [PART_STOPPED] = {"stopped", "stopped as asked"},
                             [PART_KILLED] = {"killed", "killed"},
                             [PART_COMPLETE] = {"complete", "reached the end"},
                             [PART_HALTED] = {"halted", "failed"}};

static int outcome_of(const struct run_part *part)
{
    return part->outcome >= 0 && part->outcome < PART_OUTCOMES ? part->outcome : PART_KILLED;
}

/* Were its trace and times not kept, because it was killed? */
static bool is_broken(const struct run_part *part)
{
    return part->outcome == PART_KILLED || part->outcome == PART_HALTED;
}

/* What ended part k; NULL: not known. */
static const char *ended_of(const struct run_record *record, int64_t k)
{
    if (record->part == k + 1)
        return record->ended;
    for (int64_t i = 0; i < record->other_count; i++)
        if (record->others[i].part == k + 1)
            return record->others[i].ended;
    return NULL;
}

double parts_seconds(const struct run_part *part)
{
    return part->makespan_s > 0 || !is_broken(part) ? part->makespan_s
                                                    : fmax(part->ended_s - part->began_s, 0);
}

/* Did the part measure how long it took? */
static bool is_measured(const struct run_part *part)
{
    return part->makespan_s > 0;
}

/* How many of its core tasks a later part did again. */
static int64_t again_of(const struct run_part *parts, int64_t count, int64_t k)
{
    const int64_t kept = k + 1 < count ? parts[k + 1].before - parts[k].before : parts[k].tasks;
    return kept < parts[k].tasks ? parts[k].tasks - kept : 0;
}

struct parts_total parts_sum(const struct run_part *parts, int64_t count, const double *predicted_s)
{
    struct parts_total total = {0};
    for (int64_t k = 0; k < count; k++) {
        const int64_t again = again_of(parts, count, k);
        total.measured_s += parts_seconds(&parts[k]);
        total.tasks += parts[k].tasks - again;
        total.again += again;
        total.packages += parts[k].packages;
        if (k > 0 && parts[k - 1].ended_s > 0)
            total.between_s += fmax(parts[k].began_s - parts[k - 1].ended_s, 0);
        if (predicted_s && predicted_s[k] > 0 && is_measured(&parts[k])) {
            total.predicted_s += predicted_s[k];
            total.compared_s += parts[k].makespan_s;
        }
    }
    return total;
}

double parts_tasks(const struct run_record *record)
{
    return record->part > 0 && record->part <= record->part_count
               ? (double)record->parts[record->part - 1].tasks
               : record->plan.tasks;
}

static bool has_parts(const struct run_record *record)
{
    return record->resumed > 0 && record->part_count > 1;
}

/* The predicted time of each part, as far as known; owned. NULL: out of memory. */
static double *predictions_find(const struct run_record *record, double shown_s)
{
    double *predicted_s = malloc((size_t)record->part_count * sizeof *predicted_s);
    for (int64_t k = 0; predicted_s && k < record->part_count; k++)
        predicted_s[k] = k == record->part - 1 ? shown_s : (double)NAN;
    for (int64_t k = 0; predicted_s && k < record->other_count; k++) {
        const struct run_record *other = &record->others[k];
        if (other->part >= 1 && other->part <= record->part_count)
            predicted_s[other->part - 1] = prediction_end(other);
    }
    return predicted_s;
}

/* For example "2026-11-22 16:20:11", or with another character between date and time. */
static void moment_add(struct text *text, double moment_s, char between)
{
    const time_t seconds = (time_t)moment_s;
    struct tm at;
    if (gmtime_r(&seconds, &at))
        text_add(text, "%04d-%02d-%02d%c%02d:%02d:%02d", at.tm_year + 1900, at.tm_mon + 1,
                 at.tm_mday, between, at.tm_hour, at.tm_min, at.tm_sec);
}

/* For example ", +2.0 % against 1.5 s predicted"; nothing without a prediction. */
static void promise_text(double measured_s, double predicted_s, struct text *text)
{
    if (!(predicted_s > 0) || !(measured_s > 0))
        return;
    text_add(text, ", %+.1f %% against ", 100 * residuals_error(predicted_s, measured_s));
    text_add_seconds(text, predicted_s);
    text_add(text, " predicted");
}

/* The workers that took part; of a part that was killed and whose workers joined, as many as it was
 * planned for. */
static int64_t workers_of(const struct run_record *record, int64_t k)
{
    const struct run_record *part = record->part == k + 1 ? record : NULL;
    for (int64_t i = 0; i < record->other_count; i++)
        part = record->others[i].part == k + 1 ? &record->others[i] : part;
    return part && part->member_count > 0 ? part->member_count : record->parts[k].workers;
}

static void part_text(const struct run_record *record, int64_t k, double predicted_s,
                      struct text *text)
{
    const struct run_part *part = &record->parts[k];
    const int64_t again = again_of(record->parts, record->part_count, k);
    text_add(text, "  part %-4" PRId64 "  ", k + 1);
    moment_add(text, part->began_s, ' ');
    const int64_t workers = workers_of(record, k);
    text_add(text, " UTC, %" PRId64 " worker%s: %" PRId64 " core tasks", workers,
             workers == 1 ? "" : "s", part->tasks);
    if (part->packages > 0)
        text_add(text, " in %" PRId64 " packages", part->packages);
    if (again > 0)
        text_add(text, " (%" PRId64 " of them done again later)", again);
    text_add(text, ", ");
    text_add_seconds(text, parts_seconds(part));
    const char *ended = ended_of(record, k);
    if (!is_measured(part) && part->outcome == PART_KILLED)
        text_add(text, " to its last heartbeat");
    promise_text(part->makespan_s, predicted_s, text);
    text_add(text, ", %s\n", ended ? ended : outcomes[outcome_of(part)].words);
}

static void parts_list(const struct run_record *record, const double *predicted_s,
                       struct text *text)
{
    const struct parts_total total = parts_sum(record->parts, record->part_count, predicted_s);
    text_add(text, "in all      %" PRId64 " parts, ", record->part_count);
    text_add_seconds(text, total.measured_s);
    text_add(text, " of work, ");
    text_add_seconds(text, total.between_s);
    text_add(text, " between them");
    promise_text(total.compared_s, total.predicted_s, text);
    text_add(text, "\n");
    for (int64_t k = 0; k < record->part_count && k < ROWS_MOST; k++)
        part_text(record, k, predicted_s[k], text);
    if (record->part_count > ROWS_MOST)
        text_add(text, "  and %" PRId64 " more: --json lists them all\n",
                 record->part_count - ROWS_MOST);
}

void parts_text(const struct run_record *record, double shown_s, struct text *text)
{
    if (!has_parts(record))
        return;
    double *predicted_s = predictions_find(record, shown_s);
    if (predicted_s)
        parts_list(record, predicted_s, text);
    text->failed = text->failed || !predicted_s;
    free(predicted_s);
}

static void moment_json(struct json_text *json, const char *key, double moment_s)
{
    struct text *text = json_next(json, key);
    if (!(moment_s > 0)) {
        text_add(text, "null");
        return;
    }
    text_add(text, "\"");
    moment_add(text, moment_s, 'T');
    text_add(text, "Z\"");
}

static void promise_json(double measured_s, double predicted_s, struct json_text *json)
{
    json_number(json, "predicted_s", predicted_s > 0 ? predicted_s : (double)NAN);
    json_number(json, "error", residuals_error(predicted_s, measured_s));
}

static void part_json(const struct run_record *record, int64_t k, double predicted_s,
                      struct json_text *parts)
{
    const struct run_part *part = &record->parts[k];
    struct json_text json = json_open_in(parts, NULL, "    {", ", ");
    moment_json(&json, "began", part->began_s);
    moment_json(&json, "ended", part->ended_s);
    json_number(&json, "measured_s", parts_seconds(part));
    promise_json(is_measured(part) ? part->makespan_s : (double)NAN, predicted_s, &json);
    json_count(&json, "tasks", part->tasks);
    json_count(&json, "again", again_of(record->parts, record->part_count, k));
    json_number(&json, "packages", part->packages > 0 ? (double)part->packages : (double)NAN);
    json_count(&json, "workers", workers_of(record, k));
    json_word(&json, "outcome", outcomes[outcome_of(part)].name);
    if (ended_of(record, k))
        json_word(&json, "ended_by", ended_of(record, k));
    json_close(&json, "}");
}

static void parts_print(const struct run_record *record, const double *predicted_s,
                        struct json_text *json)
{
    const struct parts_total total = parts_sum(record->parts, record->part_count, predicted_s);
    struct json_text parts = json_open_in(json, "parts", "[\n", ",\n");
    for (int64_t k = 0; k < record->part_count; k++)
        part_json(record, k, predicted_s[k], &parts);
    json_close(&parts, "\n  ]");
    struct json_text all = json_open_in(json, "in_all", "{", ", ");
    json_count(&all, "parts", record->part_count);
    json_number(&all, "measured_s", total.measured_s);
    promise_json(total.compared_s, total.predicted_s, &all);
    json_number(&all, "between_s", total.between_s);
    json_count(&all, "tasks", total.tasks);
    json_count(&all, "again", total.again);
    json_count(&all, "packages", total.packages);
    json_close(&all, "}");
}

void parts_json(const struct run_record *record, double shown_s, struct json_text *json)
{
    if (!has_parts(record))
        return;
    double *predicted_s = predictions_find(record, shown_s);
    if (predicted_s)
        parts_print(record, predicted_s, json);
    json->text->failed = json->text->failed || !predicted_s;
    free(predicted_s);
}
