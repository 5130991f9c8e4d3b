#include "spmd/layout/trace_file.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#define XXH_STATIC_LINKING_ONLY /* needed to have its states on the stack */
#include <xxhash.h>

#include "planner/base/array.h"
#include "planner/base/own.h"
#include "spmd/layout/transfer.h"

static const char magic[8] = "scowtrac";
static const uint32_t order = 0x01020304;

/* ---- the format ---------------------------------------------------------------------------- */

char *trace_file_path(const char *output, int master)
{
    static const char ending[] = ".trace";
    char number[16] = "";
    if (master > 0)
        snprintf(number, sizeof number, ".%d", master);
    const size_t size = strlen(output) + sizeof ending + strlen(number);
    char *path = malloc(size);
    if (path)
        snprintf(path, size, "%s%s%s", output, ending, number);
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
    static const char lost[sizeof magic]; /* zeros, as a power failure may leave */
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

static bool head_read(const struct trace_stream *stream, const struct trace_part *part)
{
    struct trace_file_head head;
    return transfer_read(stream->file, &head, sizeof head, 0) &&
           memcmp(head.magic, magic, sizeof magic) == 0 && head.digest == head_digest(&head) &&
           head.order == order && head.event_bytes == sizeof(struct trace_event) &&
           head.part.times == part->times &&
           (!(part->began_s > 0) || head.part.began_s == part->began_s);
}

/* Reads the block at `place`, with its contents in stream->bytes. False: there is no complete
 * one. */
static bool block_read(struct trace_stream *stream, int64_t place, struct trace_file_block *block)
{
    if (!transfer_read(stream->file, block, sizeof *block, place))
        return false;
    const int64_t size = trace_file_block_bytes(block);
    return size > 0 &&
           transfer_read(stream->file, stream->bytes, size, place + (int64_t)sizeof *block) &&
           trace_file_block_digest(block, stream->bytes) == block->digest;
}

/* False: out of memory. */
static bool corrections_add(struct trace_stream *stream, size_t count)
{
    const size_t all = stream->correction_count + count;
    struct trace_correction *corrections =
        array_reserve(stream->corrections, &stream->correction_capacity, all, sizeof *corrections);
    if (!corrections)
        return false;
    stream->corrections = corrections;
    memcpy(corrections + stream->correction_count, stream->bytes, count * sizeof *corrections);
    stream->correction_count = all;
    return true;
}

static int by_number(const void *a, const void *b)
{
    const int64_t x = ((const struct trace_correction *)a)->number;
    const int64_t y = ((const struct trace_correction *)b)->number;
    return (x > y) - (x < y);
}

/* Begins again with the first event. */
static void stream_rewind(struct trace_stream *stream)
{
    stream->next = sizeof(struct trace_file_head);
    stream->number = 0;
    stream->held = stream->taken = 0;
    stream->corrected = 0;
}

/* Counts the events, and reads all corrections. False: out of memory. */
static bool blocks_scan(struct trace_stream *stream)
{
    struct trace_file_block block;
    int64_t place = sizeof(struct trace_file_head);
    while (block_read(stream, place, &block)) {
        if (block.kind == TRACE_BLOCK_OF_EVENTS && block.first == stream->count)
            stream->count += block.count;
        else if (block.kind != TRACE_BLOCK_OF_CORRECTIONS)
            break; /* a block of another trace */
        else if (!corrections_add(stream, block.count))
            return false;
        place += (int64_t)sizeof block + trace_file_block_bytes(&block);
    }
    char more;
    stream->end = place;
    stream->torn = transfer_read(stream->file, &more, 1, place);
    if (stream->correction_count > 0)
        qsort(stream->corrections, stream->correction_count, sizeof *stream->corrections,
              by_number);
    stream_rewind(stream);
    return true;
}

static void stream_close(struct trace_stream *stream)
{
    if (stream->file >= 0)
        close(stream->file);
    free(stream->corrections);
    free(stream->bytes);
    *stream = (struct trace_stream){.file = -1};
}

/* False: it belongs to another part (failure->code is FAILURE_NONE), or out of memory; it is then
 * closed. */
static bool stream_open(struct trace_stream *stream, int file, const struct trace_part *part,
                        struct failure *failure)
{
    const size_t room = TRACE_FILE_BLOCK_MOST * sizeof(struct trace_correction);
    *stream = (struct trace_stream){.file = file, .bytes = malloc(room)};
    bool good = stream->bytes || failure_memory(failure, "reading a trace");
    good = good && head_read(stream, part);
    if (good && !blocks_scan(stream))
        good = failure_memory(failure, "reading a trace");
    if (!good)
        stream_close(stream);
    return good;
}

/* Reads the next block of events. False: there is none. */
static bool block_next(struct trace_stream *stream)
{
    struct trace_file_block block = {.kind = TRACE_BLOCK_OF_CORRECTIONS};
    while (block.kind == TRACE_BLOCK_OF_CORRECTIONS) {
        if (stream->next >= stream->end || !block_read(stream, stream->next, &block))
            return false;
        stream->next += (int64_t)sizeof block + trace_file_block_bytes(&block);
    }
    stream->held = block.count;
    stream->taken = 0;
    return true;
}

/* Applies the corrections of the events that are handed out. */
static void corrections_apply(struct trace_stream *stream, struct trace_event *events,
                              int64_t count)
{
    for (; stream->corrected < stream->correction_count; stream->corrected++) {
        const struct trace_correction *correction = &stream->corrections[stream->corrected];
        const int64_t at = correction->number - stream->number;
        if (at >= count)
            return;
        if (at >= 0)
            events[at] = correction->event;
    }
}

static int64_t stream_next(struct trace_stream *stream, struct trace_event *events, int64_t most)
{
    int64_t count = 0;
    while (count < most && (stream->taken < stream->held || block_next(stream))) {
        const int64_t here = stream->held - stream->taken;
        const int64_t taken = here < most - count ? here : most - count;
        memcpy(events + count, stream->bytes + (size_t)stream->taken * sizeof *events,
               (size_t)taken * sizeof *events);
        stream->taken += taken;
        count += taken;
    }
    corrections_apply(stream, events, count);
    stream->number += count;
    return count;
}

/* ---- several masters ------------------------------------------------------------------------ */

/* With several masters, so many events of one are read before it is seen whose event is the
 * next. */
enum { TURN_MOST = 256 };

/* False: out of memory. */
static bool stream_add(struct trace_reader *reader, int file, const struct trace_part *part,
                       struct failure *failure)
{
    struct trace_stream *streams =
        realloc(reader->streams, ((size_t)reader->stream_count + 1) * sizeof *streams);
    if (!streams) {
        close(file);
        return failure_memory(failure, "reading a trace");
    }
    reader->streams = streams;
    struct trace_stream *stream = &streams[reader->stream_count];
    if (stream_open(stream, file, part, failure)) {
        reader->stream_count++;
        reader->count += stream->count;
        reader->torn = reader->torn || stream->torn;
    }
    return failure->code == FAILURE_NONE;
}

bool trace_reader_open(struct trace_reader *reader, const char *output,
                       const struct trace_part *part, struct failure *failure)
{
    bool good = true;
    *reader = (struct trace_reader){.streams = NULL};
    for (int master = 0, file = 0; good && file >= 0; master++) {
        char *path = trace_file_path(output, master);
        good = path || failure_memory(failure, "reading a trace");
        file = path ? own_open(path, O_RDONLY) : -1;
        free(path);
        if (file >= 0)
            good = stream_add(reader, file, part, failure);
    }
    if (good && reader->stream_count > 0)
        return true;
    trace_reader_close(reader);
    return false;
}

void trace_reader_rewind(struct trace_reader *reader)
{
    for (int k = 0; k < reader->stream_count; k++)
        stream_rewind(&reader->streams[k]);
}

/* When its next event began; HUGE_VAL: it has none. */
static double stream_time_s(struct trace_stream *stream)
{
    struct trace_event event;
    if (stream->taken >= stream->held && !block_next(stream))
        return HUGE_VAL;
    memcpy(&event, stream->bytes + (size_t)stream->taken * sizeof event, sizeof event);
    return event.start_s;
}

/* The stream whose next event began first. */
static struct trace_stream *stream_first(struct trace_reader *reader)
{
    struct trace_stream *first = &reader->streams[0];
    double first_s = stream_time_s(first);
    for (int k = 1; k < reader->stream_count; k++) {
        const double next_s = stream_time_s(&reader->streams[k]);
        if (!(next_s < first_s))
            continue;
        first = &reader->streams[k];
        first_s = next_s;
    }
    return first;
}

int64_t trace_reader_next(struct trace_reader *reader, struct trace_event *events, int64_t most)
{
    int64_t count = 0, taken = 1;
    if (reader->stream_count == 1)
        return stream_next(reader->streams, events, most);
    while (count < most && taken > 0) {
        const int64_t here = most - count < TURN_MOST ? most - count : TURN_MOST;
        taken = stream_next(stream_first(reader), events + count, here);
        count += taken;
    }
    return count;
}

void trace_reader_close(struct trace_reader *reader)
{
    for (int k = 0; k < reader->stream_count; k++)
        stream_close(&reader->streams[k]);
    free(reader->streams);
    *reader = (struct trace_reader){.streams = NULL};
}
