/*
 * Where some tasks' boxes of a grid lie in a data set that holds the whole grid, row-major: as
 * extents of bytes, as few and as long as can be. Tasks side by side give whole runs of a row; a
 * band of them as wide as the grid gives one extent.
 */
#ifndef SPMD_OUTPUT_EXTENTS_H
#define SPMD_OUTPUT_EXTENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/base/failure.h"
#include "spmd/job/job.h"

struct extent {
    int64_t place, size; /* bytes from the data set's start */
    const char *bytes;   /* what belongs there; NULL: only places are asked for */
    int64_t task;        /* the first one in it */
};

/* Bytes of tasks that do not lie one behind the other in memory are gathered in a room of that
 * size; extents of more are possible. */
enum { EXTENTS_ROOM = 1 << 20 };

struct extents {
    const struct job *job; /* with a grid; borrowed */
    char *room;            /* STRETCHES_ROOM bytes, borrowed; NULL: only places are asked for */
    /* Borrows the stretch; false, with *failure set: no more are wanted. */
    bool (*take)(void *self, const struct extent *extent, struct failure *failure);
    void *self;
};

/* Hand over tasks [first, first + count), whose boxes are in `values`, job->tile_size a task (NULL:
 * only places are asked for), in the order of places where tasks are numbered so. False: take said
 * so, or a task has no place in its grid. */
bool extents_take(const struct extents *extents, int64_t first, int64_t count, const char *values,
                  struct failure *failure);

#endif
