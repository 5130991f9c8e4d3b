/*
 * A text file in pieces that follow one another, found once when it is opened, then read in any
 * order. For the readers alone: a span is a line with its end, or a sequence with its header.
 *
 * Eight bytes of memory a span; the file is never in memory as a whole, nor mapped: where it
 * shrinks while it is open, reading fails with a sentence.
 */
#ifndef SPMD_INPUT_SPANS_H
#define SPMD_INPUT_SPANS_H

#include "spmd/input/regular.h"

struct spans {
    char *name;
    FILE *stream;
    int64_t *starts; /* offset of each span, and of what follows the last */
    int64_t count;
    size_t capacity;
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

/* Open; *spans is to be released whatever the outcome. */
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
