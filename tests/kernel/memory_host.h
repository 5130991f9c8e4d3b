/*
 * A host in memory, for tests of core tasks: it gives a task its input from arrays, and keeps what
 * the task says, shares, rejects and emits. What a task must never do aborts with a word: read
 * outside its input, or pulse in another thread than the one that called it.
 *
 *     struct memory_host host;
 *     memory_host_init(&host);
 *     host.input = (struct scow_input){.kind = SCOW_INPUT_IMAGE, .type = SCOW_U8, ...};
 *     host.pixels = pixels;
 *     status = task->describe(&host.host, values, &host.input, &tasks);
 */
#ifndef TESTS_KERNEL_MEMORY_HOST_H
#define TESTS_KERNEL_MEMORY_HOST_H

#include <pthread.h>

#include "kernel/scow.h"

enum { MEMORY_SENTENCE_BYTES = 1024 };

/* What a task left behind for one core task. */
struct memory_note {
    int64_t task;
    char *bytes; /* owned; followed by a zero that does not count */
    size_t size;
};

struct memory_notes {
    struct memory_note *notes; /* owned */
    size_t count;
};

/* Stays where it is from init to release. */
struct memory_host {
    struct scow_host host;    /* for the callbacks */
    struct memory_host *self; /* how they come back */
    /* To be set by the test. */
    struct scow_input input;
    const void *pixels;            /* of an image, [slice][row][column]; borrowed */
    const struct scow_item *items; /* extent[0] lines or sequences; borrowed */
    int64_t reads_until_failure;   /* of the input; negative, as at first: never */
    int64_t pulses_until_stop;     /* negative, as at first: never */
    /* To be looked at. */
    char failure[MEMORY_SENTENCE_BYTES]; /* the first; "" when there was none */
    int64_t reads, pulses;
    void *shared; /* owned */
    size_t shared_size;
    struct memory_notes rejected, emitted;
    /* Its own. */
    pthread_mutex_t lock;
    pthread_t caller; /* who called init */
};

void memory_host_init(struct memory_host *memory);
void memory_host_release(struct memory_host *memory);
/* Forget the failure, and whose thread it was: from here on this one's. */
void memory_host_restart(struct memory_host *memory);
/* Forget what is kept of all. */
void memory_notes_release(struct memory_notes *notes);
/* What is kept of that core task; NULL: nothing. Borrowed. */
const struct memory_note *memory_notes_find(const struct memory_notes *notes, int64_t task);

#endif
