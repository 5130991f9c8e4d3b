/*
 * The motif search in levels, a dynamic programming: a core task of a level is the prefix of a
 * start tuple. It tries all positions in the next sequence, and emits those children whose score,
 * with a whole motif's length for every sequence that is still to come, is as great as that of a
 * whole tuple that is known, the predictor. The children of all tasks are the next level's
 * prefixes, once the best of them has been made a predictor, too, and those below it are gone. The
 * children of the last level are whole tuples.
 *
 * Source: L. F. de la Torre, Scheduling Divisible Tasks under Production or Utilization
 * Constraints, University of Puerto Rico, 2009, sections 6.5.2 and 6.5.3 ((6.4) there has the
 * comparison the other way round). Its level i is level i - 1 here, where it starts at prefixes of
 * one sequence.
 */
#ifndef KERNEL_MOTIF_LEVELS_H
#define KERNEL_MOTIF_LEVELS_H

#include "kernel/motif/motif.h"

/* What all ranks are given of a level: this, its prefixes (`depth` positions each, in order), and
 * then the letters. */
struct levels_shared {
    struct motif_shared sequences;
    int64_t depth;                      /* sequences that a prefix is of, at least 1 */
    int64_t prefixes;                   /* the level's core tasks */
    uint32_t score;                     /* the predictor's */
    uint32_t predictor[SEQUENCES_MOST]; /* its tuple */
};

/* What a core task emits: these, by position. */
struct levels_child {
    uint32_t score; /* of the prefix and this position */
    uint32_t start;
};

struct levels_job {
    struct motif_job motif; /* first: what is said of outcomes holds for both (outcome.h) */
    const struct levels_shared *shared;
    const uint32_t *prefixes;
};

/* Is it the level whose children are whole tuples? */
static inline bool levels_is_last(const struct levels_job *job)
{
    return job->shared->depth + 1 == job->motif.shape.sequences;
}

/* The least score of `sequences` rows that can still become as good as the predictor. */
static inline int levels_least(const struct levels_job *job, int64_t sequences, uint32_t predictor)
{
    const struct motif_shape *shape = &job->motif.shape;
    return (int)predictor - (shape->sequences - (int)sequences) * shape->length;
}

size_t levels_workspace_size(const void *job, int threads);
int levels_compute(const struct scow_host *host, const void *job, const struct scow_batch *batch);

#endif
