/* Records as lines of text. Comma-separated values follow RFC 4180, but for line ends, which are
 * LF; a tab-separated value has \t, \n, \r and \\ for what would end it. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernel/command/kept.h"
#include "kernel/scow.h"
#include "planner/base/array.h"
#include "planner/base/own.h"
#include "spmd/archive/records.h"

/* Text is written once there is so much of it. */
enum { FLUSH_BYTES = 1 << 16 };

struct table {
    struct records *records;
    enum records_format format;
    FILE *out;
    struct text text;
    char *scratch; /* owned; a text made UTF-8 */
    size_t room;
};

static bool table_flush(struct table *table, size_t least)
{
    struct text *text = &table->text;
    if (text->failed)
        return false;
    if (text->length <= least)
        return true;
    const bool good = fwrite(text->bytes, 1, text->length, table->out) == text->length;
    text->length = 0;
    return good;
}

/* ---- values -------------------------------------------------------------------------------- */

/* The shortest decimal that reads back as the same float. */
static void float_add(struct text *text, float value)
{
    char digits[24];
    for (int precision = 6; precision <= 9; precision++) {
        snprintf(digits, sizeof digits, "%.*g", precision, (double)value);
        if (strtof(digits, NULL) == value)
            break;
    }
    text_add(text, "%s", digits);
}

/* Prints a value that JSON has no number for. */
static void odd_add(struct table *table, double value)
{
    text_add(&table->text, "%s",
             table->format == RECORDS_JSONL ? "null"
             : isnan(value)                 ? "nan"
             : value > 0                    ? "inf"
                                            : "-inf");
}

static void real_add(struct table *table, int type, const char *bytes)
{
    float single = 0;
    double value = 0;
    memcpy(type == SCOW_F32 ? (void *)&single : &value, bytes, type == SCOW_F32 ? 4 : 8);
    if (!isfinite(type == SCOW_F32 ? (double)single : value))
        odd_add(table, type == SCOW_F32 ? (double)single : value);
    else if (type == SCOW_F32)
        float_add(&table->text, single);
    else
        text_add_number(&table->text, value);
}

#define WHOLE_ADD(type, format)                                                                    \
    do {                                                                                           \
        type whole;                                                                                \
        memcpy(&whole, bytes, sizeof whole);                                                       \
        text_add(&table->text, "%" format, whole);                                                 \
    } while (0)

static void number_add(struct table *table, int type, const char *bytes)
{
    switch ((enum scow_type)type) {
    case SCOW_U8:
        WHOLE_ADD(uint8_t, PRIu8);
        break;
    case SCOW_U16:
        WHOLE_ADD(uint16_t, PRIu16);
        break;
    case SCOW_U32:
        WHOLE_ADD(uint32_t, PRIu32);
        break;
    case SCOW_U64:
        WHOLE_ADD(uint64_t, PRIu64);
        break;
    case SCOW_I32:
        WHOLE_ADD(int32_t, PRId32);
        break;
    case SCOW_I64:
        WHOLE_ADD(int64_t, PRId64);
        break;
    case SCOW_F32:
    case SCOW_F64:
        real_add(table, type, bytes);
        break;
    case SCOW_NONE:
    case SCOW_TEXT_BYTES:
        break;
    }
}

/* ---- texts --------------------------------------------------------------------------------- */

static void bytes_add(struct text *text, const char *bytes, size_t size)
{
    text_add(text, "%.*s", (int)size, bytes);
}

static void csv_add(struct text *text, const char *bytes, size_t size)
{
    size_t plain = 0;
    while (plain < size && !strchr(",\"\r\n", bytes[plain]))
        plain++;
    if (plain == size) {
        bytes_add(text, bytes, size);
        return;
    }
    text_add(text, "\"");
    for (size_t from = 0; from < size;) {
        const char *quote = memchr(bytes + from, '"', size - from);
        const size_t end = quote ? (size_t)(quote - bytes) + 1 : size;
        bytes_add(text, bytes + from, end - from);
        text_add(text, "%s", quote ? "\"" : "");
        from = end;
    }
    text_add(text, "\"");
}

static void tsv_add(struct text *text, const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        const char c = bytes[i];
        if (c == '\t' || c == '\n' || c == '\r' || c == '\\')
            text_add(text, "\\%c", c == '\t' ? 't' : c == '\n' ? 'n' : c == '\r' ? 'r' : c);
        else
            text_add(text, "%c", c);
    }
}

/* Adds text up to a zero byte, as UTF-8. */
static void words_add(struct table *table, const char *bytes, size_t size)
{
    char *scratch = array_reserve(table->scratch, &table->room, size + 1, 1);
    if (!scratch) {
        table->text.failed = true;
        return;
    }
    table->scratch = scratch;
    size = strnlen(bytes, size);
    memcpy(scratch, bytes, size);
    scratch[size] = '\0';
    if (table->format == RECORDS_CSV) {
        csv_add(&table->text, scratch, size);
    } else if (table->format == RECORDS_TSV) {
        tsv_add(&table->text, scratch, size);
    } else {
        kept_clean(scratch, size, size + 1, true);
        text_add_quoted(&table->text, scratch);
    }
}

/* ---- rows ---------------------------------------------------------------------------------- */

static char separator(const struct table *table)
{
    return table->format == RECORDS_TSV ? '\t' : ',';
}

/* Several numbers of one field are columns of their own: NAME[0], NAME[1], ... */
static void heading_add(struct table *table)
{
    const struct records *records = table->records;
    const char c = separator(table);
    text_add(&table->text, "task%s%cstate%creason",
             !records->items ? ""
             : c == ','      ? ",line"
                             : "\tline",
             c, c);
    for (int k = 0; k < records->field_count; k++) {
        const struct record_field *field = &records->fields[k];
        for (size_t i = 0; i < field->count; i++) {
            text_add(&table->text, "%c", c);
            words_add(table, field->name, strlen(field->name));
            if (field->count > 1)
                text_add(&table->text, "[%zu]", i);
        }
    }
    text_add(&table->text, "\n");
}

/* `between` separates the numbers of one field. */
static void field_add(struct table *table, const struct record_field *field, const char *bytes,
                      const char *between)
{
    if (field->type == SCOW_TEXT_BYTES) {
        words_add(table, bytes, field->size);
        return;
    }
    for (size_t i = 0; i < field->count; i++) {
        text_add(&table->text, "%s", i > 0 ? between : "");
        number_add(table, field->type, bytes + i * field->size);
    }
}

static void row_add(struct table *table, const struct record_row *row)
{
    const struct records *records = table->records;
    const char between[2] = {separator(table), '\0'};
    text_add(&table->text, "%" PRId64 "%s", row->task + 1, between);
    if (records->items) {
        words_add(table, row->line ? row->line : "", row->line ? row->line_size : 0);
        text_add(&table->text, "%s", between);
    }
    text_add(&table->text, "%s%s", row->failed ? "failed" : "done", between);
    words_add(table, row->reason, row->reason_size);
    for (int k = 0; k < records->field_count; k++) {
        text_add(&table->text, "%s", between);
        field_add(table, &records->fields[k], row->bytes + records->fields[k].offset, between);
    }
    text_add(&table->text, "\n");
}

static void key_add(struct table *table, const char *key)
{
    text_add(&table->text, ", ");
    text_add_quoted(&table->text, key);
    text_add(&table->text, ": ");
}

/* Adds a row as one JSON object. */
static void object_add(struct table *table, const struct record_row *row)
{
    const struct records *records = table->records;
    text_add(&table->text, "{\"task\": %" PRId64, row->task + 1);
    if (row->line) {
        key_add(table, "line");
        words_add(table, row->line, row->line_size);
    }
    key_add(table, "state");
    text_add(&table->text, "\"%s\"", row->failed ? "failed" : "done");
    if (row->failed) {
        key_add(table, "reason");
        words_add(table, row->reason, row->reason_size);
    }
    for (int k = 0; k < records->field_count; k++) {
        const struct record_field *field = &records->fields[k];
        key_add(table, field->name);
        text_add(&table->text, "%s", field->count > 1 ? "[" : "");
        field_add(table, field, row->bytes + field->offset, ", ");
        text_add(&table->text, "%s", field->count > 1 ? "]" : "");
    }
    text_add(&table->text, "}\n");
}

static bool table_write(struct records *records, enum records_format format, FILE *out)
{
    struct table table = {.records = records, .format = format, .out = out, .text = TEXT_INIT};
    struct record_row row;
    bool good = true;
    if (format != RECORDS_JSONL)
        heading_add(&table);
    while (good && records_next(records, &row)) {
        (format == RECORDS_JSONL ? object_add : row_add)(&table, &row);
        good = table_flush(&table, FLUSH_BYTES);
    }
    good = good && table_flush(&table, 0);
    text_release(&table.text);
    free(table.scratch);
    return good;
}

/* ---- files --------------------------------------------------------------------------------- */

static bool unwritten(const char *name, struct failure *failure)
{
    return failure_set(failure, FAILURE_FAILED,
                       "cannot write %s: %s; choose a place that exists, is yours and has room",
                       name, strerror(errno ? errno : EIO));
}

static bool stream_write(struct records *records, const struct records_request *request, FILE *out,
                         const char *name, struct failure *failure)
{
    errno = 0;
    const bool good = request->format == RECORDS_NPY ? records_write_npy(records, out)
                                                     : table_write(records, request->format, out);
    if (records_failed(records))
        return failure_set(failure, FAILURE_MISMATCH,
                           "%s: cannot be read to its end: check the disk it is on", request->path);
    return good || unwritten(name, failure);
}

/* The file is written beside the named one, and then replaces it; a device or a pipe is written in
 * place. */
static bool file_write(struct records *records, const struct records_request *request,
                       struct failure *failure)
{
    struct stat status;
    const bool odd = stat(request->file, &status) == 0 && !S_ISREG(status.st_mode);
    const size_t room = strlen(request->file) + 32;
    char *draft = malloc(room);
    if (!draft)
        return failure_memory(failure, "writing a table");
    snprintf(draft, room, odd ? "%s" : "%s.%ld.new", request->file, (long)getpid());
    FILE *out = odd ? fopen(draft, "wb") : own_create(draft);
    bool good = out || unwritten(request->file, failure);
    good = good && stream_write(records, request, out, request->file, failure);
    if (out && fclose(out) != 0 && good)
        good = unwritten(request->file, failure);
    if (good && !odd && rename(draft, request->file) != 0)
        good = unwritten(request->file, failure);
    if (out && !good && !odd)
        unlink(draft);
    free(draft);
    return good;
}

bool records_write(const struct records_request *request, struct text *note,
                   struct failure *failure)
{
    struct records records;
    bool good = records_open(&records, request->path, note, failure);
    if (good)
        good = request->file ? file_write(&records, request, failure)
                             : stream_write(&records, request, stdout, "standard output", failure);
    if (good && records.missing > 0)
        text_add(note, "%s: %" PRId64 " core task%s not done yet and in no row\n", request->path,
                 records.missing, records.missing == 1 ? " is" : "s are");
    records_close(&records);
    return good;
}
