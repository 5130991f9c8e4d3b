/* Limits given as a number or as a percentage, and the median of times, to which a percentage
 * refers. */
#ifndef KERNEL_COMMAND_LIMIT_H
#define KERNEL_COMMAND_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

struct limit {
    double value; /* 0: none */
    bool percent;
};

/* "2.5" or "200%", above 0; NULL and "never" are no limit. False: it is none of these. */
bool limit_parse(struct limit *limit, const char *text);

enum {
    DURATION_OCTAVES = 48,     /* from 2^-20 s: a microsecond to 8 years */
    DURATION_STEPS = 16,       /* of an octave */
    DURATION_SAMPLES_LEAST = 3 /* a median of fewer says nothing */
};

/* A histogram of times, in steps of 4.4 %. */
struct durations {
    int64_t count, counts[DURATION_OCTAVES * DURATION_STEPS];
    int64_t median_count; /* when the median was found */
    double median_s;
};

/* The index of a time in `counts`. */
int durations_step(double seconds);
void durations_add(struct durations *durations, double seconds);
/* The median, accurate to half a step; `count` >= 1. */
double durations_median(struct durations *durations);

/* The limit in seconds. A percentage is of `median_s`, the median of all workers (0: not known;
 * then of these durations), and at least a second, because shorter times are noise. Infinite if
 * there is no limit, or too few times are known. */
double limit_seconds(const struct limit *limit, struct durations *durations, double median_s);

/* Is the limit reached when `failed` of `finished` failed? A percentage applies from three failures
 * on. */
bool limit_reached(const struct limit *limit, int64_t failed, int64_t finished);

#endif
