/*
 * Asynchronous writing: a thread writes one batch of bytes to a file while the rank goes on and
 * collects the next batch. The thread calls neither MPI nor a core task: MPI is called by
 * one thread only, and core tasks are not affected. (MPI-IO's own non-blocking writes do not report
 * a failed write: ROMIO's requests then never complete.)
 */
#ifndef SPMD_OUTPUT_ASYNC_WRITER_H
#define SPMD_OUTPUT_ASYNC_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct async_writer;

/* The outcome of a batch. */
struct async_writer_outcome {
    double end_s; /* on clock_now: the last byte was written, or could not be */
    bool failed;
    int64_t task; /* if failed: the task of the bytes that could not be written */
};

/* All functions are local, and called by the thread that called async_writer_new. */

/* Writes to the file descriptor `file` (borrowed) by offset; allocates room for batches of `room`
 * bytes and touches its pages. NULL: out of memory, or no thread could be created. */
struct async_writer *async_writer_new(int file, size_t room);
/* Copy bytes into the next batch. They are written in this order, the last ones only after all
 * others have reached the file's server, if it has one. False: out of memory. */
bool async_writer_add(struct async_writer *writer, int64_t place, const void *bytes, int64_t size,
                      int64_t task);
/* Discard the next batch. */
void async_writer_drop(struct async_writer *writer);
/* Begin to write the next batch; no other batch may be in progress. A further one can be collected
 * from here on. */
void async_writer_begin(struct async_writer *writer);
/* Wait, at most most_s seconds, until no batch is in progress; true: there is none. *outcome is
 * that of the last batch. */
bool async_writer_await(struct async_writer *writer, double most_s,
                        struct async_writer_outcome *outcome);
/* Waits for the batch in progress. Sets *writer NULL. */
void async_writer_free(struct async_writer **writer);

#endif
