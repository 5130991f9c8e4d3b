#include "planner/model/cost_map.h"

#include <math.h>

/* The normal distribution's 95 % quantile, at which the whole unseen part has been added. */
static const double DEVIATE_95 = 1.6448536269514722;
/* No estimate of the total is below this share of the measured one. */
static const double TOTAL_LEAST = 0.05;

double cost_map_total(const struct cost_map *map, double deviate)
{
    const double added = deviate > 0 ? map->unseen * deviate / DEVIATE_95 : 0;
    return fmax(TOTAL_LEAST, 1 + map->error * deviate + added);
}
