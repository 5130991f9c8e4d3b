#include "spmd/strips/columns.h"

/* What the master has room for beside the grid's file. */
static const int64_t piece_numbers = 1 << 21;

struct column_range columns_common(struct column_range a, struct column_range b)
{
    const int64_t first = a.first > b.first ? a.first : b.first;
    const int64_t end = a.end < b.end ? a.end : b.end;
    return (struct column_range){first, end > first ? end : first};
}

struct column_range columns_of(const int64_t *widths, int64_t place)
{
    struct column_range range = {0, 0};
    for (int64_t k = 0; k < place; k++)
        range.first += widths[k];
    range.end = range.first + widths[place];
    return range;
}

int64_t columns_piece(int64_t rows)
{
    const int64_t fit = piece_numbers / columns_stride(rows);
    return fit > 1 ? fit : 1;
}

static int64_t piece_at(int64_t rows, int64_t left)
{
    const int64_t piece = columns_piece(rows);
    return left < piece ? left : piece;
}

bool columns_send(const struct waiting *waiting, const double *cells, int64_t rows, int64_t count,
                  int rank, int tag)
{
    for (int64_t at = 0; at < count;) {
        const int64_t piece = piece_at(rows, count - at);
        if (!waiting_send(waiting, cells + at * columns_stride(rows), columns_size(rows, piece),
                          rank, tag))
            return false;
        at += piece;
    }
    return true;
}

bool columns_receive(const struct waiting *waiting, double *cells, int64_t rows, int64_t count,
                     int rank, int tag)
{
    for (int64_t at = 0; at < count;) {
        const int64_t piece = piece_at(rows, count - at);
        if (!waiting_receive(waiting, cells + at * columns_stride(rows), columns_size(rows, piece),
                             rank, tag))
            return false;
        at += piece;
    }
    return true;
}
