#include "planner/base/gallop.h"

#include <math.h>

/* Where it would be if all grew by the same, from 0 on. */
static size_t guess(const struct gallop *gallop, double wanted)
{
    const size_t last = gallop->count - 1;
    const double share = wanted / gallop->number(gallop->self, last);
    return share > 0 ? (size_t)fmin((double)last, ceil(share * (double)(last + 1)) - 1) : 0;
}

/* Looked at first is where it is likely; then what lies no farther from there than a step that
 * doubles, nor behind the middle of what is left. */
size_t gallop_find(const struct gallop *gallop, double wanted)
{
    size_t low = 0, high = gallop->count - 1, at = guess(gallop, wanted);
    at = at < high ? at : high - 1;
    for (size_t step = 0; low < high; step = 2 * step + 1) {
        const int beyond = gallop->number(gallop->self, at) < wanted;
        if (beyond)
            low = at + 1;
        else
            high = at;
        const size_t half = high > low ? (high - low - 1) / 2 : 0;
        const size_t most = half < step ? half : step;
        at = beyond ? low + most : high - 1 - most;
    }
    return low;
}
