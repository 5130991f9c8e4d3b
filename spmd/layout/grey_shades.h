/* What grey_fill (grey.h) does, once per instruction set, with the same results. */
#ifndef SPMD_LAYOUT_GREY_SHADES_H
#define SPMD_LAYOUT_GREY_SHADES_H

#include <stdint.h>

/* Each number less `least`, times `scale`: the shade before it is rounded. */
void grey_shades_generic(uint8_t *restrict grey, int type, const void *restrict numbers,
                         int64_t count, double least, double scale);
void grey_shades_avx2(uint8_t *restrict grey, int type, const void *restrict numbers, int64_t count,
                      double least, double scale);
void grey_shades_avx512(uint8_t *restrict grey, int type, const void *restrict numbers,
                        int64_t count, double least, double scale);

#endif
