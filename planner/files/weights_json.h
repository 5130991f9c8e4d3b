/* The weights of a plan's core tasks, as a field of its file: the functions of struct field. */
#ifndef PLANNER_FILES_WEIGHTS_JSON_H
#define PLANNER_FILES_WEIGHTS_JSON_H

#include <stdbool.h>

#include "planner/base/text.h"
#include "planner/files/document.h"

/* `owner` is the plan, whose tasks are known. */
bool weights_json_parse(void *owner, json_t *value, const struct document_place *place,
                        struct failure *failure);
void weights_json_print(struct text *text, const void *owner);
/* `value` is plan->weights, or a pointer like it. */
bool weights_json_given(const void *value);
bool weights_json_own(void *to, const void *from);

#endif
