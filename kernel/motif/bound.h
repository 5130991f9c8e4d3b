/*
 * What branch and bound knows before it begins, the same on every rank: a score that some tuple
 * has, and how much the sequences from number i on can add at most. The more exact these are, the
 * more is bypassed.
 */
#ifndef KERNEL_MOTIF_BOUND_H
#define KERNEL_MOTIF_BOUND_H

#include "kernel/motif/motif.h"

/* Set the job's floor and rest; rows and tail stand ready. False: out of memory. */
bool bound_find(struct motif_job *job);

/* The position in one sequence that adds most to a profile; the first of several. */
uint32_t bound_start(const struct motif_job *job, const uint32_t *profile, int sequence);

#endif
