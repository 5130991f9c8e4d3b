#include "spmd/layout/grey.h"

#include "kernel/vector/isa.h"
#include "spmd/layout/grey_shades.h"

void grey_fill(uint8_t *restrict grey, int type, const void *restrict numbers, int64_t count,
               double least, double greatest)
{
    const double scale = 255 / (greatest - least);
#ifdef __x86_64__
    const enum isa isa = isa_current();
    if (isa == ISA_AVX512) {
        grey_shades_avx512(grey, type, numbers, count, least, scale);
        return;
    }
    if (isa == ISA_AVX2) {
        grey_shades_avx2(grey, type, numbers, count, least, scale);
        return;
    }
#endif
    grey_shades_generic(grey, type, numbers, count, least, scale);
}
