/*
 * Columns of a grid under Jacobi's iteration, as core tasks: what calibrating measures for strips
 * of columns (scow plan --strips). One package of p columns does to the same memory what a strip of
 * p columns does in one iteration.
 */
#ifndef KERNEL_JACOBI_JACOBI_H
#define KERNEL_JACOBI_JACOBI_H

#include "kernel/jacobi/strip.h"
#include "kernel/scow.h"

extern const struct scow_task jacobi_task;

/* What the task's values say of cells; inside is the mean of the edges where it is not given. */
/* Is inside a number, or the mean? */
bool jacobi_values_check(const struct scow_value *values);
struct jacobi_values jacobi_values_read(const struct scow_value *values);
/* How many rows and columns they say. */
int64_t jacobi_rows(const struct scow_value *values);

#endif
