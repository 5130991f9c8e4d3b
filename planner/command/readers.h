/*
 * What the pure planner cannot read by itself, as functions: inputs, core tasks and run outputs
 * need PNG, HDF5 and the code of core tasks. These libraries take five times as long to load as the
 * rest of a command takes to start, so that scow-planner loads them only for what needs them
 * (readers_loaded.c); a planner-only build does not have them (readers_none.c).
 */
#ifndef PLANNER_COMMAND_READERS_H
#define PLANNER_COMMAND_READERS_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/base/failure.h"
#include "planner/base/text.h"
#include "planner/model/profile.h"
#include "planner/report/report.h"
#include "planner/strips/strips_outcome.h"

/* Of what a run's core tasks emitted. */
struct outputs_request {
    const char *path;      /* of the run's output */
    const char *directory; /* to write a folder a task to; NULL: to standard output */
    int64_t task;          /* the only one, from 0; negative: all, in their order */
    bool errors;           /* standard error of commands in place of standard output */
};

enum records_format { RECORDS_CSV, RECORDS_TSV, RECORDS_JSONL, RECORDS_NPY };

/* The records of a run as a table. */
struct records_request {
    const char *path; /* of the run's output */
    const char *file; /* to write; NULL: standard output */
    enum records_format format;
};

struct readers {
    /* Number of core tasks that the profile's core task, with the setting's parameters, makes of
     * `input` (NULL: none). `plugin` replaces the profile's (NULL: none). */
    bool (*count_tasks)(const char *input, const char *plugin, const struct profile *profile,
                        const struct profile_setting *setting, int64_t *tasks,
                        struct failure *failure);
    /* The weights of these core tasks by the core task's own estimate (spmd/job/job.h); owned. */
    struct task_weights *(*weigh_tasks)(const char *input, const char *plugin,
                                        const struct profile *profile,
                                        const struct profile_setting *setting,
                                        struct failure *failure);
    /* The SHA-256 of such an input as runs of that plan's core task note it. */
    bool (*digest_input)(const struct plan *plan, const char *input, char digest[65],
                         struct failure *failure);
    /* The numbers of a data set in an HDF5 file (spmd/archive/numbers.h), owned. */
    double *(*read_numbers)(const char *name, int64_t *count, struct failure *failure);
    /* Everything `scow report` needs from out.h5; `part`: which of a run that went on, from 1; 0:
     * the last one that has a trace; RUN_PLAN_ONLY: traces are not needed. */
    bool (*read_run)(const char *path, int64_t part, struct run_record *record,
                     struct failure *failure);
    /* The same of the last level of a search in levels whose output is `path`, traces left out;
     * that may be one that is kept beside it, where the next one has not begun. */
    bool (*read_search)(const char *path, struct run_record *record, struct failure *failure);
    /* The same of a run of strips; of any other file, plan and outcome are empty. */
    bool (*read_strips)(const char *path, struct strips_plan *plan, struct strips_outcome *outcome,
                        struct failure *failure);
    /* Does the output of a run of strips hold what was written to it (spmd/archive/strips_file.h)?
     */
    bool (*check_strips)(const char *path, bool trust, struct text *note, struct failure *failure);
    /* Does out.h5 hold what was written to it (spmd/archive/intact_file.h)? `trust`: only sizes are
     * compared. `note` gets a line about what was compared. */
    bool (*check_run)(const char *path, bool trust, struct text *note, struct failure *failure);
    /* A PNG of one slice (from 0) of the input (left, may be NULL) beside the normalised result. */
    bool (*write_preview)(const char *output, const char *input, int64_t slice, const char *png,
                          struct failure *failure);
    /* The numbers of one slice (from 0) of the result as TIFF. */
    bool (*write_tiff)(const char *output, int64_t slice, const char *tiff,
                       struct failure *failure);
    /* Where in the output the grids are, for ParaView. */
    bool (*write_xdmf)(const char *output, const char *xdmf, struct failure *failure);
    /* Slices of a run's input and result as small pictures, one JSON value (spmd/archive/slices.h);
     * "null" where the run made no picture. */
    bool (*print_slices)(const char *output, const struct run_record *record, struct text *text,
                         struct failure *failure);
    /* What the numbers in its core tasks' records range over, one JSON value
     * (spmd/archive/fields.h); "null" where they leave none. */
    bool (*print_fields)(const char *output, struct text *text, struct failure *failure);
    /* What a run's core task left, as text. */
    bool (*show_task)(const char *path, int64_t task, struct text *text, struct failure *failure);
    /* The core tasks of a run that failed, all to standard output, for people or as `json`; the
     * first `most` as one JSON object (spmd/archive/failed.h). */
    bool (*show_failed)(const char *path, bool json, struct failure *failure);
    bool (*print_failed)(const char *path, int64_t most, struct text *text,
                         struct failure *failure);
    /* Those that took longest, one JSON value (spmd/archive/slowest.h). */
    bool (*print_slowest)(const char *path, struct text *text, struct failure *failure);
    /* Records of core tasks. `note` gets lines about what is not in it. */
    bool (*write_records)(const struct records_request *request, struct text *note,
                          struct failure *failure);
    /* What core tasks emitted, as it is. *missing: core tasks that are not done yet. */
    bool (*write_outputs)(const struct outputs_request *request, int64_t *missing,
                          struct failure *failure);
    /* The commands of a run, in GNU parallel's columns. */
    bool (*show_joblog)(const char *path, struct text *text, struct failure *failure);
    /* The kinds of core task that there are, and everything about one (a name, or a plug-in's
     * path). */
    void (*list_kernels)(struct text *text);
    bool (*describe_kernel)(const char *word, struct text *text, struct failure *failure);
    /* One line for --version: HDF5, MPI and instruction set. */
    const char *(*libraries)(void);
};

/* The library that has them where a program loads them, and its function: they are NULL where
 * `version` is not its own SCOW_VERSION. */
#define READERS_LIBRARY "scow-readers.so"
#define READERS_ENTRY "scow_readers"
const struct readers *scow_readers(const char *version);

/* Local. The readers of this program, loaded at first use. NULL with *failure set: it has none;
 * `instead` tells the user what to do then (NULL: to use the full build). */
const struct readers *readers_find(const char *instead, struct failure *failure);

#endif
