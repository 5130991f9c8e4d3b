/*
 * A core task that does one thing wrong, whichever --fault says; "none": nothing. Only it includes
 * what plug-ins may include.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/scow.h"

enum fault {
    NONE,
    NO_TASKS,
    NEGATIVE_TASKS,
    HUGE_TASKS,
    DESCRIBE_SILENT,
    DESCRIBE_SAYS,
    DESCRIBE_SAYS_LINES,
    DESCRIBE_SAYS_BLANKS,
    SHARES_TWICE,
    READS_NOTHING,
    SETTLES_NONSENSE,
    OPEN_SILENT,
    GRID_TYPE,
    GRID_TEXT,
    TILE_EMPTY,
    TILE_LARGER,
    GRID_HUGE,
    GRID_ENDLESS,
    PLACE_OUTSIDE,
    PLACE_BETWEEN,
    PLACE_LARGER,
    FIELD_OUTSIDE,
    FIELD_TYPE,
    FIELD_EMPTY,
    FIELD_TWICE,
    FIELD_OVERLAPS,
    RECORD_EMPTY,
    STATE_HUGE,
    PACKAGE_HUGE,
    PACK_OVERRUNS,
    PACK_CLAIMS,
    PACK_SILENT,
    PACK_REJECTS,
    WORKSPACE_HUGE,
    START_SILENT,
    START_ON_ONE,
    GRID_OVERRUN,
    RECORDS_OVERRUN,
    STATE_OVERRUN,
    WORKSPACE_OVERRUN,
    COMPUTE_SILENT,
    COMPUTE_SAYS,
    COMPUTE_BOTH,
    COMPUTE_UNKNOWN,
    COMPUTE_STOPS,
    COMPUTE_READS,
    COMPUTE_DIES,
    COMPUTE_IS_KILLED,
    REJECTS_AT,
    REJECTS,
    REJECTS_LINES,
    REJECTS_BLANKS,
    REJECTS_ELSEWHERE,
    EMITS_ELSEWHERE,
    EMITS_UNSAID,
    EMITS_HUGE,
    PRINT_LONG,
    PRINT_NEGATIVE,
    PRINT_NO_JSON,
    PRINT_OVERRUN,
    METHOD_LONG,
    METHOD_OVERRUN,
    FAULTS
};

static const char *const words[FAULTS + 1] = {
    [NONE] = "none",
    [NO_TASKS] = "no-tasks",
    [NEGATIVE_TASKS] = "negative-tasks",
    [HUGE_TASKS] = "huge-tasks",
    [DESCRIBE_SILENT] = "describe-silent",
    [DESCRIBE_SAYS] = "describe-says",
    [DESCRIBE_SAYS_LINES] = "describe-says-lines",
    [DESCRIBE_SAYS_BLANKS] = "describe-says-blanks",
    [SHARES_TWICE] = "shares-twice",
    [READS_NOTHING] = "reads-nothing",
    [SETTLES_NONSENSE] = "settles-nonsense",
    [OPEN_SILENT] = "open-silent",
    [GRID_TYPE] = "grid-type",
    [GRID_TEXT] = "grid-text",
    [TILE_EMPTY] = "tile-empty",
    [TILE_LARGER] = "tile-larger",
    [GRID_HUGE] = "grid-huge",
    [GRID_ENDLESS] = "grid-endless",
    [PLACE_OUTSIDE] = "place-outside",
    [PLACE_BETWEEN] = "place-between",
    [PLACE_LARGER] = "place-larger",
    [FIELD_OUTSIDE] = "field-outside",
    [FIELD_TYPE] = "field-type",
    [FIELD_EMPTY] = "field-empty",
    [FIELD_TWICE] = "field-twice",
    [FIELD_OVERLAPS] = "field-overlaps",
    [RECORD_EMPTY] = "record-empty",
    [STATE_HUGE] = "state-huge",
    [PACKAGE_HUGE] = "package-huge",
    [PACK_OVERRUNS] = "pack-overruns",
    [PACK_CLAIMS] = "pack-claims",
    [PACK_SILENT] = "pack-silent",
    [PACK_REJECTS] = "pack-rejects",
    [WORKSPACE_HUGE] = "workspace-huge",
    [START_SILENT] = "start-silent",
    [START_ON_ONE] = "start-on-one",
    [GRID_OVERRUN] = "grid-overrun",
    [RECORDS_OVERRUN] = "records-overrun",
    [STATE_OVERRUN] = "state-overrun",
    [WORKSPACE_OVERRUN] = "workspace-overrun",
    [COMPUTE_SILENT] = "compute-silent",
    [COMPUTE_SAYS] = "compute-says",
    [COMPUTE_BOTH] = "compute-both",
    [COMPUTE_UNKNOWN] = "compute-unknown",
    [COMPUTE_STOPS] = "compute-stops",
    [COMPUTE_READS] = "compute-reads",
    [COMPUTE_DIES] = "compute-dies",           /* of a segmentation fault, at --at */
    [COMPUTE_IS_KILLED] = "compute-is-killed", /* by somebody else, at --at */
    [REJECTS_AT] = "rejects-at",
    [REJECTS] = "rejects", /* which is none */
    [REJECTS_LINES] = "rejects-lines",
    [REJECTS_BLANKS] = "rejects-blanks",
    [REJECTS_ELSEWHERE] = "rejects-elsewhere",
    [EMITS_ELSEWHERE] = "emits-elsewhere",
    [EMITS_UNSAID] = "emits-unsaid",
    [EMITS_HUGE] = "emits-huge",
    [PRINT_LONG] = "print-long",
    [PRINT_NEGATIVE] = "print-negative",
    [PRINT_NO_JSON] = "print-no-json",
    [PRINT_OVERRUN] = "print-overrun",
    [METHOD_LONG] = "method-long",
    [METHOD_OVERRUN] = "method-overrun",
};

enum { FAULT, TASKS, RANK, AT };
enum { WIDTH = 8 };

static const struct scow_parameter parameters[] = {
    {.name = "fault", .help = "what goes wrong", .kind = SCOW_WORD, .words = words},
    {.name = "tasks",
     .help = "how many",
     .kind = SCOW_WHOLE,
     .initial = 40,
     .least = 1,
     .greatest = 1e6},
    {.name = "rank",
     .help = "of start-on-one",
     .kind = SCOW_WHOLE,
     .initial = 2,
     .least = 0,
     .greatest = 1e6},
    {.name = "at",
     .help = "core task, from 0",
     .kind = SCOW_WHOLE,
     .initial = 0,
     .least = 0,
     .greatest = 1e6},
    {.name = NULL},
};

struct job {
    enum fault fault;
    int rank;
    int64_t tasks, at;
};

/* ---- describing ---- */

static int nonsense_settle(const struct scow_host *host, const struct scow_input *input,
                           struct scow_value *values)
{
    (void)host;
    (void)input;
    if ((int)values[FAULT].number == SETTLES_NONSENSE)
        values[FAULT].number = 1e9;
    return SCOW_OK;
}

static int nonsense_describe(const struct scow_host *host, const struct scow_value *values,
                             const struct scow_input *input, int64_t *tasks)
{
    struct scow_item item;
    (void)input;
    *tasks = (int64_t)values[TASKS].number;
    switch ((int)values[FAULT].number) {
    case NO_TASKS:
        *tasks = 0;
        return SCOW_OK;
    case NEGATIVE_TASKS:
        *tasks = -5;
        return SCOW_OK;
    case HUGE_TASKS:
        *tasks = INT64_MAX;
        return SCOW_OK;
    case DESCRIBE_SILENT:
        return SCOW_FAILED;
    case DESCRIBE_SAYS:
        return host->fail(host, "%s: do %d things", "nothing fits", 3);
    case DESCRIBE_SAYS_LINES:
        return host->fail(host, "\n nothing\r\n\tfits:\a na\xc3\xafve \x1b[1mlines\x7f\n");
    case DESCRIBE_SAYS_BLANKS:
        return host->fail(host, " \n\n");
    case SHARES_TWICE:
        host->share(host, "a", 1);
        host->share(host, "b", 1);
        return SCOW_OK;
    case READS_NOTHING:
        return host->read_item(host, 0, &item);
    default:
        return SCOW_OK;
    }
}

static int nonsense_open(const struct scow_host *host, const struct scow_setup *setup,
                         void **opened)
{
    struct job *job = malloc(sizeof *job);
    (void)host;
    if (!job || (int)setup->values[FAULT].number == OPEN_SILENT) {
        free(job);
        return SCOW_FAILED;
    }
    job->fault = (enum fault)setup->values[FAULT].number;
    job->rank = (int)setup->values[RANK].number;
    job->tasks = setup->tasks;
    job->at = (int64_t)setup->values[AT].number;
    *opened = job;
    return SCOW_OK;
}

/* snprintf where the buffer is large enough; where the fault is an overrun, beyond its end. */
static void nonsense_method(const void *opened, char *text, size_t size)
{
    const struct job *job = opened;
    if (job->fault == METHOD_LONG || job->fault == METHOD_OVERRUN)
        memset(text, 'm', size + (job->fault == METHOD_OVERRUN ? 16 : 0));
    else
        snprintf(text, size, "nonsense");
}

/* ---- results ---- */

static const struct scow_field fields[] = {{"number", SCOW_I64, 0, 1, 0}, {NULL, 0, 0, 0, 0}};
static const struct scow_field outside[] = {{"number", SCOW_I64, 4, 1, 0}, {NULL, 0, 0, 0, 0}};
static const struct scow_field typeless[] = {{"number", 77, 0, 1, 0}, {NULL, 0, 0, 0, 0}};
static const struct scow_field empty[] = {{"number", SCOW_I64, 0, 0, 0}, {NULL, 0, 0, 0, 0}};
static const struct scow_field twice[] = {
    {"number", SCOW_I32, 0, 1, 0}, {"number", SCOW_I32, 4, 1, 0}, {NULL, 0, 0, 0, 0}};
static const struct scow_field overlapping[] = {
    {"number", SCOW_I64, 0, 1, 0}, {"other", SCOW_I32, 4, 1, 0}, {NULL, 0, 0, 0, 0}};

static const struct scow_field *fields_of(enum fault fault)
{
    return fault == FIELD_OUTSIDE    ? outside
           : fault == FIELD_TYPE     ? typeless
           : fault == FIELD_EMPTY    ? empty
           : fault == FIELD_TWICE    ? twice
           : fault == FIELD_OVERLAPS ? overlapping
                                     : fields;
}

static void nonsense_results(const void *opened, struct scow_results *results)
{
    const struct job *job = opened;
    const enum fault fault = job->fault;
    results->grid_type = fault == GRID_TYPE ? 99 : fault == GRID_TEXT ? SCOW_TEXT_BYTES : SCOW_F32;
    results->grid_extent[0] = fault == GRID_ENDLESS ? INT64_MAX : 1;
    results->grid_extent[1] = fault == GRID_HUGE || fault == GRID_ENDLESS ? INT64_MAX : job->tasks;
    results->grid_extent[2] = WIDTH;
    results->grid_tile[0] = 1;
    results->grid_tile[1] = fault == TILE_EMPTY ? 0 : fault == TILE_LARGER ? job->tasks + 1 : 1;
    results->grid_tile[2] = WIDTH;
    results->fields = fields_of(fault);
    results->record_size = fault == RECORD_EMPTY ? 0 : sizeof(int64_t);
    results->state_size = fault == STATE_HUGE ? (size_t)1 << 40 : sizeof(int64_t);
    results->emits = fault != EMITS_UNSAID;
}

static void nonsense_place(const void *opened, int64_t task, int64_t start[3], int64_t count[3])
{
    const struct job *job = opened;
    start[0] = 0;
    start[1] = task;
    start[2] = 0;
    count[0] = count[1] = 1;
    count[2] = WIDTH;
    if (job->fault == PLACE_OUTSIDE)
        start[1] = job->tasks - 1 + task;
    if (job->fault == PLACE_BETWEEN)
        start[2] = 3;
    if (job->fault == PLACE_LARGER)
        count[1] = INT64_MAX;
}

static void nonsense_reset(const void *opened, void *state)
{
    (void)opened;
    memset(state, 0, sizeof(int64_t));
}

static void nonsense_merge(const void *opened, void *state, const void *part)
{
    (void)opened;
    *(int64_t *)state += *(const int64_t *)part;
}

static int nonsense_print(const void *opened, const void *state, char *json, size_t size)
{
    const struct job *job = opened;
    switch ((int)job->fault) {
    case PRINT_LONG:
        memset(json, ' ', size);
        return 1 << 20;
    case PRINT_NEGATIVE:
        return -1;
    case PRINT_NO_JSON:
        return snprintf(json, size, "forty-two \"");
    case PRINT_OVERRUN:
        memset(json, '7', size + 8);
        return (int)size - 1;
    default:
        return snprintf(json, size, "%" PRId64, *(const int64_t *)state);
    }
}

/* ---- packages ---- */

static size_t nonsense_size_most(const void *opened, int64_t count)
{
    const struct job *job = opened;
    return job->fault == PACKAGE_HUGE ? SIZE_MAX - 10 : (size_t)count * sizeof(int64_t);
}

static int nonsense_pack(const struct scow_host *host, const void *opened, int64_t first,
                         int64_t count, void *package, size_t *size)
{
    const struct job *job = opened;
    *size = (size_t)count * sizeof(int64_t);
    for (int64_t k = 0; k < count; k++)
        ((int64_t *)package)[k] = first + k;
    if (job->fault == PACK_OVERRUNS)
        memset((char *)package + *size, 1, 24);
    if (job->fault == PACK_CLAIMS)
        *size = SIZE_MAX / 2;
    if (job->fault == PACK_REJECTS)
        host->reject(host, first, "not while packing");
    return job->fault == PACK_SILENT ? SCOW_FAILED : SCOW_OK;
}

/* ---- computing ---- */

enum { WORKSPACE = 100 };

static size_t nonsense_workspace_size(const void *opened, int threads)
{
    (void)threads;
    return ((const struct job *)opened)->fault == WORKSPACE_HUGE ? SIZE_MAX - 10 : WORKSPACE;
}

/* The rank is the process manager's: scow does not say it before compute. */
static int nonsense_start(const struct scow_host *host, const void *opened, void *workspace)
{
    const struct job *job = opened;
    const char *rank = getenv("PMI_RANK");
    (void)workspace;
    if (job->fault == START_ON_ONE && rank && atoi(rank) == job->rank)
        return host->fail(host, "rank %s has no licence", rank);
    return job->fault == START_SILENT ? SCOW_FAILED : SCOW_OK;
}

static void nonsense_stop(const void *opened, void *workspace)
{
    (void)opened;
    (void)workspace;
}

/* Beyond a buffer of `size` bytes by a little, as a wrong index would. */
static void overrun(void *buffer, size_t size)
{
    memset((char *)buffer + size, 1, 12);
}

static int overruns(const struct job *job, const struct scow_batch *batch)
{
    const size_t count = (size_t)batch->count;
    if (job->fault == GRID_OVERRUN)
        overrun(batch->grid, count * WIDTH * sizeof(float));
    if (job->fault == RECORDS_OVERRUN)
        overrun(batch->records, count * sizeof(int64_t));
    if (job->fault == STATE_OVERRUN)
        overrun(batch->state, sizeof(int64_t));
    if (job->fault == WORKSPACE_OVERRUN)
        overrun(batch->workspace, WORKSPACE);
    return SCOW_OK;
}

static int task_fault(const struct scow_host *host, const struct job *job,
                      const struct scow_batch *batch, int64_t task)
{
    struct scow_item item;
    switch ((int)job->fault) {
    case COMPUTE_SILENT:
        return SCOW_FAILED;
    case COMPUTE_SAYS:
        return host->fail(host, "task %" PRId64 " needs a larger number", task);
    case COMPUTE_BOTH:
        host->fail(host, "said, but not returned");
        return SCOW_OK;
    case COMPUTE_UNKNOWN:
        return 12345;
    case COMPUTE_STOPS:
        return SCOW_STOPPED;
    case COMPUTE_DIES:
        if (task == job->at)
            raise(SIGSEGV);
        return SCOW_OK;
    case COMPUTE_IS_KILLED:
        if (task == job->at)
            raise(SIGKILL);
        return SCOW_OK;
    case COMPUTE_READS:
        return host->read_item(host, task, &item);
    case REJECTS_AT:
        if (task == job->at) {
            *(int64_t *)batch->state -= 1; /* as if it had not been begun */
            host->reject(host, task, "not that one");
        }
        return SCOW_OK;
    case REJECTS:
        if (task % 16 == 7)
            host->reject(host, task, "not today");
        return SCOW_OK;
    case REJECTS_LINES:
        host->reject(host, task, "not\ntoday\n");
        return SCOW_OK;
    case REJECTS_BLANKS:
        host->reject(host, task, "\n");
        return SCOW_OK;
    case REJECTS_ELSEWHERE:
        host->reject(host, batch->package_first + batch->package_count, "a neighbour's");
        return SCOW_OK;
    case EMITS_ELSEWHERE:
        return host->emit(host, batch->package_first - 1, "x", 1);
    case EMITS_UNSAID:
        return host->emit(host, task, "x", 1);
    case EMITS_HUGE:
        return host->emit(host, task, "x", SIZE_MAX - 100);
    default:
        return SCOW_OK;
    }
}

/* Some microseconds of work, so that calibration has something to measure. */
static float work(int64_t task)
{
    uint64_t number = (uint64_t)task;
    for (int i = 0; i < 20000; i++)
        number = number * 6364136223846793005u + 1442695040888963407u;
    return (float)(number >> 40);
}

static int nonsense_compute(const struct scow_host *host, const void *opened,
                            const struct scow_batch *batch)
{
    const struct job *job = opened;
    for (int64_t k = 0; k < batch->count; k++) {
        const int64_t task = batch->first + k;
        const float value = work(task);
        for (int x = 0; x < WIDTH; x++)
            ((float *)batch->grid)[k * WIDTH + x] = value + (float)x;
        ((int64_t *)batch->records)[k] = task;
        *(int64_t *)batch->state += 1;
        const int status = task_fault(host, job, batch, task);
        if (status != SCOW_OK)
            return status;
    }
    return overruns(job, batch);
}

const struct scow_task scow_plugin = {
    SCOW_TASK,
    .name = "nonsense",
    .version = "1",
    .summary = "do one thing wrong",
    .core_task = "a row of eight numbers",
    .outcome = "numbers",
    .parameters = parameters,
    .threads = SCOW_THREADS_HOST,
    .settle = nonsense_settle,
    .describe = nonsense_describe,
    .open = nonsense_open,
    .close = free,
    .method = nonsense_method,
    .results = nonsense_results,
    .package_size_most = nonsense_size_most,
    .pack = nonsense_pack,
    .workspace_size = nonsense_workspace_size,
    .start = nonsense_start,
    .stop = nonsense_stop,
    .compute = nonsense_compute,
    .place = nonsense_place,
    .reset = nonsense_reset,
    .merge = nonsense_merge,
    .print = nonsense_print,
};
