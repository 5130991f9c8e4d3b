/*
 * Who gets how many core tasks, as fields of a plan's file: its workers, its rounds, and the
 * workers of the profile that it starts. The functions of struct field; `owner` is the plan.
 */
#ifndef PLANNER_FILES_PLAN_ROUNDS_H
#define PLANNER_FILES_PLAN_ROUNDS_H

#include <stdbool.h>

#include "planner/base/text.h"
#include "planner/files/document.h"

/* Elements are indices or runs of them. */
bool plan_workers_parse(void *owner, json_t *value, const struct document_place *place,
                        struct failure *failure);
void plan_workers_print(struct text *text, const void *owner);
bool plan_workers_own(void *to, const void *from);

/* After the workers and the plan's tasks, to which loads must sum. */
bool plan_rounds_parse(void *owner, json_t *value, const struct document_place *place,
                       struct failure *failure);
void plan_rounds_print(struct text *text, const void *owner);
bool plan_rounds_own(void *to, const void *from);

/* `value` is &plan->selected. */
bool plan_selected_parse(void *owner, json_t *value, const struct document_place *place,
                         struct failure *failure);
void plan_selected_print(struct text *text, const void *owner);
bool plan_selected_given(const void *value);
bool plan_selected_own(void *to, const void *from);

#endif
