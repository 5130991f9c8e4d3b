#include "kernel/library/align.h"

#include <stdio.h>

#ifdef SCOW_HAVE_PARASAIL

#include <stdlib.h>

#include "kernel/library/parasail.h"

struct aligner {
    const struct parasail *parasail;
    const parasail_matrix_t *matrix;
    parasail_matrix_t *made; /* owned; NULL: the matrix is one of parasail's */
    int first, further;      /* cost of a gap's first letter, and of each further one */
};

struct query {
    const struct aligner *aligner;
    parasail_profile_t *profile;
};

bool aligner_available(void)
{
    return parasail_load() != NULL;
}

bool aligner_matrix_known(const char *name)
{
    const struct parasail *parasail = parasail_load();
    return parasail && parasail->matrix_lookup(name) != NULL;
}

void aligner_method(const struct scoring *scoring, char *text, size_t size)
{
    const struct parasail *parasail = parasail_load();
    int major = 0, minor = 0, patch = 0;
    if (parasail)
        parasail->version(&major, &minor, &patch);
    const int length =
        snprintf(text, size, "Smith-Waterman by parasail %d.%d.%d, ", major, minor, patch);
    const size_t used = length > 0 && (size_t)length < size ? (size_t)length : size;
    if (scoring->matrix)
        snprintf(text + used, size - used, "%s, gaps of n letters %d + %d n", scoring->matrix,
                 scoring->gap_open, scoring->gap_extend);
    else
        snprintf(text + used, size - used, "match %d, mismatch %d, gaps of n letters %d + %d n",
                 scoring->match, scoring->mismatch, scoring->gap_open, scoring->gap_extend);
}

struct aligner *aligner_new(const struct scoring *scoring)
{
    const struct parasail *parasail = parasail_load();
    struct aligner *aligner = parasail ? calloc(1, sizeof *aligner) : NULL;
    if (!aligner)
        return NULL;
    aligner->parasail = parasail;
    if (!scoring->matrix)
        aligner->made = parasail->matrix_create("ACGT", scoring->match, scoring->mismatch);
    aligner->matrix = scoring->matrix ? parasail->matrix_lookup(scoring->matrix) : aligner->made;
    aligner->first = scoring->gap_open + scoring->gap_extend;
    aligner->further = scoring->gap_extend;
    if (!aligner->matrix) {
        free(aligner);
        return NULL;
    }
    return aligner;
}

void aligner_free(struct aligner *aligner)
{
    if (!aligner)
        return;
    if (aligner->made)
        aligner->parasail->matrix_free(aligner->made);
    free(aligner);
}

struct query *query_new(const struct aligner *aligner, const char *letters, int64_t size)
{
    struct query *query = calloc(1, sizeof *query);
    if (!query)
        return NULL;
    query->aligner = aligner;
    query->profile = aligner->parasail->profile_create_sat(letters, (int)size, aligner->matrix);
    if (!query->profile) {
        free(query);
        return NULL;
    }
    return query;
}

void query_free(struct query *query)
{
    if (!query)
        return;
    query->aligner->parasail->profile_free(query->profile);
    free(query);
}

/* In 8 bits, where those do not suffice in 16, and then in 32. The striped way finds too little
 * where opening a gap costs nothing (parasail 2.6), so that those go the way of prefix scans. */
bool query_align(const struct query *query, const char *letters, int64_t size,
                 struct alignment *alignment)
{
    const struct aligner *aligner = query->aligner;
    const struct parasail *parasail = aligner->parasail;
    parasail_pfunction_t *align = aligner->first > aligner->further
                                      ? parasail->sw_striped_profile_sat
                                      : parasail->sw_scan_profile_sat;
    parasail_result_t *result =
        align(query->profile, letters, (int)size, aligner->first, aligner->further);
    if (!result)
        return false;
    *alignment = (struct alignment){.score = parasail->result_get_score(result),
                                    .query_end = parasail->result_get_end_query(result),
                                    .reference_end = parasail->result_get_end_ref(result)};
    parasail->result_free(result);
    return true;
}

#else

bool aligner_available(void)
{
    return false;
}

bool aligner_matrix_known(const char *name)
{
    (void)name;
    return false;
}

void aligner_method(const struct scoring *scoring, char *text, size_t size)
{
    (void)scoring;
    snprintf(text, size, "none: built without parasail");
}

struct aligner *aligner_new(const struct scoring *scoring)
{
    (void)scoring;
    return NULL;
}

void aligner_free(struct aligner *aligner)
{
    (void)aligner;
}

struct query *query_new(const struct aligner *aligner, const char *letters, int64_t size)
{
    (void)aligner;
    (void)letters;
    (void)size;
    return NULL;
}

void query_free(struct query *query)
{
    (void)query;
}

bool query_align(const struct query *query, const char *letters, int64_t size,
                 struct alignment *alignment)
{
    (void)query;
    (void)letters;
    (void)size;
    (void)alignment;
    return false;
}

#endif
