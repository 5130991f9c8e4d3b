/*
 * The master reading its input for a kernel that packs.
 */
#ifndef SPMD_RUN_READING_H
#define SPMD_RUN_READING_H

#include "kernel/kernel.h"
#include "planner/base/failure.h"
#include "spmd/input/image.h"
#include "spmd/transport/outbox.h"

/* All borrowed. */
struct reading {
    struct image *image;
    struct outbox *outbox;   /* whose transfers advance between two rectangles */
    struct failure *failure; /* of the image */
};

/* Borrows *reading. */
struct kernel_source reading_source(struct reading *reading);

#endif
