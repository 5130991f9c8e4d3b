/*
 * The extents of some tasks' boxes in a data set that holds the whole grid, row-major: as few and
 * as long as possible. Neighbouring tasks of a row share the extents of its lines; tasks that cover
 * the whole width of the grid give one extent.
 */
#ifndef SPMD_OUTPUT_EXTENTS_H
#define SPMD_OUTPUT_EXTENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/base/failure.h"
#include "spmd/job/job.h"

struct extent {
    int64_t place, size; /* bytes from the data set's start */
    const char *bytes;   /* the data; NULL: only places are wanted */
    int64_t task;        /* the first one in it */
};

/* Bytes that are not contiguous in memory are gathered in a buffer of this size; contiguous extents
 * may be longer. */
enum { EXTENTS_ROOM = 1 << 20 };

struct extents {
    const struct job *job; /* with a grid; borrowed */
    char *room;            /* EXTENTS_ROOM bytes, borrowed; NULL: only places are wanted */
    /* Called for each extent, which is borrowed; false, with *failure set: stop. */
    bool (*take)(void *self, const struct extent *extent, struct failure *failure);
    void *self;
};

/* Hand over tasks [first, first + count), whose boxes are in `values`, job->tile_size a task (NULL:
 * only places are asked for), in the order of places where tasks are numbered so. False: take said
 * so, or a task has no place in its grid. */
bool extents_take(const struct extents *extents, int64_t first, int64_t count, const char *values,
                  struct failure *failure);

#endif
