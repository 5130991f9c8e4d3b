/* The known word nearest to what a user typed, for "did you mean". */
#ifndef PLANNER_BASE_NEAREST_H
#define PLANNER_BASE_NEAREST_H

#include <stddef.h>

/* Borrowed from `known`; NULL when nothing is near (more than a third of the letters differ). */
const char *nearest_word(const char *word, const char *const *known, size_t count);

#endif
