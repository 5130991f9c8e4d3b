/*
 * The output of a run of strips: an HDF5 file that is there from the beginning, with two places for
 * the grid (spmd/layout/grid_slots.h), and held while the run lives (planner/base/file_lock.h).
 * Local to the master.
 */
#ifndef SPMD_STRIPS_GRID_FILE_H
#define SPMD_STRIPS_GRID_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/base/failure.h"
#include "planner/strips/strips_plan.h"
#include "spmd/strips/strips_run.h"

struct grid_file;

/* The grid that there is. */
struct grid_there {
    int64_t iterations; /* that it is of; 0: there is none */
    double change;      /* the greatest of a cell in the last one */
    int64_t damaged;    /* of a later one, which is not what was written; 0: none is */
};

/* Borrowed. */
struct grid_file_setup {
    const struct comm *comm;
    const char *path;
    const struct strips_plan *plan;
    const char *plan_text, *profile_text; /* as the file keeps them; profile NULL: none */
    const char *command_line, *isa;       /* NULL: not known */
    bool resume;                          /* go on with what is there, if anything is */
    bool trust;                           /* without comparing it with its digest */
};

/* Make the file, with the grid that is there already. FAILURE_MISMATCH: there is another thing than
 * the grid of such a plan, or one that is damaged, somebody writes to it, or something is there and
 * is not to be gone on with. If *there says that all iterations are done already, nothing has been
 * changed. The file is to be closed also on failure. */
bool grid_file_open(const struct grid_file_setup *setup, struct grid_file **file,
                    struct grid_there *there, struct failure *failure);
/* What strips_master_new asks for; borrowed from the file. */
struct strips_grid grid_file_grid(struct grid_file *file);
/* The run has ended: /grid is the one that was kept last. False with *failure set: that could not
 * be written. */
bool grid_file_seal(struct grid_file *file, bool complete, struct failure *failure);
/* The run has not begun: remove what was made for it. */
void grid_file_discard(struct grid_file *file);
/* Of NULL: nothing. Sets *file NULL. */
void grid_file_close(struct grid_file **file);

#endif
