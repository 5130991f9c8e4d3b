/* The passes of "orbit" for the instruction set every processor of the kind has. */
#define ORBIT_ISA orbit_isa_generic
#include "kernel/matched/correlators/orbit_lanes.h"
