/*
 * The walk over start tuples, in their order: sequence after sequence, each position after the one
 * before, with the profile of the rows so far at hand, so that a step adds one row. Brute force
 * walks through every tuple; branch and bound bypasses what cannot be the answer.
 *
 * Bounding (source, section 6.5). Below a node, the path of the first i rows, no tuple's score
 * exceeds the optimistic score
 *
 *     Score(s, i) + rest(i),
 *
 * where rest(i) is at least the best score of the sequences after them alone: a column's greatest
 * count over all rows is at most the sum of its greatest counts over the first and over the other
 * rows. The source's rest is (t - i) l, as if all that follows agreed; bound.h finds a smaller one.
 * (The source's (6.4) prints the condition of going on as optimistic < best; its pseudo-code has it
 * right: that is the condition of bypassing.)
 *
 * Equal scores. `need` is the least score of interest, and a node is bypassed when its optimistic
 * score is below it. While this search has found nothing, need is a score that some tuple anywhere
 * has: what is below it is not the best, but what equals it may be the smallest of the best, and is
 * looked at. Once this search has found a tuple, need is its score + 1: what is bypassed then has
 * at most that score and, since the walk keeps the tuples' order, comes later, so that it loses the
 * tie. Hence the smallest of the best tuples is never bypassed, and that of the tuples walked
 * through, if its score is at least the first need, is what is found.
 */
#ifndef KERNEL_MOTIF_SEARCH_H
#define KERNEL_MOTIF_SEARCH_H

#include "kernel/motif/motif.h"

struct search {
    const struct motif_job *job;
    /* Pulsed every millisecond or so. NULL: the search ends after `work_left` steps. */
    const struct scow_host *host;
    int64_t work_left;
    const int *rest; /* [rows so far]; NULL: nothing is bypassed */
    int need;
    int score;                      /* of the best tuple found; 0: none */
    uint32_t start[SEQUENCES_MOST]; /* of the best tuple found */

    /* The paths walked through: from low to high, both included; of the first tail of the low path
     * only tuples from low_tail on, of the last only those before high_tail. */
    uint32_t low[SEQUENCES_MOST], high[SEQUENCES_MOST];
    int64_t low_tail, high_tail;

    uint32_t path[SEQUENCES_MOST];
    uint32_t type[PROFILE_WORDS_MOST];
    struct tally tally;
    uint32_t profile[]; /* [rows so far, up to heads][length.words] */
};

size_t search_size(const struct motif_job *job);

/* Zeroed memory of search_size bytes. */
void search_start(struct search *search, const struct motif_job *job, const struct scow_host *host);

/* The profile of the path's first `rows` rows. */
uint32_t *search_profile(struct search *search, int rows);

/* All tuples from low to high, of sequences `first` to the last; `first` is 0 in a search for
 * motifs. False: it was stopped. */
bool search_between(struct search *search, int first);

/* All tuples below the path of the first `rows` rows, whose profile stands ready. */
bool search_below(struct search *search, int rows);

#endif
