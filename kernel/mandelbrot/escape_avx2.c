#define ESCAPE_VECTORS escape_vectors_avx2
#include "kernel/mandelbrot/escape_body.h"
