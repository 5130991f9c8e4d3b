#include "kernel/jacobi/jacobi.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum parameter_index { ROWS, COLUMNS, NORTH, SOUTH, WEST, EAST, INSIDE };

static const double value_most = 1e300;
static const char inside_mean[] = "mean";

static const struct scow_parameter parameters[] = {
    [ROWS] = {.name = "rows",
              .kind = SCOW_WHOLE,
              .help = "cells of a column of the grid",
              .initial = 1000,
              .least = 1,
              .greatest = 1e8},
    [COLUMNS] = {.name = "columns",
                 .kind = SCOW_WHOLE,
                 .help = "columns of the grid: a core task updates one of them once",
                 .initial = 1000,
                 .least = 1,
                 .greatest = 1099511627776.0},
    [NORTH] = {.name = "north",
               .kind = SCOW_NUMBER,
               .help = "value of the cells that are fixed along the grid's northern edge",
               .initial = 1,
               .least = -1e300,
               .greatest = 1e300},
    [SOUTH] = {.name = "south",
               .kind = SCOW_NUMBER,
               .help = "the same along its southern edge",
               .least = -1e300,
               .greatest = 1e300},
    [WEST] = {.name = "west",
              .kind = SCOW_NUMBER,
              .help = "the same along its western edge",
              .least = -1e300,
              .greatest = 1e300},
    [EAST] = {.name = "east",
              .kind = SCOW_NUMBER,
              .help = "the same along its eastern edge",
              .least = -1e300,
              .greatest = 1e300},
    [INSIDE] = {.name = "inside",
                .kind = SCOW_TEXT,
                .help = "value of all other cells before the first iteration: a number, or mean, "
                        "that of the four edges",
                .text = inside_mean},
    {.name = NULL}};

struct job {
    int64_t rows, columns, room; /* room: columns that a workspace holds */
    struct jacobi_values values;
};

/* Wider packages use these columns again and again; they are larger than any cache. */
static const size_t workspace_most = (size_t)256 << 20;

/* What a column leaves: of its new cells the first, the middle and the last. */
struct jacobi_record {
    double first, middle, last;
};

static const struct scow_field fields[] = {
    {.name = "first", .type = SCOW_F64, .offset = 0, .count = 1},
    {.name = "middle",
     .type = SCOW_F64,
     .offset = offsetof(struct jacobi_record, middle),
     .count = 1},
    {.name = "last", .type = SCOW_F64, .offset = offsetof(struct jacobi_record, last), .count = 1},
    {.name = NULL}};

int64_t jacobi_rows(const struct scow_value *values)
{
    return (int64_t)values[ROWS].number;
}

static int64_t jacobi_columns(const struct scow_value *values)
{
    return (int64_t)values[COLUMNS].number;
}

/* False: the text is neither a number nor the mean. */
static bool inside_read(const struct scow_value *values, double *inside)
{
    const char *text = values[INSIDE].text;
    char *end = NULL;
    *inside =
        (values[NORTH].number + values[SOUTH].number + values[WEST].number + values[EAST].number) *
        0.25;
    if (!text || strcmp(text, inside_mean) == 0)
        return true;
    *inside = strtod(text, &end);
    return end != text && !*end && fabs(*inside) <= value_most;
}

bool jacobi_values_check(const struct scow_value *values)
{
    double inside;
    return inside_read(values, &inside);
}

struct jacobi_values jacobi_values_read(const struct scow_value *values)
{
    struct jacobi_values read = {.north = values[NORTH].number,
                                 .south = values[SOUTH].number,
                                 .west = values[WEST].number,
                                 .east = values[EAST].number};
    inside_read(values, &read.inside);
    return read;
}

static int jacobi_describe(const struct scow_host *host, const struct scow_value *values,
                           const struct scow_input *input, int64_t *tasks)
{
    (void)input;
    if (!jacobi_values_check(values))
        return host->refuse(host, "inside", "--inside '%.40s': give a number, or mean",
                            values[INSIDE].text);
    *tasks = jacobi_columns(values);
    return SCOW_OK;
}

static int jacobi_open(const struct scow_host *host, const struct scow_setup *setup, void **job)
{
    const struct scow_value *values = setup->values;
    struct job *made = malloc(sizeof *made);
    if (!made)
        return host->fail(host, "out of memory for the job: free some and try again");
    *made = (struct job){.rows = jacobi_rows(values),
                         .columns = jacobi_columns(values),
                         .values = jacobi_values_read(values)};
    const int64_t fit =
        (int64_t)(workspace_most / (2 * sizeof(double) * ((size_t)made->rows + 2))) - 2;
    made->room = fit < 1 ? 1 : fit < made->columns ? fit : made->columns;
    *job = made;
    return SCOW_OK;
}

static void jacobi_close(void *job)
{
    free(job);
}

static void jacobi_method(const void *job, char *text, size_t size)
{
    (void)job;
    snprintf(text, size, "(north + south + west + east) / 4, added in this order");
}

static void jacobi_results(const void *job, struct scow_results *results)
{
    (void)job;
    results->fields = fields;
    results->record_size = sizeof(struct jacobi_record);
}

static size_t jacobi_workspace_size(const void *self, int threads)
{
    const struct job *job = self;
    (void)threads;
    return 2 * jacobi_strip_size(job->rows, job->room);
}

static struct jacobi_strip strip_of(const struct job *job, void *workspace, int threads)
{
    const size_t cells = jacobi_strip_size(job->rows, job->room) / sizeof(double);
    double *array = workspace;
    return (struct jacobi_strip){.rows = job->rows,
                                 .columns = job->room,
                                 .now = array,
                                 .next = array + cells,
                                 .threads = threads};
}

static int jacobi_start(const struct scow_host *host, const void *self, void *workspace)
{
    const struct job *job = self;
    (void)host;
    const struct jacobi_strip strip = strip_of(job, workspace, 1);
    jacobi_strip_begin(&strip, &job->values);
    return SCOW_OK;
}

static void jacobi_stop(const void *job, void *workspace)
{
    (void)job;
    (void)workspace;
}

/* Columns beside the strip are those of the package's first and last column in the grid. */
static void sides_fill(const struct job *job, const struct jacobi_strip *strip, int64_t first,
                       int64_t end, int64_t last_place)
{
    const struct jacobi_values *values = &job->values;
    const double west = first == 0 ? values->west : values->inside;
    const double east = end == job->columns ? values->east : values->inside;
    double *before = jacobi_column(strip, strip->now, 0);
    double *behind = jacobi_column(strip, strip->now, last_place + 1);
    for (int64_t row = 0; row < strip->rows; row++) {
        before[row] = west;
        behind[row] = east;
    }
}

/* The workspace is again as jacobi_start left it. */
static void sides_clear(const struct job *job, const struct jacobi_strip *strip, int64_t last_place)
{
    double *behind = jacobi_column(strip, strip->now, last_place + 1);
    for (int64_t row = 0; row < strip->rows; row++)
        behind[row] = job->values.inside;
}

/* Who computes, for a pulse. */
struct caller {
    const struct scow_host *host;
};

static bool pulse(void *self)
{
    const struct caller *caller = self;
    return caller->host->pulse(caller->host);
}

/* As many columns as the workspace has room for. */
static bool columns_compute(const struct scow_host *host, const struct job *job,
                            const struct scow_batch *batch, int64_t from, int64_t count)
{
    const struct jacobi_strip strip = strip_of(job, batch->workspace, batch->threads);
    const int64_t first = batch->first + from;
    struct jacobi_record *records = (struct jacobi_record *)batch->records + from;
    struct caller caller = {host};
    sides_fill(job, &strip, first, first + count, count);
    const bool good =
        jacobi_strip_step(&strip, 1, count + 1, (struct jacobi_pulse){pulse, &caller});
    for (int64_t k = 0; good && k < count; k++) {
        const double *cells = jacobi_column(&strip, strip.next, k + 1);
        records[k] = (struct jacobi_record){cells[0], cells[job->rows / 2], cells[job->rows - 1]};
    }
    sides_clear(job, &strip, count);
    return good;
}

static int jacobi_compute(const struct scow_host *host, const void *self,
                          const struct scow_batch *batch)
{
    const struct job *job = self;
    for (int64_t from = 0; from < batch->count; from += job->room) {
        const int64_t left = batch->count - from;
        if (!columns_compute(host, job, batch, from, left < job->room ? left : job->room))
            return SCOW_STOPPED;
    }
    return SCOW_OK;
}

const struct scow_task jacobi_task = {
    SCOW_TASK,
    .name = "jacobi",
    .version = "1",
    .summary = "columns of a grid under Jacobi's iteration, for strips (scow plan --strips)",
    .core_task = "updating one column once",
    .outcome = "/result: of each column after the first iteration its first, middle and last cell. "
               "All iterations are done in strips: scow plan --strips, whose run leaves the whole "
               "grid in /grid.",
    .parameters = parameters,
    .input = SCOW_INPUT_NONE,
    .threads = SCOW_THREADS_OWN,
    .describe = jacobi_describe,
    .open = jacobi_open,
    .close = jacobi_close,
    .method = jacobi_method,
    .results = jacobi_results,
    .workspace_size = jacobi_workspace_size,
    .start = jacobi_start,
    .stop = jacobi_stop,
    .compute = jacobi_compute,
};
