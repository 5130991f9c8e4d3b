#include "planner/base/gallop.h"

#include <math.h>

/* Where the wanted number would be if numbers grew evenly from 0. */
static size_t guess(const struct gallop *gallop, double wanted)
{
    const size_t last = gallop->count - 1;
    const double share = wanted / gallop->number(gallop->self, last);
    return share > 0 ? (size_t)fmin((double)last, ceil(share * (double)(last + 1)) - 1) : 0;
}

/* Galloping search from the guess: steps double, but never go beyond the middle of what is left, so
 * that it takes no longer than bisection by more than a few steps. */
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
