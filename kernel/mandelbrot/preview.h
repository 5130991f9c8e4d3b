/*
 * What rows of a picture cost, from a few of their points: the steps that points take until they
 * are outside or come back to where they were, which is when nobody need go on (escape_body.h).
 */
#ifndef KERNEL_MANDELBROT_PREVIEW_H
#define KERNEL_MANDELBROT_PREVIEW_H

#include <stdint.h>

#include "kernel/mandelbrot/escape.h"

/* Points of a row that are looked at: a few of them take most steps, the more so the more
 * iterations there may be. */
enum { PREVIEW_POINTS = 200 };

/* The mean number of steps of that row's points, at least 1. */
double preview_row(const struct escape_picture *picture, int64_t row);

#endif
