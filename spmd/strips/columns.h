/*
 * Sends columns of a strip from one rank to another. Columns are contiguous in memory, with the
 * fixed cells of the grid's edges between them, and are sent as they lie there, several in one
 * message.
 */
#ifndef SPMD_STRIPS_COLUMNS_H
#define SPMD_STRIPS_COLUMNS_H

#include <stdint.h>

#include "planner/strips/strips_plan.h"
#include "spmd/strips/waiting.h"

/* Columns [first, end) of the grid. */
struct column_range {
    int64_t first, end;
};

/* The columns that both ranges have; first == end: none. */
struct column_range columns_common(struct column_range a, struct column_range b);
/* The columns of strip number `place`, from 0, of strips with these widths. */
struct column_range columns_of(const int64_t *widths, int64_t place);
/* How many columns of so many rows are sent in one message. */
int64_t columns_piece(int64_t rows);
/* Numbers from the first cell of one column to that of the next. */
static inline int64_t columns_stride(int64_t rows)
{
    return rows + 2;
}
/* Bytes of so many columns, from the first cell of the first one to the last cell of the last. */
static inline size_t columns_size(int64_t rows, int64_t count)
{
    return (size_t)(count * columns_stride(rows) - 2) * sizeof(double);
}

/* Send or receive `count` columns; `cells` is the first cell of the first one. Called by these two
 * ranks only. False: interrupted, and the link may still read or write the cells. */
bool columns_send(const struct waiting *waiting, const double *cells, int64_t rows, int64_t count,
                  int rank, int tag);
bool columns_receive(const struct waiting *waiting, double *cells, int64_t rows, int64_t count,
                     int rank, int tag);

#endif
