#include "planner/base/wrap.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { COLUMNS_LEAST = 40, COLUMNS_USUAL = 80, COLUMNS_MOST = 10000 };
/* The second column of a line begins at this offset at most, and keeps at least this width. */
enum { SECOND_COLUMN_MOST = 40, SECOND_COLUMN_LEAVES = 20 };

static long columns_wished(void)
{
    const char *word = getenv("COLUMNS");
    char *end = NULL;
    const long wished = word ? strtol(word, &end, 10) : 0;
    return word && *end == '\0' && wished > 0 && wished <= COLUMNS_MOST ? wished : 0;
}

static int columns_of_terminal(FILE *out)
{
    struct winsize size = {.ws_col = 0};
    return ioctl(fileno(out), TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

int wrap_columns(FILE *out, int shown)
{
    int columns = (int)columns_wished();
    if (columns == 0)
        columns = columns_of_terminal(out);
    if (columns == 0)
        columns = shown > 0 ? shown : COLUMNS_USUAL;
    return columns < COLUMNS_LEAST ? COLUMNS_LEAST : columns;
}

/* The indentation of continuation lines. */
static size_t indent_find(const char *line, size_t length, size_t columns)
{
    const size_t leading = strspn(line, " ");
    for (size_t at = leading; at + 2 < length && at < SECOND_COLUMN_MOST; at++) {
        if (strncmp(line + at, "  ", 2) != 0)
            continue;
        const size_t second = at + strspn(line + at, " ");
        if (second <= SECOND_COLUMN_MOST && second + SECOND_COLUMN_LEAVES <= columns)
            return second;
        break;
    }
    return leading + SECOND_COLUMN_LEAVES <= columns ? leading : 0;
}

/* The number of UTF-8 characters: all bytes except continuation bytes. */
static size_t characters(const char *bytes, size_t length)
{
    size_t count = 0;
    for (size_t k = 0; k < length; k++)
        count += ((unsigned char)bytes[k] & 0xc0) != 0x80;
    return count;
}

/* Wraps one line, given without its newline. Spaces between words are kept, except where the line
 * is broken. */
static void line_wrap(struct text *text, const char *line, size_t length, size_t columns)
{
    const size_t indent = indent_find(line, length, columns);
    size_t at = 0, column = 0;
    bool begun = false; /* is there a word in this line yet? */
    while (at < length) {
        const size_t gap = strspn(line + at, " ");
        if (at + gap >= length)
            break;
        const size_t word = strcspn(line + at + gap, " \n");
        const size_t wide = characters(line + at + gap, word);
        if (begun && column > indent && column + gap + wide > columns) {
            text_add(text, "\n%*s%.*s", (int)indent, "", (int)word, line + at + gap);
            column = indent + wide;
        } else {
            text_add(text, "%.*s", (int)(gap + word), line + at);
            column += gap + wide;
        }
        begun = true;
        at += gap + word;
    }
}

void wrap_add(struct text *text, const char *source, int columns)
{
    while (*source) {
        const size_t length = strcspn(source, "\n");
        line_wrap(text, source, length, (size_t)columns);
        source += length;
        if (*source == '\n') {
            text_add(text, "\n");
            source++;
        }
    }
}

bool wrap_print(struct text *text, const char *task, struct failure *failure)
{
    struct text wrapped = TEXT_INIT;
    wrap_add(&wrapped, text->bytes ? text->bytes : "", wrap_columns(stdout, 0));
    wrapped.failed = wrapped.failed || text->failed;
    text_release(text);
    return text_print(&wrapped, task, failure);
}
