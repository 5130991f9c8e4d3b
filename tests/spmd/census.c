#include "tests/spmd/census.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "kernel/type.h"

#undef fail /* cmocka's: a host has one, too */

/* ---- what must be there ---- */

int census_pieces(int64_t number)
{
    return (int)(number % 3);
}

size_t census_piece(int64_t number, int piece, char text[CENSUS_PIECE_MOST])
{
    return (size_t)snprintf(text, CENSUS_PIECE_MOST, "%" PRId64 ", piece %d\n", number, piece);
}

bool census_rejected(int64_t number)
{
    return number % 11 == 4;
}

void census_rejection(int64_t number, char *text, size_t size)
{
    snprintf(text, size, "task %" PRId64 " is 4 more than a multiple of 11", number);
}

/* Every type holds its values exactly. */
double census_value(int type, int64_t z, int64_t y, int64_t x)
{
    const double place = (double)(z * 100003 + y * 1009 + x);
    switch ((enum scow_type)type) {
    case SCOW_U8:
        return fmod(place, 251);
    case SCOW_U16:
        return fmod(place, 65521);
    case SCOW_U32:
        return 4294967295.0 - place;
    case SCOW_U64:
        return 4503599627370496.0 + place;
    case SCOW_I32:
        return -place;
    case SCOW_I64:
        return -4503599627370496.0 - place;
    case SCOW_F32:
        return place / 8;
    case SCOW_F64:
        return place / 8 + 1099511627776.0;
    case SCOW_NONE:
    case SCOW_TEXT_BYTES:
        break;
    }
    abort();
}

static void value_store(int type, double value, void *values, size_t index)
{
    switch ((enum scow_type)type) {
    case SCOW_U8:
        ((uint8_t *)values)[index] = (uint8_t)value;
        return;
    case SCOW_U16:
        ((uint16_t *)values)[index] = (uint16_t)value;
        return;
    case SCOW_U32:
        ((uint32_t *)values)[index] = (uint32_t)value;
        return;
    case SCOW_U64:
        ((uint64_t *)values)[index] = (uint64_t)value;
        return;
    case SCOW_I32:
        ((int32_t *)values)[index] = (int32_t)value;
        return;
    case SCOW_I64:
        ((int64_t *)values)[index] = (int64_t)value;
        return;
    case SCOW_F32:
        ((float *)values)[index] = (float)value;
        return;
    case SCOW_F64:
        ((double *)values)[index] = value;
        return;
    case SCOW_NONE:
    case SCOW_TEXT_BYTES:
        return;
    }
}

/* ---- parameters ---- */

enum { PARTS, TYPE, SLICES, ROWS, COLUMNS, TILE_SLICES, TILE_ROWS, TILE_COLUMNS, PARAMETERS };

#define CENSUS_COUNT(row, default, most)                                                           \
    {                                                                                              \
        .name = row, .help = "a count", .kind = SCOW_WHOLE, .initial = default, .least = 0,        \
        .greatest = most                                                                           \
    }

static const struct scow_parameter parameters[PARAMETERS + 1] = {
    [PARTS] = CENSUS_COUNT("parts", CENSUS_ALL, CENSUS_ALL),
    [TYPE] = CENSUS_COUNT("type", SCOW_F32, SCOW_F64),
    [SLICES] = CENSUS_COUNT("slices", 1, 1e6),
    [ROWS] = CENSUS_COUNT("rows", 1, 1e6),
    [COLUMNS] = CENSUS_COUNT("columns", 50, 1e6),
    [TILE_SLICES] = CENSUS_COUNT("tile-slices", 1, 1e6),
    [TILE_ROWS] = CENSUS_COUNT("tile-rows", 1, 1e6),
    [TILE_COLUMNS] = CENSUS_COUNT("tile-columns", 1, 1e6),
};

static struct census census_of(const struct scow_value *values)
{
    struct census census = {.parts = (int)values[PARTS].number, .type = (int)values[TYPE].number};
    for (int i = 0; i < 3; i++) {
        census.extent[i] = (int64_t)values[SLICES + i].number;
        census.tile[i] = (int64_t)values[TILE_SLICES + i].number;
    }
    return census;
}

int64_t census_tasks(const struct census *census)
{
    int64_t tasks = 1;
    for (int i = 0; i < 3; i++)
        tasks *= (census->extent[i] + census->tile[i] - 1) / census->tile[i];
    return tasks;
}

/* ---- the task ---- */

enum { LINE_BYTES = 12 };

/* The part of a package that belongs to one task. */
struct entry {
    int64_t number; /* three times the task's, and 1 */
    char line[LINE_BYTES];
    char rest[4];
};

struct opened {
    struct census census;
    struct scow_input input;
};

static int census_describe(const struct scow_host *host, const struct scow_value *values,
                           const struct scow_input *input, int64_t *tasks)
{
    const struct census census = census_of(values);
    static const char shared[] = "alike on all ranks";
    *tasks = census_tasks(&census);
    if (input->kind == SCOW_INPUT_LINES && input->extent[0] != *tasks)
        return host->fail(host, "%" PRId64 " lines are not %" PRId64 " core tasks",
                          input->extent[0], *tasks);
    return host->share(host, shared, sizeof shared);
}

static int census_begin(const struct scow_host *host, const struct scow_setup *setup, void **job)
{
    struct opened *opened = malloc(sizeof *opened);
    if (!opened)
        return host->fail(host, "out of memory");
    if ((uintptr_t)setup->shared % _Alignof(max_align_t) != 0 ||
        strcmp(setup->shared, "alike on all ranks") != 0)
        return free(opened), host->fail(host, "what was shared did not arrive");
    *opened = (struct opened){census_of(setup->values), setup->input};
    *job = opened;
    return SCOW_OK;
}

static const struct scow_field fields[] = {
    {"number", SCOW_I64, offsetof(struct census_record, number), 1, 0},
    {"squares", SCOW_F32, offsetof(struct census_record, squares), 3, 0},
    {"name", SCOW_TEXT_BYTES, offsetof(struct census_record, name), LINE_BYTES, 0},
    {"rank", SCOW_I32, offsetof(struct census_record, rank), 1, SCOW_MEASURED},
    {NULL, 0, 0, 0, 0},
};

static void census_results(const void *job, struct scow_results *results)
{
    const struct census *census = &((const struct opened *)job)->census;
    if (census->parts & CENSUS_GRID) {
        results->grid_type = census->type;
        memcpy(results->grid_extent, census->extent, sizeof census->extent);
        memcpy(results->grid_tile, census->tile, sizeof census->tile);
        results->grid_picture = (census->parts & CENSUS_PICTURE) != 0;
    }
    if (census->parts & CENSUS_RECORDS) {
        results->fields = fields;
        results->record_size = sizeof(struct census_record);
    }
    if (census->parts & CENSUS_REDUCTION)
        results->state_size = sizeof(struct census_state);
    results->emits = (census->parts & CENSUS_EMITS) != 0;
}

static void census_method(const void *job, char *text, size_t size)
{
    snprintf(text, size, "counting, parts %d", ((const struct opened *)job)->census.parts);
}

static size_t census_size_most(const void *job, int64_t count)
{
    (void)job;
    return (size_t)count * sizeof(struct entry);
}

static int census_pack(const struct scow_host *host, const void *job, int64_t first, int64_t count,
                       void *package, size_t *size)
{
    const struct opened *opened = job;
    struct entry *entries = package;
    memset(entries, 0, (size_t)count * sizeof *entries);
    for (int64_t k = 0; k < count; k++) {
        struct scow_item item;
        entries[k].number = 3 * (first + k) + 1;
        if (opened->input.kind != SCOW_INPUT_LINES)
            continue;
        if (host->read_item(host, first + k, &item) != SCOW_OK)
            return SCOW_FAILED;
        memcpy(entries[k].line, item.bytes, item.size < LINE_BYTES ? item.size : LINE_BYTES);
    }
    *size = (size_t)count * sizeof *entries;
    return SCOW_OK;
}

static void census_place(const void *job, int64_t task, int64_t start[3], int64_t count[3])
{
    const struct census *census = &((const struct opened *)job)->census;
    for (int i = 2; i >= 0; i--) {
        const int64_t extent = census->extent[i];
        const int64_t tiles = (extent + census->tile[i] - 1) / census->tile[i];
        const int64_t at = task % tiles;
        start[i] = at * extent / tiles;
        count[i] = (at + 1) * extent / tiles - start[i];
        task /= tiles;
    }
}

/* ---- workspaces ---- */

enum { WORKSPACE_MAGIC = 0x5ca1ab1e };
static int started, starts, refused_start;

struct workspace {
    int64_t magic, inside;
};

int census_started(void)
{
    return started;
}

void census_start_refuse(int nth)
{
    refused_start = nth;
    starts = 0;
}

static size_t census_workspace_size(const void *job, int threads)
{
    (void)job;
    return sizeof(struct workspace) * (size_t)threads;
}

static int census_start(const struct scow_host *host, const void *job, void *memory)
{
    struct workspace *workspace = memory;
    (void)job;
    starts++;
    if (refused_start > 0 && starts >= refused_start)
        return host->fail(host, "workspace %d could not be started", starts);
    if ((uintptr_t)memory % 4096 != 0 || workspace->magic != 0 || workspace->inside != 0)
        return host->fail(host, "the workspace is not aligned, or not zeroed");
    workspace->magic = WORKSPACE_MAGIC;
    started++;
    return SCOW_OK;
}

static void census_stop(const void *job, void *memory)
{
    struct workspace *workspace = memory;
    (void)job;
    started -= workspace->magic == WORKSPACE_MAGIC;
    workspace->magic = 0;
}

/* ---- computing ---- */

static void grid_fill(const struct opened *opened, int64_t task, char *tile)
{
    int64_t start[3], count[3];
    size_t index = 0;
    const int type = opened->census.type;
    census_place(opened, task, start, count);
    for (int64_t z = 0; z < count[0]; z++)
        for (int64_t y = 0; y < count[1]; y++)
            for (int64_t x = 0; x < count[2]; x++)
                value_store(type, census_value(type, start[0] + z, start[1] + y, start[2] + x),
                            tile, index++);
}

static size_t tile_bytes(const struct census *census)
{
    return (size_t)(census->tile[0] * census->tile[1] * census->tile[2]) *
           scow_type_size(census->type);
}

static void record_fill(const struct scow_batch *batch, int64_t task, const char *line,
                        struct census_record *record)
{
    record->number = task;
    record->rank = batch->rank;
    for (int64_t i = 0; i < 3; i++)
        record->squares[i] = (float)((task + i) * (task + i));
    if (line[0])
        memcpy(record->name, line, LINE_BYTES);
    else
        snprintf(record->name, sizeof record->name, "task %" PRId64, task % 100000);
}

static void state_add(struct census_state *state, const struct census_state *part)
{
    state->tasks += part->tasks;
    state->squares += part->squares;
    if (part->least < state->least)
        state->least = part->least;
    if (part->greatest > state->greatest)
        state->greatest = part->greatest;
}

static void task_emit(const struct scow_host *host, int64_t task)
{
    char text[CENSUS_PIECE_MOST];
    for (int piece = 0; piece < census_pieces(task); piece++) {
        const size_t size = census_piece(task, piece, text);
        host->emit(host, task, text, size);
    }
}

static void task_reject(const struct scow_host *host, int64_t task)
{
    char why[80];
    census_rejection(task, why, sizeof why);
    host->reject(host, task, why);
}

static int task_do(const struct scow_host *host, const struct opened *opened,
                   const struct scow_batch *batch, int64_t k)
{
    const int parts = opened->census.parts;
    const int64_t task = batch->first + k;
    const struct entry *entry =
        (const struct entry *)batch->package + (task - batch->package_first);
    if (entry->number != 3 * task + 1)
        return host->fail(host, "the package is not that of task %" PRId64, task);
    if (parts & CENSUS_GRID)
        grid_fill(opened, task, (char *)batch->grid + (size_t)k * tile_bytes(&opened->census));
    if (parts & CENSUS_RECORDS)
        record_fill(batch, task, entry->line, (struct census_record *)batch->records + k);
    if (parts & CENSUS_EMITS)
        task_emit(host, task);
    if ((parts & CENSUS_REJECTS) && census_rejected(task))
        task_reject(host, task);
    return SCOW_OK;
}

static int batch_check(const struct scow_host *host, const struct scow_batch *batch)
{
    const struct workspace *workspace = batch->workspace;
    if (workspace->magic != WORKSPACE_MAGIC)
        return host->fail(host, "the workspace was not started");
    if (batch->package_first > batch->first || (uintptr_t)batch->package % 64 != 0 ||
        batch->package_size != (size_t)batch->package_count * sizeof(struct entry) ||
        batch->package_first + batch->package_count < batch->first + batch->count)
        return host->fail(host, "the batch is no part of its package");
    return SCOW_OK;
}

/* State of a reduction: only the caller sets it, after all tasks. */
static void state_fill(const struct opened *opened, const struct scow_batch *batch)
{
    for (int64_t task = batch->first;
         (opened->census.parts & CENSUS_REDUCTION) && task < batch->first + batch->count; task++) {
        const struct census_state one = {1, task, task, (uint64_t)task * (uint64_t)task};
        state_add(batch->state, &one);
    }
}

static int compute_host(const struct scow_host *host, const void *job,
                        const struct scow_batch *batch)
{
    int status = batch_check(host, batch);
    if (status == SCOW_OK && batch->threads != 1)
        status = host->fail(host, "%d threads for one of several callers", batch->threads);
    for (int64_t k = 0; status == SCOW_OK && k < batch->count; k++)
        status = host->pulse(host) ? SCOW_STOPPED : task_do(host, job, batch, k);
    if (status == SCOW_OK)
        state_fill(job, batch);
    return status;
}

static int compute_own(const struct scow_host *host, const void *job,
                       const struct scow_batch *batch)
{
    int status = batch_check(host, batch);
    if (status != SCOW_OK)
        return status;
    if (host->pulse(host))
        return SCOW_STOPPED;
#pragma omp parallel for num_threads(batch->threads) schedule(dynamic, 1) reduction(max : status)
    for (int64_t k = 0; k < batch->count; k++) {
        const int done = task_do(host, job, batch, k);
        status = done > status ? done : status;
    }
    state_fill(job, batch);
    return status;
}

/* ---- reductions ---- */

static void census_reset(const void *job, void *state)
{
    (void)job;
    *(struct census_state *)state = (struct census_state){0, INT64_MAX, INT64_MIN, 0};
}

static void census_merge(const void *job, void *state, const void *part)
{
    (void)job;
    state_add(state, part);
}

static int census_print(const void *job, const void *state, char *json, size_t size)
{
    const struct census_state *sum = state;
    (void)job;
    return snprintf(json, size,
                    "{\"tasks\": %" PRId64 ", \"least\": %" PRId64 ", \"greatest\": %" PRId64
                    ", \"squares\": %" PRIu64 "}",
                    sum->tasks, sum->least, sum->greatest, sum->squares);
}

#define CENSUS_TASK(word, from, who, how, flag)                                                    \
    {                                                                                              \
        SCOW_TASK, .name = word, .version = "1", .summary = "count", .core_task = "a number",      \
                   .outcome = "numbers", .parameters = parameters, .input = from, .threads = who,  \
                   .flags = flag, .describe = census_describe, .open = census_begin,               \
                   .close = free, .method = census_method, .results = census_results,              \
                   .package_size_most = census_size_most, .pack = census_pack,                     \
                   .workspace_size = census_workspace_size, .start = census_start,                 \
                   .stop = census_stop, .compute = how, .place = census_place,                     \
                   .reset = census_reset, .merge = census_merge, .print = census_print             \
    }

const struct scow_task census_host =
    CENSUS_TASK("census-host", SCOW_INPUT_NONE, SCOW_THREADS_HOST, compute_host, 0);
const struct scow_task census_own =
    CENSUS_TASK("census-own", SCOW_INPUT_NONE, SCOW_THREADS_OWN, compute_own, 0);
const struct scow_task census_lines =
    CENSUS_TASK("census-lines", SCOW_INPUT_LINES, SCOW_THREADS_HOST, compute_host, 0);
const struct scow_task census_sleeps =
    CENSUS_TASK("census-sleeps", SCOW_INPUT_NONE, SCOW_THREADS_HOST, compute_host, SCOW_SLEEP);
