/*
 * What the pure planner cannot read by itself, handed to the command's main as functions: images
 * and run outputs need PNG and HDF5, which a planner-only build does not have.
 */
#ifndef PLANNER_COMMAND_READERS_H
#define PLANNER_COMMAND_READERS_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/base/failure.h"
#include "planner/model/profile.h"
#include "planner/report/report.h"

struct readers {
    /* Core tasks of `image` cut into blocks of that edge by the profile's kernel. */
    bool (*count_tasks)(const char *image, const struct profile *profile, int block, int64_t *tasks,
                        struct failure *failure);
    /* Everything `scow report` needs from out.h5. */
    bool (*read_run)(const char *path, struct run_record *record, struct failure *failure);
    /* A PNG of the input (left, may be NULL) beside the normalised result (right). */
    bool (*write_preview)(const char *output, const char *input, const char *png,
                          struct failure *failure);
    /* One line for --version: HDF5, MPI and instruction set. */
    const char *(*libraries)(void);
};

/* NULL in a planner-only build. */
const struct readers *readers_available(void);

#endif
