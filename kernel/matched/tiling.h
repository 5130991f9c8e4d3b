/*
 * How much is computed in one go: in how many core tasks a slice is cut, and in what tiles a core
 * task is computed. Both follow from the job alone, never from threads or packages, so that neither
 * shows in the results; and from what all ranks are told, so that all do the same.
 */
#ifndef KERNEL_MATCHED_TILING_H
#define KERNEL_MATCHED_TILING_H

#include "kernel/matched/response.h"

/* What all of it follows from. */
struct tiling {
    const struct bank *bank; /* borrowed */
    enum combine combine;
    enum speeds tuned;
    const struct algorithm *algorithm; /* NULL: the fastest, filter by filter */
    int block;                         /* the edge that is wished for core tasks, pixels */
    int parts;                         /* of it: tiles side by side */
};

/* Core tasks of a slice, one below the other and side by side. */
struct division {
    int64_t down, across;
};

/* Set `parts` from the rest: tiles fine enough to feed several threads and to pulse every few
 * milliseconds, and no finer than what keeps the estimated effort near the least. False: out of
 * memory. */
bool tiling_fit(struct tiling *tiling);
/* The tiles' edge in core tasks of at most that edge: a grid of them starts at a task's first
 * pixel. */
int tiling_edge(const struct tiling *tiling, int64_t edge);
/* As many tasks as come nearest to the block from above or below, each side for itself, whichever
 * is the least effort by estimate; one where the block is larger than the side. False: out of
 * memory. */
bool tiling_divide(const struct tiling *tiling, int64_t rows, int64_t columns,
                   struct division *division);

#endif
