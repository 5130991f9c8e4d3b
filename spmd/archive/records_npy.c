/* The format of numpy's files: a header that says what a row is, then rows without gaps (NumPy
 * Enhancement Proposal 1, numpy.lib.format). Texts have one width, that of the longest. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/scow.h"
#include "spmd/archive/records.h"

enum { ALIGNMENT = 64, PREFIX = 10 };

/* The number of rows, and the widths of texts. */
struct widths {
    int64_t rows;
    size_t line, reason;
};

static bool is_little(void)
{
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 1;
}

static struct widths widths_find(struct records *records)
{
    struct widths widths = {0};
    struct record_row row;
    for (records_rewind(records); records_next(records, &row); widths.rows++) {
        widths.line = row.line && row.line_size > widths.line ? row.line_size : widths.line;
        widths.reason = row.reason_size > widths.reason ? row.reason_size : widths.reason;
    }
    records_rewind(records);
    return widths;
}

/* Adds a name as Python prints it. */
static void name_add(struct text *text, const char *name)
{
    text_add(text, "'");
    for (; *name; name++)
        text_add(text, "%s%c", *name == '\'' || *name == '\\' ? "\\" : "", *name);
    text_add(text, "'");
}

static void field_add(struct text *text, const struct record_field *field)
{
    static const char kinds[] = {[SCOW_U8] = 'u',  [SCOW_U16] = 'u', [SCOW_U32] = 'u',
                                 [SCOW_U64] = 'u', [SCOW_I32] = 'i', [SCOW_I64] = 'i',
                                 [SCOW_F32] = 'f', [SCOW_F64] = 'f', [SCOW_TEXT_BYTES] = 'S'};
    const bool bytes = field->type == SCOW_U8 || field->type == SCOW_TEXT_BYTES;
    text_add(text, ", (");
    name_add(text, field->name);
    text_add(text, ", '%s%c%zu'",
             bytes         ? "|"
             : is_little() ? "<"
                           : ">",
             kinds[field->type], field->size);
    if (field->count > 1)
        text_add(text, ", (%zu,)", field->count);
    text_add(text, ")");
}

static void text_column_add(struct text *text, const char *name, size_t width)
{
    if (width > 0)
        text_add(text, ", ('%s', '|S%zu')", name, width);
}

/* Owned; NULL: out of memory. */
static char *header_make(const struct records *records, const struct widths *widths)
{
    struct text text = TEXT_INIT;
    text_add(&text, "{'descr': [('task', '%si8')", is_little() ? "<" : ">");
    text_column_add(&text, "line", widths->line);
    text_add(&text, ", ('state', '|u1')");
    text_column_add(&text, "reason", widths->reason);
    for (int k = 0; k < records->field_count; k++)
        field_add(&text, &records->fields[k]);
    text_add(&text, "], 'fortran_order': False, 'shape': (%" PRId64 ",), }", widths->rows);
    while (!text.failed && (PREFIX + text.length + 1) % ALIGNMENT != 0)
        text_add(&text, " ");
    text_add(&text, "\n");
    return text_take(&text);
}

/* Version 1.0 has two bytes for the header's length, 2.0 four. */
static bool header_put(const char *header, FILE *out)
{
    const size_t size = strlen(header), longer = size > UINT16_MAX ? 2 : 0;
    const unsigned char prefix[PREFIX + 2] = {0x93,
                                              'N',
                                              'U',
                                              'M',
                                              'P',
                                              'Y',
                                              longer ? 2 : 1,
                                              0,
                                              (unsigned char)size,
                                              (unsigned char)(size >> 8),
                                              (unsigned char)(size >> 16),
                                              (unsigned char)(size >> 24)};
    return fwrite(prefix, 1, PREFIX + longer, out) == PREFIX + longer &&
           fwrite(header, 1, size, out) == size;
}

/* Pads with zeros. */
static bool text_put(const char *bytes, size_t size, size_t width, FILE *out)
{
    bool good = size == 0 || fwrite(bytes, 1, size, out) == size;
    for (size_t k = size; good && k < width; k++)
        good = putc(0, out) != EOF;
    return good;
}

static bool row_put(const struct records *records, const struct record_row *row,
                    const struct widths *widths, FILE *out)
{
    const int64_t number = row->task + 1;
    const size_t line = row->line && row->line_size < widths->line ? row->line_size : widths->line;
    return fwrite(&number, sizeof number, 1, out) == 1 &&
           text_put(row->line, row->line ? line : 0, widths->line, out) &&
           putc(row->failed ? 2 : 1, out) != EOF &&
           text_put(row->reason, row->reason_size, widths->reason, out) &&
           fwrite(row->bytes, 1, records->size, out) == records->size;
}

bool records_write_npy(struct records *records, FILE *out)
{
    const struct widths widths = widths_find(records);
    char *header = header_make(records, &widths);
    struct record_row row;
    bool good = header && header_put(header, out);
    while (good && records_next(records, &row))
        good = row_put(records, &row, &widths, out);
    free(header);
    return good;
}
