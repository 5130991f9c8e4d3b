#include "planner/model/waits.h"

#include <math.h>
#include <stdlib.h>

/* Interpolates between (x0, y0) and (x1, y1) by the logarithm of x; 0 < x0 < x <= x1. Rounding
 * keeps the result between y0 and y1, and it is exact at x1. */
static double log_between(double x, double x0, double y0, double x1, double y1)
{
    const double share = x < x1 ? (log(x) - log(x0)) / (log(x1) - log(x0)) : 1;
    return (1 - share) * y0 + share * y1;
}

/* The wait by the rows first .. end - 1, which are all for the same number of ranks. */
static double group_wait(const struct wait_row *rows, size_t first, size_t end, double walltime_s)
{
    if (walltime_s <= rows[first].walltime_s)
        return rows[first].wait_s;
    for (size_t k = first + 1; k < end; k++)
        if (walltime_s <= rows[k].walltime_s)
            return log_between(walltime_s, rows[k - 1].walltime_s, rows[k - 1].wait_s,
                               rows[k].walltime_s, rows[k].wait_s);
    return rows[end - 1].wait_s;
}

static size_t group_end(const struct waits *waits, size_t first)
{
    size_t end = first;
    while (end < waits->count && waits->rows[end].ranks == waits->rows[first].ranks)
        end++;
    return end;
}

bool waits_find(const struct waits *waits, int64_t ranks, double walltime_s, double *wait_s)
{
    double before_s = 0, before_ranks = 0;
    for (size_t first = 0; first < waits->count; first = group_end(waits, first)) {
        const double group_ranks = (double)waits->rows[first].ranks;
        const double group_s = group_wait(waits->rows, first, group_end(waits, first), walltime_s);
        if ((double)ranks <= group_ranks) {
            *wait_s = first == 0 ? group_s
                                 : log_between((double)ranks, before_ranks, before_s, group_ranks,
                                               group_s);
            return true;
        }
        before_s = group_s;
        before_ranks = group_ranks;
    }
    return false;
}

void waits_release(struct waits *waits)
{
    free(waits->rows);
    *waits = (struct waits){.rows = NULL};
}
