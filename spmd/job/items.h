/* The lines or sequences of a finished run's input, to show them beside their results. No MPI. */
#ifndef SPMD_JOB_ITEMS_H
#define SPMD_JOB_ITEMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct input;
struct items;

/* What a run's output says of its input; borrowed. */
struct items_wanted {
    const char *output;         /* the output's path */
    int kind;                   /* enum scow_input_kind */
    bool header;                /* the first line may be none of the tasks */
    const char *input;          /* as it was named then; NULL: none */
    const char *sha256, *stamp; /* NULL or "": not known */
    int64_t tasks;
};

enum { ITEMS_NOTE = 480 };

/* Find the run's input where it was, or beside the output, unchanged by its size and time of
 * modification or else by its SHA-256. NULL, with a sentence in `note` if it is gone or has
 * changed, or "" if core tasks are not lines of an input. */
struct items *items_find(const struct items_wanted *wanted, char note[ITEMS_NOTE]);
/* The path of the input. Borrowed. */
const char *items_path(const struct items *items);
/* The same, open; borrowed. */
struct input *items_input(struct items *items);
/* Item `index`, from 0: a line, or a sequence's name; borrowed until the next call. NULL: it cannot
 * be read. */
const char *items_read(struct items *items, int64_t index, size_t *size);
void items_close(struct items **items); /* sets *items NULL */

#endif
