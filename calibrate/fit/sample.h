/*
 * Which timings a cost is fitted to.
 */
#ifndef CALIBRATE_FIT_SAMPLE_H
#define CALIBRATE_FIT_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/model/sample.h"

/* The same package, in whatever pass. */
bool sample_same_package(const struct sample *a, const struct sample *b);
/* How many of the first of `count` > 0 sorted timings are of one package. */
int64_t sample_package_length(const struct sample *samples, int64_t count);
/* The mean of so many timings, seconds, and the sum of their squared deviations from it. */
double sample_package_mean(const struct sample *package, int64_t length);
double sample_package_squares(const struct sample *package, int64_t length);

enum sample_waiting { SAMPLE_ANY, SAMPLE_WAITED, SAMPLE_BUSY };

/* Which ones: those of an operation that are warm, as long as there are any, of ranks least_rank to
 * greatest_rank. */
struct sample_choice {
    int setting, least_rank, greatest_rank;
    enum operation operation;
    enum sample_waiting waiting; /* where there are none such, the others will do */
};

/* Those chosen, sorted by size, rank, place and pass. Owned; NULL: out of memory. */
struct sample *samples_choose(const struct samples *samples, const struct sample_choice *choice,
                              int64_t *count);

#endif
