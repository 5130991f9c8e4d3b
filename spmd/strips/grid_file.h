/*
 * The output of a run of strips: an HDF5 file, made when the run begins, with two places for the
 * grid (spmd/layout/grid_slots.h) and locked while the run lives (planner/base/file_lock.h). Only
 * the master uses it.
 */
#ifndef SPMD_STRIPS_GRID_FILE_H
#define SPMD_STRIPS_GRID_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/base/failure.h"
#include "planner/strips/strips_plan.h"
#include "spmd/strips/strips_run.h"

struct grid_file;

/* The grid that the file has. */
struct grid_there {
    int64_t iterations; /* after which it was written; 0: there is none */
    double change;      /* the greatest change of a cell in the last of them */
    int64_t damaged;    /* iterations of a later grid, which is damaged; 0: there is none */
};

/* Borrowed. */
struct grid_file_setup {
    const struct comm *comm;
    const char *path;
    const struct strips_plan *plan;
    const char *plan_text, *profile_text; /* written to the file; profile NULL: none */
    const char *command_line, *isa;       /* NULL: not known */
    bool resume;                          /* go on with the file, if there is one */
    bool trust;                           /* do not compare the grid with its digest */
};

/* Make the file, or open the one to go on with; *there tells of the grid in it. If all iterations
 * are done already, nothing is changed. FAILURE_MISMATCH: the file is not the output of such a
 * plan, is damaged, is being written to by another run, or exists although `resume` was not asked
 * for. To be closed also on failure. */
bool grid_file_open(const struct grid_file_setup *setup, struct grid_file **file,
                    struct grid_there *there, struct failure *failure);
/* The file as strips_master_new takes it; borrowed. */
struct strips_grid grid_file_grid(struct grid_file *file);
/* At the end of the run: make /grid the grid that was kept last. False with *failure set: it could
 * not be written. */
bool grid_file_seal(struct grid_file *file, bool complete, struct failure *failure);
/* Where the run does not begin after all: remove the file if grid_file_open made it. */
void grid_file_discard(struct grid_file *file);
/* Does nothing with NULL. Sets *file NULL. */
void grid_file_close(struct grid_file **file);

#endif
