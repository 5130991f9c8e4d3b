/*
 * Vectors of floats as wide as the instruction set that a file is compiled for (VECTOR_LANES), and
 * of half as many doubles (VECTOR_DOUBLES), in the vector extensions of GCC and clang. For the few
 * operations that those have no word for, vector_x86.h has x86's own; every other processor runs
 * what is written here. Everything is static and inline: include this in a file that is built per
 * instruction set, under names that differ per file.
 */
#ifndef KERNEL_VECTOR_VECTOR_H
#define KERNEL_VECTOR_VECTOR_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if defined(__AVX512F__)
#define VECTOR_LANES 16
#elif defined(__AVX__)
#define VECTOR_LANES 8
#else
#define VECTOR_LANES 4
#endif

#define VECTOR_INLINE static inline __attribute__((always_inline, unused))
/* Before a loop of constant length over registers: it must disappear. */
#define VECTOR_UNROLL _Pragma("GCC unroll 16")

typedef float vector __attribute__((vector_size(4 * VECTOR_LANES)));
typedef float vector_anywhere __attribute__((vector_size(4 * VECTOR_LANES), aligned(4), may_alias));

VECTOR_INLINE vector vector_load(const float *from)
{
    return *(const vector_anywhere *)from;
}

VECTOR_INLINE void vector_store(float *to, vector value)
{
    *(vector_anywhere *)to = value;
}

/* Only the first `count` lanes, 0 < count < VECTOR_LANES. */
VECTOR_INLINE void vector_store_some(float *to, vector value, int count)
{
    memcpy(to, &value, (size_t)count * sizeof(float));
}

VECTOR_INLINE vector vector_load_some(const float *from, int count)
{
    vector value = {0};
    memcpy(&value, from, (size_t)count * sizeof(float));
    return value;
}

VECTOR_INLINE vector vector_all(float value)
{
    return value - (vector){0};
}

/* Keep a vector that was loaded in a register: GCC would rather load it again for each use, and
 * then loads, not multiplications, set the pace. */
VECTOR_INLINE void vector_keep(vector *value);

/* a * b + c and c - a * b in every lane, rounded once where the instruction set can. */
VECTOR_INLINE vector vector_fma(vector a, vector b, vector c);
VECTOR_INLINE vector vector_fnma(vector a, vector b, vector c);

/* *sum = vector_fma(a, b, *sum), with the sum staying in its register. */
VECTOR_INLINE void vector_accumulate(vector *sum, vector a, vector b);

/* a > b ? a : b in every lane. */
VECTOR_INLINE vector vector_max(vector a, vector b);

#define VECTOR_DOUBLES (VECTOR_LANES / 2)

typedef double vector_double __attribute__((vector_size(8 * VECTOR_DOUBLES)));
typedef double vector_double_there __attribute__((vector_size(8 * VECTOR_DOUBLES), may_alias));
/* What comparing two of these gives: in each lane all bits or none. */
typedef int64_t vector_mask __attribute__((vector_size(8 * VECTOR_DOUBLES)));

/* `from` and `to` are aligned to a vector. */
VECTOR_INLINE vector_double vector_double_load(const double *from)
{
    return *(const vector_double_there *)from;
}

VECTOR_INLINE void vector_double_store(double *to, vector_double value)
{
    *(vector_double_there *)to = value;
}

VECTOR_INLINE vector_double vector_double_all(double value)
{
    return value - (vector_double){0};
}

/* Bit k: lane k of the mask. */
VECTOR_INLINE unsigned vector_mask_bits(vector_mask mask);

/* Where the mask is set a, elsewhere b. */
VECTOR_INLINE vector_double vector_double_choose(vector_mask mask, vector_double a, vector_double b)
{
    return (vector_double)((mask & (vector_mask)a) | (~mask & (vector_mask)b));
}

/* a > b ? a : b and a < b ? a : b in every lane: where one is not a number, b. */
VECTOR_INLINE vector_double vector_double_max(vector_double a, vector_double b);
VECTOR_INLINE vector_double vector_double_min(vector_double a, vector_double b);

/* Bits, as many as a vector of floats has. */
typedef uint64_t vector_bits __attribute__((vector_size(4 * VECTOR_LANES), may_alias));

VECTOR_INLINE vector_bits vector_bits_all(uint64_t word)
{
    return word - (vector_bits){0};
}

/* Of three bits in every place: is an odd number of them set? And two or three of them? (The two
 * digits of their sum.) */
VECTOR_INLINE vector_bits vector_bits_odd(vector_bits a, vector_bits b, vector_bits c);
VECTOR_INLINE vector_bits vector_bits_carry(vector_bits a, vector_bits b, vector_bits c);

VECTOR_INLINE bool vector_bits_any(vector_bits bits);

#if defined(__SSE2__)
#include "kernel/vector/vector_x86.h"
#else

VECTOR_INLINE void vector_keep(vector *value)
{
#if defined(__aarch64__)
    __asm__("" : "+w"(*value));
#else
    (void)value;
#endif
}

VECTOR_INLINE vector vector_fma(vector a, vector b, vector c)
{
#if defined(__FP_FAST_FMAF)
    for (int i = 0; i < VECTOR_LANES; i++)
        c[i] = __builtin_fmaf(a[i], b[i], c[i]);
    return c;
#else
    return a * b + c;
#endif
}

VECTOR_INLINE vector vector_fnma(vector a, vector b, vector c)
{
    return vector_fma(-a, b, c);
}

VECTOR_INLINE void vector_accumulate(vector *sum, vector a, vector b)
{
    *sum = vector_fma(a, b, *sum);
}

VECTOR_INLINE vector vector_max(vector a, vector b)
{
    typedef int lanes __attribute__((vector_size(4 * VECTOR_LANES)));
    const lanes greater = a > b; /* all bits or none */
    return (vector)((greater & (lanes)a) | (~greater & (lanes)b));
}

VECTOR_INLINE unsigned vector_mask_bits(vector_mask mask)
{
    unsigned bits = 0;
    for (int i = 0; i < VECTOR_DOUBLES; i++)
        bits |= (unsigned)(mask[i] & 1) << i;
    return bits;
}

VECTOR_INLINE vector_double vector_double_max(vector_double a, vector_double b)
{
    return vector_double_choose((vector_mask)(a > b), a, b);
}

VECTOR_INLINE vector_double vector_double_min(vector_double a, vector_double b)
{
    return vector_double_choose((vector_mask)(a < b), a, b);
}

VECTOR_INLINE vector_bits vector_bits_odd(vector_bits a, vector_bits b, vector_bits c)
{
    return a ^ b ^ c;
}

VECTOR_INLINE vector_bits vector_bits_carry(vector_bits a, vector_bits b, vector_bits c)
{
    return a ^ ((a ^ b) & (a ^ c));
}

VECTOR_INLINE bool vector_bits_any(vector_bits bits)
{
    uint64_t any = 0;
    for (int i = 0; i < VECTOR_LANES / 2; i++)
        any |= bits[i];
    return any != 0;
}

#endif

#endif
