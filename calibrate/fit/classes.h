/*
 * Workers of a kind: neighbours in the order of ranks whose packages take equally long.
 */
#ifndef CALIBRATE_FIT_CLASSES_H
#define CALIBRATE_FIT_CLASSES_H

#include <stdbool.h>

#include "calibrate/fit/costs.h"
#include "calibrate/fit/two_way.h"

/* What a package costs a worker. */
enum { CLASS_OPERATIONS = 5 };
extern const enum operation class_operations[CLASS_OPERATIONS];

/* Ranks least to greatest. */
struct worker_class {
    int least, greatest;
    int fitted; /* the costs are of ranks least to this one: at the end, all */
    struct costs costs[CLASS_OPERATIONS]; /* of all of them together, in class_operations' order */
    struct costs request;                 /* likewise */
    double term, error; /* of its workers, where these are known apart from places */
};

/* Classes of the workers 1 .. workers in one setting; owned, *count of them. Where core tasks
 * differ, `terms` are the workers' and the samples are levelled (strata_fit.h): then computing is
 * fitted to all workers' timings together, and classes differ in it by their terms alone, for no
 * two workers have computed the same. `terms` may be NULL. NULL with *failure set: out of memory.
 */
struct worker_class *classes_make(const struct samples *samples, int setting, int workers,
                                  const struct two_way *terms, int *count, struct failure *failure);
/* Computing takes all classes so many times as long. */
void classes_scale(struct worker_class *classes, int count, double factor);

/* Timings of computing as if all workers were of the first class: those of others are scaled by
 * what the two classes' costs are for packages of that size. Sorted, owned; NULL: out of memory. */
struct sample *classes_level(const struct samples *samples, int setting,
                             const struct worker_class *classes, int class_count, int64_t *count);

#endif
