#include "spmd/output/behind.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "planner/base/array.h"
#include "planner/base/pages.h"
#include "spmd/output/hold.h"
#include "spmd/output/transfer.h"
#include "spmd/transport/clock.h"

/* Bytes that lie side by side in the file. */
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

struct behind {
    int file; /* borrowed */
    struct batch batches[2];
    struct batch *gathered; /* of the two; the other one is under way, or empty */
    pthread_t thread;
    bool started;
    pthread_mutex_t mutex;
    pthread_cond_t begun, ended;
    /* With the mutex: */
    bool busy, over;
    struct behind_outcome outcome;
};

/* ---- the thread ---------------------------------------------------------------------------- */

static bool piece_write(int file, const struct batch *batch, size_t index)
{
    const struct piece *piece = &batch->pieces[index];
    const bool last = index + 1 == batch->count;
    return (!last || hold_publish(file)) &&
           transfer_write(file, batch->bytes + piece->offset, (int64_t)piece->size, piece->place);
}

static struct behind_outcome batch_write(int file, const struct batch *batch)
{
    struct behind_outcome outcome = {.failed = false};
    for (size_t k = 0; k < batch->count && !outcome.failed; k++) {
        outcome.failed = !piece_write(file, batch, k);
        outcome.task = batch->pieces[k].task;
    }
    outcome.end_s = clock_now();
    return outcome;
}

static struct batch *batch_under_way(struct behind *behind)
{
    return &behind->batches[behind->gathered == &behind->batches[0]];
}

static void *thread_run(void *self)
{
    struct behind *behind = self;
    pthread_mutex_lock(&behind->mutex);
    for (;;) {
        while (!behind->busy && !behind->over)
            pthread_cond_wait(&behind->begun, &behind->mutex);
        if (!behind->busy)
            break;
        const struct batch *batch = batch_under_way(behind);
        pthread_mutex_unlock(&behind->mutex);
        const struct behind_outcome outcome = batch_write(behind->file, batch);
        pthread_mutex_lock(&behind->mutex);
        behind->outcome = outcome;
        behind->busy = false;
        pthread_cond_signal(&behind->ended);
    }
    pthread_mutex_unlock(&behind->mutex);
    return NULL;
}

/* Signals are for the rank's own thread. */
static bool thread_start(struct behind *behind)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool good = pthread_create(&behind->thread, NULL, thread_run, behind) == 0;
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

/* Waiting with a deadline is by the clock that nobody sets. */
static void locks_make(struct behind *behind)
{
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&behind->mutex, NULL);
    pthread_cond_init(&behind->begun, NULL);
    pthread_cond_init(&behind->ended, &monotonic);
    pthread_condattr_destroy(&monotonic);
}

struct behind *behind_new(int file, size_t room)
{
    struct behind *behind = calloc(1, sizeof *behind);
    if (!behind)
        return NULL;
    behind->file = file;
    behind->gathered = &behind->batches[0];
    locks_make(behind);
    behind->started = batch_make(&behind->batches[0], room) &&
                      batch_make(&behind->batches[1], room) && thread_start(behind);
    if (!behind->started)
        behind_free(&behind);
    return behind;
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

bool behind_add(struct behind *behind, int64_t place, const void *bytes, int64_t size, int64_t task)
{
    struct batch *batch = behind->gathered;
    if (!batch_reserve(batch, (size_t)size))
        return false;
    if (size > 0)
        memcpy(batch->bytes + batch->size, bytes, (size_t)size);
    batch->pieces[batch->count++] =
        (struct piece){.place = place, .task = task, .offset = batch->size, .size = (size_t)size};
    batch->size += (size_t)size;
    return true;
}

void behind_drop(struct behind *behind)
{
    behind->gathered->size = behind->gathered->count = 0;
}

void behind_begin(struct behind *behind)
{
    pthread_mutex_lock(&behind->mutex);
    behind->gathered = batch_under_way(behind);
    behind->busy = true;
    pthread_cond_signal(&behind->begun);
    pthread_mutex_unlock(&behind->mutex);
    behind_drop(behind);
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

bool behind_await(struct behind *behind, double most_s, struct behind_outcome *outcome)
{
    pthread_mutex_lock(&behind->mutex);
    if (behind->busy && most_s > 0) {
        const struct timespec deadline = deadline_in(most_s);
        while (behind->busy &&
               pthread_cond_timedwait(&behind->ended, &behind->mutex, &deadline) == 0)
            ;
    }
    const bool over = !behind->busy;
    *outcome = behind->outcome;
    pthread_mutex_unlock(&behind->mutex);
    return over;
}

static void thread_end(struct behind *behind)
{
    pthread_mutex_lock(&behind->mutex);
    behind->over = true;
    pthread_cond_signal(&behind->begun);
    pthread_mutex_unlock(&behind->mutex);
    pthread_join(behind->thread, NULL);
}

void behind_free(struct behind **behind)
{
    struct behind *gone = *behind;
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
    *behind = NULL;
}
