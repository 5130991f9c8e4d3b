/* Lines for people, no longer than their terminal is wide. */
#ifndef PLANNER_BASE_WRAP_H
#define PLANNER_BASE_WRAP_H

#include <stdbool.h>
#include <stdio.h>

#include "planner/base/text.h"

/* Columns for what is written to `out`: what the environment's COLUMNS says, or else the terminal
 * that it is, or else `shown` (of a terminal elsewhere that shows it; 0: there is none known), or
 * else 80. At least 40. */
int wrap_columns(FILE *out, int shown);
/* Add `source`, each of its lines broken between words into lines of at most `columns` characters
 * (of UTF-8). What goes on does so below the beginning of the second column, where the line has one
 * (two spaces and more between words, not far from its beginning), else below that of the line.
 * A word that is longer than a line stays whole. */
void wrap_add(struct text *text, const char *source, int columns);
/* Put the text, wrapped, on standard output, and release it; as text_print. */
bool wrap_print(struct text *text, const char *task, struct failure *failure);

#endif
