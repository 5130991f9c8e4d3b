/* A plan of strips as JSON text ("scow-strips-1"). */
#ifndef PLANNER_FILES_STRIPS_JSON_H
#define PLANNER_FILES_STRIPS_JSON_H

#include <stdbool.h>
#include <stddef.h>

#include "planner/base/failure.h"
#include "planner/strips/strips_outcome.h"
#include "planner/strips/strips_plan.h"

/* Is the text JSON of this schema, whatever else is in it? */
bool strips_is(const char *text, size_t length);
/* As profile_parse. Checks that strips have all columns, and each worker one at most. */
bool strips_parse(struct strips_plan *plan, const char *text, size_t length, const char *name,
                  struct failure *failure);
/* As profile_print. */
char *strips_print(const struct strips_plan *plan);
/* What a run has measured, as its output keeps it. */
bool strips_outcome_parse(struct strips_outcome *outcome, const char *text, size_t length,
                          const char *name, struct failure *failure);
char *strips_outcome_print(const struct strips_outcome *outcome);

#endif
