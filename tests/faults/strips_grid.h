/*
 * The grid of simulated runs of strips: in memory or, as the product has it, in two places of an
 * HDF5 file, in which cells are damaged between two parts of a run. A master that is killed leaves
 * the file as the operating system has it then. Local to the world, not to a rank.
 */
#ifndef TESTS_FAULTS_STRIPS_GRID_H
#define TESTS_FAULTS_STRIPS_GRID_H

#include <stdbool.h>
#include <stdint.h>

#include "spmd/strips/strips_run.h"

enum { ROWS_MOST = 6, COLUMNS_MOST = 24 };

struct grid_kept {
    int64_t iterations; /* that it is of; 0: none is kept */
    bool complete;
    int64_t failures;                      /* columns that could not be kept */
    int64_t damaged;                       /* grids that were found not to be what was written */
    double cells[COLUMNS_MOST][ROWS_MOST]; /* of the grid that is complete */
    double failing;                        /* probability that a column cannot be kept */
};

/* Nothing is kept yet, in a file of its own or in memory. */
void grid_new(bool in_file);
/* A part begins, of that plan; borrowed until it ends. */
void grid_begin_part(const struct strips_plan *plan);
/* It has ended; `sealed`: as a master does that ends by itself. */
void grid_end_part(bool sealed);
/* Files are removed. */
void grid_release(void);
/* What strips_master_new asks for. */
extern const struct strips_grid simulated_grid;
extern struct grid_kept grid_kept;

#endif
