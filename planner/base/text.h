/* A string that grows, for everything that is printed: tables, plans, profiles, reports. */
#ifndef PLANNER_BASE_TEXT_H
#define PLANNER_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "planner/base/failure.h"
#include "planner/base/parameter.h"

/* When memory runs out, `failed` is set, so that a caller checks only once, at the end. */
struct text {
    char *bytes; /* owned, zero-terminated; NULL while empty */
    size_t length, capacity;
    bool failed;
};

#define TEXT_INIT                                                                                  \
    {                                                                                              \
        NULL, 0, 0, false                                                                          \
    }

void text_add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_add_bytes(struct text *text, const char *bytes, size_t length);
/* As "%" PRId64, for what is printed by the million. */
void text_add_count(struct text *text, int64_t count);
/* The shortest decimal that reads back as the same double; NaN and infinity become null, -0
 * becomes 0. */
void text_add_number(struct text *text, double number);
/* Seconds as people read them, four digits and a unit: "1.234 s", "56.70 ms". */
void text_add_seconds(struct text *text, double seconds);
/* The same, right-aligned in 12 columns. */
void text_add_seconds_column(struct text *text, double seconds);
/* A JSON string, quotes included; `word` is UTF-8. */
void text_add_quoted(struct text *text, const char *word);
/* "parameters": {...}, a key and its value; without the block, which text_add_block prints. */
void text_add_parameters(struct text *text, const struct parameter_list *list);
/* "block": 64, where the list has one, between `before` and `after`. */
void text_add_block(struct text *text, const struct parameter_list *list, const char *before,
                    const char *after);
/* Return the bytes (an empty text gives ""), to be freed, and reset the text; NULL: out of memory.
 */
char *text_take(struct text *text);
/* Return the bytes, to be freed, if `good` is true; if not, *failure has been set already and NULL
 * is returned. The text is released in any case. FAILURE_FAILED when out of memory; `task` then
 * names what was being done ("writing the report"). */
char *text_finish(struct text *text, bool good, const char *task, struct failure *failure);
void text_release(struct text *text);
/* Print the text to standard output and release it. FAILURE_FAILED when out of memory; `task` then
 * names what was being done ("describing the plan"). Errors of writing are reported at the
 * program's end. */
bool text_print(struct text *text, const char *task, struct failure *failure);

#endif
