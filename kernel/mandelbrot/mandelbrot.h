/*
 * The core task `mandelbrot`: one row of a picture of the Mandelbrot set. A load whose rows differ
 * in cost by orders of magnitude, as published for tests of schedulers: (-2, -2) to (2, 2) at
 * 1200 x 1200 pixels (Xu and Chronopoulos, Distributed self-scheduling for heterogeneous
 * workstation clusters), which is the default, and [-1.7, 0.8] x [-1, 1] at 60000 x 50000 (Herrera,
 * Huedo, Montero, Llorente, Loosely-coupled loop scheduling in computational grids).
 *
 * Results: a grid uint32 [1][height][width] of how many iterations z <- z^2 + c stay within
 * abs(z) <= 2, from z = c counted 1, at most `iterations`; so 0 where abs(c) > 2, and `iterations`
 * in the set and close to it. What c and the count are to the last bit stands in escape.h.
 */
#ifndef KERNEL_MANDELBROT_MANDELBROT_H
#define KERNEL_MANDELBROT_MANDELBROT_H

#include "kernel/scow.h"

extern const struct scow_task mandelbrot_task;

#endif
