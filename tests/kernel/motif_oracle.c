#include "tests/kernel/motif_oracle.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct answer {
    int score, start[SEQUENCES_MOST];
};

static const char alphabet[] = "ACGT";

static int letter_at(const struct motif_sequences *sequences, int i, int place)
{
    return toupper((unsigned char)sequences->letters[i][place]);
}

static int starts_of(const struct motif_sequences *sequences, int i, int length, int positions)
{
    return positions > 0 ? positions : (int)strlen(sequences->letters[i]) - length + 1;
}

/* How many of the pieces have that letter in column j. */
static int count_of(const struct motif_sequences *sequences, const int *start, int j, int letter)
{
    int count = 0;
    for (int i = 0; i < sequences->count; i++)
        count += letter_at(sequences, i, start[i] + j) == letter;
    return count;
}

/* The most frequent letter; of several, the first in the alphabet. */
static int most_frequent(const struct motif_sequences *sequences, const int *start, int j)
{
    int most = 0;
    for (int c = 1; c < 4; c++)
        if (count_of(sequences, start, j, alphabet[c]) >
            count_of(sequences, start, j, alphabet[most]))
            most = c;
    return alphabet[most];
}

static int score_of(const struct motif_sequences *sequences, const int *start, int length)
{
    int score = 0;
    for (int j = 0; j < length; j++)
        score += count_of(sequences, start, j, most_frequent(sequences, start, j));
    return score;
}

static char *answer_text(const struct motif_sequences *sequences, int length,
                         const struct answer *answer)
{
    const size_t size = 200 + (size_t)(sequences->count + 1) * (size_t)(length + 20);
    char *json = malloc(size), *at = json;
    if (!json)
        abort();
    at += sprintf(at, "{\"score\": %d, \"positions\": [", answer->score);
    for (int i = 0; i < sequences->count; i++)
        at += sprintf(at, i ? ", %d" : "%d", answer->start[i]);
    at += sprintf(at, "], \"consensus\": \"");
    for (int j = 0; j < length; j++)
        *at++ = (char)most_frequent(sequences, answer->start, j);
    at += sprintf(at, "\", \"motif\": [");
    for (int i = 0; i < sequences->count; i++) {
        at += sprintf(at, i ? ", \"" : "\"");
        for (int j = 0; j < length; j++)
            *at++ = (char)letter_at(sequences, i, answer->start[i] + j);
        *at++ = '"';
    }
    strcpy(at, "]}");
    return json;
}

char *motif_oracle_tuples(const struct motif_sequences *sequences, int length, int positions)
{
    struct answer best = {0};
    int start[SEQUENCES_MOST] = {0}, i;
    do {
        const int score = score_of(sequences, start, length);
        if (score > best.score) {
            best.score = score;
            memcpy(best.start, start, sizeof start);
        }
        for (i = sequences->count - 1; i >= 0; i--) {
            if (++start[i] < starts_of(sequences, i, length, positions))
                break;
            start[i] = 0;
        }
    } while (i >= 0);
    return answer_text(sequences, length, &best);
}

/* Pieces as numbers of two bits a letter. */
static uint32_t piece_number(const struct motif_sequences *sequences, int i, int start, int length)
{
    uint32_t number = 0;
    for (int j = 0; j < length; j++) {
        const char *letter = strchr(alphabet, letter_at(sequences, i, start + j));
        number = number << 2 | (uint32_t)(letter - alphabet);
    }
    return number;
}

static int matches(uint32_t one, uint32_t other, int length)
{
    const uint32_t differ = one ^ other;
    return length - __builtin_popcount((differ | differ >> 1) & 0x555555);
}

/* The first best pieces for a string. */
static void string_try(const struct motif_sequences *sequences, int length, uint32_t string,
                       uint32_t *const *pieces, const int *starts, struct answer *answer)
{
    answer->score = 0;
    for (int i = 0; i < sequences->count; i++) {
        int most = -1;
        for (int k = 0; k < starts[i]; k++) {
            const int now = matches(pieces[i][k], string, length);
            if (now > most) {
                most = now;
                answer->start[i] = k;
            }
        }
        answer->score += most;
    }
}

static bool better(const struct answer *one, const struct answer *other, int count)
{
    int i = 0;
    if (one->score != other->score)
        return one->score > other->score;
    while (i < count - 1 && one->start[i] == other->start[i])
        i++;
    return one->start[i] < other->start[i];
}

char *motif_oracle_strings(const struct motif_sequences *sequences, int length, int positions)
{
    uint32_t *pieces[SEQUENCES_MOST];
    int starts[SEQUENCES_MOST];
    struct answer best = {0}, answer = {0};
    for (int i = 0; i < sequences->count; i++) {
        starts[i] = starts_of(sequences, i, length, positions);
        pieces[i] = malloc((size_t)starts[i] * sizeof **pieces);
        if (!pieces[i])
            abort();
        for (int k = 0; k < starts[i]; k++)
            pieces[i][k] = piece_number(sequences, i, k, length);
    }
    for (uint32_t string = 0; string < UINT32_C(1) << 2 * length; string++) {
        string_try(sequences, length, string, pieces, starts, &answer);
        if (better(&answer, &best, sequences->count))
            best = answer;
    }
    for (int i = 0; i < sequences->count; i++)
        free(pieces[i]);
    return answer_text(sequences, length, &best);
}
