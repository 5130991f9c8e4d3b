/*
 * Whose speeds the estimates of algorithms go by: processors on which the algorithms compare alike.
 * That is nearly what their instruction sets say, but not quite.
 */
#ifndef KERNEL_MATCHED_CORRELATORS_SPEEDS_H
#define KERNEL_MATCHED_CORRELATORS_SPEEDS_H

enum speeds {
    SPEEDS_GENERIC,    /* four floats at a time */
    SPEEDS_AVX2,       /* with FMA */
    SPEEDS_AVX512,     /* on units 512 bits wide */
    SPEEDS_AVX512_256, /* the same instructions, on units 256 bits wide: Zen 4 */
    SPEEDS_COUNT
};

/* This processor's, with the instruction set that is in use (kernel/vector/isa.h). */
enum speeds speeds_current(void);

#endif
