/*
 * Does an output still hold what was written to it? Every core task's results are read back and
 * compared with the digest that lies beside the ledger (task_digest.h), bytes at places, without
 * HDF5. Where there are no digests, or nobody wants so much to be read, it is only seen to that
 * what core tasks emitted is within its files.
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
    /* The box of the grid that a core task fills. False: it is not to be found out. */
    bool (*box)(const void *self, int64_t task, int64_t start[3], int64_t count[3]);
    const void *self;
    struct emitted *emitted; /* NULL: nothing is emitted */
    bool contents;           /* digests are compared */
};

/* Core tasks that do not hold what was written, ascending. */
struct intact_damage {
    struct task_range *ranges; /* owned */
    int64_t count, tasks;
    size_t capacity;
};

/* Local. Looks at what the ledger in the file calls done, or failed, of the core tasks [first,
 * first
 * + count). False with *failure set: the file cannot be read, or memory ended. */
bool intact_compare(const struct intact_subject *subject, int64_t first, int64_t count,
                    struct intact_damage *damage, struct failure *failure);
/* Local. One more range, behind those that there are. False: memory ended. */
bool intact_damage_add(struct intact_damage *damage, struct task_range range);
/* "5, 17 to 19 and 3 others", counted from 1. */
void intact_damage_tell(const struct intact_damage *damage, struct text *text);
void intact_damage_release(struct intact_damage *damage);

/* Local. Are the shades [first, first + count) of /normalized those of the grid's numbers, of which
 * `least` is 0 and `greatest` 255? False also where they cannot be read. */
bool intact_picture(const struct intact_subject *subject, int64_t first, int64_t count,
                    double least, double greatest);

#endif
