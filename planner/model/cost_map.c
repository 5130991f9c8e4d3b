#include "planner/model/cost_map.h"

#include <math.h>

/* The 95 % quantile of the normal distribution: with that deviate the whole unseen part is
 * added. */
static const double DEVIATE_95 = 1.6448536269514722;
/* An estimate of the total is at least this share of the measured one. */
static const double TOTAL_LEAST = 0.05;

double cost_map_total(const struct cost_map *map, double deviate)
{
    const double added = deviate > 0 ? map->unseen * deviate / DEVIATE_95 : 0;
    return fmax(TOTAL_LEAST, 1 + map->error * deviate + added);
}
