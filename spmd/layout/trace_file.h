/*
 * The trace of a part of a run while the run goes on: OUT.h5.trace, a file beside its output. The
 * master appends blocks of events to it (spmd/output/trace_writer.h), and so needs memory for one
 * of them only, and leaves the trace of a part that is killed. When the part has ended, or another
 * one goes on with the run, the events are copied into the output and the file is removed.
 *
 * A head says which part it is of. Each block has a digest; a block that is not whole ends the
 * trace. When a worker has begun its first package is known later, from a later one: then a block
 * of corrections follows, of events that have been written before.
 *
 * Where several masters are side by side, each has such a file, OUT.h5.trace.1 that of the second
 * one, and who reads them reads all of them as one.
 *
 * Only the machines that write it read it, so everything is as it is in memory. Local, serial.
 */
#ifndef SPMD_LAYOUT_TRACE_FILE_H
#define SPMD_LAYOUT_TRACE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "planner/base/failure.h"
#include "planner/model/trace.h"

/* Which part of which run: of the one that went on for the `times`th time, and when it began. */
struct trace_part {
    int64_t times;
    double began_s; /* as in struct run_part; for readers, 0: not known */
};

struct trace_file_head {
    char magic[8];
    uint64_t digest; /* XXH3-64 of what follows */
    uint32_t order;  /* of the machine's bytes */
    uint32_t event_bytes;
    struct trace_part part;
};

enum trace_block_kind { TRACE_BLOCK_OF_EVENTS = 1, TRACE_BLOCK_OF_CORRECTIONS };

struct trace_file_block {
    uint64_t digest; /* XXH3-64 of the rest of this, and of what follows it */
    uint32_t kind, count;
    int64_t first; /* the number of its first event in the trace; of corrections 0 */
};

/* In place of the event of that number. */
struct trace_correction {
    int64_t number;
    struct trace_event event;
};

/* Events or corrections of a block at most. */
enum { TRACE_FILE_BLOCK_MOST = 4096 };

/* Of the master of that number, from 0. Owned; NULL: out of memory. */
char *trace_file_path(const char *output, int master);
void trace_file_head_fill(struct trace_file_head *head, const struct trace_part *part);
/* Of a block with `bytes` after its head. */
uint64_t trace_file_block_digest(const struct trace_file_block *block, const void *bytes);
/* Bytes after the head of a block; negative: no block can be like that. */
int64_t trace_file_block_bytes(const struct trace_file_block *block);

/* One such file, whose events are read in the order in which they were written, corrections in
 * place. */
struct trace_stream {
    int file;      /* owned */
    int64_t count; /* events that there are */
    bool torn;     /* what follows the last block is no whole one */
    /* The rest is its own. */
    struct trace_correction *corrections; /* owned; ascending by number */
    size_t correction_count, correction_capacity, corrected;
    char *bytes;         /* owned: of the block at hand */
    int64_t held, taken; /* its events, and those of them that are handed out */
    int64_t end, next;   /* of all whole blocks; the place of the one that is read next */
    int64_t number;      /* of the event that is handed out next */
};

/* Who reads the events of one part, those of each master in the order in which it wrote them, and
 * of several masters about in the order of time. */
struct trace_reader {
    struct trace_stream *streams; /* owned; one a master */
    int stream_count;
    int64_t count; /* events that there are */
    bool torn;     /* of some master, what follows the last block is no whole one */
};

/* False: the output has no such file, or that is of another part (failure->code is FAILURE_NONE),
 * or there is no memory. To be closed where it is true. */
bool trace_reader_open(struct trace_reader *reader, const char *output,
                       const struct trace_part *part, struct failure *failure);
/* The next ones, at most so many. 0: there are no more. */
int64_t trace_reader_next(struct trace_reader *reader, struct trace_event *events, int64_t most);
/* From the first event again. */
void trace_reader_rewind(struct trace_reader *reader);
void trace_reader_close(struct trace_reader *reader);

/* May whoever writes a trace replace the file of that name? It is one, whole or not, or nothing has
 * that name. */
bool trace_file_is_ours(const char *path);

#endif
