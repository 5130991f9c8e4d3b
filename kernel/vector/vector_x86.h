/*
 * What vector.h, which alone includes this, leaves to x86: the few words that the vector extensions
 * lack, as intrinsics and inline assembly for AVX-512, AVX2 with fused multiply-add, and SSE2.
 */
#ifndef KERNEL_VECTOR_VECTOR_X86_H
#define KERNEL_VECTOR_VECTOR_X86_H

#include <immintrin.h>

VECTOR_INLINE void vector_keep(vector *value)
{
    __asm__("" : "+v"(*value));
}

VECTOR_INLINE vector vector_fma(vector a, vector b, vector c)
{
#if defined(__AVX512F__)
    return (vector)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#elif defined(__FMA__)
    return (vector)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#else
    return a * b + c;
#endif
}

VECTOR_INLINE vector vector_fnma(vector a, vector b, vector c)
{
#if defined(__AVX512F__)
    return (vector)_mm512_fnmadd_ps((__m512)a, (__m512)b, (__m512)c);
#elif defined(__FMA__)
    return (vector)_mm256_fnmadd_ps((__m256)a, (__m256)b, (__m256)c);
#else
    return c - a * b;
#endif
}

/* In assembly because GCC would sometimes rather form the sum in a factor's register, and then
 * copies and spills, not multiplications, set the pace of a loop with many sums. */
VECTOR_INLINE void vector_accumulate(vector *sum, vector a, vector b)
{
#if defined(__FMA__)
    __asm__("vfmadd231ps %2, %1, %0" : "+v"(*sum) : "v"(a), "v"(b));
#else
    *sum = vector_fma(a, b, *sum);
#endif
}

VECTOR_INLINE vector vector_max(vector a, vector b)
{
#if defined(__AVX512F__)
    return (vector)_mm512_max_ps((__m512)a, (__m512)b);
#elif defined(__AVX__)
    return (vector)_mm256_max_ps((__m256)a, (__m256)b);
#else
    return (vector)_mm_max_ps((__m128)a, (__m128)b);
#endif
}

VECTOR_INLINE vector_double vector_double_max(vector_double a, vector_double b)
{
#if defined(__AVX512F__)
    return (vector_double)_mm512_max_pd((__m512d)a, (__m512d)b);
#elif defined(__AVX__)
    return (vector_double)_mm256_max_pd((__m256d)a, (__m256d)b);
#else
    return (vector_double)_mm_max_pd((__m128d)a, (__m128d)b);
#endif
}

VECTOR_INLINE vector_double vector_double_min(vector_double a, vector_double b)
{
#if defined(__AVX512F__)
    return (vector_double)_mm512_min_pd((__m512d)a, (__m512d)b);
#elif defined(__AVX__)
    return (vector_double)_mm256_min_pd((__m256d)a, (__m256d)b);
#else
    return (vector_double)_mm_min_pd((__m128d)a, (__m128d)b);
#endif
}

VECTOR_INLINE unsigned vector_mask_bits(vector_mask mask)
{
#if defined(__AVX512F__)
    return _mm512_test_epi64_mask((__m512i)mask, (__m512i)mask);
#elif defined(__AVX__)
    return (unsigned)_mm256_movemask_pd((__m256d)mask);
#else
    return (unsigned)_mm_movemask_pd((__m128d)mask);
#endif
}

VECTOR_INLINE vector_bits vector_bits_odd(vector_bits a, vector_bits b, vector_bits c)
{
#if defined(__AVX512F__)
    return (vector_bits)_mm512_ternarylogic_epi64((__m512i)a, (__m512i)b, (__m512i)c, 0x96);
#else
    return a ^ b ^ c;
#endif
}

VECTOR_INLINE vector_bits vector_bits_carry(vector_bits a, vector_bits b, vector_bits c)
{
#if defined(__AVX512F__)
    return (vector_bits)_mm512_ternarylogic_epi64((__m512i)a, (__m512i)b, (__m512i)c, 0xe8);
#else
    return a ^ ((a ^ b) & (a ^ c));
#endif
}

VECTOR_INLINE bool vector_bits_any(vector_bits bits)
{
#if defined(__AVX512F__)
    return _mm512_test_epi64_mask((__m512i)bits, (__m512i)bits) != 0;
#elif defined(__AVX__)
    return !_mm256_testz_si256((__m256i)bits, (__m256i)bits);
#else
    return _mm_movemask_epi8(_mm_cmpeq_epi8((__m128i)bits, _mm_setzero_si128())) != 0xffff;
#endif
}

#endif
