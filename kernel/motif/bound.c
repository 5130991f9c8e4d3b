#include "kernel/motif/bound.h"

#include <stdlib.h>

#include "kernel/motif/search.h"

/* What a climb, and finding all bounds by searching, may take: some milliseconds and some tens of
 * them, whatever the input. Counted, not timed: all ranks must find the same. */
enum { CLIMB_WORK = 1 << 20, REST_WORK = 1 << 26 };

uint32_t bound_start(const struct motif_job *job, const uint32_t *profile, int sequence)
{
    uint32_t best = 0;
    int most = -1;
    for (uint32_t at = 0; at < (uint32_t)job->shape.starts[sequence]; at++) {
        const int gain = profile_gain(&job->length, profile, job->rows[sequence] + at);
        if (gain > most) {
            most = gain;
            best = at;
        }
    }
    return best;
}

/* The profile of all rows but that of sequence `but`. */
static void profile_of(const struct motif_job *job, const uint32_t *start, int first, int end,
                       int but, uint32_t *profile)
{
    memset(profile, 0, (size_t)job->length.words * sizeof *profile);
    for (int i = first; i < end; i++)
        if (i != but)
            profile_add(&job->length, profile, profile, job->rows[i] + start[i]);
}

/* Choose each sequence's position anew, the others' given, until the score stays. */
static int tuple_improve(const struct motif_job *job, uint32_t *start, int first, uint32_t *profile)
{
    const int end = job->shape.sequences;
    int score = 0, before;
    do {
        before = score;
        for (int i = first; i < end; i++) {
            profile_of(job, start, first, end, i, profile);
            start[i] = bound_start(job, profile, i);
        }
        profile_of(job, start, first, end, -1, profile);
        score = profile_score(&job->length, profile);
    } while (score > before);
    return score;
}

/* From the first sequence's position on, choose in one sequence after the other what adds most, and
 * improve that. */
static int climb_from(const struct motif_job *job, uint32_t *start, int first, uint32_t *profile)
{
    for (int i = first + 1; i < job->shape.sequences; i++) {
        profile_of(job, start, first, i, -1, profile);
        start[i] = bound_start(job, profile, i);
    }
    return tuple_improve(job, start, first, profile);
}

/* A good score of sequences from `first` on, climbing from some positions of the first of them. */
static int climb(const struct motif_job *job, int first)
{
    const struct motif_shape *shape = &job->shape;
    uint32_t profile[PROFILE_WORDS_MOST], start[SEQUENCES_MOST];
    int64_t letters = 0, tries;
    int score = 0;
    for (int i = first; i < shape->sequences; i++)
        letters += shape->starts[i] * job->length.words;
    tries = 1 + CLIMB_WORK / (letters + 1);
    if (tries > shape->starts[first])
        tries = shape->starts[first];
    for (int64_t i = 0; i < tries; i++) {
        start[first] = (uint32_t)(i * shape->starts[first] / tries);
        const int climbed = climb_from(job, start, first, profile);
        if (climbed > score)
            score = climbed;
    }
    return score;
}

/* The best score of sequences from `first` on, by branch and bound with what is known of fewer.
 * False: that takes too long. */
static bool best_of(struct search *search, const struct motif_job *job, int first,
                    int64_t *work_left, int *score)
{
    const struct motif_shape *shape = &job->shape;
    search_start(search, job, NULL);
    search->work_left = *work_left;
    search->need = climb(job, first);
    search->rest = job->rest;
    for (int i = 0; i < shape->heads; i++) {
        search->low[i] = 0;
        search->high[i] = (uint32_t)shape->starts[i] - 1;
    }
    search->low_tail = 0;
    search->high_tail = shape->block;
    const bool done = search_between(search, first);
    *work_left = search->work_left;
    *score = search->score;
    return done;
}

/* From the last sequence on: one row more adds at most a letter a column; and what all of them have
 * together is exact, as long as finding it does not take too long. */
static void rest_find(struct motif_job *job, struct search *search)
{
    const struct motif_shape *shape = &job->shape;
    int64_t work_left = REST_WORK;
    bool known = true;
    job->rest[shape->sequences] = 0;
    for (int i = shape->sequences - 1; i >= 0; i--) {
        int score = 0;
        job->rest[i] = job->rest[i + 1] + shape->length;
        known = known && i > 0;
        if (!known || i > shape->heads)
            continue;
        known = best_of(search, job, i, &work_left, &score);
        if (known)
            job->rest[i] = score;
    }
}

bool bound_find(struct motif_job *job)
{
    struct search *search = calloc(1, search_size(job));
    if (!search)
        return false;
    rest_find(job, search);
    job->floor = climb(job, 0);
    free(search);
    return true;
}
