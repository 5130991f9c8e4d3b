/* Text wrapped to the width of the terminal. */
#ifndef PLANNER_BASE_WRAP_H
#define PLANNER_BASE_WRAP_H

#include <stdbool.h>
#include <stdio.h>

#include "planner/base/text.h"

/* Columns for text written to `out`: the environment's COLUMNS, or else the width of the terminal
 * `out`, or else `shown` (the width of another terminal that shows the text; 0: not known), or
 * else 80. At least 40. */
int wrap_columns(FILE *out, int shown);
/* Add `source`, each of its lines broken between words into lines of at most `columns` characters
 * (of UTF-8). Continuation lines are indented to the line's second column if it has one (two or
 * more spaces between words, near its beginning), else as the line itself. A word that is longer
 * than a line is not broken. */
void wrap_add(struct text *text, const char *source, int columns);
/* Wrap the text, print it to standard output and release it; as text_print. */
bool wrap_print(struct text *text, const char *task, struct failure *failure);

#endif
