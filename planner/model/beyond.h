/*
 * Workers beyond those that a profile measured, for plans of more workers than there were when it
 * was calibrated: one of its classes repeated behind the last worker, in every window of every
 * setting. Nobody measured them, so they stand in no profile's file; a plan says how many there are
 * and what they are like, and whoever has the plan and the profile has the same platform.
 */
#ifndef PLANNER_MODEL_BEYOND_H
#define PLANNER_MODEL_BEYOND_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/base/text.h"
#include "planner/model/plan.h"
#include "planner/model/profile.h"

/* Workers that were measured. */
int64_t beyond_measured(const struct profile *profile);
/* Rank of the worker whose class is repeated: as it was extended, or else the last measured one. */
int64_t beyond_rank(const struct profile *profile);
/* Rank of the last measured worker of a class that is called so, in any window, or else of the rank
 * that the name is the number of; 0: there is neither. */
int64_t beyond_find(const struct profile *profile, const char *name);
/* Extend the profile to `workers` by more of the class of the worker of that rank (0: the last
 * measured one). Where there are as many, only the rank is kept. Fails with FAILURE_USAGE for more
 * than LIMIT_WORKERS, or out of memory; the profile can then only be released. */
bool beyond_extend(struct profile *profile, int64_t workers, int64_t rank, struct failure *failure);
/* Extend the profile to what a plan reckons with; as beyond_extend. */
bool beyond_follow(struct profile *profile, const struct plan *plan, struct failure *failure);
/* What a plan for the first `workers` workers says of those beyond; the name is borrowed. */
struct plan_beyond beyond_of(const struct profile *profile, int64_t workers);
/* A run had `workers` workers: those beyond that took part are measured by now, the others are
 * forgotten. */
void beyond_settle(struct profile *profile, int64_t workers);
/* "beyond      62 workers beyond those measured, like n02", a line of a table; nothing where there
 * are none. */
void beyond_describe(const struct plan_beyond *beyond, struct text *text);
/* The same as a member of a JSON object, with what stands before it: nothing where there are none.
 */
void beyond_json(const struct plan_beyond *beyond, const char *before, struct text *text);

#endif
