#include "spmd/job/engine.h"

#include <inttypes.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "planner/base/array.h"
#include "planner/base/pages.h"

/* A package is divided into so many pieces for each thread, so that all threads end together. */
enum { PIECES_PER_THREAD = 8 };

/* One caller of the task's compute function. */
struct caller {
    struct job_host host; /* must be first: its address is given to the task */
    struct engine *engine;
    char *workspace;     /* owned; followed by its guard */
    char *state;         /* owned; only with SCOW_THREADS_HOST */
    bool started, leads; /* leads: the thread that called engine_compute */
    double began_s;      /* when its start was called, after the engine was begun */
    double ready_s;      /* when what that started was ready; 0: the task has not said so */
};

struct engine {
    const struct job *job;
    int64_t most;
    int threads, rank;
    struct caller *callers; /* owned; one, or one for each thread with SCOW_THREADS_HOST */
    int caller_count;
    size_t workspace_size;
    struct package_results results;
    struct engine_pulse pulse;
    struct failure *failure; /* of the current package */
    int stopped;             /* atomic */
    double begun_s;          /* by the monotonic clock */
    struct counts_gathered counts;
    struct scow_others others;
};

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- memory -------------------------------------------------------------------------------- */

static void *block_new(size_t size)
{
    return pages_new(size + JOB_GUARD);
}

/* Each thread touches a part, so that pages exist before the first package, in the memory nearest
 * to the threads that compute: a page is placed where it is first touched. Bytes within pages are
 * not cleared, because compute writes every value that is read later. */
static void block_touch(char *block, size_t size, int threads)
{
    (void)threads; /* unused by compilers without OpenMP */
#pragma omp parallel for num_threads(threads) schedule(static)
    for (size_t at = 0; at < size; at += PAGES_ALIGNMENT)
        block[at] = 0;
}

/* *block becomes NULL where size is 0. */
static bool block_make(char **block, size_t size, int threads)
{
    if (size == 0)
        return true;
    *block = size < SIZE_MAX / 2 ? block_new(size) : NULL;
    if (!*block)
        return false;
    block_touch(*block, size, threads);
    guard_set(*block + size);
    return true;
}

static bool results_make(struct engine *engine)
{
    const struct job *job = engine->job;
    struct package_results *results = &engine->results;
    const size_t most = (size_t)engine->most;
    results->ledger = malloc(most + 1);
    return results->ledger && block_make(&results->grid, most * job->tile_size, engine->threads) &&
           block_make(&results->records, most * job->record_size, engine->threads) &&
           block_make(&results->state, job->state_size, 1);
}

static size_t workspace_size(const struct job *job, int threads)
{
    const bool split = job->task->threads == SCOW_THREADS_HOST;
    return job->task->workspace_size ? job->task->workspace_size(job->opened, split ? 1 : threads)
                                     : 0;
}

double engine_memory(const struct job *job, int64_t most, int threads)
{
    const int callers = job->task->threads == SCOW_THREADS_HOST ? threads : 1;
    return (double)most * (double)(job->tile_size + job->record_size + 1) +
           (double)callers * ((double)workspace_size(job, threads) + (double)job->state_size);
}

/* ---- what a task asks of its host ---------------------------------------------------------- */

static struct caller *caller_of(const struct scow_host *base)
{
    return ((const struct job_host *)(const void *)base)->self;
}

static bool is_stopped(struct engine *engine)
{
    int stopped;
#pragma omp atomic read
    stopped = engine->stopped;
    return stopped != 0;
}

static void stop(struct engine *engine)
{
#pragma omp atomic write
    engine->stopped = 1;
}

static bool caller_pulse(const struct scow_host *base)
{
    struct caller *caller = caller_of(base);
    struct engine *engine = caller->engine;
    if (caller->leads && engine->pulse.call && engine->pulse.call(engine->pulse.self))
        stop(engine);
    return is_stopped(engine);
}

/* Which of the package's core tasks this is; below 0: none. */
static int64_t task_find_here(const struct engine *engine, int64_t task)
{
    const struct job *job = engine->job;
    const struct package_results *results = &engine->results;
    if (results->order && (task < 0 || task >= job->setup.tasks))
        return -1;
    const int64_t position = results->order ? order_position(results->order, task) : task;
    return position >= results->first && position - results->first < results->count
               ? position - results->first
               : -1;
}

int64_t package_neighbours(const struct package_results *results, int64_t k)
{
    int64_t step = 1;
    if (!results->order)
        return results->count - k;
    const int64_t run = order_run(results->order, results->first + k, results->count - k, &step);
    return step == 1 ? run : 1;
}

static bool emissions_reserve(struct emissions *emissions, size_t size)
{
    if (size > SIZE_MAX / 8)
        return false;
    struct emission *items =
        array_reserve(emissions->items, &emissions->capacity, emissions->count + 1, sizeof *items);
    if (!items)
        return false;
    emissions->items = items;
    char *bytes = array_reserve(emissions->bytes, &emissions->room, emissions->size + size + 1, 1);
    if (bytes)
        emissions->bytes = bytes;
    return bytes != NULL;
}

static bool emissions_add(struct emissions *emissions, int64_t task, int64_t at, const void *bytes,
                          size_t size)
{
    if (!emissions_reserve(emissions, size))
        return false;
    if (size > 0)
        memcpy(emissions->bytes + emissions->size, bytes, size);
    emissions->items[emissions->count++] = (struct emission){task, emissions->size, size, at};
    emissions->size += size;
    return true;
}

/* Keeps the first reason of a core task. False: out of memory. */
static bool rejection_add(struct package_results *results, int64_t task, int64_t at,
                          const char *why)
{
    unsigned char *mark = &results->ledger[at];
    if (*mark == 2)
        return true;
    if (results->rejected == 0 || task < results->rejection.task) {
        results->rejection.task = task;
        snprintf(results->rejection.why, sizeof results->rejection.why, "%s", why);
    }
    results->rejected++;
    *mark = 2;
    return emissions_add(&results->reasons, task, at, why, strlen(why));
}

static void caller_reject(const struct scow_host *base, int64_t task, const char *why)
{
    struct engine *engine = caller_of(base)->engine;
    struct package_results *results = &engine->results;
    const int64_t at = task_find_here(engine, task);
    bool good;
    char sentence[sizeof results->rejection.why];
    job_sentence(why ? why : "", sentence, sizeof sentence);
    if (at < 0) {
        base->fail(base,
                   "core task '%s' rejects core task %" PRId64 ", which is not in its package",
                   engine->job->task->name, job_task_number(task));
        return;
    }
#pragma omp critical(scow_engine_reject)
    good = rejection_add(results, task, at, sentence[0] ? sentence : "without a reason");
    if (!good)
        base->fail(base, "out of memory for why core tasks failed");
}

static int caller_emit(const struct scow_host *base, int64_t task, const void *bytes, size_t size)
{
    struct engine *engine = caller_of(base)->engine;
    const int64_t at = task_find_here(engine, task);
    bool good = true;
    if (!engine->job->results.emits || at < 0)
        return base->fail(base,
                          "core task '%s' emits bytes for core task %" PRId64
                          ", which is not in its package, "
                          "or does not say that it emits",
                          engine->job->task->name, job_task_number(task));
#pragma omp critical(scow_engine_emit)
    good = emissions_add(&engine->results.emissions, task, at, bytes, size);
    return good ? SCOW_OK : base->fail(base, "out of memory for what core tasks emit");
}

static void caller_started(const struct scow_host *base, double seconds)
{
    struct caller *caller = caller_of(base);
    if (seconds > 0)
        caller->ready_s = caller->began_s + seconds;
}

double engine_started_s(const struct engine *engine)
{
    double ready_s = 0;
    for (int i = 0; i < engine->caller_count; i++)
        ready_s = fmax(ready_s, engine->callers[i].ready_s);
    return ready_s;
}

static void caller_finished(const struct scow_host *base, int64_t task, double seconds, bool failed)
{
    struct engine *engine = caller_of(base)->engine;
    if (task_find_here(engine, task) >= 0)
        counts_gather(&engine->counts, seconds, failed);
}

static void caller_others(const struct scow_host *base, struct scow_others *others)
{
    struct engine *engine = caller_of(base)->engine;
    engine->counts.used = true; /* a task that asks for counts also sends its own */
    *others = engine->others;
}

void engine_counts_begin(struct engine *engine)
{
    if (engine->job->task->threads != SCOW_THREADS_OWN)
        return;
    engine->callers[0].host.base.finished = caller_finished;
    engine->callers[0].host.base.others = caller_others;
}

bool engine_counts_used(const struct engine *engine)
{
    return engine->counts.used;
}

void engine_counts_tell(struct engine *engine, struct counts *counts)
{
    counts_tell(&engine->counts, counts);
}

void engine_others_set(struct engine *engine, const struct scow_others *others)
{
    engine->others = *others;
}

/* ---- making -------------------------------------------------------------------------------- */

static bool caller_start(struct caller *caller, struct engine *engine, struct failure *failure)
{
    const struct scow_task *task = engine->job->task;
    caller->engine = engine;
    job_host_init(&caller->host, engine->job->input_name, failure);
    caller->host.code = FAILURE_FAILED;
    caller->host.self = caller;
    caller->host.base.pulse = caller_pulse;
    caller->host.base.reject = caller_reject;
    caller->host.base.emit = caller_emit;
    caller->host.base.started = caller_started;
    caller->host.base.threads = task->threads == SCOW_THREADS_HOST ? 1 : engine->threads;
    caller->host.base.rank = engine->rank;
    if (!block_make(&caller->workspace, engine->workspace_size, engine->threads) ||
        (task->threads == SCOW_THREADS_HOST &&
         !block_make(&caller->state, engine->job->state_size, 1)))
        return failure_memory(failure, "making room for computing");
    if (caller->workspace)
        memset(caller->workspace, 0, engine->workspace_size);
    if (task->start) {
        caller->began_s = seconds_now() - engine->begun_s;
        const int status = task->start(&caller->host.base, engine->job->opened, caller->workspace);
        if (!job_status(task, "starting", status, failure))
            return false;
    }
    caller->started = true;
    return true;
}

static bool callers_make(struct engine *engine, struct failure *failure)
{
    const int count = engine->job->task->threads == SCOW_THREADS_HOST ? engine->threads : 1;
    engine->workspace_size = workspace_size(engine->job, engine->threads);
    engine->callers = calloc((size_t)count, sizeof *engine->callers);
    if (!engine->callers)
        return failure_memory(failure, "making room for computing");
    engine->caller_count = count;
    engine->failure = failure;
    for (int i = 0; i < count; i++)
        if (!caller_start(&engine->callers[i], engine, failure))
            return false;
    return true;
}

/* Computes some core tasks of zeros, so that code and tables are loaded before the first
 * package. */
static bool warm_up(struct engine *engine, struct failure *failure)
{
    const struct job *job = engine->job;
    const int64_t count = engine->threads < engine->most ? engine->threads : engine->most;
    if (!(job->task->flags & SCOW_WARM))
        return true;
    const size_t size = job_package_most(job, count);
    void *package = block_new(size);
    if (!package)
        return failure_memory(failure, "preparing a worker");
    job_blank(job, count, package, size);
    const bool good =
        engine_compute(engine, 0, count, package, size, (struct engine_pulse){NULL, NULL}, failure);
    free(package);
    return good;
}

struct engine *engine_new(const struct job *job, int64_t most, int threads, int rank,
                          struct failure *failure)
{
    struct engine *engine = calloc(1, sizeof *engine);
    if (!engine) {
        failure_memory(failure, "making room for computing");
        return NULL;
    }
    engine->begun_s = seconds_now();
    engine->job = job;
    engine->most = most;
    engine->threads = threads;
    engine->rank = rank;
    if (!results_make(engine))
        failure_memory(failure, "making room for a package's results");
    else if (callers_make(engine, failure) && warm_up(engine, failure))
        return engine;
    engine_free(&engine);
    return NULL;
}

static void results_release(struct package_results *results)
{
    free(results->grid);
    free(results->records);
    free(results->state);
    free(results->ledger);
    free(results->emissions.items);
    free(results->emissions.bytes);
    free(results->reasons.items);
    free(results->reasons.bytes);
}

bool engine_grow(struct engine *engine, int64_t most, struct failure *failure)
{
    if (most <= engine->most)
        return true;
    results_release(&engine->results);
    engine->results = (struct package_results){0};
    engine->most = most;
    return results_make(engine) || failure_memory(failure, "making room for a package's results");
}

void engine_free(struct engine **engine)
{
    struct engine *gone = *engine;
    if (!gone)
        return;
    for (int i = 0; i < gone->caller_count; i++) {
        struct caller *caller = &gone->callers[i];
        if (caller->started && gone->job->task->stop)
            gone->job->task->stop(gone->job->opened, caller->workspace);
        free(caller->workspace);
        free(caller->state);
    }
    free(gone->callers);
    results_release(&gone->results);
    free(gone);
    *engine = NULL;
}

const struct package_results *engine_results(const struct engine *engine)
{
    return &engine->results;
}

static void emissions_move(struct emissions *emissions, const struct package_results *results)
{
    for (size_t i = 0; i < emissions->count; i++)
        emissions->items[i].task = package_task(results, emissions->items[i].at);
}

void engine_results_move(struct engine *engine, int64_t first)
{
    struct package_results *results = &engine->results;
    results->first = first;
    emissions_move(&results->emissions, results);
    emissions_move(&results->reasons, results);
}

/* ---- computing ----------------------------------------------------------------------------- */

/* Writes guards right behind what the current package may fill, which is less than a whole block
 * unless it is of the largest size. */
static void results_guard(const struct package_results *results, const struct job *job)
{
    const size_t count = (size_t)results->count;
    if (results->grid)
        guard_set(results->grid + count * job->tile_size);
    if (results->records)
        guard_set(results->records + count * job->record_size);
}

static void results_begin(struct engine *engine, int64_t first, int64_t count)
{
    const struct job *job = engine->job;
    struct package_results *results = &engine->results;
    results->first = first;
    results->count = count;
    results->order = order_differs(&job->order) ? &job->order : NULL;
    results->rejected = 0;
    memset(&results->rejection, 0, sizeof results->rejection);
    memset(results->ledger, 1, (size_t)count);
    results->emissions.count = results->reasons.count = 0;
    results->emissions.size = results->reasons.size = 0;
    if (results->records)
        memset(results->records, 0, (size_t)count * job->record_size);
    results_guard(results, job);
    if (results->state)
        job->task->reset(job->opened, results->state);
    for (int i = 0; i < engine->caller_count; i++)
        if (engine->callers[i].state)
            job->task->reset(job->opened, engine->callers[i].state);
}

/* The whole package as a batch by positions, for its only caller. */
static struct scow_batch batch_whole(const struct engine *engine, const void *package, size_t size)
{
    const struct package_results *results = &engine->results;
    return (struct scow_batch){
        .first = results->first,
        .count = results->count,
        .package = package,
        .package_size = size,
        .package_first = results->first,
        .package_count = results->count,
        .workspace = engine->callers[0].workspace,
        .grid = results->grid,
        .records = results->records,
        .state = results->state,
        .threads = engine->threads,
        .rank = engine->rank,
        .stride = 1,
    };
}

/* A caller that fails stops the others. */
static void batch_compute(struct caller *caller, const struct scow_batch *batch)
{
    struct engine *engine = caller->engine;
    const struct job *job = engine->job;
    const int status = job->task->compute(&caller->host.base, job->opened, batch);
    if (status == SCOW_OK)
        return;
    if (status != SCOW_STOPPED || !is_stopped(engine)) {
#pragma omp critical(scow_job_fail)
        job_status(job->task, "computing", status, engine->failure);
    }
    stop(engine);
}

/* The part of the batch's results and data for `count` core tasks, from its number `at` on. */
static struct scow_batch batch_part(const struct job *job, const struct scow_batch *share,
                                    int64_t at, int64_t count)
{
    struct scow_batch part = *share;
    part.first += at;
    part.count = count;
    if (part.grid)
        part.grid = (char *)part.grid + (size_t)at * job->tile_size;
    if (part.records)
        part.records = (char *)part.records + (size_t)at * job->record_size;
    return part;
}

/* Computes a share by positions as the task can take it: at once, in batches of equally distant
 * core tasks, or one core task at a time. */
static void share_compute(struct caller *caller, const struct scow_batch *share)
{
    const struct job *job = caller->engine->job;
    for (int64_t at = 0, run; at < share->count && !is_stopped(caller->engine); at += run) {
        int64_t task, stride;
        run = job_batch(job, share->first + at, share->count - at, &task, &stride);
        struct scow_batch batch = batch_part(job, share, at, run);
        if (order_differs(&job->order)) {
            batch.package_first = batch.first = task;
            batch.package_count = run;
            batch.stride = run > 1 ? stride : 1;
        }
        if (job_packs_singly(job))
            batch.package = job_packed(share->package, share->first + at - share->package_first,
                                       &batch.package_size);
        batch_compute(caller, &batch);
    }
}

/* The calling thread goes on calling the pulse until the other threads have finished. */
static void pulse_on(struct caller *caller, const int64_t *finished, int64_t pieces)
{
    const struct timespec pause = {.tv_nsec = 20000};
    for (int64_t done = 0;;) {
#pragma omp atomic read acquire
        done = *finished;
        if (done >= pieces)
            return;
        caller_pulse(&caller->host.base);
        nanosleep(&pause, NULL);
    }
}

static void piece_compute(struct caller *caller, const struct scow_batch *whole, int64_t piece,
                          int64_t pieces)
{
    const struct job *job = caller->engine->job;
    const int64_t from = whole->count * piece / pieces, to = whole->count * (piece + 1) / pieces;
    struct scow_batch batch = batch_part(job, whole, from, to - from);
    batch.workspace = caller->workspace;
    batch.state = caller->state;
    batch.threads = 1;
    share_compute(caller, &batch);
}

static void pieces_compute(struct engine *engine, const struct scow_batch *whole)
{
    const int64_t fine = (int64_t)engine->threads * PIECES_PER_THREAD;
    const int64_t pieces = engine->threads == 1 ? 1 : whole->count < fine ? whole->count : fine;
    int64_t finished = 0;
#pragma omp parallel default(none) shared(engine, whole, pieces, finished)                         \
    num_threads(engine->threads)
    {
        struct caller *caller = &engine->callers[omp_get_thread_num()];
        caller->leads = omp_get_thread_num() == 0;
#pragma omp for schedule(dynamic, 1) nowait
        for (int64_t piece = 0; piece < pieces; piece++) {
            if (!is_stopped(engine))
                piece_compute(caller, whole, piece, pieces);
#pragma omp atomic update release
            finished++;
        }
        if (caller->leads)
            pulse_on(caller, &finished, pieces);
    }
    for (int i = 0; engine->job->state_size > 0 && i < engine->threads; i++)
        engine->job->task->merge(engine->job->opened, engine->results.state,
                                 engine->callers[i].state);
}

static bool guard_check(const struct engine *engine, const char *block, size_t size,
                        const char *what, struct failure *failure)
{
    return !block || guard_holds(block + size) || guard_broken(engine->job, what, failure);
}

static bool guards_check(const struct engine *engine, struct failure *failure)
{
    const struct job *job = engine->job;
    const struct package_results *results = &engine->results;
    const size_t count = (size_t)results->count;
    bool good =
        guard_check(engine, results->grid, count * job->tile_size, "its grid", failure) &&
        guard_check(engine, results->records, count * job->record_size, "its records", failure) &&
        guard_check(engine, results->state, job->state_size, "its reduction's state", failure);
    for (int i = 0; good && i < engine->caller_count; i++)
        good = guard_check(engine, engine->callers[i].workspace, engine->workspace_size,
                           "its workspace", failure) &&
               guard_check(engine, engine->callers[i].state, job->state_size,
                           "its reduction's state", failure);
    return good;
}

static int by_place(const void *a, const void *b)
{
    const struct emission *p = a, *q = b;
    if (p->at != q->at)
        return p->at < q->at ? -1 : 1;
    return (p->offset > q->offset) - (p->offset < q->offset);
}

static void emissions_sort(struct emissions *emissions)
{
    if (emissions->count > 0)
        qsort(emissions->items, emissions->count, sizeof *emissions->items, by_place);
}

bool engine_compute(struct engine *engine, int64_t first, int64_t count, const void *package,
                    size_t size, struct engine_pulse pulse, struct failure *failure)
{
    engine->pulse = pulse;
    engine->failure = failure;
    engine->stopped = 0;
    for (int i = 0; i < engine->caller_count; i++)
        engine->callers[i].host.failure = failure;
    results_begin(engine, first, count);
    const struct scow_batch whole = batch_whole(engine, package, size);
    engine->callers[0].leads = true;
    if (engine->job->task->threads == SCOW_THREADS_HOST)
        pieces_compute(engine, &whole);
    else
        share_compute(&engine->callers[0], &whole);
    emissions_sort(&engine->results.emissions);
    emissions_sort(&engine->results.reasons);
    return guards_check(engine, failure) && failure->code == FAILURE_NONE && !is_stopped(engine);
}
