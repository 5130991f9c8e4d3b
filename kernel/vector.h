/*
 * Vectors of floats as wide as the instruction set that a file is compiled for (VECTOR_LANES), in
 * the vector extensions of GCC and clang; intrinsics only where those have no word for it.
 * Everything is static and inline: include this in a file that is built per instruction set, under
 * names that differ per file.
 */
#ifndef KERNEL_VECTOR_H
#define KERNEL_VECTOR_H

#include <string.h>

#if defined(__AVX512F__)
#include <immintrin.h>
#define VECTOR_LANES 16
#elif defined(__AVX__)
#include <immintrin.h>
#define VECTOR_LANES 8
#else
#define VECTOR_LANES 4
#if defined(__SSE2__)
#include <emmintrin.h>
#endif
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

/* Keep a vector that was loaded in a register: GCC would rather load it again for each use, and
 * then loads, not multiplications, set the pace. */
VECTOR_INLINE void vector_keep(vector *value)
{
#if defined(__x86_64__)
    __asm__("" : "+v"(*value));
#elif defined(__aarch64__)
    __asm__("" : "+w"(*value));
#else
    (void)value;
#endif
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

/* a * b + c in every lane, rounded once where the instruction set can. */
VECTOR_INLINE vector vector_fma(vector a, vector b, vector c)
{
#if defined(__AVX512F__)
    return (vector)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#elif defined(__FMA__)
    return (vector)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#elif defined(__FP_FAST_FMAF)
    for (int i = 0; i < VECTOR_LANES; i++)
        c[i] = __builtin_fmaf(a[i], b[i], c[i]);
    return c;
#else
    return a * b + c;
#endif
}

/* *sum += a * b in every lane, rounded once where the instruction set can. GCC would sometimes
 * rather form the sum in a factor's register, and then copies and spills, not multiplications, set
 * the pace of a loop with many sums. */
VECTOR_INLINE void vector_accumulate(vector *sum, vector a, vector b)
{
#if defined(__FMA__)
    __asm__("vfmadd231ps %2, %1, %0" : "+v"(*sum) : "v"(a), "v"(b));
#else
    *sum = vector_fma(a, b, *sum);
#endif
}

/* c - a * b in every lane, rounded once where the instruction set can. */
VECTOR_INLINE vector vector_fnma(vector a, vector b, vector c)
{
#if defined(__AVX512F__)
    return (vector)_mm512_fnmadd_ps((__m512)a, (__m512)b, (__m512)c);
#elif defined(__FMA__)
    return (vector)_mm256_fnmadd_ps((__m256)a, (__m256)b, (__m256)c);
#elif defined(__FP_FAST_FMAF)
    for (int i = 0; i < VECTOR_LANES; i++)
        c[i] = __builtin_fmaf(-a[i], b[i], c[i]);
    return c;
#else
    return c - a * b;
#endif
}

/* a > b ? a : b in every lane. */
VECTOR_INLINE vector vector_max(vector a, vector b)
{
#if defined(__AVX512F__)
    return (vector)_mm512_max_ps((__m512)a, (__m512)b);
#elif defined(__AVX__)
    return (vector)_mm256_max_ps((__m256)a, (__m256)b);
#elif defined(__SSE2__)
    return (vector)_mm_max_ps((__m128)a, (__m128)b);
#else
    vector greater = b;
    for (int i = 0; i < VECTOR_LANES; i++)
        greater[i] = a[i] > b[i] ? a[i] : b[i];
    return greater;
#endif
}

#endif
