#include "spmd/input/image_number.h"

#include <string.h>

#include "kernel/scow.h"

enum { MOST_BYTES = 8, PIECE_BYTES = 1 << 16 };

bool image_host_is_little(void)
{
    const union {
        uint16_t word;
        unsigned char first;
    } probe = {1};
    return probe.first == 1;
}

bool image_number_type(const struct image_number *number, int *type)
{
    const int bytes = number->bytes;
    if (number->kind == 'u' && bytes == 1)
        *type = SCOW_U8;
    else if (number->kind == 'u' && bytes == 2)
        *type = SCOW_U16;
    else if (number->kind == 'f' ? bytes == 4 || bytes == 8
                                 : bytes == 1 || bytes == 2 || bytes == 4)
        *type = SCOW_F32;
    else
        return false;
    return true;
}

/* ---- one number, its bytes in this machine's order ---- */

static float float_of_unsigned(const unsigned char *bytes, int size)
{
    uint16_t half;
    uint32_t word;
    if (size == 1)
        return (float)bytes[0];
    if (size == 2) {
        memcpy(&half, bytes, sizeof half);
        return (float)half;
    }
    memcpy(&word, bytes, sizeof word);
    return (float)word;
}

static float float_of_signed(const unsigned char *bytes, int size)
{
    int8_t byte;
    int16_t half;
    int32_t word;
    if (size == 1) {
        memcpy(&byte, bytes, sizeof byte);
        return (float)byte;
    }
    if (size == 2) {
        memcpy(&half, bytes, sizeof half);
        return (float)half;
    }
    memcpy(&word, bytes, sizeof word);
    return (float)word;
}

static float float_of_float(const unsigned char *bytes, int size)
{
    float single;
    double twofold;
    if (size == 4) {
        memcpy(&single, bytes, sizeof single);
        return single;
    }
    memcpy(&twofold, bytes, sizeof twofold);
    return (float)twofold;
}

static float float_of(char kind, const unsigned char *bytes, int size)
{
    return kind == 'u'   ? float_of_unsigned(bytes, size)
           : kind == 'i' ? float_of_signed(bytes, size)
                         : float_of_float(bytes, size);
}

/* ---- many ---- */

void image_number_convert(const struct image_number *number, const unsigned char *stored,
                          size_t count, int type, void *pixels)
{
    const int bytes = number->bytes;
    unsigned char *out = pixels;
    for (size_t i = 0; i < count; i++) {
        unsigned char ordered[MOST_BYTES];
        for (int k = 0; k < bytes; k++)
            ordered[k] = stored[i * (size_t)bytes + (size_t)(number->swapped ? bytes - 1 - k : k)];
        if (type == SCOW_F32) {
            const float pixel = float_of(number->kind, ordered, bytes);
            memcpy(out + i * sizeof pixel, &pixel, sizeof pixel);
        } else {
            memcpy(out + i * (size_t)bytes, ordered, (size_t)bytes);
        }
    }
}

bool image_number_read(FILE *stream, int64_t offset, const struct image_number *number,
                       int64_t count, int type, void *pixels)
{
    unsigned char piece[PIECE_BYTES];
    unsigned char *out = pixels;
    const size_t bytes = (size_t)number->bytes;
    const size_t pixel = type == SCOW_U8 ? 1 : type == SCOW_U16 ? 2 : sizeof(float);
    if (fseeko(stream, (off_t)offset, SEEK_SET) != 0)
        return false;
    for (size_t left = (size_t)count; left > 0;) {
        const size_t now = left < sizeof piece / bytes ? left : sizeof piece / bytes;
        if (fread(piece, bytes, now, stream) != now)
            return false;
        image_number_convert(number, piece, now, type, out);
        out += now * pixel;
        left -= now;
    }
    return true;
}
