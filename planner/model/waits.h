/*
 * How long jobs wait in a queue, by how many ranks they ask for and for how long.
 */
#ifndef PLANNER_MODEL_WAITS_H
#define PLANNER_MODEL_WAITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wait_row {
    int64_t ranks;
    double walltime_s, wait_s;
};

struct waits {
    struct wait_row *rows; /* owned; by ranks, then by walltime, both ascending */
    size_t count;          /* at least one */
};

/* The wait of a job of so many ranks, the master's among them, that asks for that walltime. Between
 * two rows it is linear in the logarithm of their ranks, and of their walltimes where ranks are the
 * same; below the first and beyond the last walltime of as many ranks it is that row's, and below
 * the first row's ranks that row's. False: no row has as many ranks, the queue may not take such a
 * job. */
bool waits_find(const struct waits *waits, int64_t ranks, double walltime_s, double *wait_s);
void waits_release(struct waits *waits);

#endif
