/*
 * What `scow sense` writes down, again and again: lines of a load file (planner/files/
 * observations_tsv.h), of one node or, where ranks look, of all of theirs and the network between
 * them.
 */
#ifndef SPMD_SENSE_SENSE_H
#define SPMD_SENSE_SENSE_H

#include <stdint.h>

#include "planner/base/failure.h"
#include "planner/base/options.h"
#include "planner/base/text.h"

struct sense_options {
    const char *every, *output, *node; /* node NULL: its host name */
    int64_t count;                     /* 0: for ever */
};

enum { SENSE_ROWS = 4 };

struct sense_options sense_usual(void);
/* The command line's options, whose values go to `options`; `rows` has room for SENSE_ROWS. */
struct option_table sense_table(struct sense_options *options, struct option_row *rows);
/* *every_s: how often. */
bool sense_check(const struct sense_options *options, double *every_s, struct failure *failure);

/* A file that lines are added to, "-" being standard output; negative with *failure set. */
int sense_open(const struct sense_options *options, struct failure *failure);
bool sense_close(int file, const struct sense_options *options, struct failure *failure);
/* Add a line: what there is of a node's "cpu" or "bandwidth" now. */
void sense_line(const char *node, const char *kind, double value, struct text *lines);
/* All lines at once, for several may write to the file; empties them. */
bool sense_write(int file, const struct sense_options *options, struct text *lines,
                 struct failure *failure);

/* Seconds since 1970, and waiting until then. */
double sense_now_s(void);
void sense_sleep(double until_s);

/* The command where a launcher has started this process beside others; its exit code. */
int sense_ranks(int argc, char **argv);

#endif
