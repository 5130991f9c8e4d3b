/* Pages to send around: what the reports and studies know, put together as one HTML file. */
#ifndef PLANNER_COMMAND_PAGES_H
#define PLANNER_COMMAND_PAGES_H

#include <stdbool.h>
#include <stddef.h>

#include "planner/command/readers.h"
#include "planner/model/sample.h"
#include "planner/model/trace.h"
#include "planner/strips/strips_outcome.h"
#include "planner/studies/advice.h"
#include "planner/studies/pareto.h"
#include "planner/studies/planning.h"

/* One run, of the output `path`, with the timings that its profile comes from where they are known
 * (`probes`, else NULL). The record stays as it is. */
bool page_of_run(const char *html, const char *path, const struct run_record *record,
                 const struct samples *probes, const struct readers *readers,
                 struct failure *failure);
/* Several runs; all arrays have `count` rows. */
bool page_of_runs(const char *html, char *const *paths, const struct run_record *records,
                  size_t count, struct failure *failure);
/* A grid in strips: its plan and, of a run, what was measured (NULL: it has not been run), of the
 * output `path`. */
bool page_of_strips(const char *html, const char *path, const struct strips_plan *plan,
                    const struct strips_outcome *outcome, struct failure *failure);
/* What a calibration has come to: its profile, the number of the setting that a plan would take,
 * all timings, and some lines that say how sure it is. */
bool page_of_calibration(const char *html, const struct profile *profile, int best,
                         const struct samples *probes, const char *told, struct failure *failure);
/* A plan before it runs, what it was made from, and the compromises that it was chosen among (NULL:
 * they were not looked for). */
bool page_of_plan(const char *html, const struct planning *planning, const struct advice *advice,
                  const struct pareto *pareto, struct failure *failure);

#endif
