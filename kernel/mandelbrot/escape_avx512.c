#define ESCAPE_VECTORS escape_vectors_avx512
#include "kernel/mandelbrot/escape_body.h"
