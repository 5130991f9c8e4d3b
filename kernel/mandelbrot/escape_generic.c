#define ESCAPE_VECTORS escape_vectors_generic
#include "kernel/mandelbrot/escape_body.h"
