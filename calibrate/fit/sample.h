/*
 * Raw timings: what every cost comes from, and what --probes writes.
 */
#ifndef CALIBRATE_FIT_SAMPLE_H
#define CALIBRATE_FIT_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/model/trace.h"

/* One operation on one package. */
struct sample {
    int setting; /* of the calibration, from 0 */
    int rank;    /* the worker concerned; 0: the master */
    enum operation operation;
    int pass;    /* over all sizes, from 0 */
    bool cold;   /* a worker's first package since the ranks were made ready */
    bool waited; /* packages came one by one: the worker had nothing else to do */
    int64_t first, tasks;
    double seconds;
};

struct samples {
    struct sample *items; /* owned */
    int64_t count;
    size_t capacity;
};

/* False: out of memory, samples unchanged. */
bool samples_add(struct samples *samples, const struct sample *sample);
void samples_release(struct samples *samples);

/* The same package, in whatever pass. */
bool sample_same_package(const struct sample *a, const struct sample *b);

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
/* Tab-separated, one line a sample, owned; NULL: out of memory. */
char *samples_print(const struct samples *samples);

#endif
