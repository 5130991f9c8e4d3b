/*
 * What a run of strips would come to on machines whose shares of processors and links change with
 * time: each worker begins an iteration when it and its neighbours have done the one before, takes
 * as long for its borders and its columns as the plan says and its shares then make of that, and at
 * every test strips get other widths where that pays, by the times of the iterations since the last
 * one, as in the run (spmd/strips/master.c).
 */
#ifndef PLANNER_STRIPS_STRIPS_PLAY_H
#define PLANNER_STRIPS_STRIPS_PLAY_H

#include <stdbool.h>

#include "planner/base/failure.h"
#include "planner/model/availability.h"
#include "planner/strips/strips_outcome.h"
#include "planner/strips/strips_plan.h"

/* Iterations times strips that are played at most: about a minute. */
#define STRIPS_PLAY_MOST 4e9

/* `availability` has been placed for workers by their ranks. *outcome is to be released.
 * FAILURE_USAGE: there are too many iterations; FAILURE_MISMATCH: the plan does not say what strips
 * cost. */
bool strips_play(const struct strips_plan *plan, const struct availability *availability,
                 struct strips_outcome *outcome, struct failure *failure);

#endif
