/*
 * Which packages are timed: the design of the experiment. No clock, no I/O.
 *
 * A pass times packages of all sizes on all workers at once, as parts of the job that do not
 * overlap, so that results are written where nothing was written before, as in a run. For every
 * size the places follow a golden-ratio sequence from a seeded start, which is spread evenly over
 * the job after any number of them (Kronecker; Niederreiter, Random Number Generation and
 * Quasi-Monte Carlo Methods, 1992) and does not follow the period of rows or slices.
 */
#ifndef CALIBRATE_FIT_DESIGN_H
#define CALIBRATE_FIT_DESIGN_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/base/failure.h"
#include "planner/model/task_range.h"

enum { DESIGN_SIZES_MOST = 64 };
/* A pass does at most so many times the job. */
enum { DESIGN_JOBS_MOST = 4 };

/* Packages of one size. */
struct design_size {
    int64_t tasks;
    int copies;     /* that a worker gets in a pass */
    int64_t placed; /* so far, for the sequence of places */
    double start;   /* of that sequence, 0 to 1 */
};

struct design {
    int64_t tasks; /* of the job */
    int workers;
    uint64_t seed; /* goes on from pass to pass */
    struct design_size sizes[DESIGN_SIZES_MOST];
    int size_count;
};

struct design_package {
    int worker; /* from 0 */
    int64_t first, tasks;
    struct task_range stratum; /* of a pass in strata: in which it was placed */
};

/* Packages that one run of the executor takes: they do not overlap; a worker's in their order: the
 * smallest of them, and then from large to small. */
struct design_part {
    int64_t begin, end; /* of the packages */
};

struct design_pass {
    struct design_package *packages; /* owned */
    struct design_part *parts;       /* owned */
    int64_t count, part_count;
    bool placed; /* in strata */
};

void design_init(struct design *design, int64_t tasks, int workers, uint64_t seed);
/* Add a size, at most the job's; ignored if it exists or there are too many. */
void design_add(struct design *design, int64_t tasks);
/* 1 and on by the factor `growth` up to `most`, which is the last. */
void design_grid(struct design *design, int64_t most, double growth);
/* How many packages a worker gets of each size: as many as fit into its even share of `pass_s`
 * seconds at latency_s + s_per_task x tasks each, at least one, at most `copies_most`, and no more
 * than the job has room for a few times over. */
void design_copies(struct design *design, double latency_s, double s_per_task, double pass_s,
                   int copies_most);
/* The next pass. To be released. False: out of memory. */
bool design_pass_make(struct design *design, struct design_pass *pass, struct failure *failure);
/* The same packages, those of one size in another order. */
void design_pass_shuffle(struct design *design, struct design_pass *pass);
void design_pass_release(struct design_pass *pass);
/* The package of a part that begins with that core task; NULL: there is none. Borrowed. */
const struct design_package *design_find(const struct design_pass *pass, int64_t part,
                                         int64_t first);
int64_t design_largest(const struct design *design);

#endif
