/*
 * Bytes that go to a file while their rank does something else: a thread of their own writes one
 * batch of them, while the next one is put together. It calls neither MPI nor a core task, so that
 * MPI_THREAD_FUNNELED is enough, and a core task need not know of it. (MPI-IO's own way, requests
 * of MPI_File_iwrite_at, does not tell of a write that fails: ROMIO's never end then.)
 */
#ifndef SPMD_OUTPUT_ASYNC_WRITER_H
#define SPMD_OUTPUT_ASYNC_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct async_writer;

/* What became of a batch. */
struct async_writer_outcome {
    double end_s; /* on clock_now: the last byte was written, or could not be */
    bool failed;
    int64_t task; /* then: the one named with the bytes that could not be written */
};

/* All local, and by the thread that called behind_new. */

/* Writes to that descriptor, borrowed, at places of its own, with room for batches of that many
 * bytes, whose pages are there. NULL: out of memory, or no thread can be had. */
struct async_writer *async_writer_new(int file, size_t room);
/* Copies bytes into the batch that is being put together. They are written in this order; the last
 * ones only when all before them are with the file's server, if it has one. False: out of memory.
 */
bool async_writer_add(struct async_writer *writer, int64_t place, const void *bytes, int64_t size,
                      int64_t task);
/* The batch that is being put together is not to be written. */
void async_writer_drop(struct async_writer *writer);
/* It is. No other batch may be under way; from here on another one can be put together. */
void async_writer_begin(struct async_writer *writer);
/* Is no batch under way any more? Waits for that, at most so many seconds. *outcome is that of the
 * batch begun last. */
bool async_writer_await(struct async_writer *writer, double most_s,
                        struct async_writer_outcome *outcome);
/* When what is under way is over. Sets *behind NULL. */
void async_writer_free(struct async_writer **writer);

#endif
