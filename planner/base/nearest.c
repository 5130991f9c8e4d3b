#include "planner/base/nearest.h"

#include <stdio.h>
#include <string.h>

enum { WORD_MOST = 63 };

static size_t least_of(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Edits between two words of at most WORD_MOST letters: insert, delete, replace, or swap two
 * neighbours (restricted Damerau-Levenshtein distance), as typing errors are. */
static size_t word_distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    size_t rows[3][WORD_MOST + 1];
    size_t *before = rows[0], *above = rows[1], *row = rows[2];
    for (size_t j = 0; j <= b_length; j++)
        row[j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        size_t *oldest = before;
        before = above;
        above = row;
        row = oldest;
        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            size_t replaced = above[j - 1] + (a[i - 1] != b[j - 1]);
            row[j] = least_of(replaced, least_of(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = least_of(row[j], before[j - 2] + 1);
        }
    }
    return row[b_length];
}

void nearest_try(struct nearest *nearest, const char *known)
{
    const size_t length = strlen(nearest->word), known_length = strlen(known);
    if (length > WORD_MOST || known_length > WORD_MOST)
        return;
    const size_t distance = word_distance(nearest->word, length, known, known_length);
    const size_t letters = length > known_length ? length : known_length;
    if (3 * distance <= letters && (!nearest->found || distance < nearest->distance)) {
        nearest->distance = distance;
        nearest->found = known;
    }
}

const char *nearest_hint(const struct nearest *nearest, const char *prefix, const char *otherwise,
                         char hint[NEAREST_HINT_SIZE])
{
    if (nearest->found)
        snprintf(hint, NEAREST_HINT_SIZE, "did you mean '%s%s'?", prefix, nearest->found);
    else
        snprintf(hint, NEAREST_HINT_SIZE, "%s", otherwise);
    return hint;
}

const char *nearest_word(const char *word, const char *const *known, size_t count)
{
    struct nearest nearest = {.word = word};
    for (size_t k = 0; k < count; k++)
        nearest_try(&nearest, known[k]);
    return nearest.found;
}
