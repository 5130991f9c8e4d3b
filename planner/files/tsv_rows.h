/* Tables as texts, a row a line: empty lines and those that begin with # are passed over, and so is
 * a first line with the columns' names. */
#ifndef PLANNER_FILES_TSV_ROWS_H
#define PLANNER_FILES_TSV_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/base/failure.h"

struct tsv_table {
    const char *text; /* terminated */
    const char *name; /* what failures call it */
    const char
        *head; /* what a first line with the columns' names begins with; NULL: there is none */
    /* Takes a line, which LF or the text's end ends; its number counts from 1. */
    bool (*take)(void *self, const char *line, int64_t number, const char *name,
                 struct failure *failure);
    void *self; /* borrowed */
};

/* Every row in turn. False with *failure set: the taker's. */
bool tsv_rows_read(const struct tsv_table *table, struct failure *failure);

#endif
