/* What the rows of the Mandelbrot set cost: 1200 x 1200 points of [-2, 2] x [-2, 2], at most 1000
 * iterations each, z = c counted 1. */
#ifndef TESTS_PLANNER_MANDELBROT_ROWS_H
#define TESTS_PLANNER_MANDELBROT_ROWS_H

#include <stdbool.h>

enum { ROWS = 1200, ITERATIONS = 1000 };

static inline int mandelbrot_pixel(double cx, double cy)
{
    double x = cx, y = cy;
    for (int n = 1; n <= ITERATIONS; n++) {
        const double xx = x * x, yy = y * y;
        if (xx + yy > 4)
            return n - 1;
        y = 2 * x * y + cy;
        x = xx - yy + cx;
    }
    return ITERATIONS;
}

/* Iterations of each row, from north to south; computed once, mirrored rows together. */
static inline const double *mandelbrot_rows(void)
{
    static double costs[ROWS];
    static bool made;
    for (int row = 0; !made && row < ROWS / 2; row++) {
        const double y = 2 - (row + 0.5) * 4 / ROWS;
        costs[row] = 0;
        for (int column = 0; column < ROWS; column++)
            costs[row] += mandelbrot_pixel(-2 + (column + 0.5) * 4 / ROWS, y);
        costs[ROWS - 1 - row] = costs[row];
    }
    made = true;
    return costs;
}

#endif
