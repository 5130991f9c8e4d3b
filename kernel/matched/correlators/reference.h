/* The algorithm that is the specification: plain serial loops in double precision. */
#ifndef KERNEL_MATCHED_CORRELATORS_REFERENCE_H
#define KERNEL_MATCHED_CORRELATORS_REFERENCE_H

#include "kernel/matched/correlators/correlate.h"

extern const struct algorithm reference_algorithm;

#endif
