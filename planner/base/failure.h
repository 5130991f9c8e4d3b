/*
 * The only way to report to main a mistake of the user or a failure of the machine: an exit code
 * and one sentence that names the thing and says what to do.
 *
 * Convention of every function that takes a struct failure: it returns true when all went well;
 * otherwise false, with *failure set and its outputs untouched. The first failure wins.
 */
#ifndef PLANNER_BASE_FAILURE_H
#define PLANNER_BASE_FAILURE_H

#include <stdbool.h>

/* Exit codes of every scow command. */
enum failure_code {
    FAILURE_NONE = 0,       /* done */
    FAILURE_FAILED = 1,     /* the machine failed: a full disk, no memory, a lost file */
    FAILURE_USAGE = 2,      /* the command line is wrong */
    FAILURE_INFEASIBLE = 3, /* no plan satisfies what was asked */
    FAILURE_MISMATCH = 4,   /* profile, plan, input or output are wrong or do not match */
    FAILURE_STOPPED = 75    /* stopped as asked; everything so far is kept */
};

struct failure {
    enum failure_code code;
    char text[480]; /* one sentence, no newline, always terminated */
};

#define FAILURE_INIT                                                                               \
    {                                                                                              \
        FAILURE_NONE, ""                                                                           \
    }

/* Record a failure unless one is recorded already. Returns false, so that a caller can write
 * `return failure_set(...)`. */
bool failure_set(struct failure *failure, enum failure_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same for "out of memory" while doing `what` ("reading the plan"). */
bool failure_memory(struct failure *failure, const char *what);

#endif
