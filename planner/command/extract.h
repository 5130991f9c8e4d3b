/* scow show: what is taken out of a run's output in place of a description: pictures, tables of
 * records, what commands wrote, what failed. */
#ifndef PLANNER_COMMAND_EXTRACT_H
#define PLANNER_COMMAND_EXTRACT_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/base/failure.h"
#include "planner/command/readers.h"

/* As typed. */
struct show_options {
    const char *image, *png, *xdmf, *to;
    const char *file; /* to write what its ending says */
    char *path;
    int64_t task;  /* number of a core task, from 1; 0: none */
    int64_t slice; /* from 1; 0: the first */
    bool joblog, check, trust, live, once, failed, json, output, errors, csv, tsv, jsonl, quiet,
        verbose;
};

/* Is something to be taken out, and of how many kinds? */
bool extract_wanted(const struct show_options *options);
bool extract_emits(const struct show_options *options); /* what core tasks wrote */
int extract_kinds(const struct show_options *options);
/* What belongs together. A file whose ending says that it is a picture is one from here on. */
bool extract_check(struct show_options *options, struct failure *failure);
bool extract_run(const struct show_options *options, const struct readers *readers,
                 struct failure *failure);
/* A build that cannot read runs; false. */
bool extract_unable(struct failure *failure);

#endif
