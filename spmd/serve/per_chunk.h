/*
 * scow serve --per-chunk: a job of a resource manager for every chunk, and results through files
 * (spmd/chunks). Whose job ends without its file is handed in again.
 */
#ifndef SPMD_SERVE_PER_CHUNK_H
#define SPMD_SERVE_PER_CHUNK_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/base/failure.h"
#include "planner/model/plan.h"
#include "spmd/serve/submission.h"

/* All borrowed. */
struct per_chunk {
    const struct plan *plan;
    const char *plan_text, *input, *output; /* input NULL: none */
    const char *rule;
    int64_t workers;                        /* that the rule assigns to, and jobs at a time */
    const struct resource_manager *manager; /* NULL: jobs are handed in by hand */
    bool resume, quiet;
};

/* Makes OUTPUT.parts, or goes on with it, and has all its chunks done. *folder: owned, that one.
 * False with *failure set: what is done is kept. */
bool per_chunk_run(const struct per_chunk *setup, char **folder, struct failure *failure);

#endif
