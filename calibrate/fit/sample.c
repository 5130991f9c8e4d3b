#include "calibrate/fit/sample.h"

#include <stdlib.h>

bool sample_same_package(const struct sample *a, const struct sample *b)
{
    return a->tasks == b->tasks && a->rank == b->rank && a->first == b->first;
}

int64_t sample_package_length(const struct sample *samples, int64_t count)
{
    int64_t length = 1;
    while (length < count && sample_same_package(samples, samples + length))
        length++;
    return length;
}

double sample_package_mean(const struct sample *package, int64_t length)
{
    double sum = 0;
    for (int64_t i = 0; i < length; i++)
        sum += package[i].seconds;
    return sum / (double)length;
}

double sample_package_squares(const struct sample *package, int64_t length)
{
    const double mean = sample_package_mean(package, length);
    double sum = 0;
    for (int64_t i = 0; i < length; i++)
        sum += (package[i].seconds - mean) * (package[i].seconds - mean);
    return sum;
}

static int order(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int by_place(const void *a, const void *b)
{
    const struct sample *p = a, *q = b;
    int sign = order(p->tasks, q->tasks);
    sign = sign ? sign : order(p->rank, q->rank);
    sign = sign ? sign : order(p->first, q->first);
    return sign ? sign : order(p->pass, q->pass);
}

static bool is_chosen(const struct sample *sample, const struct sample_choice *choice, bool cold)
{
    return sample->setting == choice->setting && sample->operation == choice->operation &&
           sample->rank >= choice->least_rank && sample->rank <= choice->greatest_rank &&
           (cold || !sample->cold) &&
           (choice->waiting == SAMPLE_ANY || sample->waited == (choice->waiting == SAMPLE_WAITED));
}

static int64_t choose(const struct samples *samples, const struct sample_choice *choice, bool cold,
                      struct sample *items)
{
    int64_t count = 0;
    for (int64_t i = 0; i < samples->count; i++)
        if (is_chosen(&samples->items[i], choice, cold))
            items[count++] = samples->items[i];
    return count;
}

struct sample *samples_choose(const struct samples *samples, const struct sample_choice *choice,
                              int64_t *count)
{
    struct sample *items = malloc(((size_t)samples->count + 1) * sizeof *items);
    struct sample_choice any = *choice;
    any.waiting = SAMPLE_ANY;
    *count = 0;
    if (!items)
        return NULL;
    *count = choose(samples, choice, false, items);
    if (*count == 0)
        *count = choose(samples, &any, false, items);
    if (*count == 0) /* of a job with hardly more tasks than workers */
        *count = choose(samples, &any, true, items);
    qsort(items, (size_t)*count, sizeof *items, by_place);
    return items;
}
