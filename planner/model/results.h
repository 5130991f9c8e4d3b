/*
 * Do results come back to the master? Where they do, its incoming port takes one message after the
 * other, beside the packages that go out, and the master writes them: then workers have no output
 * of their own.
 */
#ifndef PLANNER_MODEL_RESULTS_H
#define PLANNER_MODEL_RESULTS_H

#include <stdbool.h>

/* The parameter of a setting or of its profile. */
#define RESULTS_PARAMETER "results"

enum results {
    RESULTS_UNSAID,  /* no parameter says */
    RESULTS_NONE,    /* they stay with the worker, or it writes them */
    RESULTS_PACKAGE, /* a message for each package, once it is computed */
    RESULTS_END      /* a message for each worker, once its last package is computed */
};

static inline bool results_return(enum results results)
{
    return results == RESULTS_PACKAGE || results == RESULTS_END;
}

/* Its word in files; not of RESULTS_UNSAID. */
const char *results_name(enum results results);
/* False: no word for it, *results unchanged. */
bool results_find(const char *word, enum results *results);

#endif
