/* Pages to send around: what the reports and studies know, put together as one HTML file. */
#ifndef PLANNER_COMMAND_PAGES_H
#define PLANNER_COMMAND_PAGES_H

#include <stdbool.h>
#include <stddef.h>

#include "planner/command/readers.h"
#include "planner/model/trace.h"
#include "planner/studies/advice.h"
#include "planner/studies/planning.h"

/* One run, of the output `path`. The record stays as it is. */
bool page_of_run(const char *html, const char *path, const struct run_record *record,
                 const struct readers *readers, struct failure *failure);
/* Several runs; all arrays have `count` rows. */
bool page_of_runs(const char *html, char *const *paths, const struct run_record *records,
                  size_t count, struct failure *failure);
/* A plan before it runs, and what it was made from. */
bool page_of_plan(const char *html, const struct planning *planning, const struct advice *advice,
                  struct failure *failure);

#endif
