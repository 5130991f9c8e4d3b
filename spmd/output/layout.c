#include "spmd/output/layout.h"

#include <stddef.h>

#include "planner/model/trace.h"

/* Operations by name, so that h5dump and h5py show words. */
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

hid_t layout_text_type(size_t size)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, size > 0 ? size : 1);
    H5Tset_cset(type, H5T_CSET_UTF8);
    H5Tset_strpad(type, H5T_STR_NULLPAD);
    return type;
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
