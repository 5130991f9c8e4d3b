#include "kernel/vector/isa.h"

#include <string.h>

static enum isa pinned = ISA_COUNT; /* nothing pinned */

const char *isa_name(enum isa isa)
{
#ifdef __x86_64__
    static const char *const names[ISA_COUNT] = {"sse2", "avx2", "avx512"};
#else
    static const char *const names[ISA_COUNT] = {"generic", "avx2", "avx512"};
#endif
    return names[isa];
}

enum isa isa_find(const char *name)
{
    if (strcmp(name, "generic") == 0)
        return ISA_BASELINE;
    int isa = 0;
    while (isa < ISA_COUNT && strcmp(name, isa_name((enum isa)isa)) != 0)
        isa++;
    return (enum isa)isa;
}

bool isa_available(enum isa isa)
{
#ifdef __x86_64__
    __builtin_cpu_init();
    if (isa == ISA_AVX2)
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (isa == ISA_AVX512)
        return isa_available(ISA_AVX2) && __builtin_cpu_supports("avx512f");
#endif
    return isa == ISA_BASELINE;
}

static enum isa isa_best(void)
{
    int isa = ISA_COUNT - 1;
    while (!isa_available((enum isa)isa))
        isa--;
    return (enum isa)isa;
}

enum isa isa_current(void)
{
    return pinned == ISA_COUNT ? isa_best() : pinned;
}

bool isa_pin(const char *name)
{
    if (strcmp(name, "auto") == 0) {
        pinned = ISA_COUNT;
        return true;
    }
    const enum isa isa = isa_find(name);
    if (isa == ISA_COUNT || !isa_available(isa))
        return false;
    pinned = isa;
    return true;
}
