/*
 * Searches in levels under faults: the real way from level to level (spmd/run/levels.h), whose
 * outputs, but for the one that is made and sealed now, lie here in place of files
 * (spmd/resume/levels_kept.h).
 */
#ifndef TESTS_FAULTS_SEARCHES_H
#define TESTS_FAULTS_SEARCHES_H

#include <stdbool.h>

#include "spmd/layout/emitted.h"
#include "spmd/output/outputfile.h"
#include "spmd/run/execute.h"

/* A search is drawn in place of the trial's job; to be released. */
void searches_draw(void);
void searches_release(void);
/* What a rank runs: one level after the other. */
void searches_run(const struct execution *execution, struct comm *comm, struct liveness *liveness,
                  struct run_outcome *outcome, struct failure *failure);
/* The output of a level is made of that job, or sealed with so many core tasks that failed. */
void searches_made(const struct job *job, const struct output_info *info);
void searches_sealed(int64_t failed);
/* Is all of it done, or as much as can be? And has it failed? */
bool searches_are_over(void);
bool searches_have_failed(void);
/* What the files of what the level at hand has emitted are called (emitted.h); owned. */
char *searches_base(void);
/* They, to be closed; NULL: it is of no search. */
struct emitted *searches_emitted(void);

#endif
