#include "spmd/archive/records.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/scow.h"
#include "spmd/archive/archive_file.h"
#include "spmd/job/items.h"
#include "spmd/layout/layout.h"

/* SCOW_NONE: it is not a number. */
static int number_type(hid_t type)
{
    static const int signed_types[] = {[4] = SCOW_I32, [8] = SCOW_I64};
    static const int unsigned_types[] = {
        [1] = SCOW_U8, [2] = SCOW_U16, [4] = SCOW_U32, [8] = SCOW_U64};
    static const int real_types[] = {[4] = SCOW_F32, [8] = SCOW_F64};
    const size_t size = H5Tget_size(type);
    if (size > 8)
        return SCOW_NONE;
    if (H5Tget_class(type) == H5T_FLOAT)
        return real_types[size];
    if (H5Tget_class(type) != H5T_INTEGER)
        return SCOW_NONE;
    return H5Tget_sign(type) == H5T_SGN_NONE ? unsigned_types[size] : signed_types[size];
}

/* Renames a field whose name is that of a column of ours. Owned; NULL: out of memory. */
static char *name_make(const char *name)
{
    static const char *const ours[] = {"task", "line", "state", "reason"};
    const size_t room = strlen(name) + 2;
    char *made = malloc(room);
    bool taken = false;
    for (size_t k = 0; k < sizeof ours / sizeof *ours; k++)
        taken = taken || strcmp(name, ours[k]) == 0;
    if (made)
        snprintf(made, room, "%s%s", name, taken ? "_" : "");
    return made;
}

static bool field_read(hid_t record, unsigned index, struct record_field *field)
{
    const hid_t type = H5Tget_member_type(record, index);
    const bool several = H5Tget_class(type) == H5T_ARRAY;
    const hid_t number = several ? H5Tget_super(type) : H5Tcopy(type);
    char *name = H5Tget_member_name(record, index);
    const bool text = H5Tget_class(number) == H5T_STRING && H5Tis_variable_str(number) <= 0;
    *field = (struct record_field){.name = name ? name_make(name) : NULL,
                                   .type = text ? SCOW_TEXT_BYTES : number_type(number),
                                   .offset = H5Tget_member_offset(record, index),
                                   .size = H5Tget_size(number),
                                   .count = H5Tget_size(type) / H5Tget_size(number)};
    H5free_memory(name);
    H5Tclose(number);
    H5Tclose(type);
    return field->name && field->type != SCOW_NONE && field->size > 0;
}

static bool fields_read(struct records *records)
{
    const hid_t type = records->rows.type;
    const int count = H5Tget_class(type) == H5T_COMPOUND ? H5Tget_nmembers(type) : 0;
    bool good = count > 0 && count <= RECORD_FIELDS_MOST;
    for (int k = 0; good && k < count; k++)
        good = field_read(type, (unsigned)k, &records->fields[records->field_count++]);
    return good;
}

static void lines_find(struct records *records, const char *path, struct text *note)
{
    char why[ITEMS_NOTE];
    records->items = archive_items(records->file, path, records->ledger.count, why);
    if (why[0])
        text_add(note, "%s: %s, so there is no column of lines\n", path, why);
}

bool records_open(struct records *records, const char *path, struct text *note,
                  struct failure *failure)
{
    *records = (struct records){.file = archive_open(path, failure)};
    if (records->file < 0)
        return false;
    const bool marked =
        rows_open(&records->ledger, records->file, LAYOUT_LEDGER, H5Tcopy(H5T_NATIVE_UINT8));
    rows_open(&records->reasons, records->file, LAYOUT_REASONS, -1);
    const bool there = rows_open(&records->rows, records->file, LAYOUT_RECORDS, -1);
    if (!marked)
        return failure_set(failure, FAILURE_MISMATCH,
                           "%s: has no readable ledger: is it the output of scow run?", path);
    if (!there)
        return failure_set(failure, FAILURE_MISMATCH,
                           "%s: its core task leaves no records, which a table is made of", path);
    if (!fields_read(records))
        return failure_set(failure, FAILURE_MISMATCH,
                           "%s: its records have fields of types that this version does not know: "
                           "use the scow that wrote it",
                           path);
    records->size = records->rows.size;
    lines_find(records, path, note);
    return true;
}

static void reason_find(struct records *records, struct record_row *row)
{
    const char *kept = row->failed ? rows_at(&records->reasons, row->task) : NULL;
    row->reason = kept ? kept : "";
    row->reason_size = kept ? strnlen(kept, records->reasons.size) : 0;
}

bool records_next(struct records *records, struct record_row *row)
{
    const uint8_t *mark;
    for (; (mark = rows_at(&records->ledger, records->next)) && *mark == 0; records->next++)
        records->missing++;
    if (!mark)
        return false;
    *row = (struct record_row){.task = records->next++, .failed = *mark != 1};
    row->bytes = rows_at(&records->rows, row->task);
    reason_find(records, row);
    if (records->items)
        row->line = items_read(records->items, row->task, &row->line_size);
    return row->bytes != NULL;
}

void records_rewind(struct records *records)
{
    records->next = records->missing = 0;
}

bool records_failed(const struct records *records)
{
    return records->ledger.failed || records->rows.failed;
}

void records_close(struct records *records)
{
    if (records->file < 0)
        return;
    for (int k = 0; k < records->field_count; k++)
        free(records->fields[k].name);
    items_close(&records->items);
    rows_close(&records->ledger);
    rows_close(&records->reasons);
    rows_close(&records->rows);
    H5Fclose(records->file);
    records->file = -1;
}
