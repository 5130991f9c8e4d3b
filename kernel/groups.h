/*
 * A bank split into groups of filters, each done by the algorithm that is fastest for filters of
 * its size. The choice follows from the bank and the tile alone, by the algorithms' own estimates,
 * so that every rank of a run makes the same.
 */
#ifndef KERNEL_GROUPS_H
#define KERNEL_GROUPS_H

#include "kernel/correlate.h"

struct groups; /* read-only once made */

/* For tiles of at most rows x columns; `algorithm` does the whole bank, which must be one it
 * applies to, or is NULL: the best. The bank may be freed afterwards. NULL: out of memory. */
struct groups *groups_new(const struct bank *bank, int rows, int columns,
                          const struct algorithm *algorithm);
size_t groups_workspace_bytes(const struct groups *groups); /* aligned to 64 */
void groups_run(const struct groups *groups, const struct tile *tile, void *workspace);
/* Tiles may be cut at rows that are multiples of this; 0: not at all. */
int groups_row_step(const struct groups *groups);
/* The least step that is a multiple of both; 0 if either is: no cutting at all. */
int row_step_common(int a, int b);
/* Estimated, for a tile of the full size, in multiply-adds of the direct algorithm. */
double groups_effort(const struct groups *groups);
/* The algorithm of group i and how many filters it does; NULL when there is no such group. */
const struct algorithm *groups_algorithm(const struct groups *groups, int i, int *filters);
void groups_free(struct groups **groups); /* sets *groups NULL */

#endif
