/* The batched FFT's passes for the instruction set every processor of the kind has. */
#define FFT_ISA fft_isa_generic
#include "kernel/matched/correlators/fft_lanes.h"
