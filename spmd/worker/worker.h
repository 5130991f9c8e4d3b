/* A worker of a run: receives packages, computes them, writes or returns what came of them. */
#ifndef SPMD_WORKER_WORKER_H
#define SPMD_WORKER_WORKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "planner/base/failure.h"
#include "planner/model/task_range.h"
#include "spmd/protocol/run.h"

/* Core tasks a worker has done, in the order of doing, to be normalised at the end; empty where
 * nothing is. Of a run of more packages than that, everybody normalises an even share. */
enum { DONE_MOST = 1 << 20 };

struct done_packages {
    struct task_range *items; /* owned */
    int64_t count;
    size_t capacity;
};

/* Local to a worker, except as master_run: work until the master says stop. Its own failure is in
 * *failure and has been told to the master. */
bool worker_run(const struct run *run, struct done_packages *done, struct failure *failure);
void done_packages_release(struct done_packages *done);

#endif
