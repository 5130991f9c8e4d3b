#include "planner/model/cost_map.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The normal distribution's 95 % quantile, at which the whole unseen part has been added. */
static const double DEVIATE_95 = 1.6448536269514722;
/* No estimate of the total is below this share of the measured one. */
static const double TOTAL_LEAST = 0.05;

static const double SCALED_ALREADY = 1e-6;

bool cost_map_settle(struct cost_map *map)
{
    double sum = 0, until = 0;
    int64_t end = 0;
    for (size_t k = 0; k < map->region_count; k++) {
        end += map->regions[k].tasks;
        sum += (double)map->regions[k].tasks * map->regions[k].cost;
    }
    if (map->region_count > 0 && (end != map->tasks || !(sum > 0)))
        return false;
    const double exact = (double)map->tasks / sum;
    const double scale = fabs(exact - 1) > SCALED_ALREADY ? exact : 1; /* a file stays as it is */
    end = 0;
    for (size_t k = 0; k < map->region_count; k++) {
        struct cost_region *region = &map->regions[k];
        region->cost *= scale;
        until += (double)region->tasks * region->cost;
        end += region->tasks;
        region->until = until;
        region->end = end;
    }
    return true;
}

bool cost_map_copy(struct cost_map *map, const struct cost_map *from)
{
    *map = *from;
    map->regions = NULL;
    if (from->region_count == 0)
        return true;
    map->regions = malloc(from->region_count * sizeof *map->regions);
    if (map->regions)
        memcpy(map->regions, from->regions, from->region_count * sizeof *map->regions);
    else
        map->region_count = 0;
    return map->regions != NULL;
}

void cost_map_release(struct cost_map *map)
{
    free(map->regions);
    *map = (struct cost_map){.tasks = 0};
}

/* Cost of all core tasks before `at`, in mean core tasks; `at` in core tasks of the map. */
static double worth_before(const struct cost_map *map, double at)
{
    size_t low = 0, high = map->region_count - 1;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if ((double)map->regions[middle].end < at)
            low = middle + 1;
        else
            high = middle;
    }
    const struct cost_region *region = &map->regions[low];
    return region->until - ((double)region->end - at) * region->cost;
}

double cost_map_mean(const struct cost_map *map, double tasks, double first, double count)
{
    if (map->region_count == 0 || !(count > 0) || !(tasks > 0))
        return 1;
    const double scale = (double)map->tasks / tasks;
    const double worth =
        worth_before(map, (first + count) * scale) - worth_before(map, first * scale);
    return fmax(0, worth / (count * scale));
}

double cost_map_deviation(const struct cost_map *map)
{
    double squares = 0;
    for (size_t k = 0; k < map->region_count; k++) {
        const double off = map->regions[k].cost - 1;
        squares += (double)map->regions[k].tasks * off * off;
    }
    return map->region_count > 0 ? sqrt(squares / (double)map->tasks) : 0;
}

static int heavier(const void *a, const void *b)
{
    const double p = ((const struct cost_region *)a)->cost,
                 q = ((const struct cost_region *)b)->cost;
    return (p < q) - (p > q);
}

double cost_map_heaviest(const struct cost_map *map, double share)
{
    struct cost_map sorted;
    const double all = (double)map->tasks;
    double left = share * all, worth = 0;
    if (map->region_count == 0 || !cost_map_copy(&sorted, map))
        return share;
    qsort(sorted.regions, sorted.region_count, sizeof *sorted.regions, heavier);
    for (size_t k = 0; k < sorted.region_count; k++) {
        const double taken = fmin(left, (double)sorted.regions[k].tasks);
        worth += taken * sorted.regions[k].cost;
        left -= taken;
    }
    cost_map_release(&sorted);
    return worth / all;
}

double cost_map_total(const struct cost_map *map, double deviate)
{
    const double added = deviate > 0 ? map->unseen * deviate / DEVIATE_95 : 0;
    return fmax(TOTAL_LEAST, 1 + map->error * deviate + added);
}
