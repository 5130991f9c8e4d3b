/* Search in a series that grows evenly, more or less, so that a place is guessed first. */
#ifndef PLANNER_BASE_GALLOP_H
#define PLANNER_BASE_GALLOP_H

#include <stddef.h>

/* `count` numbers, at least one, none smaller than the one before it. */
struct gallop {
    size_t count;
    const void *self;
    double (*number)(const void *self, size_t index);
};

/* The first that is as large as `wanted`, or the last. */
size_t gallop_find(const struct gallop *gallop, double wanted);

#endif
