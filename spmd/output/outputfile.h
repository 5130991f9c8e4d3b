/*
 * The output file before and after the run: made and sealed by the master alone, so that every
 * failure is one rank's to report. (HDF5's collective creation leaves the other ranks waiting for
 * ever when one rank's disk refuses.)
 *
 * Laid out so that killed processes do not spoil it: everything has its place in the file, and all
 * metadata is on disk, before the first package; sealing changes values only.
 */
#ifndef SPMD_OUTPUT_OUTPUTFILE_H
#define SPMD_OUTPUT_OUTPUTFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/base/failure.h"
#include "planner/model/conditions.h"
#include "planner/model/part.h"
#include "planner/model/trace.h"
#include "spmd/job/job.h"
#include "spmd/job/summary.h"

/* What is known before the run; strings borrowed. */
struct output_info {
    const char *plan;                   /* JSON text */
    const char *profile;                /* JSON text; NULL: none */
    const char *input;                  /* NULL: none, and nothing of it */
    const char *input_sha256;           /* "": not known yet */
    const char *input_stamp;            /* input_stamp's; NULL: not said */
    const char *plugin, *plugin_sha256; /* NULL: the kernel is built in */
    const char *emitted;                /* FILE of FILE.1, FILE.2, ...: where emitted bytes go */
    struct conditions conditions;       /* with its isa */
    const char *command_line;           /* NULL: not known */
    const char *rule;                   /* that deals packages; NULL: the plan does */
    const char *tail;                   /* that deals the plan's end; NULL: none */
    const char *replan;                 /* tolerance of a watched plan; NULL: it is not watched */
    int ahead;                          /* with a rule or a tail */
    int64_t events;                     /* rows of /run/trace, as far as is known */
    int workers;                        /* that states have room for */
    struct run_part part;               /* the run's first, as it begins: its workers */
};

/* Where in the file its data sets lie, bytes from its start, each in one piece: a grid row-major.
 * Ranks write there without HDF5. (Its chunks could not be core tasks, which differ by a pixel, and
 * its parallel driver spends time in proportion to all of them on every access.) */
struct output_places {
    int64_t response, normalized; /* the grid's numbers, bytes; 0: there is none */
    int64_t records, emitted;     /* rows; 0: there are none */
    int64_t partial;              /* two slots a worker; 0: there is none */
    int64_t ledger;               /* bytes */
};

/* What is known after it. */
struct output_outcome {
    const struct trace *trace; /* at most the events announced; borrowed */
    const struct summary *summary;
    const char *input_sha256;     /* NULL: as it was made */
    const char *outcome;          /* of a reduction, JSON; NULL: none */
    const char *told, *replanned; /* of a watched plan: lines, JSON; NULL: it was not */
    const char *lost_told, *lost; /* of workers that were lost: lines, JSON; NULL: none was */
    double finish_s;              /* from the last package to here */
    const struct run_part *part;  /* that reached the end: makespan, tasks and packages; NULL: not
                                   * said */
};

/* Local, serial. Create `path`, which must not exist, whole and closed; nothing is left behind on
 * failure. */
bool outputfile_create(const char *path, const struct job *job, const struct output_info *info,
                       struct output_places *places, struct failure *failure);
/* Local, serial; nobody else may have the file open. Trace, summary and checksum: the run is
 * complete. */
bool outputfile_seal(const char *path, const struct output_outcome *outcome,
                     struct failure *failure);
/* Local, serial; nobody else may have the file open. The run did stop when it was asked to: the
 * file says so, and what it holds is on the disk. `input_sha256`: "" where it is not known; `part`
 * as in struct output_outcome. */
bool outputfile_stop(const char *path, const char *input_sha256, const struct run_part *part,
                     struct failure *failure);
/* Local, serial; nobody else may have the file open. Its input's sizes and times have misled: who
 * goes on with it next compares bytes first. */
void outputfile_distrust(const char *path);
/* Local, serial; nobody else may have the file open. A run goes on with it, for the `times`th time,
 * after the part `last`, as it turned out; `next` is as it begins. */
bool outputfile_reopen(const char *path, int32_t times, const struct run_part *last,
                       const struct run_part *next);

#endif
