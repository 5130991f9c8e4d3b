/* The algorithm that is the specification: plain serial loops in double precision. */
#ifndef KERNEL_REFERENCE_H
#define KERNEL_REFERENCE_H

#include "kernel/correlate.h"

extern const struct algorithm reference_algorithm;

#endif
