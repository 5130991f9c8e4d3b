/*
 * Options of core tasks that scow run takes: parameters that do not change a task's costs
 * (scow_task.run_parameters). Those of built-in tasks are in the table of options; those of a
 * plug-in, which only the plan names, are kept as typed until it is open.
 */
#ifndef SPMD_RUN_CHANGES_H
#define SPMD_RUN_CHANGES_H

#include <stdbool.h>
#include <stddef.h>

#include "kernel/scow.h"
#include "planner/base/failure.h"
#include "planner/base/options.h"
#include "planner/base/parameter.h"

enum { CHANGES_MOST = 2 * SCOW_PARAMETERS_MOST };

/* As typed; names and values borrowed from the tasks and the command line. */
struct changes {
    struct {
        const char *name; /* not terminated where it was typed */
        size_t length;
        const char *typed; /* NULL: not given */
    } items[CHANGES_MOST];
    int count, known; /* the first `known` stand in the table */
};

/* Rows for the options of all known tasks, at most CHANGES_MOST of them; returns how many. */
size_t changes_rows(struct changes *changes, struct option_row *rows);
/* For option_table.unknown: keeps an option that no row has. */
bool changes_keep(void *self, const char *name, size_t length, const char *value);
/* Is there one that no row has? Then *failure says that it is unknown. */
bool changes_refuse_unknown(const struct changes *changes, struct failure *failure);
/* Those that were given, as parameters of the plan's task. False with *failure set: it has no such
 * ones, or one of them changes its costs. */
bool changes_read(const struct changes *changes, const struct scow_task *task,
                  struct parameter_list *list, struct failure *failure);

#endif
