#include "tests/bench/mandelbrot/plain.h"

static uint32_t plain_count(double c_x, double c_y, uint32_t iterations)
{
    double x = c_x, y = c_y, x_squared = x * x, y_squared = y * y;
    uint32_t count = 0;
    while (count < iterations && x_squared + y_squared <= 4) {
        y = 2 * x * y + c_y;
        x = x_squared - y_squared + c_x;
        x_squared = x * x;
        y_squared = y * y;
        count++;
    }
    return count;
}

static double centre(double from, double to, int64_t index, int64_t count)
{
    const double t = (double)index + 0.5, n = (double)count;
    return ((n - t) * from + t * to) / n;
}

void plain_compute(const struct domain *domain, int64_t first, int64_t count, int threads,
                   uint32_t *counts)
{
    const struct domain d = *domain;
#pragma omp parallel for default(none) shared(d, first, count, counts) num_threads(threads)        \
    schedule(dynamic)
    for (int64_t row = 0; row < count; row++) {
        const double c_y = centre(d.y_max, d.y_min, first + row, d.height);
        for (int64_t column = 0; column < d.width; column++)
            counts[row * d.width + column] =
                plain_count(centre(d.x_min, d.x_max, column, d.width), c_y, (uint32_t)d.iterations);
    }
}
