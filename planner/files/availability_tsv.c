#include "planner/files/availability_tsv.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/array.h"
#include "planner/base/limits.h"
#include "planner/files/textfile.h"
#include "planner/files/tsv_rows.h"

enum { NUMBERS = 4, NAME_MOST = 255 };

struct row {
    char who[NAME_MOST + 1];
    double start_s, end_s, cpu, bandwidth;
};

/* Up to when each series has lines so far. */
struct ends {
    double *items; /* owned, one per series */
    size_t count, capacity;
};

struct reading {
    struct availability read;
    struct ends ends;
};

static bool share(double number)
{
    return number >= 0 && number <= 1;
}

/* Reads exactly four numbers, up to the end of the line. */
static bool numbers_read(const char *at, double numbers[NUMBERS])
{
    static const char BLANKS[] = " \t\r";
    for (int k = 0; k < NUMBERS; k++) {
        char *end;
        at += strspn(at, BLANKS);
        if (*at == '\n' || *at == '\0')
            return false;
        numbers[k] = strtod(at, &end);
        if (end == at)
            return false;
        at = end;
    }
    at += strspn(at, BLANKS);
    return *at == '\n' || *at == '\0';
}

static bool row_read(const char *at, struct row *row)
{
    double numbers[NUMBERS];
    const size_t length = strcspn(at, "\t\n");
    if (length == 0 || length > NAME_MOST || at[length] != '\t' ||
        !numbers_read(at + length, numbers))
        return false;
    memcpy(row->who, at, length);
    row->who[length] = '\0';
    row->start_s = numbers[0];
    row->end_s = numbers[1];
    row->cpu = numbers[2];
    row->bandwidth = numbers[3];
    return row->start_s >= 0 && row->start_s < row->end_s && row->start_s <= LIMIT_TOTAL_S &&
           share(row->cpu) && share(row->bandwidth);
}

static double *end_of(struct ends *ends, size_t series)
{
    double *items = array_reserve(ends->items, &ends->capacity, series + 1, sizeof *items);
    if (!items)
        return NULL;
    ends->items = items;
    for (; ends->count <= series; ends->count++)
        items[ends->count] = 0;
    return &items[series];
}

static bool row_add(struct availability *availability, struct ends *ends, const struct row *row,
                    int64_t number, const char *name, struct failure *failure)
{
    struct availability_series *series = availability_series(availability, row->who);
    double *end_s = series ? end_of(ends, (size_t)(series - availability->series)) : NULL;
    if (!end_s)
        return failure_memory(failure, "reading loads");
    if (row->start_s != *end_s)
        return failure_set(failure, FAILURE_MISMATCH,
                           "%s, line %" PRId64
                           ": the lines of '%.60s' must follow one another from "
                           "0 s on: begin this one at %.17g s",
                           name, number, row->who, *end_s);
    *end_s = row->end_s;
    return availability_add(series, row->start_s, row->cpu, row->bandwidth) ||
           failure_memory(failure, "reading loads");
}

static bool line_read(void *self, const char *at, int64_t number, const char *name,
                      struct failure *failure)
{
    struct reading *reading = self;
    struct row row;
    if (!row_read(at, &row))
        return failure_set(failure, FAILURE_MISMATCH,
                           "%s, line %" PRId64
                           ": give a worker, start_s, a later end_s, and cpu and "
                           "bandwidth from 0 to 1, separated by tabs",
                           name, number);
    return row_add(&reading->read, &reading->ends, &row, number, name, failure);
}

static bool ends_finite(const struct availability_curve *curve)
{
    return isfinite(curve->steps[curve->count - 1].stretch);
}

/* A last share of 0, which would hold forever, is refused: a simulation would never end. */
static bool ends_check(const struct availability *availability, const char *name,
                       struct failure *failure)
{
    if (availability->count == 0)
        return failure_set(failure, FAILURE_MISMATCH,
                           "%s: has no loads: give lines of worker, start_s, end_s, cpu and "
                           "bandwidth",
                           name);
    for (size_t k = 0; k < availability->count; k++) {
        const struct availability_series *series = &availability->series[k];
        if (!ends_finite(&series->cpu) || !ends_finite(&series->link))
            return failure_set(failure, FAILURE_MISMATCH,
                               "%s: the last line of '%.60s' holds for ever: its shares must be "
                               "above 0",
                               name, series->who);
    }
    return true;
}

bool availability_parse(struct availability *availability, const char *text, const char *name,
                        struct failure *failure)
{
    struct reading reading = {.read = {.series = NULL}};
    const struct tsv_table table = {
        .text = text, .name = name, .head = "worker\t", .take = line_read, .self = &reading};
    const bool good = tsv_rows_read(&table, failure);
    free(reading.ends.items);
    if (good && ends_check(&reading.read, name, failure)) {
        *availability = reading.read;
        return true;
    }
    availability_release(&reading.read);
    return false;
}

bool availability_read(struct availability *availability, const char *path, struct failure *failure)
{
    size_t length;
    char *text = textfile_read(path, &length, failure);
    const bool good = text && availability_parse(availability, text, path, failure);
    free(text);
    return good;
}
