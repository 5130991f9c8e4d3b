#include "calibrate/fit/windows.h"

#include <math.h>
#include <stdlib.h>

enum { BREAKS_MOST = 1024 };

/* Somewhere above package size `above`, at the latest at `upto`. */
struct place {
    double above, upto;
    double at; /* probably */
    double gain;
};

/* Where the two lines meet, if that is between them: else they jump, nobody knows where. */
static double place_of(const struct piece *before, const struct piece *after)
{
    const struct cost *a = &before->cost.cost, *b = &after->cost.cost;
    const double meet = (a->latency_s - b->latency_s) / (b->s_per_task - a->s_per_task);
    const bool between = meet > before->greatest && meet < after->least;
    return between ? meet : sqrt(before->greatest * after->least);
}

static int by_size(const void *a, const void *b)
{
    const struct place *p = a, *q = b;
    return (p->at > q->at) - (p->at < q->at);
}

/* Sorted. */
static int places_find(const struct costs *const *costs, int count, struct place *places)
{
    int found = 0;
    for (int i = 0; i < count; i++)
        for (int k = 1; k < costs[i]->count && found < BREAKS_MOST; k++) {
            const struct piece *before = &costs[i]->pieces[k - 1], *after = &costs[i]->pieces[k];
            places[found++] = (struct place){before->greatest, after->least,
                                             place_of(before, after), after->gain};
        }
    qsort(places, (size_t)found, sizeof *places, by_size);
    return found;
}

/* What cannot be told apart is one: at the place of the clearer one. */
static int places_merge(struct place *places, int count)
{
    int kept = 0;
    for (int i = 0; i < count; i++) {
        struct place *last = kept > 0 ? &places[kept - 1] : NULL;
        if (!last || places[i].above >= last->upto) {
            places[kept++] = places[i];
            continue;
        }
        last->at = places[i].gain > last->gain ? places[i].at : last->at;
        last->upto = fmin(last->upto, places[i].upto);
        last->gain += places[i].gain;
    }
    return kept;
}

static int places_thin(struct place *places, int count)
{
    while (count > WINDOWS_MOST - 1) {
        int weakest = 0;
        for (int i = 1; i < count; i++)
            if (places[i].gain < places[weakest].gain)
                weakest = i;
        for (int i = weakest; i + 1 < count; i++)
            places[i] = places[i + 1];
        count--;
    }
    return count;
}

void windows_make(const struct costs *const *costs, int count, int64_t largest,
                  struct windows *windows)
{
    struct place places[BREAKS_MOST];
    int found = places_find(costs, count, places);
    found = places_thin(places, places_merge(places, found));
    windows->count = 0;
    for (int i = 0; i < found; i++) {
        const int64_t at = (int64_t)places[i].at;
        const int64_t before = windows->count > 0 ? windows->greatest[windows->count - 1] : 0;
        if (at > before && at < largest)
            windows->greatest[windows->count++] = at;
    }
    windows->greatest[windows->count++] = largest;
}
