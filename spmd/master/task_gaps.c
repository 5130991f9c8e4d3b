#include "spmd/master/task_gaps.h"

#include <stdlib.h>
#include <string.h>

#include "planner/base/array.h"

bool task_gaps_init(struct task_gaps *gaps, const struct task_range *ranges, int64_t count)
{
    *gaps = (struct task_gaps){.count = count};
    gaps->ranges = array_reserve(NULL, &gaps->capacity, (size_t)count + 1, sizeof *gaps->ranges);
    if (gaps->ranges && count > 0)
        memcpy(gaps->ranges, ranges, (size_t)count * sizeof *ranges);
    return gaps->ranges != NULL;
}

void task_gaps_release(struct task_gaps *gaps)
{
    free(gaps->ranges);
    *gaps = (struct task_gaps){.count = 0};
}

/* The last gap that begins at or before that core task; -1: there is none. */
static int64_t gap_find(const struct task_gaps *gaps, int64_t first)
{
    int64_t low = -1, high = gaps->count - 1;
    while (low < high) {
        const int64_t middle = low + (high - low + 1) / 2;
        if (gaps->ranges[middle].first <= first)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

bool task_gaps_have(const struct task_gaps *gaps, struct task_range range)
{
    const int64_t at = gap_find(gaps, range.first);
    return at >= 0 && range.count > 0 &&
           range.first - gaps->ranges[at].first <= gaps->ranges[at].count - range.count;
}

/* Moves the gaps from there on, to make room for so many more, or to remove some. */
static void gaps_move(struct task_gaps *gaps, int64_t from, int64_t by)
{
    memmove(gaps->ranges + from + by, gaps->ranges + from,
            (size_t)(gaps->count - from) * sizeof *gaps->ranges);
    gaps->count += by;
}

bool task_gaps_fill(struct task_gaps *gaps, struct task_range range)
{
    const int64_t at = gap_find(gaps, range.first);
    struct task_range *room =
        array_reserve(gaps->ranges, &gaps->capacity, (size_t)gaps->count + 1, sizeof *gaps->ranges);
    if (!room)
        return false;
    gaps->ranges = room;
    const struct task_range gap = gaps->ranges[at];
    const struct task_range before = {gap.first, range.first - gap.first};
    const struct task_range behind = {range.first + range.count,
                                      gap.first + gap.count - range.first - range.count};
    int64_t place = at;
    gaps_move(gaps, at + 1, (before.count > 0) + (behind.count > 0) - 1);
    if (before.count > 0)
        gaps->ranges[place++] = before;
    if (behind.count > 0)
        gaps->ranges[place] = behind;
    return true;
}
