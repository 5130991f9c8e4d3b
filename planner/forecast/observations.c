#include "planner/forecast/observations.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/array.h"
#include "planner/forecast/bank.h"

struct observed_node *observations_node(struct observations *observations, const char *name)
{
    for (size_t k = observations->count; k-- > 0;)
        if (strcmp(observations->nodes[k].name, name) == 0)
            return &observations->nodes[k];
    struct observed_node *nodes = array_reserve(observations->nodes, &observations->capacity,
                                                observations->count + 1, sizeof *nodes);
    if (!nodes)
        return NULL;
    observations->nodes = nodes;
    nodes[observations->count] = (struct observed_node){.name = strdup(name)};
    return nodes[observations->count].name ? &nodes[observations->count++] : NULL;
}

bool observations_add(struct observed_series *series, double time_s, double value)
{
    struct observation *items =
        array_reserve(series->items, &series->capacity, series->count + 1, sizeof *items);
    if (!items)
        return false;
    series->items = items;
    items[series->count++] = (struct observation){time_s, value};
    return true;
}

/* Merges [first, middle) and [middle, end), each of them sorted, with `spare` as buffer. */
static void series_merge(struct observation *items, size_t first, size_t middle, size_t end,
                         struct observation *spare)
{
    size_t left = first, right = middle;
    for (size_t k = first; k < end; k++)
        spare[k] = right == end || (left < middle && items[left].time_s <= items[right].time_s)
                       ? items[left++]
                       : items[right++];
    memcpy(items + first, spare + first, (end - first) * sizeof *items);
}

static bool series_sort(struct observed_series *series)
{
    size_t ahead = 1;
    while (ahead < series->count && series->items[ahead - 1].time_s <= series->items[ahead].time_s)
        ahead++;
    if (ahead >= series->count)
        return true;
    struct observation *spare = malloc(series->count * sizeof *spare);
    if (!spare)
        return false;
    for (size_t length = 1; length < series->count; length *= 2)
        for (size_t first = 0; first + length < series->count; first += 2 * length) {
            const size_t end = first + 2 * length;
            series_merge(series->items, first, first + length,
                         end < series->count ? end : series->count, spare);
        }
    free(spare);
    return true;
}

bool observations_sort(struct observations *observations)
{
    for (size_t k = 0; k < observations->count; k++)
        if (!series_sort(&observations->nodes[k].cpu) ||
            !series_sort(&observations->nodes[k].bandwidth))
            return false;
    return true;
}

void observations_release(struct observations *observations)
{
    for (size_t k = 0; k < observations->count; k++) {
        free(observations->nodes[k].name);
        free(observations->nodes[k].cpu.items);
        free(observations->nodes[k].bandwidth.items);
    }
    free(observations->nodes);
    *observations = (struct observations){.nodes = NULL};
}

/* The block of observation k: blocks are counted back from the last observation, which is the last
 * one of block 0. */
static double block_of(const struct observed_series *series, size_t k, double length_s)
{
    const double back_s = series->items[series->count - 1].time_s - series->items[k].time_s;
    return length_s > 0 ? floor(back_s / length_s) : 0;
}

struct observed_forecast observed_forecast(const struct observed_series *series, double span_s,
                                           enum forecast_by by)
{
    static const double QUARTER = 0.25;
    const double seen_s = series->items[series->count - 1].time_s - series->items[0].time_s;
    const double length_s = fmin(span_s, QUARTER * seen_s);
    struct bank bank = {.count = 0};
    for (size_t k = 0; k < series->count;) {
        const double block = block_of(series, k, length_s);
        const size_t first = k;
        double sum = 0;
        for (; k < series->count && (k == first || block_of(series, k, length_s) == block); k++)
            sum += series->items[k].value;
        bank_add(&bank, sum / (double)(k - first));
    }
    const struct forecast forecast = bank_forecast(&bank, by);
    return (struct observed_forecast){forecast.value, sqrt(forecast.squared), forecast.by,
                                      (size_t)bank.count};
}
