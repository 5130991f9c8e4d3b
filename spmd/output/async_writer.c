#include "spmd/output/async_writer.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "planner/base/array.h"
#include "planner/base/file_lock.h"
#include "planner/base/pages.h"
#include "spmd/layout/transfer.h"
#include "spmd/transport/clock.h"

/* Consecutive bytes in the file. */
struct piece {
    int64_t place, task;
    size_t offset, size; /* within the batch */
};

struct batch {
    char *bytes; /* owned */
    size_t size, room;
    struct piece *pieces; /* owned */
    size_t count, capacity;
};

struct async_writer {
    int file; /* borrowed */
    struct batch batches[2];
    struct batch
        *gathered; /* the one that is being filled; the other one is being written, or empty */
    pthread_t thread;
    bool started;
    pthread_mutex_t mutex;
    pthread_cond_t begun, ended;
    /* Protected by the mutex: */
    bool busy, over;
    struct async_writer_outcome outcome;
};

/* ---- the thread ---------------------------------------------------------------------------- */

static bool piece_write(int file, const struct batch *batch, size_t index)
{
    const struct piece *piece = &batch->pieces[index];
    const bool last = index + 1 == batch->count;
    return (!last || file_lock_publish(file)) &&
           transfer_write(file, batch->bytes + piece->offset, (int64_t)piece->size, piece->place);
}

static struct async_writer_outcome batch_write(int file, const struct batch *batch)
{
    struct async_writer_outcome outcome = {.failed = false};
    for (size_t k = 0; k < batch->count && !outcome.failed; k++) {
        outcome.failed = !piece_write(file, batch, k);
        outcome.task = batch->pieces[k].task;
    }
    outcome.end_s = clock_now();
    return outcome;
}

static struct batch *batch_under_way(struct async_writer *writer)
{
    return &writer->batches[writer->gathered == &writer->batches[0]];
}

static void *thread_run(void *self)
{
    struct async_writer *writer = self;
    pthread_mutex_lock(&writer->mutex);
    for (;;) {
        while (!writer->busy && !writer->over)
            pthread_cond_wait(&writer->begun, &writer->mutex);
        if (!writer->busy)
            break;
        const struct batch *batch = batch_under_way(writer);
        pthread_mutex_unlock(&writer->mutex);
        const struct async_writer_outcome outcome = batch_write(writer->file, batch);
        pthread_mutex_lock(&writer->mutex);
        writer->outcome = outcome;
        writer->busy = false;
        pthread_cond_signal(&writer->ended);
    }
    pthread_mutex_unlock(&writer->mutex);
    return NULL;
}

/* The thread blocks signals: they are for the rank's own thread. */
static bool thread_start(struct async_writer *writer)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool good = pthread_create(&writer->thread, NULL, thread_run, writer) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return good;
}

/* ---- the rank's side ----------------------------------------------------------------------- */

static bool batch_make(struct batch *batch, size_t room)
{
    batch->bytes = pages_new(room + 1);
    batch->room = room + 1;
    if (batch->bytes)
        pages_touch(batch->bytes, batch->room);
    return batch->bytes != NULL;
}

/* Waiting with a deadline uses the monotonic clock, which nobody can set. */
static void locks_make(struct async_writer *writer)
{
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&writer->mutex, NULL);
    pthread_cond_init(&writer->begun, NULL);
    pthread_cond_init(&writer->ended, &monotonic);
    pthread_condattr_destroy(&monotonic);
}

struct async_writer *async_writer_new(int file, size_t room)
{
    struct async_writer *writer = calloc(1, sizeof *writer);
    if (!writer)
        return NULL;
    writer->file = file;
    writer->gathered = &writer->batches[0];
    locks_make(writer);
    writer->started = batch_make(&writer->batches[0], room) &&
                      batch_make(&writer->batches[1], room) && thread_start(writer);
    if (!writer->started)
        async_writer_free(&writer);
    return writer;
}

static bool batch_reserve(struct batch *batch, size_t size)
{
    char *bytes = array_reserve(batch->bytes, &batch->room, batch->size + size, 1);
    if (!bytes)
        return false;
    batch->bytes = bytes;
    struct piece *pieces =
        array_reserve(batch->pieces, &batch->capacity, batch->count + 1, sizeof *pieces);
    if (pieces)
        batch->pieces = pieces;
    return pieces != NULL;
}

bool async_writer_add(struct async_writer *writer, int64_t place, const void *bytes, int64_t size,
                      int64_t task)
{
    struct batch *batch = writer->gathered;
    if (!batch_reserve(batch, (size_t)size))
        return false;
    if (size > 0)
        memcpy(batch->bytes + batch->size, bytes, (size_t)size);
    batch->pieces[batch->count++] =
        (struct piece){.place = place, .task = task, .offset = batch->size, .size = (size_t)size};
    batch->size += (size_t)size;
    return true;
}

void async_writer_drop(struct async_writer *writer)
{
    writer->gathered->size = writer->gathered->count = 0;
}

void async_writer_begin(struct async_writer *writer)
{
    pthread_mutex_lock(&writer->mutex);
    writer->gathered = batch_under_way(writer);
    writer->busy = true;
    pthread_cond_signal(&writer->begun);
    pthread_mutex_unlock(&writer->mutex);
    async_writer_drop(writer);
}

static struct timespec deadline_in(double seconds)
{
    struct timespec deadline;
    clock_gettime(CLOCK_MONOTONIC, &deadline);
    const double nanoseconds = (double)deadline.tv_nsec + 1e9 * seconds;
    const double whole = floor(nanoseconds / 1e9);
    deadline.tv_sec += (time_t)whole;
    deadline.tv_nsec = (long)(nanoseconds - 1e9 * whole);
    return deadline;
}

bool async_writer_await(struct async_writer *writer, double most_s,
                        struct async_writer_outcome *outcome)
{
    pthread_mutex_lock(&writer->mutex);
    if (writer->busy && most_s > 0) {
        const struct timespec deadline = deadline_in(most_s);
        while (writer->busy &&
               pthread_cond_timedwait(&writer->ended, &writer->mutex, &deadline) == 0)
            ;
    }
    const bool over = !writer->busy;
    *outcome = writer->outcome;
    pthread_mutex_unlock(&writer->mutex);
    return over;
}

static void thread_end(struct async_writer *writer)
{
    pthread_mutex_lock(&writer->mutex);
    writer->over = true;
    pthread_cond_signal(&writer->begun);
    pthread_mutex_unlock(&writer->mutex);
    pthread_join(writer->thread, NULL);
}

void async_writer_free(struct async_writer **writer)
{
    struct async_writer *gone = *writer;
    if (!gone)
        return;
    if (gone->started)
        thread_end(gone);
    for (int k = 0; k < 2; k++) {
        free(gone->batches[k].bytes);
        free(gone->batches[k].pieces);
    }
    pthread_cond_destroy(&gone->begun);
    pthread_cond_destroy(&gone->ended);
    pthread_mutex_destroy(&gone->mutex);
    free(gone);
    *writer = NULL;
}
