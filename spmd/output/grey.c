#include "spmd/output/grey.h"

#include "kernel/scow.h"

/* So many at a time, as a count that compilers know: then they use vectors. */
enum { GROUP = 64 };

/* Doubles as large as that have no fraction: adding it rounds as lrint does, at a tenth of the
 * time. */
static const double rounder = 0x1.8p52;

static inline uint8_t grey_of(double value, double least, double scale)
{
    double shade = (value - least) * scale;
    shade = shade > 0 ? shade : 0; /* also what is not a number */
    shade = shade < 255 ? shade : 255;
    return (uint8_t)(int32_t)(shade + rounder - rounder);
}

/* One loop for each type. */
#define GREY_FILL(type)                                                                            \
    do {                                                                                           \
        const type *number = numbers;                                                              \
        int64_t i = 0;                                                                             \
        for (; i + GROUP <= count; i += GROUP)                                                     \
            for (int k = 0; k < GROUP; k++)                                                        \
                grey[i + k] = grey_of((double)number[i + k], least, scale);                        \
        for (; i < count; i++)                                                                     \
            grey[i] = grey_of((double)number[i], least, scale);                                    \
    } while (0)

void grey_fill(uint8_t *restrict grey, int type, const void *restrict numbers, int64_t count,
               double least, double greatest)
{
    const double scale = 255 / (greatest - least);
    switch ((enum scow_type)type) {
    case SCOW_U8:
        GREY_FILL(uint8_t);
        break;
    case SCOW_U16:
        GREY_FILL(uint16_t);
        break;
    case SCOW_U32:
        GREY_FILL(uint32_t);
        break;
    case SCOW_U64:
        GREY_FILL(uint64_t);
        break;
    case SCOW_I32:
        GREY_FILL(int32_t);
        break;
    case SCOW_I64:
        GREY_FILL(int64_t);
        break;
    case SCOW_F32:
        GREY_FILL(float);
        break;
    case SCOW_F64:
        GREY_FILL(double);
        break;
    case SCOW_NONE:
    case SCOW_TEXT_BYTES:
        break;
    }
}
