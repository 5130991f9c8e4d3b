#include "calibrate/fit/student.h"

#include <math.h>

/* Of the normal distribution, 95 %. */
static const double QUANTILE = 1.6448536269514722;
static const double FREEDOM_LEAST = 2;

double student_widening(double freedom)
{
    const double z2 = QUANTILE * QUANTILE, n = fmax(FREEDOM_LEAST, freedom);
    const double first = (z2 + 1) / 4, second = (5 * z2 * z2 + 16 * z2 + 3) / 96;
    const double third = (3 * z2 * z2 * z2 + 19 * z2 * z2 + 17 * z2 - 15) / 384;
    return 1 + (first + (second + third / n) / n) / n;
}
