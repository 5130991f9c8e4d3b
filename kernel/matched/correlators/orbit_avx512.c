/* The passes of "orbit" for AVX-512. */
#define ORBIT_ISA orbit_isa_avx512
#include "kernel/matched/correlators/orbit_lanes.h"
