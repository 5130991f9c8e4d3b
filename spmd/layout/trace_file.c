#include "spmd/layout/trace_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#define XXH_STATIC_LINKING_ONLY /* its states on the stack */
#include <xxhash.h>

#include "planner/base/array.h"
#include "planner/base/own.h"
#include "spmd/layout/transfer.h"

static const char magic[8] = "scowtrac";
static const uint32_t order = 0x01020304;

/* ---- the format ---------------------------------------------------------------------------- */

char *trace_file_path(const char *output)
{
    static const char ending[] = ".trace";
    const size_t size = strlen(output) + sizeof ending;
    char *path = malloc(size);
    if (path)
        snprintf(path, size, "%s%s", output, ending);
    return path;
}

static uint64_t head_digest(const struct trace_file_head *head)
{
    const size_t before = offsetof(struct trace_file_head, order);
    return XXH3_64bits((const char *)head + before, sizeof *head - before);
}

void trace_file_head_fill(struct trace_file_head *head, const struct trace_part *part)
{
    memset(head, 0, sizeof *head);
    memcpy(head->magic, magic, sizeof head->magic);
    head->order = order;
    head->event_bytes = sizeof(struct trace_event);
    head->part = *part;
    head->digest = head_digest(head);
}

int64_t trace_file_block_bytes(const struct trace_file_block *block)
{
    if (block->count < 1 || block->count > TRACE_FILE_BLOCK_MOST)
        return -1;
    if (block->kind == TRACE_BLOCK_OF_EVENTS)
        return (int64_t)(block->count * sizeof(struct trace_event));
    if (block->kind == TRACE_BLOCK_OF_CORRECTIONS)
        return (int64_t)(block->count * sizeof(struct trace_correction));
    return -1;
}

uint64_t trace_file_block_digest(const struct trace_file_block *block, const void *bytes)
{
    XXH3_state_t state;
    XXH3_64bits_reset(&state);
    XXH3_64bits_update(&state, (const char *)block + sizeof block->digest,
                       sizeof *block - sizeof block->digest);
    XXH3_64bits_update(&state, bytes, (size_t)trace_file_block_bytes(block));
    return XXH3_64bits_digest(&state);
}

bool trace_file_is_ours(const char *path)
{
    static const char lost[sizeof magic]; /* what a power failure leaves */
    char there[sizeof magic];
    const int file = own_open(path, O_RDONLY);
    if (file < 0)
        return errno == ENOENT;
    const ssize_t size = pread(file, there, sizeof there, 0);
    close(file);
    return size >= 0 &&
           (memcmp(there, magic, (size_t)size) == 0 || memcmp(there, lost, (size_t)size) == 0);
}

/* ---- reading ------------------------------------------------------------------------------- */

static bool head_read(const struct trace_reader *reader, const struct trace_part *part)
{
    struct trace_file_head head;
    return transfer_read(reader->file, &head, sizeof head, 0) &&
           memcmp(head.magic, magic, sizeof magic) == 0 && head.digest == head_digest(&head) &&
           head.order == order && head.event_bytes == sizeof(struct trace_event) &&
           head.part.times == part->times &&
           (!(part->began_s > 0) || head.part.began_s == part->began_s);
}

/* The block at `place`, with what it has in reader->bytes. False: there is no whole one. */
static bool block_read(struct trace_reader *reader, int64_t place, struct trace_file_block *block)
{
    if (!transfer_read(reader->file, block, sizeof *block, place))
        return false;
    const int64_t size = trace_file_block_bytes(block);
    return size > 0 &&
           transfer_read(reader->file, reader->bytes, size, place + (int64_t)sizeof *block) &&
           trace_file_block_digest(block, reader->bytes) == block->digest;
}

/* False: out of memory. */
static bool corrections_add(struct trace_reader *reader, size_t count)
{
    const size_t all = reader->correction_count + count;
    struct trace_correction *corrections =
        array_reserve(reader->corrections, &reader->correction_capacity, all, sizeof *corrections);
    if (!corrections)
        return false;
    reader->corrections = corrections;
    memcpy(corrections + reader->correction_count, reader->bytes, count * sizeof *corrections);
    reader->correction_count = all;
    return true;
}

static int by_number(const void *a, const void *b)
{
    const int64_t x = ((const struct trace_correction *)a)->number;
    const int64_t y = ((const struct trace_correction *)b)->number;
    return (x > y) - (x < y);
}

/* How many events there are, and all corrections. False: out of memory. */
static bool blocks_scan(struct trace_reader *reader)
{
    struct trace_file_block block;
    int64_t place = sizeof(struct trace_file_head);
    while (block_read(reader, place, &block)) {
        if (block.kind == TRACE_BLOCK_OF_EVENTS && block.first == reader->count)
            reader->count += block.count;
        else if (block.kind != TRACE_BLOCK_OF_CORRECTIONS)
            break; /* of another trace */
        else if (!corrections_add(reader, block.count))
            return false;
        place += (int64_t)sizeof block + trace_file_block_bytes(&block);
    }
    char more;
    reader->end = place;
    reader->torn = transfer_read(reader->file, &more, 1, place);
    if (reader->correction_count > 0)
        qsort(reader->corrections, reader->correction_count, sizeof *reader->corrections,
              by_number);
    trace_reader_rewind(reader);
    return true;
}

bool trace_reader_open(struct trace_reader *reader, const char *output,
                       const struct trace_part *part, struct failure *failure)
{
    const size_t room = TRACE_FILE_BLOCK_MOST * sizeof(struct trace_correction);
    char *path = trace_file_path(output);
    *reader = (struct trace_reader){.file = path ? own_open(path, O_RDONLY) : -1};
    reader->bytes = malloc(room);
    bool good = path && reader->bytes;
    if (!good)
        failure_memory(failure, "reading a trace");
    free(path);
    good = good && reader->file >= 0 && head_read(reader, part);
    if (good && !blocks_scan(reader))
        good = failure_memory(failure, "reading a trace");
    if (!good)
        trace_reader_close(reader);
    return good;
}

void trace_reader_rewind(struct trace_reader *reader)
{
    reader->next = sizeof(struct trace_file_head);
    reader->number = 0;
    reader->held = reader->taken = 0;
    reader->corrected = 0;
}

/* The next block of events is at hand. False: there is none. */
static bool block_next(struct trace_reader *reader)
{
    struct trace_file_block block = {.kind = TRACE_BLOCK_OF_CORRECTIONS};
    while (block.kind == TRACE_BLOCK_OF_CORRECTIONS) {
        if (reader->next >= reader->end || !block_read(reader, reader->next, &block))
            return false;
        reader->next += (int64_t)sizeof block + trace_file_block_bytes(&block);
    }
    reader->held = block.count;
    reader->taken = 0;
    return true;
}

/* Those of the events that are handed out. */
static void corrections_apply(struct trace_reader *reader, struct trace_event *events,
                              int64_t count)
{
    for (; reader->corrected < reader->correction_count; reader->corrected++) {
        const struct trace_correction *correction = &reader->corrections[reader->corrected];
        const int64_t at = correction->number - reader->number;
        if (at >= count)
            return;
        if (at >= 0)
            events[at] = correction->event;
    }
}

int64_t trace_reader_next(struct trace_reader *reader, struct trace_event *events, int64_t most)
{
    int64_t count = 0;
    while (count < most && (reader->taken < reader->held || block_next(reader))) {
        const int64_t here = reader->held - reader->taken;
        const int64_t taken = here < most - count ? here : most - count;
        memcpy(events + count, reader->bytes + (size_t)reader->taken * sizeof *events,
               (size_t)taken * sizeof *events);
        reader->taken += taken;
        count += taken;
    }
    corrections_apply(reader, events, count);
    reader->number += count;
    return count;
}

void trace_reader_close(struct trace_reader *reader)
{
    if (reader->file >= 0)
        close(reader->file);
    free(reader->corrections);
    free(reader->bytes);
    *reader = (struct trace_reader){.file = -1};
}
