/*
 * Local alignments of two sequences with affine gaps, by parasail: of all pieces of both, the pair
 * that is most alike. Scores, and of pieces with the same score the places, do not depend on the
 * instruction set.
 *
 * Sources: T. F. Smith and M. S. Waterman, J. Mol. Biol. 147, 195 (1981); O. Gotoh, J. Mol. Biol.
 * 162, 705 (1982); J. Daily, Parasail: SIMD C library for global, semi-global, and local pairwise
 * sequence alignments, BMC Bioinformatics 17, 81 (2016).
 */
#ifndef KERNEL_LIBRARY_ALIGN_H
#define KERNEL_LIBRARY_ALIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What letters score: by the matrix of that name, or, where it is NULL, as letters of DNA: `match`
 * where they are the same, `mismatch` where they differ, 0 where one is none of ACGT. A gap of n
 * letters costs gap_open + n gap_extend. Capitals and small letters are the same. */
struct scoring {
    const char *matrix;
    int match, mismatch; /* mismatch is below 0 */
    int gap_open, gap_extend;
};

struct aligner; /* a scoring made ready; read-only, may be used by several threads */
struct query;   /* one sequence, to be aligned with many; one thread's */

struct alignment {
    int score;                        /* 0: nothing is alike */
    int64_t query_end, reference_end; /* the pieces' last letters, from 0 */
};

/* Was this program built with parasail, and is it there? Without, aligner_new returns NULL. */
bool aligner_available(void);
/* "Smith-Waterman by parasail 2.6.0, ...", cut to `size` bytes. */
void aligner_method(const struct scoring *scoring, char *text, size_t size);
/* Does parasail have a matrix of that name? */
bool aligner_matrix_known(const char *name);

/* Owned; NULL: out of memory. The matrix must be known. */
struct aligner *aligner_new(const struct scoring *scoring);
void aligner_free(struct aligner *aligner);

/* Owned; `letters`, at least one and below 2^31, are borrowed until it is freed. NULL: out of
 * memory. */
struct query *query_new(const struct aligner *aligner, const char *letters, int64_t size);
void query_free(struct query *query);
/* With `size` letters, at least one. False: out of memory. */
bool query_align(const struct query *query, const char *letters, int64_t size,
                 struct alignment *alignment);

#endif
