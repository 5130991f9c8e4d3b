/*
 * The tiles that a core task is computed in: a grid that starts at the task's first pixel and
 * follows from the job alone, never from threads or packages, so that neither shows in the results.
 */
#ifndef KERNEL_MATCHED_TILING_H
#define KERNEL_MATCHED_TILING_H

#include "kernel/matched/response.h"

/* The edge of the tiles for core tasks of that edge: fine enough to feed several threads and to
 * pulse every few milliseconds, and no finer than what keeps the estimated effort near the least.
 * 0: out of memory. */
int tiling_edge(const struct bank *bank, enum combine combine, int block, enum speeds tuned,
                const struct algorithm *algorithm);

#endif
