/* Small image files for tests, written with the formats' own libraries. Every function fails the
 * running test when it cannot do its work. */
#ifndef TESTS_SPMD_PICTURES_H
#define TESTS_SPMD_PICTURES_H

#include <stdint.h>

#include "tests/checks.h"

/* Group set-up and tear-down: work in a new directory, and remove it with all that is in it. */
int pictures_enter(void **state);
int pictures_leave(void **state);

/* The same numbers for the same seed, in [0, 2^32). */
uint32_t picture_random(uint64_t *seed);
void picture_noise(void *pixels, size_t bytes, uint64_t seed);

void picture_bytes(const char *name, const void *bytes, size_t length);
void picture_text(const char *name, const char *text);
/* Owned; to be freed. */
unsigned char *picture_load(const char *name, size_t *length);

struct picture_png {
    int columns, rows;
    int depth, colour; /* as libpng counts: PNG_COLOR_TYPE_... */
    int interlace;     /* PNG_INTERLACE_... */
};

/* `pixels` in host byte order, row-major, samples interleaved, packed if less than a byte. */
void picture_png(const char *name, const struct picture_png *png, const void *pixels);

#endif
