/* Converts numbers as image files store them into pixels. Private to the image formats. */
#ifndef SPMD_INPUT_IMAGE_NUMBER_H
#define SPMD_INPUT_IMAGE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct image_number {
    char kind;    /* 'u': unsigned integer, 'i': signed, 'f': IEEE floating point */
    int bytes;    /* of one */
    bool swapped; /* the byte order differs from this machine's */
};

bool image_host_is_little(void);
/* What pixels become of them (enum scow_type): 8- and 16-bit unsigned integers stay, others of up
 * to 32 bits and floats of 32 and 64 become floats. False: no pixels. */
bool image_number_type(const struct image_number *number, int *type);
/* `count` numbers to pixels of `type`, which is image_number_type's or SCOW_F32. `stored` may be
 * `pixels`, where no pixel takes more bytes than its number. */
void image_number_convert(const struct image_number *number, const unsigned char *stored,
                          size_t count, int type, void *pixels);
/* `count` of them from `offset` of the file on, to pixels of `type`. False: there are not so many.
 */
bool image_number_read(FILE *stream, int64_t offset, const struct image_number *number,
                       int64_t count, int type, void *pixels);

#endif
