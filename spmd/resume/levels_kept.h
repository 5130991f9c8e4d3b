/*
 * The outputs of a search in levels. OUT is that of the level which is being computed, and in the
 * end of the last one; those before are kept beside it as OUT.level1.h5, OUT.level2.h5, ... A level
 * that is done gets its name before the next one's output is made, so that a search which ends in
 * between has no OUT: then the last one that is kept is OUT again. Serial.
 */
#ifndef SPMD_RESUME_LEVELS_KEPT_H
#define SPMD_RESUME_LEVELS_KEPT_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/base/failure.h"
#include "spmd/job/job.h"

/* What the level that a search is at is made of, but for its input, where it goes on with a later
 * one than the first; else level->tasks is 0. False with *failure set: there are levels of another
 * search, or what is there is damaged. To be released in any case. */
bool levels_kept_find(const char *output, bool resume, struct description *level,
                      struct failure *failure);
/* Its output is done, and the next level's takes its place: it and its name are on the disk. */
bool levels_kept_add(const char *output, int64_t level, struct failure *failure);
/* Its output is done, and was the last: where that can be written, it says so to who looks. */
void levels_kept_end(const char *output);

#endif
