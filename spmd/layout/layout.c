#include "spmd/layout/layout.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#define XXH_STATIC_LINKING_ONLY /* needed to have its states on the stack */
#include <xxhash.h>

#include "planner/model/part.h"
#include "planner/model/trace.h"

/* An enumeration type, so that h5dump and h5py show operations by name. */
static hid_t operation_type(void)
{
    hid_t type = H5Tenum_create(H5T_NATIVE_INT32);
    for (int32_t i = 0; i < OPERATION_COUNT; i++)
        H5Tenum_insert(type, operation_name((enum operation)i), &i);
    return type;
}

hid_t layout_trace_type(void)
{
    hid_t type = H5Tcreate(H5T_COMPOUND, sizeof(struct trace_event));
    hid_t operation = operation_type();
    H5Tinsert(type, "rank", offsetof(struct trace_event, rank), H5T_NATIVE_INT32);
    H5Tinsert(type, "operation", offsetof(struct trace_event, operation), operation);
    H5Tinsert(type, "round", offsetof(struct trace_event, round), H5T_NATIVE_INT64);
    H5Tinsert(type, "package", offsetof(struct trace_event, package), H5T_NATIVE_INT64);
    H5Tinsert(type, "first_task", offsetof(struct trace_event, first), H5T_NATIVE_INT64);
    H5Tinsert(type, "tasks", offsetof(struct trace_event, tasks), H5T_NATIVE_INT64);
    H5Tinsert(type, "start", offsetof(struct trace_event, start_s), H5T_NATIVE_DOUBLE);
    H5Tinsert(type, "end", offsetof(struct trace_event, end_s), H5T_NATIVE_DOUBLE);
    H5Tclose(operation);
    return type;
}

hid_t layout_part_type(void)
{
    hid_t type = H5Tcreate(H5T_COMPOUND, sizeof(struct run_part));
    H5Tinsert(type, "began", offsetof(struct run_part, began_s), H5T_NATIVE_DOUBLE);
    H5Tinsert(type, "ended", offsetof(struct run_part, ended_s), H5T_NATIVE_DOUBLE);
    H5Tinsert(type, "makespan", offsetof(struct run_part, makespan_s), H5T_NATIVE_DOUBLE);
    H5Tinsert(type, "before", offsetof(struct run_part, before), H5T_NATIVE_INT64);
    H5Tinsert(type, "tasks", offsetof(struct run_part, tasks), H5T_NATIVE_INT64);
    H5Tinsert(type, "packages", offsetof(struct run_part, packages), H5T_NATIVE_INT64);
    H5Tinsert(type, "workers", offsetof(struct run_part, workers), H5T_NATIVE_INT32);
    H5Tinsert(type, "outcome", offsetof(struct run_part, outcome), H5T_NATIVE_INT32);
    return type;
}

hid_t layout_text_type(size_t size)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, size > 0 ? size : 1);
    H5Tset_cset(type, H5T_CSET_UTF8);
    H5Tset_strpad(type, H5T_STR_NULLPAD);
    return type;
}

size_t layout_reason_size(int64_t tasks)
{
    enum { WHOLE = 120, SHORT = 32 };
    static const int64_t whole_most = (int64_t)1 << 23;
    return tasks <= whole_most ? WHOLE : SHORT;
}

size_t layout_slot_size(size_t state_size)
{
    return (sizeof(struct layout_partial) + state_size + 63) / 64 * 64;
}

uint64_t layout_slot_digest(const struct layout_partial *head, const void *state, size_t state_size)
{
    XXH3_state_t hash;
    XXH3_64bits_reset(&hash);
    XXH3_64bits_update(&hash, &head->sequence,
                       sizeof *head - offsetof(struct layout_partial, sequence));
    XXH3_64bits_update(&hash, state, state_size);
    return XXH3_64bits_digest(&hash);
}

uint64_t layout_members(int64_t first, int64_t count)
{
    uint64_t members = 0;
    for (int64_t task = first; task < first + count; task++)
        members += XXH3_64bits(&task, sizeof task);
    return members;
}

void layout_outcome_digest(const char *outcome, size_t size, char digest[17])
{
    snprintf(digest, 17, "%016" PRIx64, (uint64_t)XXH3_64bits(outcome, size));
}

hid_t layout_emitted_type(void)
{
    hid_t type = H5Tcreate(H5T_COMPOUND, sizeof(struct layout_emitted));
    H5Tinsert(type, "rank", offsetof(struct layout_emitted, rank), H5T_NATIVE_INT32);
    H5Tinsert(type, "place", offsetof(struct layout_emitted, place), H5T_NATIVE_INT64);
    H5Tinsert(type, "size", offsetof(struct layout_emitted, size), H5T_NATIVE_INT64);
    return type;
}

hid_t layout_number_type(int type)
{
    switch ((enum scow_type)type) {
    case SCOW_U8:
        return H5T_NATIVE_UINT8;
    case SCOW_U16:
        return H5T_NATIVE_UINT16;
    case SCOW_U32:
        return H5T_NATIVE_UINT32;
    case SCOW_U64:
        return H5T_NATIVE_UINT64;
    case SCOW_I32:
        return H5T_NATIVE_INT32;
    case SCOW_I64:
        return H5T_NATIVE_INT64;
    case SCOW_F32:
        return H5T_NATIVE_FLOAT;
    case SCOW_F64:
        return H5T_NATIVE_DOUBLE;
    case SCOW_NONE:
    case SCOW_TEXT_BYTES:
        break;
    }
    return -1;
}

/* To be closed. */
static hid_t field_type(const struct scow_field *field)
{
    const hsize_t count = field->count;
    if (field->type == SCOW_TEXT_BYTES)
        return layout_text_type(field->count);
    if (count == 1)
        return H5Tcopy(layout_number_type(field->type));
    return H5Tarray_create2(layout_number_type(field->type), 1, &count);
}

hid_t layout_record_type(const struct scow_field *fields, size_t record_size)
{
    hid_t record = H5Tcreate(H5T_COMPOUND, record_size);
    for (; record >= 0 && fields->name; fields++) {
        hid_t type = field_type(fields);
        if (H5Tinsert(record, fields->name, fields->offset, type) < 0) {
            H5Tclose(record);
            record = -1;
        }
        H5Tclose(type);
    }
    return record;
}

bool layout_rows_write(hid_t dataset, hid_t type, int64_t first, int64_t count, const void *values)
{
    hsize_t start = (hsize_t)first, rows = (hsize_t)count;
    hid_t space = H5Dget_space(dataset);
    hid_t memory = H5Screate_simple(1, &rows, NULL);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &rows, NULL);
    herr_t status = H5Dwrite(dataset, type, memory, space, H5P_DEFAULT, values);
    H5Sclose(memory);
    H5Sclose(space);
    return status >= 0;
}

void layout_quiet(void)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

void layout_part_name(char name[LAYOUT_NAME_SIZE], int64_t times, const char *what)
{
    const char *between = *what ? "/" : "";
    if (times == 0)
        snprintf(name, LAYOUT_NAME_SIZE, "%s%s%s", LAYOUT_RUN, between, what);
    else
        snprintf(name, LAYOUT_NAME_SIZE, "%s%" PRId64 "%s%s", LAYOUT_PART, times + 1, between,
                 what);
}
