#include "kernel/type.h"

static const struct type {
    size_t size;
    const char *name;
} types[] = {
    [SCOW_NONE] = {0, "none"},       [SCOW_U8] = {1, "uint8"},    [SCOW_U16] = {2, "uint16"},
    [SCOW_U32] = {4, "uint32"},      [SCOW_U64] = {8, "uint64"},  [SCOW_I32] = {4, "int32"},
    [SCOW_I64] = {8, "int64"},       [SCOW_F32] = {4, "float32"}, [SCOW_F64] = {8, "float64"},
    [SCOW_TEXT_BYTES] = {1, "text"},
};
enum { TYPES = sizeof types / sizeof *types };

static const struct type *type_of(int type)
{
    return &types[type > SCOW_NONE && type < TYPES ? type : SCOW_NONE];
}

size_t scow_type_size(int type)
{
    return type_of(type)->size;
}

const char *scow_type_name(int type)
{
    return type_of(type)->name;
}

double scow_type_value(int type, const void *values, size_t index)
{
    switch (type) {
    case SCOW_U8:
        return ((const uint8_t *)values)[index];
    case SCOW_U16:
        return ((const uint16_t *)values)[index];
    case SCOW_U32:
        return ((const uint32_t *)values)[index];
    case SCOW_U64:
        return (double)((const uint64_t *)values)[index];
    case SCOW_I32:
        return ((const int32_t *)values)[index];
    case SCOW_I64:
        return (double)((const int64_t *)values)[index];
    case SCOW_F32:
        return (double)((const float *)values)[index];
    case SCOW_F64:
        return ((const double *)values)[index];
    default:
        return 0;
    }
}
