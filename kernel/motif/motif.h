/*
 * Motif search: of every sequence one piece of l letters is chosen so that the pieces agree best.
 * The start positions are a tuple, one a sequence; the pieces, one below the other, the alignment
 * matrix; the counts of the letters in each of its columns the profile. The score is the sum over
 * columns of the count of the most frequent letter. Searched is the tuple of greatest score, and of
 * several such ones the smallest: the first difference decides, in the first sequence's position
 * before the second's.
 *
 * Source: L. F. de la Torre, Scheduling Divisible Tasks under Production or Utilization
 * Constraints, University of Puerto Rico, 2009, sections 6.3 (brute force) to 6.5 (branch and
 * bound; in levels: levels.h).
 */
#ifndef KERNEL_MOTIF_MOTIF_H
#define KERNEL_MOTIF_MOTIF_H

#include "kernel/scow.h"

extern const struct scow_task motif_task;
extern const struct scow_task motif_levels_task;

#endif
