/* The batched FFT's passes for AVX2 and FMA. */
#define FFT_ISA fft_isa_avx2
#include "kernel/matched/correlators/fft_lanes.h"
