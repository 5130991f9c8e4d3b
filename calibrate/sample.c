#include "calibrate/sample.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "planner/base/array.h"

bool samples_add(struct samples *samples, const struct sample *sample)
{
    struct sample *room =
        array_reserve(samples->items, &samples->capacity, (size_t)samples->count + 1, sizeof *room);
    if (!room)
        return false;
    samples->items = room;
    samples->items[samples->count++] = *sample;
    return true;
}

void samples_release(struct samples *samples)
{
    free(samples->items);
    *samples = (struct samples){0};
}

static int by_place(const void *a, const void *b)
{
    const struct sample *p = a, *q = b;
    if (p->tasks != q->tasks)
        return p->tasks < q->tasks ? -1 : 1;
    if (p->first != q->first)
        return p->first < q->first ? -1 : 1;
    return (p->seconds > q->seconds) - (p->seconds < q->seconds);
}

static bool same_size(const struct sample *a, const struct sample *b)
{
    return a->tasks == b->tasks;
}

static bool same_place(const struct sample *a, const struct sample *b)
{
    return a->tasks == b->tasks && a->first == b->first;
}

/* How many of items[0 .. count) are like the first. */
static int64_t run_length(const struct sample *items, int64_t count,
                          bool (*like)(const struct sample *, const struct sample *))
{
    int64_t length = 1;
    while (length < count && like(items, items + length))
        length++;
    return length;
}

static double median(const struct sample *sorted, int64_t count)
{
    return (sorted[(count - 1) / 2].seconds + sorted[count / 2].seconds) / 2;
}

/* Mean over places of the median at each. */
static double typical(const struct sample *items, int64_t count)
{
    double sum = 0;
    int64_t places = 0;
    for (int64_t at = 0, length; at < count; at += length, places++) {
        length = run_length(items + at, count - at, same_place);
        sum += median(items + at, length);
    }
    return sum / (double)places;
}

/* The samples concerned, sorted by size, place and seconds. Owned. */
static struct sample *chosen(const struct samples *samples, int setting, int rank,
                             enum operation operation, int64_t *count)
{
    struct sample *items = malloc(((size_t)samples->count + 1) * sizeof *items);
    *count = 0;
    for (int64_t i = 0; items && i < samples->count; i++) {
        const struct sample *sample = &samples->items[i];
        if (sample->setting == setting && (rank < 0 || sample->rank == rank) &&
            sample->operation == operation)
            items[(*count)++] = *sample;
    }
    if (items)
        qsort(items, (size_t)*count, sizeof *items, by_place);
    return items;
}

int samples_points(const struct samples *samples, int setting, int rank, enum operation operation,
                   double *x, double *y, int most)
{
    int64_t count = 0;
    struct sample *items = chosen(samples, setting, rank, operation, &count);
    if (!items)
        return -1;
    int points = 0;
    for (int64_t at = 0, length; at < count && points < most; at += length, points++) {
        length = run_length(items + at, count - at, same_size);
        x[points] = (double)items[at].tasks;
        y[points] = typical(items + at, length);
    }
    free(items);
    return points;
}

/* Of the samples of one size, sorted by place. */
static double deviation(const struct sample *items, int64_t count, int64_t *places)
{
    double sum = 0, squares = 0;
    *places = 0;
    for (int64_t at = 0, length; at < count; at += length, ++*places) {
        length = run_length(items + at, count - at, same_place);
        const double here = median(items + at, length);
        sum += here;
        squares += here * here;
    }
    const double mean = sum / (double)*places, n = (double)*places;
    return *places > 1 && mean > 0 ? sqrt(fmax(0, squares / n - mean * mean) * n / (n - 1)) / mean
                                   : 0;
}

int samples_spread(const struct samples *samples, int setting, int64_t *tasks, double *deviations,
                   int most)
{
    int64_t count = 0;
    struct sample *items = chosen(samples, setting, -1, OPERATION_COMPUTE, &count);
    if (!items)
        return -1;
    int sizes = 0;
    for (int64_t at = 0, length; at < count && sizes < most; at += length) {
        int64_t places;
        length = run_length(items + at, count - at, same_size);
        tasks[sizes] = items[at].tasks;
        deviations[sizes] = deviation(items + at, length, &places);
        sizes += places > 1;
    }
    free(items);
    return sizes;
}

char *samples_print(const struct samples *samples)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    fputs("setting\trank\toperation\tfirst_task\ttasks\trepeats\tseconds\n", out);
    for (int64_t i = 0; i < samples->count; i++) {
        const struct sample *s = &samples->items[i];
        fprintf(out, "%d\t%d\t%s\t%" PRId64 "\t%" PRId64 "\t%" PRId64 "\t%.9g\n", s->setting,
                s->rank, operation_name(s->operation), s->first, s->tasks, s->repeats, s->seconds);
    }
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}
