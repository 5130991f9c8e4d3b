#include "calibrate/fit/segments.h"

#include <math.h>

enum { SEGMENT_LEAST = 3 };
static const double WIDTH_LEAST = 2;
/* No machine is affine to the last digit: what a line misses by this share of a cost is no break;
 * nor is it where the machine itself drifts by as much. */
static const double BREAK_TOLERANCE = 0.03;

/* Best segmentations of the first so many points. */
struct best {
    double score;
    int last;   /* first point of the last segment */
    int pieces; /* so far */
};

static bool may_stand(const struct points *points, int first, int end)
{
    const struct point *items = points->items;
    const bool whole = first == 0 && end == points->count;
    return whole || (end - first >= SEGMENT_LEAST &&
                     items[end - 1].tasks >= WIDTH_LEAST * items[first].tasks);
}

static double break_penalty(const struct points *points)
{
    return 3 * log(fmax(2, (double)points->timings));
}

/* The best way to end a segment before point `end`. */
static bool best_extend(const struct points *points, int end, struct best *best)
{
    best[end] = (struct best){HUGE_VAL, 0, 0};
    for (int first = 0; first < end; first++) {
        struct line line;
        if (!may_stand(points, first, end) || best[first].pieces == SEGMENTS_MOST ||
            !isfinite(best[first].score))
            continue;
        if (!line_fit(points->items + first, end - first, &line))
            return false;
        const double score =
            best[first].score + line.chi2 + (first > 0 ? break_penalty(points) : 0);
        if (score < best[end].score)
            best[end] = (struct best){score, first, best[first].pieces + 1};
    }
    return true;
}

/* How much worse one line for two neighbours would be. */
static bool gain_find(const struct points *points, const struct segment *before,
                      struct segment *segment)
{
    struct line joined;
    if (!line_fit(points->items + before->first, before->count + segment->count, &joined))
        return false;
    segment->gain = joined.chi2 - before->line.chi2 - segment->line.chi2;
    return true;
}

bool segments_find(const struct points *points, struct segment segments[SEGMENTS_MOST], int *count)
{
    struct best best[POINTS_MOST + 1] = {{0, 0, 0}};
    const struct points rough =
        points_loosen(points, hypot(BREAK_TOLERANCE, hypot(points->drift, points->drift_own) / 2));
    for (int end = 1; end <= rough.count; end++)
        if (!best_extend(&rough, end, best))
            return false;
    *count = best[rough.count].pieces;
    for (int end = rough.count, k = *count - 1; k >= 0; end = best[end].last, k--) {
        segments[k] = (struct segment){.first = best[end].last, .count = end - best[end].last};
        if (!line_fit(points->items + segments[k].first, segments[k].count, &segments[k].line))
            return false;
    }
    for (int k = 1; k < *count; k++)
        if (!gain_find(points, &segments[k - 1], &segments[k]))
            return false;
    return true;
}
