/*
 * Counts of core tasks that workers exchange while they compute: how many have ended, how many of
 * those failed, and how long they took. A worker sends what is new since its last message; the
 * master adds up. No MPI.
 */
#ifndef SPMD_JOB_COUNTS_H
#define SPMD_JOB_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/command/limit.h"

enum { COUNTS_STEPS = DURATION_OCTAVES * DURATION_STEPS, COUNTS_TOLD = 24 };

/* One message: as many steps of times as fit; the others follow in the next one. */
struct counts {
    int64_t finished, failed;
    int32_t told; /* steps */
    struct {
        uint16_t step, count;
    } steps[COUNTS_TOLD];
};

/* A worker's counts since its last message. */
struct counts_gathered {
    int64_t finished, failed;
    uint32_t steps[COUNTS_STEPS];
    int64_t waiting; /* all of `steps` */
    int next;        /* step to be told */
    bool used;       /* its core task counts at all */
};

void counts_gather(struct counts_gathered *gathered, double seconds, bool failed);
/* Leaves what did not fit. */
void counts_tell(struct counts_gathered *gathered, struct counts *counts);
/* Are these numbers possible? */
bool counts_check(const struct counts *counts);

/* The sum of what all workers have told. */
struct counts_sum {
    int64_t finished, failed;
    struct durations durations;
};

void counts_add(struct counts_sum *sum, const struct counts *counts);
/* Seconds; 0: too few are known. */
double counts_median(struct counts_sum *sum);

#endif
