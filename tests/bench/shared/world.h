/*
 * Machines that others use, too, for bench-shared: random workers as bench-executor has them, of
 * which about half are loaded by one of the seven patterns (planner/model/load_pattern.h), or all
 * by the seven in turn; and what `scow sense` would have seen of them before the job, for the load
 * was the same over and over.
 */
#ifndef TESTS_BENCH_SHARED_WORLD_H
#define TESTS_BENCH_SHARED_WORLD_H

#include "planner/forecast/observations.h"
#include "planner/model/availability.h"
#include "planner/model/load_pattern.h"
#include "planner/model/platform.h"
#include "planner/model/profile.h"

/* All seven, one worker after the other. */
enum { WORLD_MIXED = LOAD_PATTERNS + 1 };

struct world {
    int64_t workers;
    uint64_t seed;
    double tasks;              /* of the job */
    double span_s;             /* that patterns last */
    struct profile profile;    /* owned; of workers that nobody else uses */
    struct platform platform;  /* owned; the profile's */
    struct availability loads; /* owned; placed: while the job runs */
    struct observations seen;  /* owned: before it */
};

/* To be released; without loads. Exits with a sentence when anything fails. */
void world_init(struct world *world, int64_t workers, uint64_t seed);
/* Pattern 1 to 7, or WORLD_MIXED, in place of the loads that it has. */
void world_load(struct world *world, int pattern);
void world_release(struct world *world);
/* A profile of its own, which plans may change; to be released. */
void world_profile(const struct world *world, struct profile *profile);
/* The program ends with that sentence. */
_Noreturn void world_die(const char *what);

#endif
