#include "spmd/input/digest.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "spmd/input/regular.h"

/* Smaller inputs are read in less time than a thread is worth. */
static const int64_t small_bytes = 16 << 20;
/* The lowest priority that there is. */
static const int niceness = 19;

struct digest {
    struct regular_digest *taking; /* owned; NULL: it was known */
    pthread_t thread;
    bool started; /* the thread was started, and is not joined yet */
    bool hurried; /* the thread has the priority of the rank's own */
    atomic_bool halt, over;
    atomic_bool ended; /* the thread has ended, successfully or not */
    char known[65];
    struct failure failure; /* valid when the thread has ended or is joined */
};

/* Computes the digest until it is halted. */
static void digest_take(struct digest *digest, atomic_bool *halt)
{
    if (regular_digest_run(digest->taking, halt, &digest->failure) &&
        regular_digest_text(digest->taking)[0])
        atomic_store(&digest->over, true);
}

static void *thread_run(void *self)
{
    struct digest *digest = self;
    /* On Linux this sets the priority of this thread only. Where it is not allowed, nothing
     * changes. */
    if (!digest->hurried)
        setpriority(PRIO_PROCESS, 0, niceness);
    digest_take(digest, &digest->halt);
    atomic_store(&digest->ended, true);
    return NULL;
}

/* The thread blocks signals: they are for the rank's own thread. */
static bool thread_start(struct digest *digest)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool good = pthread_create(&digest->thread, NULL, thread_run, digest) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return good;
}

static void digest_join(struct digest *digest)
{
    atomic_store(&digest->halt, true);
    if (digest->started)
        pthread_join(digest->thread, NULL);
    digest->started = false;
}

static struct digest *digest_new(const char *known, const char *const *files, int64_t count,
                                 struct failure *failure)
{
    struct digest *digest = calloc(1, sizeof *digest);
    if (!digest) {
        failure_memory(failure, "taking an input's SHA-256");
        return NULL;
    }
    snprintf(digest->known, sizeof digest->known, "%s", known);
    atomic_store(&digest->over, known[0] != '\0');
    if (!known[0] && !(digest->taking = regular_digest_new(files, count, failure)))
        digest_free(&digest);
    return digest;
}

struct digest *digest_begin(const struct input *input, const char *known, struct failure *failure)
{
    int64_t count;
    const char *const *files = input_files(input, &count);
    struct digest *digest = digest_new(known, files, count, failure);
    if (!digest)
        return NULL;
    if (!known[0] && regular_bytes(files, count) > small_bytes)
        digest->started = thread_start(digest);
    if (!digest->started && !digest_wait(digest, failure))
        digest_free(&digest);
    return digest;
}

const char *digest_known(struct digest *digest)
{
    if (!atomic_load(&digest->over))
        return "";
    return digest->taking ? regular_digest_text(digest->taking) : digest->known;
}

bool digest_busy(struct digest *digest)
{
    return digest->started && !atomic_load(&digest->ended);
}

/* A thread's priority cannot be raised again, so another thread goes on. */
void digest_hurry(struct digest *digest)
{
    if (!digest_busy(digest))
        return;
    digest_join(digest);
    if (atomic_load(&digest->over) || digest->failure.code != FAILURE_NONE)
        return;
    digest->hurried = true;
    atomic_store(&digest->halt, false);
    atomic_store(&digest->ended, false);
    digest->started = thread_start(digest);
}

bool digest_wait(struct digest *digest, struct failure *failure)
{
    digest_join(digest);
    if (!atomic_load(&digest->over) && digest->failure.code == FAILURE_NONE)
        digest_take(digest, NULL);
    return digest->failure.code == FAILURE_NONE ||
           failure_set(failure, digest->failure.code, "%s", digest->failure.text);
}

void digest_free(struct digest **digest)
{
    if (!*digest)
        return;
    digest_join(*digest);
    regular_digest_free(&(*digest)->taking);
    free(*digest);
    *digest = NULL;
}
