/*
 * Shared libraries of others that few processes use: loaded at their first use, by name. What takes
 * long to load is then not waited for at each start of each rank.
 */
#ifndef PLANNER_BASE_SHARED_LIBRARY_H
#define PLANNER_BASE_SHARED_LIBRARY_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

struct shared_function {
    const char *name; /* in the library */
    void *pointer;    /* to the pointer to a function that is to be set */
};

/* Local. Load the library of that name, which stays until the process ends, and set the pointers.
 * False: it is not on this machine, or lacks one of them. */
bool shared_library_load(const char *name, const struct shared_function *functions, size_t count);

/* One that is tried once, by whoever needs it first. Begins as SHARED_LIBRARY(name, functions), of
 * an array. */
struct shared_library {
    const char *name;                        /* borrowed */
    const struct shared_function *functions; /* borrowed */
    size_t count;
    pthread_mutex_t lock;
    bool tried, complete;
};

#define SHARED_LIBRARY(of, wanted)                                                                 \
    {                                                                                              \
        .name = (of), .functions = (wanted), .count = sizeof(wanted) / sizeof *(wanted),           \
        .lock = PTHREAD_MUTEX_INITIALIZER                                                          \
    }

/* May be called by any thread. As shared_library_load. */
bool shared_library_ready(struct shared_library *library);

#endif
