/*
 * What somebody says the core tasks of a job are worth, before the job is run: lengths of
 * sequences, sizes of files, times of an earlier run.
 */
#ifndef PLANNER_MODEL_WEIGHTS_H
#define PLANNER_MODEL_WEIGHTS_H

#include <stdbool.h>

#include "planner/base/failure.h"
#include "planner/model/work.h"

struct task_weights {
    char *source;     /* owned: what they are from, for people */
    char *sha256;     /* owned, 64 hexadecimal digits: of the weights, as double numbers */
    double deviation; /* relative standard deviation of core tasks by them */
    double mean;      /* 1, or of a part of a job: of its core tasks, where the job's is 1 */
    struct work work; /* owned; of a plan that was read, perhaps with one region a package; without
                       * regions: of computing nothing is known, and core tasks are alike */
    /* Owned: what is sent of core tasks, as these weights; NULL: as much of each. */
    struct task_weights *bytes;
};

/* Regions of its weights that a plan keeps at most, where its packages are not more: it goes to
 * every rank, and into the output. */
enum { WEIGHTS_REGIONS_KEPT = 4096 };

/* What a calibration found the time of core tasks to have to do with their weights: one of weight u
 * takes constant + (1 - constant) u times what the mean one does. */
struct weighing {
    int64_t packages; /* that were compared with their weights; 0: nobody has, and times are taken
                       * to be in proportion to weights */
    double constant;  /* from 0 to 1 */
    double explained; /* share of the squared differences between the packages, for their sizes */
};

/* Which weights a profile was measured with; the strings owned, NULL: with none. */
struct weights_name {
    char *source, *sha256;
    int64_t tasks;
};

/* The name of these; NULL: of none. False: out of memory; to be released even then. */
bool weights_name_init(struct weights_name *name, const struct task_weights *weights);
void weights_name_release(struct weights_name *name);

/* What the source of weights begins with that a core task has estimated itself. */
#define WEIGHTS_OF_TASK "kernel "

/* Owned; NULL: out of memory, or nothing is worth anything (`items` has at least one). */
struct task_weights *weights_new(const char *source, const char *sha256, const double *items,
                                 int64_t count);
/* The same from items that are its own from here on (malloc), whatever is returned. */
struct task_weights *weights_new_own(const char *source, const char *sha256, double *items,
                                     int64_t count);
/* Core tasks that are alike; owned. NULL: out of memory. */
struct task_weights *weights_alike(int64_t tasks);
/* Of a job of so many core tasks with these regions, by relative position; owned. NULL: out of
 * memory. */
struct task_weights *weights_regions(const struct work *regions, int64_t tasks);
/* At most so many regions each (work_coarsen). False: out of memory. */
bool weights_coarsen(struct task_weights *weights, size_t most);
/* Are these the same, as far as `given` goes: of computing, and of what is sent? */
bool weights_same(const struct task_weights *given, const struct task_weights *weights);
/* Those of a part of the job, owned; where it is worth nothing, its core tasks are alike and worth
 * next to nothing. NULL: out of memory. */
struct task_weights *weights_select(const struct task_weights *from,
                                    const struct task_range *ranges, int64_t count);
/* A copy, owned; NULL: out of memory. */
struct task_weights *weights_copy(const struct task_weights *from);
/* What their mean core task takes, where that of the job they are of takes 1. */
double weighing_mean(const struct weighing *weighing, const struct task_weights *weights);
/* What each of these core tasks takes, relative to their mean one: of a part of a job whose mean is
 * another, what is the same for all is another part of that. To be released. False: out of memory.
 */
bool weighing_work(const struct weighing *weighing, const struct task_weights *weights,
                   struct work *work);
/* Are they of a job of so many core tasks? False: FAILURE_MISMATCH. */
bool weights_match(const struct task_weights *weights, int64_t tasks, struct failure *failure);
/* Are they those that the profile, named `path`, was calibrated with, or was it with none? False:
 * FAILURE_MISMATCH. */
bool weights_measured(const struct task_weights *weights, const struct weights_name *measured,
                      const char *path, struct failure *failure);
void weights_free(struct task_weights *weights);

#endif
