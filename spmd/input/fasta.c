/*
 * Sequences of a FASTA file (W. R. Pearson and D. J. Lipman, PNAS 85, 2444, 1988): a header '>' and
 * a name to the line's end, then letters over as many lines as there are. Letters are A to Z in
 * either case, kept as they are, '*' and '-'; white space among them does not count. Every letter
 * is looked at when the file is opened, so that a run does not end over one of the last.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "spmd/input/reader.h"
#include "spmd/input/spans.h"

enum { NAME_BYTES = 64 };

enum place { LINE_START, HEADER, LETTERS };

struct scan {
    struct spans *spans; /* one for each header so far */
    enum place place;
    int64_t line, header_line; /* from 1 */
    int64_t letters;           /* of the present sequence */
    char name[NAME_BYTES];     /* as much of it as sentences need */
    size_t name_length;
};

static bool is_letter(unsigned char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '*' || c == '-';
}

static bool is_space(unsigned char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* ---- what is refused ---- */

static bool refuse_emptiness(const struct scan *scan, struct failure *failure)
{
    return failure_set(failure, FAILURE_MISMATCH,
                       "sequence %" PRId64 " ('%s', line %" PRId64
                       ") of '%s' has no letters: add them, or take its header away",
                       scan->spans->count, scan->name, scan->header_line, scan->spans->name);
}

static bool refuse_zero(const struct scan *scan, struct failure *failure)
{
    return failure_set(failure, FAILURE_MISMATCH,
                       "line %" PRId64 " of '%s', the header of sequence %" PRId64
                       ", holds a zero byte: name a FASTA file, or copy it again",
                       scan->line, scan->spans->name, scan->spans->count);
}

static bool refuse_character(const struct scan *scan, unsigned char c, struct failure *failure)
{
    char shown[16];
    snprintf(shown, sizeof shown, c > ' ' && c < 127 ? "'%c'" : "byte 0x%02x", c);
    if (scan->spans->count == 0)
        return failure_set(failure, FAILURE_MISMATCH,
                           "line %" PRId64 " of '%s' has %s before the first header: name a FASTA "
                           "file, in which a sequence begins with a line of '>' and its name",
                           scan->line, scan->spans->name, shown);
    return failure_set(failure, FAILURE_MISMATCH,
                       "line %" PRId64 " of '%s', in sequence %" PRId64
                       " ('%s'), has %s among its letters: only A to Z, a to z, '*' and '-' may "
                       "stand there",
                       scan->line, scan->spans->name, scan->spans->count, scan->name, shown);
}

/* ---- finding headers ---- */

static bool sequence_begin(struct scan *scan, int64_t offset, struct failure *failure)
{
    if (scan->spans->count > 0 && scan->letters == 0)
        return refuse_emptiness(scan, failure);
    scan->place = HEADER;
    scan->header_line = scan->line;
    scan->letters = 0;
    scan->name[0] = '\0';
    scan->name_length = 0;
    return spans_add(scan->spans, offset, failure);
}

/* A name is cut for sentences, never within a character of UTF-8. */
static void name_add(struct scan *scan, char c)
{
    size_t length = scan->name_length;
    if (length == NAME_BYTES)
        return;
    if (length + 1 == NAME_BYTES) {
        while (length > 0 && ((unsigned char)c & 0xc0) == 0x80)
            c = scan->name[--length];
        scan->name[length] = '\0';
        scan->name_length = NAME_BYTES;
        return;
    }
    scan->name[length] = (char)(iscntrl((unsigned char)c) ? ' ' : c);
    scan->name[length + 1] = '\0';
    scan->name_length = length + 1;
}

static void name_end(struct scan *scan)
{
    size_t length = strlen(scan->name);
    while (length > 0 && scan->name[length - 1] == ' ')
        scan->name[--length] = '\0';
}

static bool header_take(struct scan *scan, char c, struct failure *failure)
{
    if (c == '\0')
        return refuse_zero(scan, failure);
    if (c != '\n') {
        name_add(scan, c);
        return true;
    }
    name_end(scan);
    scan->place = LINE_START;
    scan->line++;
    return true;
}

/* A character outside of headers. */
static bool text_take(struct scan *scan, char c, int64_t offset, struct failure *failure)
{
    if (c == '\n') {
        scan->place = LINE_START;
        scan->line++;
    } else if (c == '>' && scan->place == LINE_START) {
        return sequence_begin(scan, offset, failure);
    } else if (is_letter((unsigned char)c) && scan->spans->count > 0) {
        scan->place = LETTERS;
        scan->letters++;
    } else if (is_space((unsigned char)c)) {
        scan->place = LETTERS;
    } else {
        return refuse_character(scan, (unsigned char)c, failure);
    }
    return true;
}

static bool fasta_take(void *self, const char *bytes, size_t size, int64_t offset,
                       struct failure *failure)
{
    struct scan *scan = self;
    bool good = true;
    for (size_t i = 0; good && i < size; i++) {
        size_t first = i;
        while (scan->place == LETTERS && scan->spans->count > 0 && i < size &&
               is_letter((unsigned char)bytes[i]))
            i++;
        scan->letters += (int64_t)(i - first);
        if (i == size)
            break;
        if (scan->place == HEADER)
            good = header_take(scan, bytes[i], failure);
        else
            good = text_take(scan, bytes[i], offset + (int64_t)i, failure);
    }
    return good;
}

static bool fasta_find(struct spans *spans, struct failure *failure)
{
    struct scan scan = {.spans = spans, .place = LINE_START, .line = 1};
    if (!spans_scan(spans, fasta_take, &scan, failure))
        return false;
    if (spans->count == 0)
        return failure_set(failure, FAILURE_MISMATCH,
                           "'%s' holds no sequences but white space alone: name a FASTA file",
                           spans->name);
    name_end(&scan);
    return scan.letters > 0 || refuse_emptiness(&scan, failure);
}

static void fasta_close(void *self)
{
    if (!self)
        return;
    spans_release(self);
    free(self);
}

static bool fasta_open(const char *name, struct scow_input *shape, void **self,
                       struct failure *failure)
{
    static const struct regular_rule rule = {"the sequences", "a FASTA file",
                                             .may_be_empty = false};
    struct spans *spans = malloc(sizeof *spans);
    if (!spans)
        return failure_memory(failure, "opening the input");
    if (!spans_init(spans, name, &rule, failure) || !fasta_find(spans, failure)) {
        fasta_close(spans);
        return false;
    }
    shape->extent[0] = spans->count;
    *self = spans;
    return true;
}

/* ---- reading ---- */

/* Close up the letters, ended by a zero, for which there is room; -1: there are none, or something
 * else is among them. */
static int64_t letters_gather(char *bytes, size_t size)
{
    size_t letters = 0;
    for (size_t i = 0; i < size; i++) {
        if (is_letter((unsigned char)bytes[i]))
            bytes[letters++] = bytes[i];
        else if (!is_space((unsigned char)bytes[i]))
            return -1;
    }
    bytes[letters] = '\0';
    return letters > 0 ? (int64_t)letters : -1;
}

static bool fasta_read(void *self, int64_t index, struct scow_item *item, struct failure *failure)
{
    struct spans *spans = self;
    size_t size;
    char *bytes = spans_read(spans, index, &size, failure);
    if (!bytes)
        return false;
    char *end = bytes[0] == '>' ? memchr(bytes, '\n', size) : NULL;
    if (!end || memchr(bytes, 0, (size_t)(end - bytes)))
        return regular_changed(spans->name, failure);
    int64_t letters = letters_gather(end + 1, size - (size_t)(end + 1 - bytes));
    if (letters < 0)
        return regular_changed(spans->name, failure);
    char *letters_at = end + 1;
    while (end > bytes + 1 && is_space((unsigned char)end[-1]))
        end--;
    *end = '\0';
    *item = (struct scow_item){.bytes = letters_at, .size = (size_t)letters, .name = bytes + 1};
    return true;
}

const struct input_reader input_sequences = {.kind = SCOW_INPUT_SEQUENCES,
                                             .open = fasta_open,
                                             .read_item = fasta_read,
                                             .close = fasta_close};
