/*
 * A bank split into groups of filters, each done by the algorithm that is fastest for filters of
 * its size. The choice follows from the bank and what is demanded alone, by the algorithms' own
 * estimates. Making it takes longer than making the groups, so that one rank makes it for all.
 */
#ifndef KERNEL_MATCHED_GROUPS_H
#define KERNEL_MATCHED_GROUPS_H

#include "kernel/matched/correlators/correlate.h"

enum { GROUPS_MOST = 2 };

/* Who does what: of a bank's filters, from the largest to the smallest, the first `large` are one
 * group and the others the next. Numbers alone, so that ranks can tell each other. */
struct groups_choice {
    int32_t large;                   /* may be 0 */
    int32_t algorithms[GROUPS_MOST]; /* by their places in the list; negative: of no filters */
    double effort; /* estimated for a tile of the full size, in multiply-adds of the direct
                    * algorithm */
};

struct groups; /* read-only once made */

/* The choice of least effort for each of `count` demands, DEMANDS_MOST at most; `algorithm` for the
 * whole bank unless it is NULL. An effort of HUGE_VAL: `algorithm` cannot do this bank. False: out
 * of memory. */
bool groups_choose(const struct bank *bank, const struct demand *demands, int count,
                   const struct algorithm *algorithm, struct groups_choice *choices);
/* As it was chosen for that bank and demand. The bank may be freed afterwards. NULL: out of memory.
 */
struct groups *groups_new(const struct bank *bank, const struct demand *demand,
                          const struct groups_choice *choice);
size_t groups_workspace_bytes(const struct groups *groups); /* aligned to 64 */
void groups_run(const struct groups *groups, const struct tile *tile, void *workspace);
/* The algorithm of group i and how many filters it does; NULL when there is no such group. */
const struct algorithm *groups_algorithm(const struct groups *groups, int i, int *filters);
void groups_free(struct groups **groups); /* sets *groups NULL */

#endif
