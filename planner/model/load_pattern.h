/*
 * Load that others put on a node, over time: the workload patterns of Rosenvinge, Dynamic load
 * balancing with MPI (2003), section 5.1.2: parts of low, high and random load, here equally long.
 * In a random part every second is high or low with equal probability, by seed, node and second
 * alone.
 */
#ifndef PLANNER_MODEL_LOAD_PATTERN_H
#define PLANNER_MODEL_LOAD_PATTERN_H

#include <stdbool.h>
#include <stdint.h>

enum { LOAD_PATTERNS = 7, LOAD_PARTS_MOST = 3 };

enum load_part { LOAD_LOW, LOAD_HIGH, LOAD_RANDOM };

struct load_pattern {
    const char *name;
    int part_count;
    enum load_part parts[LOAD_PARTS_MOST];
};

/* Number 1 to LOAD_PATTERNS. */
const struct load_pattern *load_pattern(int number);
/* By its number or its name; 0: there is none. */
int load_pattern_find(const char *text);
/* Is the load high at at_s, 0 <= at_s < seconds, of a pattern that lasts `seconds`? *until_s: how
 * long that is certain, at most `seconds`. */
bool load_pattern_high(const struct load_pattern *pattern, double seconds, uint64_t seed,
                       int64_t node, double at_s, double *until_s);

#endif
