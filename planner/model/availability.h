/*
 * Machines that are not one's own: which share of its processor and of its link each worker has,
 * and of its processor the master, over time.
 *
 * An operation that takes d seconds where it is alone and begins at t ends at the t' at which the
 * integral of its share since t is d. Workers receive, compute and write by their processor; what
 * goes over their link, either way, takes its bandwidth; envelopes, sending and taking results in
 * are the master's.
 */
#ifndef PLANNER_MODEL_AVAILABILITY_H
#define PLANNER_MODEL_AVAILABILITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "planner/model/profile.h"

/* How many times longer operations take from start_s on: the inverse of a share. INFINITY: nothing
 * gets done. */
struct availability_step {
    double start_s, stretch;
};

/* Without steps: all of it, always. */
struct availability_curve {
    struct availability_step *steps; /* owned; ascending from 0 on; the last one holds for ever and
                                      * is finite */
    size_t count, capacity;
};

struct availability_series {
    char *who; /* owned: a worker's rank from 1 on, a class of the profile, or "master"; NULL where
                * nobody has to be found */
    struct availability_curve cpu, link;
};

/* All zero: everybody has all of theirs. */
struct availability {
    struct availability_series *series; /* owned */
    size_t count, capacity;
    size_t *places;  /* owned: of the master, and then of each worker, 1 + the number of its
                      * series; 0: none */
    int64_t workers; /* placed ones */
};

/* The series of that name, made where there is none. NULL: out of memory. */
struct availability_series *availability_series(struct availability *availability, const char *who);
/* From start_s on, which lies beyond all steps so far, there are these shares, 0 to 1. False: out
 * of memory. */
bool availability_add(struct availability_series *series, double start_s, double cpu, double link);
/* Who of the setting's first `workers` workers each series is of; a rank goes before its class.
 * FAILURE_MISMATCH names a series that is nobody's. */
bool availability_place(struct availability *availability, const struct profile_setting *setting,
                        int64_t workers, struct failure *failure);
/* Worker k = 0, 1, ... has pattern 1 + k mod 7 of load_pattern.h for `seconds`; half of its
 * processor while somebody else works. False with *failure set: out of memory. */
bool availability_patterns(struct availability *availability, int64_t workers, double seconds,
                           uint64_t seed, struct failure *failure);
/* Of a worker that was placed, or (-1) of the master; NULL: all is theirs, as before anybody is
 * placed. */
const struct availability_series *availability_of(const struct availability *availability,
                                                  int64_t worker);
/* How long an operation of such a series lasts that begins at start_s and would take `seconds`
 * alone. */
double availability_lasts(const struct availability_series *series, enum operation operation,
                          double start_s, double seconds);
/* The mean share of its processor from then until then; 0 where that is no time. */
double availability_share(const struct availability_series *series, double from_s, double until_s);
void availability_release(struct availability *availability);

#endif
