/*
 * A text file in pieces that follow one another, found once when it is opened, then read in any
 * order. For the readers alone: a span is a line with its end, or a sequence with its header.
 *
 * A file that is compressed (gzip, zstd) is unpacked once, into one without a name.
 *
 * Eight bytes of memory a span, or, where a reader can find spans again, at most 512 KiB and what
 * lies between two that are kept: the file is never in memory as a whole, nor mapped. Where it
 * shrinks while it is open, reading fails with a sentence.
 */
#ifndef SPMD_INPUT_SPANS_H
#define SPMD_INPUT_SPANS_H

#include "spmd/input/regular.h"

struct spans;

/* Add the spans that begin within these bytes, which follow the last ones or begin a span. */
typedef bool spans_find(struct spans *spans, const char *bytes, size_t size, int64_t offset,
                        struct failure *failure);

enum { SPANS_STARTS_MOST = 1 << 16 };

struct spans {
    char *name;
    FILE *stream;
    int64_t *starts; /* offsets of every `stride`-th span */
    size_t capacity;
    int64_t count, stride;
    int64_t last, end; /* offsets of the last span, and of what follows it */
    spans_find *again; /* finds spans between two that are kept; NULL: all are kept */
    bool inside;       /* the reader's: its place among bytes, false where a span begins */
    int64_t block;     /* whose spans are in `within`; -1: none's */
    int64_t *within;   /* offsets of its spans */
    int64_t within_count, within_end;
    int64_t next;        /* the span after the last one read */
    char *window;        /* a part of the file, for reading one span after the other */
    int64_t window_from; /* offset */
    size_t window_size;
    char *bytes; /* of the span last read */
    size_t bytes_capacity;
};

/* The next `size` bytes of the file, at `offset`. */
typedef bool spans_take(void *self, const char *bytes, size_t size, int64_t offset,
                        struct failure *failure);

/* Open, with nothing kept but `again`; *spans is to be released whatever the outcome. */
bool spans_init(struct spans *spans, const char *name, const struct regular_rule *rule,
                struct failure *failure);
/* Hand the whole file to `take`, piece by piece, which adds spans; what lies before the first one
 * is in none. The last one ends with the file. */
bool spans_scan(struct spans *spans, spans_take *take, void *self, struct failure *failure);
bool spans_add(struct spans *spans, int64_t start, struct failure *failure);
/* All bytes of one span and room for one more, which may be changed; spans' own until the next
 * call. NULL with *failure set. */
char *spans_read(struct spans *spans, int64_t index, size_t *size, struct failure *failure);
void spans_release(struct spans *spans);

#endif
