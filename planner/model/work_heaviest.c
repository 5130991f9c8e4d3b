/* Finds the heaviest core tasks without sorting: core tasks are counted by the leading bits of
 * their costs, which order positive floating-point numbers; then those at the border by the bits
 * that follow. Those that are still equal then count with their mean. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/model/work.h"

enum { BITS = 16, BUCKETS = 1 << BITS, PASSES = 2 };

struct bucket {
    double tasks, units;
};

struct heavy {
    const struct work *work;
    struct bucket *buckets; /* owned */
    uint64_t leading;       /* leading bits of those at the border */
    int known;              /* how many bits are known */
    double left;            /* core tasks that are not taken yet */
    double units;           /* of those that are taken */
};

static void buckets_fill(struct heavy *heavy)
{
    const int below = 64 - heavy->known;
    memset(heavy->buckets, 0, BUCKETS * sizeof *heavy->buckets);
    for (size_t k = 0; k < heavy->work->region_count; k++) {
        const double cost = work_region_cost(heavy->work, k);
        const double tasks = (double)work_region_tasks(heavy->work, k);
        uint64_t bits;
        memcpy(&bits, &cost, sizeof bits);
        if (heavy->known > 0 && bits >> below != heavy->leading)
            continue;
        struct bucket *bucket = &heavy->buckets[bits >> (below - BITS) & (BUCKETS - 1)];
        bucket->tasks += tasks;
        bucket->units += tasks * cost;
    }
}

/* Takes whole buckets from the greatest one on; returns the one that has too many. */
static size_t buckets_take(struct heavy *heavy)
{
    size_t at = BUCKETS - 1;
    for (; at > 0 && heavy->buckets[at].tasks <= heavy->left; at--) {
        heavy->left -= heavy->buckets[at].tasks;
        heavy->units += heavy->buckets[at].units;
    }
    return at;
}

double work_heaviest(const struct work *work, double share)
{
    struct heavy heavy = {.work = work, .left = share * (double)work->tasks};
    heavy.buckets = work_differs(work) ? malloc(BUCKETS * sizeof *heavy.buckets) : NULL;
    if (!heavy.buckets)
        return share;
    size_t at = 0;
    for (int pass = 0; pass < PASSES; pass++) {
        buckets_fill(&heavy);
        at = buckets_take(&heavy);
        heavy.leading = heavy.leading << BITS | at;
        heavy.known += BITS;
    }
    const struct bucket last = heavy.buckets[at];
    if (last.tasks > 0)
        heavy.units += fmin(heavy.left, last.tasks) * last.units / last.tasks;
    free(heavy.buckets);
    return heavy.units / (double)work->tasks;
}
