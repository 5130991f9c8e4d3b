/*
 * Library search: which sequence of a library of known ones is most like each of the input's? A
 * core task is one sequence of the input against the whole library, by exact local alignments
 * (align.h); what is left is the best of each, and the best of all.
 *
 * Source: the lecture's Complib (a source library against a target library, the maximum of each
 * worker and then of all), with exact scores in place of the FASTA heuristic.
 */
#ifndef KERNEL_LIBRARY_LIBRARY_H
#define KERNEL_LIBRARY_LIBRARY_H

#include "kernel/library/targets.h"
#include "kernel/scow.h"

/* Of one sequence of the input. Of targets with the same score it is the first. */
struct best_record {
    int64_t target;                 /* from 0; -1: none is alike */
    int64_t source_end, target_end; /* last letters of the pieces, from 0; -1: none is alike */
    int64_t score;
    char name[TARGET_NAME_SIZE]; /* of the target */
};

/* The reduction's state: of records with the same score the one of the first sequence. */
struct best_state {
    int64_t source; /* -1: none */
    int64_t target, source_end, target_end, score;
};

void best_reset(const void *job, void *state);
void best_merge(const void *job, void *state, const void *part);

extern const struct scow_task library_task;

#endif
