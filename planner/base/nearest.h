/* The known word nearest to what a user typed, for "did you mean". */
#ifndef PLANNER_BASE_NEAREST_H
#define PLANNER_BASE_NEAREST_H

#include <stddef.h>

/* A search through known words, one after the other; starts as {.word = word}. */
struct nearest {
    const char *word;  /* borrowed: what the user typed */
    const char *found; /* borrowed: the nearest so far; NULL: none is near */
    size_t distance;   /* edits from `word` to `found` */
};

enum { NEAREST_HINT_SIZE = 120 };

/* Compare with one more known word; it is near if at most a third of the letters differ. */
void nearest_try(struct nearest *nearest, const char *known);
/* How a sentence about the unknown word goes on: "did you mean '--plan'?" with the prefix "--", or
 * `otherwise` where no word is near. Returns `hint`. */
const char *nearest_hint(const struct nearest *nearest, const char *prefix, const char *otherwise,
                         char hint[NEAREST_HINT_SIZE]);
/* The nearest of an array, borrowed from `known`; NULL when none is near. */
const char *nearest_word(const char *word, const char *const *known, size_t count);

#endif
