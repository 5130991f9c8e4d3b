#include "kernel/matched/correlators/speeds.h"

#include <stdbool.h>

#include "kernel/vector/isa.h"

#ifdef __x86_64__
#include <cpuid.h>

/* AMD64 Architecture Programmer's Manual, volume 3, function 8000_001Ah: FP512 in EAX. Others than
 * AMD have always had the full width. */
static bool units_are_512_bits_wide(void)
{
    const unsigned function = 0x8000001a, fp512 = 1U << 3;
    unsigned eax, ebx, ecx, edx;
    __builtin_cpu_init();
    if (!__builtin_cpu_is("amd") || !__get_cpuid(function, &eax, &ebx, &ecx, &edx))
        return true;
    return eax & fp512;
}
#else
static bool units_are_512_bits_wide(void)
{
    return false;
}
#endif

enum speeds speeds_current(void)
{
    const enum isa isa = isa_current();
    if (isa == ISA_AVX512)
        return units_are_512_bits_wide() ? SPEEDS_AVX512 : SPEEDS_AVX512_256;
    return isa == ISA_AVX2 ? SPEEDS_AVX2 : SPEEDS_GENERIC;
}
