#include "planner/model/load_pattern.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "planner/base/random.h"

static const struct load_pattern patterns[LOAD_PATTERNS] = {
    {"high-low", 2, {LOAD_HIGH, LOAD_LOW}},
    {"random", 1, {LOAD_RANDOM}},
    {"low-high-low", 3, {LOAD_LOW, LOAD_HIGH, LOAD_LOW}},
    {"high-low-high", 3, {LOAD_HIGH, LOAD_LOW, LOAD_HIGH}},
    {"low-random-low", 3, {LOAD_LOW, LOAD_RANDOM, LOAD_LOW}},
    {"low-high", 2, {LOAD_LOW, LOAD_HIGH}},
    {"random-low-random", 3, {LOAD_RANDOM, LOAD_LOW, LOAD_RANDOM}},
};

const struct load_pattern *load_pattern(int number)
{
    return &patterns[number - 1];
}

int load_pattern_find(const char *text)
{
    if (text[0] >= '1' && text[0] <= '0' + LOAD_PATTERNS && text[1] == '\0')
        return text[0] - '0';
    for (int number = 1; number <= LOAD_PATTERNS; number++)
        if (strcmp(text, load_pattern(number)->name) == 0)
            return number;
    return 0;
}

static bool second_high(uint64_t seed, int64_t node, int64_t second)
{
    uint64_t state = seed;
    state = random_bits(&state) ^ (uint64_t)node;
    state = random_bits(&state) ^ (uint64_t)second;
    return random_bits(&state) >> 63;
}

/* The end of the last part is exactly that of the pattern, which a rounded quotient may not be. */
static double part_end_s(const struct load_pattern *pattern, double seconds, int part)
{
    return part + 1 < pattern->part_count ? seconds * (part + 1) / pattern->part_count : seconds;
}

bool load_pattern_high(const struct load_pattern *pattern, double seconds, uint64_t seed,
                       int64_t node, double at_s, double *until_s)
{
    int part = 0;
    while (part + 1 < pattern->part_count && at_s >= part_end_s(pattern, seconds, part))
        part++;
    *until_s = part_end_s(pattern, seconds, part);
    if (pattern->parts[part] != LOAD_RANDOM)
        return pattern->parts[part] == LOAD_HIGH;
    *until_s = fmin(*until_s, floor(at_s) + 1);
    return second_high(seed, node, (int64_t)at_s);
}
