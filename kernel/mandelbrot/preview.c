#include "kernel/mandelbrot/preview.h"

#include <math.h>
#include <stdbool.h>

/* When a point is next compared with where it has been, as a part of its age: a cycle of any length
 * is found (Brent, An improved Monte Carlo factorization algorithm, 1980). */
static const double OLDER = 1.25;
/* Steps between two looks. */
enum { STRIDE = 16 };

/* The centre of pixel k of n between these edges. */
static double centre(double k, double n, double least, double greatest)
{
    return ((n - k - 0.5) * least + (k + 0.5) * greatest) / n;
}

static double steps_of(double c_x, double c_y, double iterations)
{
    double x = c_x, y = c_y, x_seen = x, y_seen = y, steps = 0, due = STRIDE;
    while (steps < iterations && x * x + y * y <= 4) {
        for (int k = 0; k < STRIDE && x * x + y * y <= 4; k++) {
            const double product = x * y;
            x = (x * x - y * y) + c_x;
            y = (product + product) + c_y;
            steps++;
        }
        if (x == x_seen && y == y_seen)
            break;
        if (steps >= due) {
            x_seen = x;
            y_seen = y;
            due = ceil(OLDER * steps);
        }
    }
    return fmax(1, fmin(steps, iterations));
}

double preview_row(const struct escape_picture *picture, int64_t row)
{
    const int points = (int)fmin(PREVIEW_POINTS, picture->width);
    const double c_y = centre((double)row, picture->height, picture->y_max,
                              picture->y_min); /* y_max is at row 0 */
    double steps = 0;
    for (int k = 0; k < points; k++)
        steps += steps_of(centre(k, points, picture->x_min, picture->x_max), c_y,
                          (double)picture->iterations);
    return steps / points;
}
