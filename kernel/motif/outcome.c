#include "kernel/motif/outcome.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "kernel/motif/motif.h"

void outcome_results(const void *opened, struct scow_results *results)
{
    const struct motif_job *job = opened;
    results->state_size = sizeof(struct outcome) + (size_t)job->shape.sequences * sizeof(uint32_t);
}

void outcome_reset(const void *opened, void *state)
{
    struct scow_results results;
    outcome_results(opened, &results);
    memset(state, 0, results.state_size);
}

bool outcome_comes_first(const uint32_t *one, const uint32_t *other, int count)
{
    int i = 0;
    while (i < count && one[i] == other[i])
        i++;
    return i < count && one[i] < other[i];
}

void outcome_add(const void *opened, void *state, int score, const uint32_t *start)
{
    const struct motif_job *job = opened;
    struct outcome *outcome = state;
    const int count = job->shape.sequences;
    if ((uint32_t)score < outcome->score ||
        ((uint32_t)score == outcome->score && !outcome_comes_first(start, outcome->start, count)))
        return;
    outcome->score = (uint32_t)score;
    memcpy(outcome->start, start, (size_t)count * sizeof *start);
}

void outcome_merge(const void *opened, void *state, const void *part)
{
    const struct outcome *other = part;
    outcome_add(opened, state, (int)other->score, other->start);
}

/* Where to go on in a caller's buffer, and how long the text would be that does not all fit. */
struct text {
    char *at;
    size_t left, length;
};

__attribute__((format(printf, 2, 3))) static void text_add(struct text *text, const char *format,
                                                           ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(text->at, text->left, format, arguments);
    va_end(arguments);
    const size_t most = text->left > 0 ? text->left - 1 : 0;
    const size_t added = length > 0 ? (size_t)length : 0;
    const size_t fits = added < most ? added : most;
    text->length += added;
    text->left -= fits;
    if (fits > 0)
        text->at += fits;
}

static void consensus_find(const struct motif_job *job, const uint32_t *start, char *consensus)
{
    uint32_t profile[PROFILE_WORDS_MOST] = {0};
    for (int i = 0; i < job->shape.sequences; i++)
        profile_add(&job->length, profile, profile, job->rows[i] + start[i]);
    for (int j = 0; j < job->shape.length; j++) {
        int most = 0;
        for (int c = 1; c < 4; c++)
            if ((profile[j] >> 8 * c & 255) > (profile[j] >> 8 * most & 255))
                most = c;
        consensus[j] = "ACGT"[most];
    }
}

int outcome_print(const void *opened, const void *state, char *json, size_t size)
{
    const struct motif_job *job = opened;
    const struct outcome *outcome = state;
    const int count = outcome->score > 0 ? job->shape.sequences : 0, length = job->shape.length;
    struct text text = {json, size, 0};
    char consensus[LENGTH_MOST + 1] = "";
    if (count > 0)
        consensus_find(job, outcome->start, consensus);
    text_add(&text, "{\"score\": %u, \"positions\": [", (unsigned)outcome->score);
    for (int i = 0; i < count; i++)
        text_add(&text, "%s%u", i > 0 ? ", " : "", (unsigned)outcome->start[i]);
    text_add(&text, "], \"consensus\": \"%s\", \"motif\": [", consensus);
    for (int i = 0; i < count; i++)
        text_add(&text, "%s\"%.*s\"", i > 0 ? ", " : "", length,
                 job->letters[i] + outcome->start[i]);
    text_add(&text, "]}");
    return (int)text.length;
}
