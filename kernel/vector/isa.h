/*
 * Instruction sets. The vector code of this room is built several times, once per set, and the set
 * is chosen when the program starts, so that one binary runs on every node of a mixed cluster.
 *
 * Results are the same bit for bit for avx2 and avx512 (and wherever multiply-adds are fused);
 * the baseline of x86-64 rounds twice and differs in the last bits.
 */
#ifndef KERNEL_VECTOR_ISA_H
#define KERNEL_VECTOR_ISA_H

#include <stdbool.h>

/* From the least to the most capable. */
enum isa {
    ISA_BASELINE, /* what every processor of the architecture has: "sse2" on x86-64, else "generic"
                   */
    ISA_AVX2,     /* with FMA */
    ISA_AVX512,   /* its foundation, F */
    ISA_COUNT
};

const char *isa_name(enum isa isa);
/* The one of that name; the portable code is "generic" everywhere, too. ISA_COUNT: there is none.
 */
enum isa isa_find(const char *name);
/* Built, and had by this processor? */
bool isa_available(enum isa isa);
/* The one in use: the best available, or the one pinned by isa_pin. Whatever is made for an
 * instruction set (a correlator) keeps the one that was in use then. */
enum isa isa_current(void);

/* Use that one from now on ("auto": the best). False: unknown, or this processor does not have it.
 */
bool isa_pin(const char *name);

#endif
