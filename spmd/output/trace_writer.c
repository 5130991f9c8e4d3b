#include "spmd/output/trace_writer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "planner/base/own.h"
#include "spmd/layout/transfer.h"

/* Events are in the file within this time, as long as the master is not busy. */
static const double every_s = 1;

/* ---- the file ------------------------------------------------------------------------------- */

/* The rest of the run is not traced. */
static void writer_give_up(struct trace_writer *writer, int reason)
{
    fprintf(stderr,
            "%s: %s: cannot be written (%s): the run goes on, without a report of what follows\n",
            writer->command, writer->path ? writer->path : "the trace", strerror(reason));
    if (writer->file >= 0)
        close(writer->file);
    writer->file = -1;
}

/* Negative, with errno set. */
static int file_make(const char *path)
{
    if (!trace_file_is_ours(path)) {
        errno = EEXIST;
        return -1;
    }
    if (unlink(path) != 0 && errno != ENOENT)
        return -1;
    return own_make(path);
}

static void bytes_append(struct trace_writer *writer, const void *bytes, size_t size)
{
    if (transfer_write(writer->file, bytes, (int64_t)size, writer->end))
        writer->end += (int64_t)size;
    else
        writer_give_up(writer, errno);
}

/* Appends one block, with what follows its head. */
static void block_append(struct trace_writer *writer, struct trace_file_block *block)
{
    block->digest = trace_file_block_digest(block, block + 1);
    bytes_append(writer, block, sizeof *block + (size_t)trace_file_block_bytes(block));
}

/* ---- events --------------------------------------------------------------------------------- */

/* Writes the events of this block, and begins the next one. */
static void events_write(struct trace_writer *writer)
{
    struct trace_file_block *block = writer->block;
    if (writer->file >= 0 && block->count > 0)
        block_append(writer, block);
    block->first += block->count;
    block->count = 0;
}

/* Removes the files of masters from that number on. */
static void files_remove(const char *output, int master)
{
    for (bool there = true; there; master++) {
        char *path = trace_file_path(output, master);
        there = path && trace_file_is_ours(path) && unlink(path) == 0;
        free(path);
    }
}

void trace_writer_beside(struct trace_writer *writer, const char *output, int master,
                         const char *command, const struct trace_part *part)
{
    const size_t room = TRACE_FILE_BLOCK_MOST * sizeof(struct trace_event);
    struct trace_file_head head;
    trace_file_head_fill(&head, part);
    *writer = (struct trace_writer){
        .command = command, .path = trace_file_path(output, master), .file = -1};
    writer->block = malloc(sizeof *writer->block + room);
    if (!writer->path || !writer->block) {
        writer_give_up(writer, ENOMEM);
        return;
    }
    *writer->block = (struct trace_file_block){.kind = TRACE_BLOCK_OF_EVENTS};
    writer->file = file_make(writer->path);
    if (writer->file < 0)
        writer_give_up(writer, errno);
    else
        bytes_append(writer, &head, sizeof head);
}

void trace_writer_begin(struct trace_writer *writer, const char *output, const char *command,
                        const struct trace_part *part)
{
    files_remove(output, 1);
    trace_writer_beside(writer, output, 0, command, part);
}

void trace_writer_add(struct trace_writer *writer, const struct trace_event *event)
{
    struct trace_file_block *block = writer->block;
    if (writer->file < 0)
        return;
    if (block->count == TRACE_FILE_BLOCK_MOST)
        events_write(writer);
    ((struct trace_event *)(void *)(block + 1))[block->count++] = *event;
}

void trace_writer_correct(struct trace_writer *writer, const struct trace_correction *corrections,
                          int count)
{
    struct {
        struct trace_file_block head;
        struct trace_correction corrections[TRACE_CORRECTIONS_MOST];
    } block = {.head = {.kind = TRACE_BLOCK_OF_CORRECTIONS, .count = (uint32_t)count}};
    if (writer->file < 0 || count == 0)
        return;
    events_write(writer);
    memcpy(block.corrections, corrections, (size_t)count * sizeof *corrections);
    if (writer->file >= 0)
        block_append(writer, &block.head);
}

void trace_writer_tick(struct trace_writer *writer, double now_s)
{
    if (now_s < writer->due_s || writer->file < 0)
        return;
    events_write(writer);
    writer->due_s = now_s + every_s;
}

bool trace_writer_end(struct trace_writer *writer)
{
    bool whole = writer->file >= 0;
    if (whole)
        events_write(writer);
    whole = writer->file >= 0;
    if (whole && close(writer->file) != 0) {
        writer->file = -1;
        writer_give_up(writer, errno);
        whole = false;
    }
    free(writer->block);
    free(writer->path);
    *writer = (struct trace_writer){.file = -1};
    return whole;
}

void trace_writer_remove(const char *output)
{
    files_remove(output, 0);
    files_remove(output, 1); /* even if the first one is missing */
}
