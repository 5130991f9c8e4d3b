/*
 * Pseudo-random numbers that replay: SplitMix64 (Steele, Lea, Flood, Fast Splittable Pseudorandom
 * Number Generators, OOPSLA 2014). Any state is a good seed.
 */
#ifndef PLANNER_BASE_RANDOM_H
#define PLANNER_BASE_RANDOM_H

#include <stdint.h>

uint64_t random_bits(uint64_t *state);
/* 0 <= u < 1. */
double random_uniform(uint64_t *state);
/* Of mean 0 and variance 1 (Box and Muller, 1958). */
double random_normal(uint64_t *state);

#endif
