/*
 * The direct algorithm: every tap of every filter is a multiply-add, several filters times several
 * vectors of pixels at a time in registers.
 */
#ifndef KERNEL_MATCHED_CORRELATORS_DIRECT_H
#define KERNEL_MATCHED_CORRELATORS_DIRECT_H

#include "kernel/matched/correlators/correlate.h"

extern const struct algorithm direct_algorithm;

#endif
