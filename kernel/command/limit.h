/* Limits that users set as a number or as a percentage, and the median of times, which a percentage
 * refers to. */
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

/* How many times were how long, in steps of 4.4 %. */
struct durations {
    int64_t count, counts[DURATION_OCTAVES * DURATION_STEPS];
    int64_t median_count; /* when the median was found */
    double median_s;
};

/* Which of counts such a time belongs to. */
int durations_step(double seconds);
void durations_add(struct durations *durations, double seconds);
/* Right to half a step; of at least one. */
double durations_median(struct durations *durations);

/* Seconds that something may take, where `median_s` is known of all workers (0: it is not, and the
 * median of these durations counts): infinite where there is no limit, or too little is known. A
 * percentage never comes to less than a second, within which times are the machine's noise. */
double limit_seconds(const struct limit *limit, struct durations *durations, double median_s);

/* So many of `finished` failed: is that the limit? A percentage counts from three failures on. */
bool limit_reached(const struct limit *limit, int64_t failed, int64_t finished);

#endif
