/*
 * Packages that hold letters, so that communication can be measured as the source had it: for every
 * start tuple its alignment matrix, sequences x length letters, row by row (section 6.4: x * t * l
 * bytes for x core tasks); with branch and bound, for every prefix the rows that it has, the
 * source's nodes (6.5). Workers then look at the sequences' own letters only below a prefix.
 */
#ifndef KERNEL_MOTIF_MATRICES_H
#define KERNEL_MOTIF_MATRICES_H

#include "kernel/motif/search.h"

/* 0 of a job whose packages hold no letters. */
size_t matrices_size_most(const void *job, int64_t count);
int matrices_pack(const struct scow_host *host, const void *job, int64_t first, int64_t count,
                  void *package, size_t *size);

/* The best tuple of a batch, from its matrices or the rows of its prefixes; into the search. False:
 * it was stopped. */
bool matrices_search(struct search *search, const struct scow_batch *batch);

#endif
