/*
 * The output of a run of strips: an HDF5 file with the whole grid, /grid, replaced as a whole each
 * time that it is written, so that it is of one iteration at every moment. Local to the master.
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
};

/* Borrowed. */
struct grid_file_setup {
    const char *path;
    const struct strips_plan *plan;
    const char *plan_text, *profile_text; /* as the file keeps them; profile NULL: none */
    const char *command_line, *isa;       /* NULL: not known */
};

/* What there is under that name. FAILURE_MISMATCH: it is another thing than the grid of such a
 * plan, or something is there and is not to be gone on with. The file is to be closed also on
 * failure. */
bool grid_file_open(const struct grid_file_setup *setup, bool resume, struct grid_file **file,
                    struct grid_there *there, struct failure *failure);
/* What strips_master_new asks for; borrowed from the file. */
struct strips_grid grid_file_grid(struct grid_file *file);
/* Of NULL: nothing. What was not ended is removed. Sets *file NULL. */
void grid_file_close(struct grid_file **file);

#endif
