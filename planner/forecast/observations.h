/*
 * How much of their processors nodes have had, as somebody has looked again and again (scow sense),
 * and what follows for a time to come.
 */
#ifndef PLANNER_FORECAST_OBSERVATIONS_H
#define PLANNER_FORECAST_OBSERVATIONS_H

#include <stdbool.h>
#include <stddef.h>

struct observation {
    double time_s, value; /* availability, above 0, at most 1 */
};

struct observed_node {
    char *name;                /* owned */
    struct observation *items; /* owned; ascending in time, at least one */
    size_t count, capacity;
};

/* All zero: nothing was seen. */
struct observations {
    struct observed_node *nodes; /* owned */
    size_t count, capacity;
};

/* A share of the processors that is forecast, and the standard deviation of such forecasts. */
struct availability_forecast {
    double share, deviation;
    const char *by; /* which forecaster */
    size_t blocks;  /* it has seen */
};

/* The node of that name, made where there is none. NULL: out of memory. */
struct observed_node *observations_node(struct observations *observations, const char *name);
/* The next look at it. False: out of memory. */
bool observations_add(struct observed_node *node, double time_s, double value);
void observations_release(struct observations *observations);

/* The mean over the next span_s: looks are averaged over blocks of that length, or of a quarter of
 * the time observed where that is shorter, back from the last look, and the next block's is
 * forecast. Blocks without a look are left out. */
struct availability_forecast observed_forecast(const struct observed_node *node, double span_s);

#endif
