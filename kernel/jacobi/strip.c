#include "kernel/jacobi/strip.h"

#include <math.h>

/* Cells between two pulses: less than a millisecond. */
static const int64_t pulse_cells = 1 << 19;

size_t jacobi_strip_size(int64_t rows, int64_t columns)
{
    const size_t most = PTRDIFF_MAX / sizeof(double);
    const size_t height = (size_t)rows + 2, width = (size_t)columns + 2;
    return width > most / height ? 0 : width * height * sizeof(double);
}

static void column_fill(double *cells, int64_t rows, const struct jacobi_values *values,
                        double inside)
{
    cells[-1] = values->north;
    cells[rows] = values->south;
    for (int64_t row = 0; row < rows; row++)
        cells[row] = inside;
}

void jacobi_strip_begin(const struct jacobi_strip *strip, const struct jacobi_values *values)
{
    const int64_t last = strip->columns + 1;
    const struct jacobi_strip self = *strip;
    const struct jacobi_values given = *values;
#pragma omp parallel for default(none) shared(self, given, last) num_threads(strip->threads)       \
    schedule(static)
    for (int64_t column = 0; column <= last; column++) {
        const double inside = column == 0 ? given.west : column == last ? given.east : given.inside;
        column_fill(jacobi_column(&self, self.now, column), self.rows, &given, inside);
        column_fill(jacobi_column(&self, self.next, column), self.rows, &given, inside);
    }
}

/* Sums in one order; multiplying by a quarter is exact, as dividing by four is. */
static void column_step(double *restrict next, const double *west, const double *here,
                        const double *east, int64_t rows)
{
    for (int64_t row = 0; row < rows; row++)
        next[row] = (here[row - 1] + here[row + 1] + west[row] + east[row]) * 0.25;
}

static void columns_step(const struct jacobi_strip *strip, int64_t first, int64_t end)
{
    const struct jacobi_strip self = *strip;
#pragma omp parallel for default(none) shared(self, first, end) num_threads(strip->threads)        \
    schedule(static) if (strip->threads > 1)
    for (int64_t column = first; column < end; column++)
        column_step(jacobi_column(&self, self.next, column),
                    jacobi_column(&self, self.now, column - 1),
                    jacobi_column(&self, self.now, column),
                    jacobi_column(&self, self.now, column + 1), self.rows);
}

bool jacobi_strip_step(const struct jacobi_strip *strip, int64_t first, int64_t end,
                       struct jacobi_pulse pulse)
{
    const int64_t fit = pulse_cells * strip->threads / (strip->rows + 2);
    const int64_t piece = fit < strip->threads ? strip->threads : fit;
    while (first < end) {
        const int64_t stop = end - first > piece ? first + piece : end;
        columns_step(strip, first, stop);
        first = stop;
        if (pulse.call && pulse.call(pulse.self))
            return false;
    }
    return true;
}

double jacobi_strip_change(const struct jacobi_strip *strip)
{
    const struct jacobi_strip self = *strip;
    const int64_t last = strip->columns;
    double greatest = 0;
#pragma omp parallel for default(none) shared(self, last) num_threads(strip->threads)              \
    schedule(static) reduction(max                                                                 \
                               : greatest) if (strip->threads > 1)
    for (int64_t column = 1; column <= last; column++) {
        const double *now = jacobi_column(&self, self.now, column);
        const double *next = jacobi_column(&self, self.next, column);
        for (int64_t row = 0; row < self.rows; row++) {
            const double change = fabs(next[row] - now[row]);
            greatest = change > greatest ? change : greatest;
        }
    }
    return greatest;
}
