/*
 * Does an output still contain what was written to it? The results of every core task are read back
 * and compared with the digest beside the ledger (task_digest.h), as bytes at known places, without
 * HDF5. Without digests, or if that takes too long for the user (--trust), only the places of
 * emitted bytes are checked against the sizes of their files.
 */
#ifndef SPMD_LAYOUT_INTACT_H
#define SPMD_LAYOUT_INTACT_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/base/failure.h"
#include "planner/base/text.h"
#include "planner/model/task_range.h"
#include "spmd/layout/emitted.h"
#include "spmd/layout/places.h"

/* What is compared; borrowed. */
struct intact_subject {
    const char *path;
    struct output_places places;
    size_t record_size; /* bytes; 0: no records */
    int number_type;    /* of the grid: enum scow_type; SCOW_NONE: there is none */
    int64_t extent[3];  /* of the grid */
    /* The box of the grid that a core task fills. False: not known. */
    bool (*box)(const void *self, int64_t task, int64_t start[3], int64_t count[3]);
    const void *self;
    struct emitted *emitted; /* NULL: nothing is emitted */
    bool contents;           /* digests are compared */
};

/* Core tasks whose results are not what was written, ascending. */
struct intact_damage {
    struct task_range *ranges; /* owned */
    int64_t count, tasks;
    size_t capacity;
};

/* Local. Check the core tasks [first, first + count) that the file's ledger marks as done or
 * failed. False with *failure set: the file cannot be read, or memory ran out. */
bool intact_compare(const struct intact_subject *subject, int64_t first, int64_t count,
                    struct intact_damage *damage, struct failure *failure);
/* Local. One more range, after those that there are. False: memory ended. */
bool intact_damage_add(struct intact_damage *damage, struct task_range range);
/* "5, 17 to 19 and 3 others", counted from 1. */
void intact_damage_tell(const struct intact_damage *damage, struct text *text);
void intact_damage_release(struct intact_damage *damage);

/* Local. Are the shades [first, first + count) of /normalized those of the grid's numbers, of which
 * `least` is 0 and `greatest` 255? False also where they cannot be read. */
bool intact_picture(const struct intact_subject *subject, int64_t first, int64_t count,
                    double least, double greatest);

#endif
