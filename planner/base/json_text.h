/*
 * JSON as it is written into a text: objects and arrays, with what stands between their members.
 *
 *     struct json_text job = json_open(text, "{", ", ");
 *     json_count(&job, "tasks", 3);
 *     struct json_text ends = json_open_in(&job, "ends_s", "[", ", ");
 *     json_number(&ends, NULL, 1.5);
 *     json_close(&ends, "]");
 *     json_close(&job, "}");
 *
 * gives {"tasks": 3, "ends_s": [1.5]}. Brackets are given with the white space that is wanted.
 */
#ifndef PLANNER_BASE_JSON_TEXT_H
#define PLANNER_BASE_JSON_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/base/text.h"

/* An object or an array that is being written. */
struct json_text {
    struct text *text;   /* borrowed */
    const char *between; /* static; before each member or element but the first */
    bool begun;          /* it has its first one */
};

struct json_text json_open(struct text *text, const char *open, const char *between);
/* The same as a member or, with key NULL, an element of another, to which nothing is to be added
 * until this one is closed. Here and below, `key` is written as it is. */
struct json_text json_open_in(struct json_text *outer, const char *key, const char *open,
                              const char *between);
void json_close(struct json_text *json, const char *close);

/* The next member or element begins: its value is to be added to the text. */
struct text *json_next(struct json_text *json, const char *key);
/* NaN and infinity become null. */
void json_number(struct json_text *json, const char *key, double number);
void json_count(struct json_text *json, const char *key, int64_t count);
void json_flag(struct json_text *json, const char *key, bool flag);
/* A string, UTF-8; NULL: null. */
void json_word(struct json_text *json, const char *key, const char *word);
/* What is JSON already; NULL: null. */
void json_raw(struct json_text *json, const char *key, const char *value);

/* The elements of `array` after those of *all: both are texts, owned, NULL where there is none.
 * `array` is taken over; without memory, *all becomes NULL. */
void json_array_join(char **all, char *array);

#endif
