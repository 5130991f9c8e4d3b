/*
 * The loops of grey_fill, written once and built per instruction set: the file that includes this
 * defines GREY_SHADES (the name of its one function) and is compiled with the set's flags.
 * Operations are those of IEEE 754 one by one, none of which can be fused with another, so that
 * every set gives the same.
 */
#include "kernel/scow.h"
#include "kernel/vector/vector.h"
#include "spmd/layout/grey_shades.h"

/* So many at a time, as a count that compilers know: a multiple of any vector. */
enum { GROUP = 64 };

typedef int32_t vector_shades __attribute__((vector_size(4 * VECTOR_DOUBLES), may_alias));

/* Numbers on their way. */
struct group {
    _Alignas(64) double numbers[GROUP];
    _Alignas(64) int32_t shades[GROUP];
};

/* Doubles as large as that have no fraction: adding it rounds as lrint does, at a tenth of the
 * time. */
static const double rounder = 0x1.8p52;

/* What is not a number is none that is greater than 0. */
VECTOR_INLINE void group_shade(struct group *group, double least, double scale)
{
    const vector_double none = {0}, most = vector_double_all(255);
    const vector_double round = vector_double_all(rounder);
    for (int k = 0; k < GROUP; k += VECTOR_DOUBLES) {
        const vector_double number = vector_double_load(group->numbers + k);
        vector_double shade = (number - vector_double_all(least)) * vector_double_all(scale);
        shade = vector_double_min(vector_double_max(shade, none), most);
        *(vector_shades *)(group->shades + k) =
            __builtin_convertvector(shade + round - round, vector_shades);
    }
}

/* Whole groups have a loop whose length compilers know. */
#define GROUP_LOAD(type)                                                                           \
    do {                                                                                           \
        const type *number = (const type *)numbers + first;                                        \
        for (int k = 0; count == GROUP && k < GROUP; k++)                                          \
            group->numbers[k] = (double)number[k];                                                 \
        for (int k = 0; count < GROUP && k < count; k++)                                           \
            group->numbers[k] = (double)number[k];                                                 \
    } while (0)

/* The first `count` of the group; what is after them stays. */
static void group_load(struct group *group, int type, const void *numbers, int64_t first, int count)
{
    switch ((enum scow_type)type) {
    case SCOW_U8:
        GROUP_LOAD(uint8_t);
        break;
    case SCOW_U16:
        GROUP_LOAD(uint16_t);
        break;
    case SCOW_U32:
        GROUP_LOAD(uint32_t);
        break;
    case SCOW_U64:
        GROUP_LOAD(uint64_t);
        break;
    case SCOW_I32:
        GROUP_LOAD(int32_t);
        break;
    case SCOW_I64:
        GROUP_LOAD(int64_t);
        break;
    case SCOW_F32:
        GROUP_LOAD(float);
        break;
    case SCOW_F64:
        GROUP_LOAD(double);
        break;
    case SCOW_NONE:
    case SCOW_TEXT_BYTES:
        break;
    }
}

void GREY_SHADES(uint8_t *restrict grey, int type, const void *restrict numbers, int64_t count,
                 double least, double scale)
{
    struct group group = {.numbers = {0}};
    int64_t first = 0;
    for (; first + GROUP <= count; first += GROUP) {
        group_load(&group, type, numbers, first, GROUP);
        group_shade(&group, least, scale);
        for (int k = 0; k < GROUP; k++)
            grey[first + k] = (uint8_t)group.shades[k];
    }
    const int rest = (int)(count - first);
    group_load(&group, type, numbers, first, rest);
    group_shade(&group, least, scale);
    for (int k = 0; k < rest; k++)
        grey[first + k] = (uint8_t)group.shades[k];
}
