#include "spmd/input/digest.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "spmd/input/regular.h"

/* Read in less time than threads and their waiting are worth. */
static const int64_t small_bytes = 16 << 20;
/* The lowest that there is. */
static const int niceness = 19;

struct digest {
    const char *const *files; /* borrowed */
    int64_t count;
    pthread_t thread;
    bool started; /* the thread, and not joined yet */
    atomic_bool halt, over;
    char text[65]; /* when it is over, as the failure */
    struct failure failure;
};

static void digest_take(struct digest *digest)
{
    regular_sha256(digest->files, digest->count, &digest->halt, digest->text, &digest->failure);
    atomic_store(&digest->over, true);
}

static void *thread_run(void *self)
{
    /* On Linux, of this thread alone. Where it is not allowed, it is as it was. */
    setpriority(PRIO_PROCESS, 0, niceness);
    digest_take(self);
    return NULL;
}

/* Signals are for the rank's own thread. */
static bool thread_start(struct digest *digest)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool good = pthread_create(&digest->thread, NULL, thread_run, digest) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return good;
}

static void digest_start(struct digest *digest, const char *known)
{
    if (known[0]) {
        snprintf(digest->text, sizeof digest->text, "%s", known);
        atomic_store(&digest->over, true);
        return;
    }
    if (regular_bytes(digest->files, digest->count) > small_bytes)
        digest->started = thread_start(digest);
    if (!digest->started)
        digest_take(digest);
}

struct digest *digest_begin(const struct input *input, const char *known, struct failure *failure)
{
    struct digest *digest = calloc(1, sizeof *digest);
    if (!digest) {
        failure_memory(failure, "taking an input's SHA-256");
        return NULL;
    }
    digest->files = input_files(input, &digest->count);
    digest_start(digest, known);
    if (!digest->started && !digest_wait(digest, failure))
        digest_free(&digest);
    return digest;
}

const char *digest_known(struct digest *digest)
{
    return atomic_load(&digest->over) && digest->failure.code == FAILURE_NONE ? digest->text : "";
}

static void digest_join(struct digest *digest)
{
    if (digest->started)
        pthread_join(digest->thread, NULL);
    digest->started = false;
}

bool digest_wait(struct digest *digest, struct failure *failure)
{
    digest_join(digest);
    return digest->failure.code == FAILURE_NONE ||
           failure_set(failure, digest->failure.code, "%s", digest->failure.text);
}

void digest_free(struct digest **digest)
{
    if (!*digest)
        return;
    atomic_store(&(*digest)->halt, true);
    digest_join(*digest);
    free(*digest);
    *digest = NULL;
}
