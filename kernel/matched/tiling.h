/*
 * How much is computed in one go: in how many core tasks a slice is cut, and in what tiles a core
 * task is computed. Both follow from the job alone, never from threads or packages, so that neither
 * shows in the results; and from what all ranks are told, so that all do the same.
 */
#ifndef KERNEL_MATCHED_TILING_H
#define KERNEL_MATCHED_TILING_H

#include "kernel/matched/response.h"

/* Along one side of core tasks. */
struct tiling_side {
    int wished; /* length of a core task, pixels */
    int parts;  /* of it: tiles side by side */
};

/* What all of it follows from. */
struct tiling {
    const struct bank *bank; /* borrowed */
    enum combine combine;
    enum speeds tuned;
    const struct algorithm *algorithm; /* NULL: the fastest, filter by filter */
    struct tiling_side high, wide;
    /* As fitted: a tile of tasks as wished, and who computes it. */
    struct demand tile;
    struct response_choice choice;
};

/* Core tasks of a slice, one below the other and side by side. */
struct division {
    int64_t down, across;
};

/* Set `parts` of both sides, tile and choice from the rest: tiles fine enough to feed several
 * threads and to pulse every few milliseconds, and no finer than what keeps the estimated effort
 * near the least. False: out of memory. */
bool tiling_fit(struct tiling *tiling);
/* The tiles' length in core tasks of at most that length along that side: a grid of them starts at
 * a task's first pixel. */
int tiling_edge(const struct tiling_side *side, int64_t length);
/* Who computes such tiles, of tasks that may differ from what was wished. False: out of memory. */
bool tiling_choose(const struct tiling *tiling, const struct demand *demand,
                   struct response_choice *choice);
/* As many tasks as come nearest to what is wished from above or below, each side for itself,
 * whichever is the least effort by estimate; one where more is wished than the slice has. False:
 * out of memory. */
bool tiling_divide(const struct tiling *tiling, int64_t rows, int64_t columns,
                   struct division *division);

#endif
