/*
 * The master's trace into the file beside the output (spmd/layout/trace_file.h) while the run goes
 * on. It never makes a run fail: where it cannot be written, one sentence says so, and the trace
 * ends there. Local to the master.
 */
#ifndef SPMD_OUTPUT_TRACE_WRITER_H
#define SPMD_OUTPUT_TRACE_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "spmd/layout/trace_file.h"

/* At a time: the events of one package. */
enum { TRACE_CORRECTIONS_MOST = OPERATION_COUNT };

struct trace_writer {
    const char *command;            /* borrowed: that the user gave, for sentences */
    char *path;                     /* owned */
    int file;                       /* owned; negative: nothing is written (any more) */
    struct trace_file_block *block; /* owned: being filled, its events after it */
    int64_t end;                    /* of what is written, bytes from the file's start */
    double due_s;                   /* when what there is is to be written */
};

/* A file of its own, in place of what a run which was killed has left. */
void trace_writer_begin(struct trace_writer *writer, const char *output, const char *command,
                        const struct trace_part *part);
/* The same of another master of that run, from 1, when the first one has begun. */
void trace_writer_beside(struct trace_writer *writer, const char *output, int master,
                         const char *command, const struct trace_part *part);
/* One more event; their numbers are those of their order, from 0. */
void trace_writer_add(struct trace_writer *writer, const struct trace_event *event);
/* In place of events that were added before. */
void trace_writer_correct(struct trace_writer *writer, const struct trace_correction *corrections,
                          int count);
/* Called often, with the time on one clock: what there is is written every second. */
void trace_writer_tick(struct trace_writer *writer, double now_s);
/* All is written, and the file stays, to be copied into the output. False: some of it is missing.
 */
bool trace_writer_end(struct trace_writer *writer);
/* The files beside that output go, whoever has written them, if they are traces. */
void trace_writer_remove(const char *output);

#endif
