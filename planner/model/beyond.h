/*
 * Workers beyond those that a profile measured, for plans of more workers than there were when it
 * was calibrated: one of its classes is repeated after the last worker, in every window of every
 * setting. They were not measured, so no profile file contains them. A plan says how many there are
 * and which class they are like, so that plan and profile together give the same platform again.
 */
#ifndef PLANNER_MODEL_BEYOND_H
#define PLANNER_MODEL_BEYOND_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/base/json_text.h"
#include "planner/model/plan.h"
#include "planner/model/profile.h"

/* Workers that were measured. */
int64_t beyond_measured(const struct profile *profile);
/* Rank of the worker whose class is repeated: as given to beyond_extend, or else the last measured
 * one. */
int64_t beyond_rank(const struct profile *profile);
/* Rank of the last measured worker of the class `name`, in any window; if no class has that name
 * and it is the number of a measured rank, that rank; else 0. */
int64_t beyond_find(const struct profile *profile, const char *name);
/* Extend the profile to `workers` by more of the class of the worker of that rank (0: the last
 * measured one). If the profile has as many already, only the rank is stored. Fails with
 * FAILURE_USAGE for more than LIMIT_WORKERS, or out of memory; the profile can then only be
 * released. */
bool beyond_extend(struct profile *profile, int64_t workers, int64_t rank, struct failure *failure);
/* Turn the profile into that of the workers that a plan assumes: with the shares that they will
 * have (shared.h), those it selects (selection.h), and more of them; as beyond_extend. */
bool beyond_follow(struct profile *profile, const struct plan *plan, struct failure *failure);
/* The member `beyond` of a plan for the first `workers` workers; the name is borrowed. */
struct plan_beyond beyond_of(const struct profile *profile, int64_t workers);
/* After a run with `workers` workers: workers beyond that took part count as measured now, the
 * others are removed. */
void beyond_settle(struct profile *profile, int64_t workers);
/* "beyond      62 workers beyond those measured, like n02", a line of a table; nothing if there are
 * none. */
void beyond_describe(const struct plan_beyond *beyond, struct text *text);
/* The same as a member of a JSON object; nothing if there are none. */
void beyond_json(const struct plan_beyond *beyond, struct json_text *json);

#endif
