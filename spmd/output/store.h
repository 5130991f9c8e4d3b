/*
 * Results into the output file as they come, from all ranks at once. A task's byte in /ledger is
 * written after its data, so that a killed run's file says truly what it holds.
 */
#ifndef SPMD_OUTPUT_STORE_H
#define SPMD_OUTPUT_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/summary.h"
#include "planner/base/failure.h"
#include "spmd/job/job.h"
#include "spmd/output/outputfile.h"
#include "spmd/transport/comm.h"

struct store;

/* Collective. Opens a file that outputfile_create made on the master for the same job; `places`
 * counts there. NULL with *failure set, on every rank. `comm` and `job` are borrowed and must
 * outlive the store. */
struct store *store_open(const char *path, const struct output_places *places,
                         const struct comm *comm, const struct job *job, struct failure *failure);
/* Local. Results of tasks [first, first + count) as compute left them, then their ledger bytes. */
bool store_write(struct store *store, int64_t first, int64_t count, const float *results,
                 struct failure *failure);
/* Local. Read these tasks' results back and write them to /normalized, scaled from [minimum,
 * maximum] to 0..255; what is not a number becomes 0. */
bool store_normalize(struct store *store, int64_t first, int64_t count,
                     const struct summary *summary, struct failure *failure);
/* Collective. Sets *store NULL. */
bool store_close(struct store **store, struct failure *failure);

#endif
