/* A grid's numbers as shades of grey, for its picture. */
#ifndef SPMD_LAYOUT_GREY_H
#define SPMD_LAYOUT_GREY_H

#include <stdint.h>

/* Each of `count` numbers of a type (enum scow_type), scaled from least .. greatest to 0 .. 255 and
 * rounded to the nearest, ties to even; those beyond are cut. 0: what is not a number, and all
 * where there is no range. */
void grey_fill(uint8_t *grey, int type, const void *numbers, int64_t count, double least,
               double greatest);

#endif
