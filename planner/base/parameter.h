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

/* Append a copy; if word is NULL, the value is the number. False: out of memory, list unchanged. */
bool parameter_list_add(struct parameter_list *list, const char *name, const char *word,
                        double number);
bool parameter_list_copy(struct parameter_list *to, const struct parameter_list *from);
/* Copy every item of `from` into `to`, replacing items of the same name. False: out of memory, *to
 * unchanged. */
bool parameter_list_merge(struct parameter_list *to, const struct parameter_list *from);
bool parameter_equal(const struct parameter *a, const struct parameter *b); /* values only */
/* Is the value the word "yes"? */
bool parameter_is_yes(const struct parameter *parameter);
/* Has `list` every item of `part`, with the same value? */
bool parameter_list_has(const struct parameter_list *list, const struct parameter_list *part);
bool parameter_list_equal(const struct parameter_list *a, const struct parameter_list *b);
/* Borrowed; NULL when there is none of that name. */
const struct parameter *parameter_list_find(const struct parameter_list *list, const char *name);
/* The parameter "block" if it is a whole number from 1 to LIMIT_BLOCK; files have a key of its own
 * for it. NULL when there is none. */
const struct parameter *parameter_list_block(const struct parameter_list *list);
void parameter_list_release(struct parameter_list *list);

#endif
