/* What library leaves: of every sequence of the input the most alike in the library, and of all
 * these the best. */
#ifndef KERNEL_LIBRARY_BEST_H
#define KERNEL_LIBRARY_BEST_H

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

void best_results(const void *job, struct scow_results *results);
/* Into `state` goes this record of sequence `source`, if it is better. */
void best_add(struct best_state *state, int64_t source, const struct best_record *record);
void best_reset(const void *job, void *state);
void best_merge(const void *job, void *state, const void *part);
/* {"score": 57, "source": 3, "target": 12, "name": "P12345", "source_end": 40, "target_end": 71};
 * of none {"score": 0}. */
int best_print(const void *job, const void *state, char *json, size_t size);

#endif
