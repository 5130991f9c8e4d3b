/*
 * What the output keeps of each part of a run beside its row in the table of parts: plan, start,
 * trace, and exceptional events. Local, serial. False: HDF5 failed.
 */
#ifndef SPMD_OUTPUT_PART_FILE_H
#define SPMD_OUTPUT_PART_FILE_H

#include <hdf5.h>

#include "spmd/layout/trace_file.h"
#include "spmd/output/outputfile.h"

/* The group of the first part, with room for the names of what comes later; to be closed. */
hid_t part_file_group(hid_t file);
bool part_file_conditions(hid_t group, const struct conditions *here);
/* What the batch system gave, and room for what will have been used. */
bool part_file_usage(hid_t group, const struct run_request *requested);
/* The part begins that goes on for the `times`th time: everything has its place from now on. Where
 * the disk has no room for that, the part leaves nothing but its trace, in place of the first's. */
bool part_file_begin(hid_t file, const char *path, int64_t times, const struct part_info *info);
/* What ended it, of a part that keeps nothing else. */
bool part_file_halt(hid_t file, int64_t times, const char *why);
/* Where the trace of a part is until it is in the output. */
struct part_trace {
    const char *output; /* borrowed: the file is beside it (spmd/layout/trace_file.h) */
    struct trace_part part;
    bool cut; /* its end is missing */
};

/* It is over: its trace, and what was told meanwhile. *imported: the file beside the output is not
 * needed any more. */
bool part_file_end(hid_t file, const struct output_outcome *outcome, const struct part_trace *trace,
                   bool *imported);
/* The trace of a part that did not end so, if it has left one, and how far it came. */
bool part_file_import(hid_t file, const struct part_trace *trace, struct run_part *part);

#endif
