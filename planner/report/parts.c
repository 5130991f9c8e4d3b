#include "planner/report/parts.h"

#include <inttypes.h>
#include <math.h>
#include <time.h>

/* Lines of a table for people; all are in the JSON form. */
static const int64_t ROWS_MOST = 32;

/* In the report, and for those who read it. */
static const struct {
    const char *name, *words;
} outcomes[PART_OUTCOMES] = {[PART_RUNNING] = {"running", "not ended"},
                             [PART_STOPPED] = {"stopped", "stopped as asked"},
                             [PART_KILLED] = {"killed", "killed, or failed"},
                             [PART_COMPLETE] = {"complete", "reached the end"}};

static int outcome_of(const struct run_part *part)
{
    return part->outcome >= 0 && part->outcome < PART_OUTCOMES ? part->outcome : PART_KILLED;
}

/* Of one that did not measure it: as long as it is known to have lived. */
static double seconds_of(const struct run_part *part)
{
    return part->makespan_s > 0 || part->outcome != PART_KILLED
               ? part->makespan_s
               : fmax(part->ended_s - part->began_s, 0);
}

struct parts_total parts_sum(const struct run_part *parts, int64_t count)
{
    struct parts_total total = {0, 0, 0, 0};
    for (int64_t k = 0; k < count; k++) {
        total.measured_s += seconds_of(&parts[k]);
        total.tasks += parts[k].tasks;
        total.packages += parts[k].packages;
        if (k > 0 && parts[k - 1].ended_s > 0)
            total.between_s += fmax(parts[k].began_s - parts[k - 1].ended_s, 0);
    }
    return total;
}

static bool has_parts(const struct run_record *record)
{
    return record->resumed > 0 && record->part_count > 1;
}

/* "2026-11-22 16:20:11", or with the letter in place of the blank. */
static void moment_add(struct text *text, double moment_s, char between)
{
    const time_t seconds = (time_t)moment_s;
    struct tm at;
    if (gmtime_r(&seconds, &at))
        text_add(text, "%04d-%02d-%02d%c%02d:%02d:%02d", at.tm_year + 1900, at.tm_mon + 1,
                 at.tm_mday, between, at.tm_hour, at.tm_min, at.tm_sec);
}

static void part_text(const struct run_part *part, int64_t number, struct text *text)
{
    text_add(text, "  part %-4" PRId64 "  ", number);
    moment_add(text, part->began_s, ' ');
    text_add(text, " UTC, %d worker%s: %" PRId64 " core tasks", part->workers,
             part->workers == 1 ? "" : "s", part->tasks);
    if (part->packages > 0)
        text_add(text, " in %" PRId64 " packages", part->packages);
    text_add(text, ", ");
    text_add_seconds(text, seconds_of(part));
    text_add(text, "%s, %s\n",
             part->makespan_s > 0 || part->outcome != PART_KILLED ? ""
                                                                  : " to its last sign of life",
             outcomes[outcome_of(part)].words);
}

void parts_text(const struct run_record *record, struct text *text)
{
    const struct parts_total total = parts_sum(record->parts, record->part_count);
    if (!has_parts(record))
        return;
    text_add(text, "in all      %" PRId64 " parts, ", record->part_count);
    text_add_seconds(text, total.measured_s);
    text_add(text, " of work, ");
    text_add_seconds(text, total.between_s);
    text_add(text, " between them\n");
    for (int64_t k = 0; k < record->part_count && k < ROWS_MOST; k++)
        part_text(&record->parts[k], k + 1, text);
    if (record->part_count > ROWS_MOST)
        text_add(text, "  and %" PRId64 " more: --json lists them all\n",
                 record->part_count - ROWS_MOST);
}

static void moment_json(struct text *text, const char *key, double moment_s)
{
    text_add(text, "\"%s\": ", key);
    if (!(moment_s > 0)) {
        text_add(text, "null, ");
        return;
    }
    text_add(text, "\"");
    moment_add(text, moment_s, 'T');
    text_add(text, "Z\", ");
}

static void part_json(const struct run_part *part, struct text *text)
{
    text_add(text, "    {");
    moment_json(text, "began", part->began_s);
    moment_json(text, "ended", part->ended_s);
    text_add(text, "\"measured_s\": ");
    text_add_number(text, seconds_of(part));
    text_add(text, ", \"tasks\": %" PRId64 ", \"packages\": ", part->tasks);
    text_add_number(text, part->packages > 0 ? (double)part->packages : (double)NAN);
    text_add(text, ", \"workers\": %d, \"outcome\": \"%s\"}", part->workers,
             outcomes[outcome_of(part)].name);
}

void parts_json(const struct run_record *record, struct text *text)
{
    const struct parts_total total = parts_sum(record->parts, record->part_count);
    if (!has_parts(record))
        return;
    text_add(text, ",\n  \"parts\": [\n");
    for (int64_t k = 0; k < record->part_count; k++) {
        part_json(&record->parts[k], text);
        text_add(text, k + 1 < record->part_count ? ",\n" : "\n");
    }
    text_add(text,
             "  ],\n  \"in_all\": {\"parts\": %" PRId64 ", \"measured_s\": ", record->part_count);
    text_add_number(text, total.measured_s);
    text_add(text, ", \"between_s\": ");
    text_add_number(text, total.between_s);
    text_add(text, ", \"tasks\": %" PRId64 ", \"packages\": %" PRId64 "}", total.tasks,
             total.packages);
}
