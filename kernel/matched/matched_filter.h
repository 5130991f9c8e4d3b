/*
 * The matched filter: an image correlated with a bank of filters, their responses combined into one
 * number per pixel. A pixel within reach of one that is not finite, or larger than 2^96 in
 * magnitude, is not a number in the result.
 */
#ifndef KERNEL_MATCHED_MATCHED_FILTER_H
#define KERNEL_MATCHED_MATCHED_FILTER_H

#include "kernel/scow.h"

extern const struct scow_task matched_filter_task;

#endif
