/* A small seeded generator (Steele, Lea, Flood: SplitMix64, 2014), so that every run replays. */
#ifndef TESTS_KERNEL_RANDOM_H
#define TESTS_KERNEL_RANDOM_H

#include <stdint.h>

struct random {
    uint64_t state; /* start it with the seed */
};

static inline uint64_t random_bits(struct random *random)
{
    uint64_t z = (random->state += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
}

/* least <= result <= most */
static inline int64_t random_between(struct random *random, int64_t least, int64_t most)
{
    return least + (int64_t)(random_bits(random) % (uint64_t)(most - least + 1));
}

/* Uniform in [-1, 1). */
static inline double random_signed(struct random *random)
{
    return (double)(random_bits(random) >> 11) * 0x1p-52 - 1;
}

#endif
