#include "calibrate/fit/line.h"

#include <lapacke.h>
#include <math.h>

static double chi2_of(const struct point *points, int count, const struct line *line)
{
    double sum = 0;
    for (int i = 0; i < count; i++) {
        const double off = (points[i].mean_s - line_at(line, points[i].tasks)) / points[i].error_s;
        sum += off * off;
    }
    return sum;
}

struct line line_proportional(const struct point *points, int count)
{
    double xx = 0, xy = 0;
    for (int i = 0; i < count; i++) {
        const double w = 1 / (points[i].error_s * points[i].error_s);
        xx += w * points[i].tasks * points[i].tasks;
        xy += w * points[i].tasks * points[i].mean_s;
    }
    struct line line = {.s_per_task = xy / xx, .rate_variance = 1 / xx};
    line.chi2 = chi2_of(points, count, &line);
    return line;
}

struct line line_constant(const struct point *points, int count)
{
    double sum = 0, weights = 0;
    for (int i = 0; i < count; i++) {
        const double w = 1 / (points[i].error_s * points[i].error_s);
        weights += w;
        sum += w * points[i].mean_s;
    }
    struct line line = {.latency_s = sum / weights, .latency_variance = 1 / weights};
    line.chi2 = chi2_of(points, count, &line);
    return line;
}

/* Rows 1/error, tasks/error; their QR factor R gives (R^T R)^-1, the coefficients' covariance. */
static void covariance_of(const double *rows, int count, struct line *line)
{
    const double r11 = rows[0], r12 = rows[count], r22 = rows[count + 1];
    const double i11 = 1 / r11, i22 = 1 / r22, i12 = -r12 / (r11 * r22);
    line->latency_variance = i11 * i11 + i12 * i12;
    line->rate_variance = i22 * i22;
    line->covariance = i12 * i22;
}

bool line_fit(const struct point *points, int count, struct line *line)
{
    double rows[2 * POINTS_MOST], targets[POINTS_MOST];
    if (count < 2) {
        *line = line_proportional(points, count);
        return true;
    }
    for (int i = 0; i < count; i++) {
        rows[i] = 1 / points[i].error_s;
        rows[count + i] = points[i].tasks / points[i].error_s;
        targets[i] = points[i].mean_s / points[i].error_s;
    }
    if (LAPACKE_dgels(LAPACK_COL_MAJOR, 'N', count, 2, 1, rows, count, targets, count) != 0)
        return false;
    *line = (struct line){.latency_s = targets[0], .s_per_task = targets[1]};
    covariance_of(rows, count, line);
    line->chi2 = chi2_of(points, count, line);
    return true;
}
