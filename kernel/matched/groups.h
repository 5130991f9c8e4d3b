/*
 * A bank split into groups of filters, each done by the algorithm that is fastest for filters of
 * its size. The choice follows from the bank and what is demanded alone, by the algorithms' own
 * estimates, so that every rank of a run makes the same.
 */
#ifndef KERNEL_MATCHED_GROUPS_H
#define KERNEL_MATCHED_GROUPS_H

#include "kernel/matched/correlators/correlate.h"

struct groups; /* read-only once made */

/* `algorithm` does the whole bank, which must be one it applies to, or is NULL: the best. The bank
 * may be freed afterwards. NULL: out of memory. */
struct groups *groups_new(const struct bank *bank, const struct demand *demand,
                          const struct algorithm *algorithm);
size_t groups_workspace_bytes(const struct groups *groups); /* aligned to 64 */
void groups_run(const struct groups *groups, const struct tile *tile, void *workspace);
/* What groups would take, estimated for tiles of the full size, in multiply-adds of the direct
 * algorithm, for each of `count` demands, DEMANDS_MOST at most; HUGE_VAL: `algorithm` cannot do
 * this bank. False: out of memory. */
bool groups_estimate(const struct bank *bank, const struct demand *demands, int count,
                     const struct algorithm *algorithm, double *efforts);
/* The algorithm of group i and how many filters it does; NULL when there is no such group. */
const struct algorithm *groups_algorithm(const struct groups *groups, int i, int *filters);
void groups_free(struct groups **groups); /* sets *groups NULL */

#endif
