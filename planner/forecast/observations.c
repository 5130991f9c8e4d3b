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

bool observations_add(struct observed_node *node, double time_s, double value)
{
    struct observation *items =
        array_reserve(node->items, &node->capacity, node->count + 1, sizeof *items);
    if (!items)
        return false;
    node->items = items;
    items[node->count++] = (struct observation){time_s, value};
    return true;
}

void observations_release(struct observations *observations)
{
    for (size_t k = 0; k < observations->count; k++) {
        free(observations->nodes[k].name);
        free(observations->nodes[k].items);
    }
    free(observations->nodes);
    *observations = (struct observations){.nodes = NULL};
}

/* Which block, counted back from the last look, which is the last of block 0. */
static double block_of(const struct observed_node *node, size_t k, double length_s)
{
    const double back_s = node->items[node->count - 1].time_s - node->items[k].time_s;
    return length_s > 0 ? floor(back_s / length_s) : 0;
}

struct availability_forecast observed_forecast(const struct observed_node *node, double span_s)
{
    static const double QUARTER = 0.25;
    const double seen_s = node->items[node->count - 1].time_s - node->items[0].time_s;
    const double length_s = fmin(span_s, QUARTER * seen_s);
    struct bank bank = {.count = 0};
    for (size_t k = 0; k < node->count;) {
        const double block = block_of(node, k, length_s);
        const size_t first = k;
        double sum = 0;
        for (; k < node->count && (k == first || block_of(node, k, length_s) == block); k++)
            sum += node->items[k].value;
        bank_add(&bank, sum / (double)(k - first));
    }
    const struct forecast forecast = bank_forecast(&bank, FORECAST_BY_MSE);
    return (struct availability_forecast){forecast.value, sqrt(forecast.error), forecast.by,
                                          (size_t)bank.count};
}
