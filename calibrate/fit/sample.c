#include "calibrate/fit/sample.h"

#include <inttypes.h>
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

bool sample_same_package(const struct sample *a, const struct sample *b)
{
    return a->tasks == b->tasks && a->rank == b->rank && a->first == b->first;
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

char *samples_print(const struct samples *samples)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    fputs("setting\trank\toperation\tpass\tcold\twaited\tfirst_task\ttasks\tseconds\n", out);
    for (int64_t i = 0; i < samples->count; i++) {
        const struct sample *s = &samples->items[i];
        fprintf(out, "%d\t%d\t%s\t%d\t%d\t%d\t%" PRId64 "\t%" PRId64 "\t%.9g\n", s->setting,
                s->rank, operation_name(s->operation), s->pass, s->cold, s->waited, s->first,
                s->tasks, s->seconds);
    }
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}
