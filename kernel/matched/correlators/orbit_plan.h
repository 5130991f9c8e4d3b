/*
 * Finding a bank's symmetries from its coefficients. Private to the algorithm "orbit".
 */
#ifndef KERNEL_MATCHED_CORRELATORS_ORBIT_PLAN_H
#define KERNEL_MATCHED_CORRELATORS_ORBIT_PLAN_H

#include <stdbool.h>

#include "kernel/matched/correlators/orbit.h"

/* Taps count as equal when they differ by at most this much of the bank's largest. What a bank's
 * filters have in common is off by rounding (1e-10 of it in banks that are resized and rotated
 * pictures); a tap that is replaced by its like changes a response by that much of the pixel. */
#define ORBIT_TOLERANCE 2e-8

/* Families that do the whole bank; none when it has no such symmetry. */
struct orbit_plan {
    int count;
    struct orbit_family *families; /* owned, with all in them */
    double multiply_adds;          /* a pixel: of the sums */
    double features;               /* a pixel, each weighted by its components */
    double images;                 /* a pixel: responses compared */
};

/* False: out of memory. Release it in either case. */
bool orbit_plan_init(struct orbit_plan *plan, const struct bank *bank);
void orbit_plan_release(struct orbit_plan *plan);

#endif
