/*
 * The settings of a core task as they travel from calibrate through profile and plan to the run:
 * names with a number or a word each ("sigma": 2, "bank": "chaudhuri"). The planner carries them
 * and does not know what they mean.
 */
#ifndef PLANNER_BASE_PARAMETER_H
#define PLANNER_BASE_PARAMETER_H

#include <stdbool.h>
#include <stddef.h>

struct parameter {
    char *name; /* owned */
    char *word; /* owned; NULL when the value is a number */
    double number;
};

struct parameter_list {
    struct parameter *items; /* owned */
    size_t count;
};

/* Append a copy; word may be NULL, then number counts. False: out of memory, list unchanged. */
bool parameter_list_add(struct parameter_list *list, const char *name, const char *word,
                        double number);
bool parameter_list_copy(struct parameter_list *to, const struct parameter_list *from);
/* Put every item of `from` into `to`, in place of one of that name. False: out of memory, and *to
 * as it was. */
bool parameter_list_merge(struct parameter_list *to, const struct parameter_list *from);
bool parameter_equal(const struct parameter *a, const struct parameter *b); /* values only */
/* The word "yes", by which a parameter says that something is to be done. */
bool parameter_is_yes(const struct parameter *parameter);
/* Has `list` every item of `part`, with the same value? */
bool parameter_list_has(const struct parameter_list *list, const struct parameter_list *part);
bool parameter_list_equal(const struct parameter_list *a, const struct parameter_list *b);
/* Borrowed; NULL when there is none of that name. */
const struct parameter *parameter_list_find(const struct parameter_list *list, const char *name);
/* The parameter "block" where it is a whole number, as files write it under a key of its own: at
 * least 1, at most LIMIT_BLOCK. NULL when there is none. */
const struct parameter *parameter_list_block(const struct parameter_list *list);
void parameter_list_release(struct parameter_list *list);

#endif
