/*
 * What the pure planner cannot read by itself, handed to the command's main as functions: inputs,
 * core tasks and run outputs need PNG, HDF5 and kernels, which a planner-only build does not have.
 */
#ifndef PLANNER_COMMAND_READERS_H
#define PLANNER_COMMAND_READERS_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/base/failure.h"
#include "planner/base/text.h"
#include "planner/model/profile.h"
#include "planner/report/report.h"

struct readers {
    /* Core tasks that the profile's kernel, with the setting's parameters, makes of `input` (NULL:
     * none). `plugin` replaces the profile's (NULL: none). */
    bool (*count_tasks)(const char *input, const char *plugin, const struct profile *profile,
                        const struct profile_setting *setting, int64_t *tasks,
                        struct failure *failure);
    /* Everything `scow report` needs from out.h5. */
    bool (*read_run)(const char *path, struct run_record *record, struct failure *failure);
    /* A PNG of one slice (from 0) of the input (left, may be NULL) beside the normalised result. */
    bool (*write_preview)(const char *output, const char *input, int64_t slice, const char *png,
                          struct failure *failure);
    /* The numbers of one slice (from 0) of the result as TIFF. */
    bool (*write_tiff)(const char *output, int64_t slice, const char *tiff,
                       struct failure *failure);
    /* Where in the output the grids are, for ParaView. */
    bool (*write_xdmf)(const char *output, const char *xdmf, struct failure *failure);
    /* Slices of a run's input and result as small pictures, one JSON value (spmd/output/slices.h);
     * "null" where the run made no picture. */
    bool (*print_slices)(const char *output, const struct run_record *record, struct text *text,
                         struct failure *failure);
    /* What the numbers in its core tasks' records range over, one JSON value
     * (spmd/output/fields.h); "null" where they leave none. */
    bool (*print_fields)(const char *output, struct text *text, struct failure *failure);
    /* What a run's core task left behind, as text. */
    bool (*show_task)(const char *path, int64_t task, struct text *text, struct failure *failure);
    /* The commands of a run, in GNU parallel's columns. */
    bool (*show_joblog)(const char *path, struct text *text, struct failure *failure);
    /* The kernels there are, and everything about one (a name, or a plug-in's path). */
    void (*list_kernels)(struct text *text);
    bool (*describe_kernel)(const char *word, struct text *text, struct failure *failure);
    /* One line for --version: HDF5, MPI and instruction set. */
    const char *(*libraries)(void);
};

/* NULL in a planner-only build. */
const struct readers *readers_available(void);

#endif
