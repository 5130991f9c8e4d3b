/*
 * How much of their processors nodes have had, and what bandwidth there was to them, as somebody
 * has looked again and again (scow sense), and what follows for a time to come.
 */
#ifndef PLANNER_FORECAST_OBSERVATIONS_H
#define PLANNER_FORECAST_OBSERVATIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "planner/forecast/bank.h"

struct observation {
    double time_s, value; /* above 0 */
};

struct observed_series {
    struct observation *items; /* owned; ascending in time */
    size_t count, capacity;
};

struct observed_node {
    char *name; /* owned */
    struct observed_series cpu /* availability, at most 1 */, bandwidth /* bytes a second */;
};

/* All zero: nothing was seen. */
struct observations {
    struct observed_node *nodes; /* owned */
    size_t count, capacity;
    enum forecast_by by; /* the error by which forecasters are chosen */
};

/* What is forecast, and the standard deviation of such forecasts. */
struct observed_forecast {
    double value, deviation;
    const char *by; /* which forecaster */
    size_t blocks;  /* it has seen */
};

/* The node of that name, made where there is none. NULL: out of memory. */
struct observed_node *observations_node(struct observations *observations, const char *name);
/* Another look at it. False: out of memory. */
bool observations_add(struct observed_series *series, double time_s, double value);
/* All looks in the order of time, those at the same time in that in which they were added. False:
 * out of memory. */
bool observations_sort(struct observations *observations);
void observations_release(struct observations *observations);

/* Of one that has a look, the mean over the next span_s: looks are averaged over blocks of that
 * length, or of a quarter of the time observed where that is shorter, back from the last look, and
 * the next block's is forecast. Blocks without a look are left out. */
struct observed_forecast observed_forecast(const struct observed_series *series, double span_s,
                                           enum forecast_by by);

#endif
