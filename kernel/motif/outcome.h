/* The best tuple of a part of a job, and what is said of the best of all. */
#ifndef KERNEL_MOTIF_OUTCOME_H
#define KERNEL_MOTIF_OUTCOME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/scow.h"

/* The reduction's state. */
struct outcome {
    uint32_t score;   /* 0: no tuple */
    uint32_t start[]; /* one a sequence */
};

void outcome_results(const void *job, struct scow_results *results);
void outcome_reset(const void *job, void *state);
void outcome_merge(const void *job, void *state, const void *part);

/* Does one tuple of so many positions come before the other? */
bool outcome_comes_first(const uint32_t *one, const uint32_t *other, int count);

/* Into `state` goes this tuple, if it is better: of greater score, or of the same and smaller. */
void outcome_add(const void *job, void *state, int score, const uint32_t *start);

/* {"score": 41, "positions": [3, 0, 7], "consensus": "ACGT", "motif": ["ACGT", "ACGA", ...]}:
 * positions from 0; the consensus is of each column the most frequent letter, of several the first
 * in the alphabet. Of no tuple: score 0, and nothing else. */
int outcome_print(const void *job, const void *state, char *json, size_t size);

#endif
