#include "calibrate/regression.h"

#include <lapacke.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* Solve the weighted system in one column (rate) or two (latency, rate). `rows` has room for 3 n
 * numbers. Dividing a row by y makes its target 1 and its residual a relative error. */
static bool solve(const double *x, const double *y, int n, int columns, double *rows,
                  struct cost *cost)
{
    double *targets = rows + 2 * (size_t)n;
    for (int i = 0; i < n; i++) {
        double *row = rows + (size_t)i * (size_t)columns;
        if (columns == 2)
            row[0] = 1 / y[i];
        row[columns - 1] = x[i] / y[i];
        targets[i] = 1;
    }
    if (LAPACKE_dgels(LAPACK_ROW_MAJOR, 'N', n, columns, 1, rows, columns, targets, 1) != 0)
        return false;
    cost->latency_s = columns == 2 ? targets[0] : 0;
    cost->s_per_task = targets[columns - 1];
    return true;
}

/* The constant with the least relative errors. */
static struct cost solve_constant(const double *y, int n)
{
    double weighted = 0, weights = 0;
    for (int i = 0; i < n; i++) {
        weighted += 1 / y[i];
        weights += 1 / (y[i] * y[i]);
    }
    return (struct cost){weighted / weights, 0};
}

/* Weighted sums about the weighted means: r2 of the fit and the standard error of its rate. */
static struct fit judge(const double *x, const double *y, int n, struct cost cost)
{
    double sw = 0, sx = 0, sy = 0, residual = 0, sxx = 0, syy = 0;
    for (int i = 0; i < n; i++) {
        double w = 1 / (y[i] * y[i]), r = y[i] - cost_of(cost, x[i]);
        sw += w;
        sx += w * x[i];
        sy += w * y[i];
        residual += w * r * r;
    }
    for (int i = 0; i < n; i++) {
        double w = 1 / (y[i] * y[i]), dx = x[i] - sx / sw, dy = y[i] - sy / sw;
        sxx += w * dx * dx;
        syy += w * dy * dy;
    }
    struct fit fit = {.n = n};
    fit.r2 = syy > 0 ? fmax(0, 1 - residual / syy) : 1;
    if (n > 2 && sxx > 0)
        fit.stderr_s_per_task = sqrt(residual / (n - 2) / sxx);
    return fit;
}

static bool usable(const double *x, const double *y, int n)
{
    for (int i = 0; i < n; i++)
        if (!(isfinite(y[i]) && y[i] > 0 && x[i] > 0))
            return false;
    return n > 0;
}

enum regression_result regression_fit(const double *x, const double *y, int n,
                                      struct measured_cost *cost)
{
    if (!usable(x, y, n))
        return REGRESSION_EMPTY;
    double *rows = malloc(3 * (size_t)n * sizeof *rows);
    if (!rows)
        return REGRESSION_MEMORY;
    struct cost line = {0, 0};
    bool affine = n > 1 && solve(x, y, n, 2, rows, &line);
    bool constant = affine && !(line.s_per_task > 0);
    if (!constant && (!affine || line.latency_s < 0))
        solve(x, y, n, 1, rows, &line);
    free(rows);
    if (constant)
        line = solve_constant(y, n);
    cost->cost = line;
    cost->fit = judge(x, y, n, line);
    return constant ? REGRESSION_CONSTANT : REGRESSION_GOOD;
}
