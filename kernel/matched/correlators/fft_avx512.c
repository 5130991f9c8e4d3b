/* The batched FFT's passes for AVX-512. */
#define FFT_ISA fft_isa_avx512
#include "kernel/matched/correlators/fft_lanes.h"
