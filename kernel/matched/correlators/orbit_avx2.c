/* The passes of "orbit" for AVX2 and FMA. */
#define ORBIT_ISA orbit_isa_avx2
#include "kernel/matched/correlators/orbit_lanes.h"
