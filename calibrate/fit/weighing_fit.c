#include "calibrate/fit/weighing_fit.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>

#include "calibrate/fit/sample.h"

/* With fewer packages, nothing is compared. */
enum { PACKAGES_LEAST = 8 };
/* A slope that is not so many standard errors above 0 is none. */
static const double TOLD_DEVIATIONS = 2;
/* What is fitted to a package counts as no less than this part of the mean: light ones would rule
 * alone. */
static const double FITTED_LEAST = 0.01;
/* A residual of more than so many standard deviations counts as one of so many; a standard
 * deviation by the median of absolute residuals. */
static const double HUBER = 1.5, DEVIATION_BY_MEDIAN = 1.4826;
/* Rounds of fits by the scales that the one before gave. */
enum { ROUNDS = 8 };

/* Terms of the model; the slope comes last, for its error is in the last row of QR's factor. */
enum { LATENCY, CONSTANT, SLOPE, TERMS };
enum { SUBSETS = 1 << TERMS, ALL_TERMS = SUBSETS - 1, LEVEL_TERMS = ALL_TERMS & ~(1 << SLOPE) };

/* Packages, each by its core tasks' mean. */
struct packages {
    double *columns[TERMS]; /* owned */
    double *seconds;        /* owned */
    double *scales;         /* owned: what a residual is relative to */
    double *rows, *targets; /* owned: room for a fit */
    int count;
    bool sizes_differ;
};

/* One fit. */
struct model {
    double terms[TERMS];
    double squares;     /* of relative residuals */
    double slope_error; /* standard error */
};

static void packages_release(struct packages *packages)
{
    for (int k = 0; k < TERMS; k++)
        free(packages->columns[k]);
    free(packages->seconds);
    free(packages->scales);
    free(packages->rows);
    free(packages->targets);
}

static bool packages_init(struct packages *packages, int64_t most)
{
    const size_t room = (size_t)most + 1;
    bool good = true;
    *packages = (struct packages){.seconds = calloc(room, sizeof(double)),
                                  .scales = calloc(room, sizeof(double)),
                                  .rows = calloc(TERMS * room, sizeof(double)),
                                  .targets = calloc(room, sizeof(double))};
    for (int k = 0; k < TERMS; k++) {
        packages->columns[k] = calloc(room, sizeof(double));
        good = good && packages->columns[k];
    }
    return good && packages->seconds && packages->scales && packages->rows && packages->targets;
}

/* All timings of one package are one. */
static void packages_take(struct packages *packages, const struct sample *samples, int64_t count,
                          const struct work *work, const struct two_way *terms)
{
    const double all = (double)work->tasks;
    for (int64_t at = 0, length; at < count; at += length) {
        const struct sample *package = &samples[at];
        const double tasks = (double)package->tasks;
        const double term = terms->terms ? terms->terms[package->rank - 1] : 0;
        const int row = packages->count++;
        length = sample_package_length(package, count - at);
        packages->seconds[row] = sample_package_mean(package, length) * exp(-term) / tasks;
        packages->columns[LATENCY][row] = 1 / tasks;
        packages->columns[CONSTANT][row] = 1;
        packages->columns[SLOPE][row] = work_mean_cost(work, all, (double)package->first, tasks);
        packages->sizes_differ |= package->tasks != samples[0].tasks;
    }
}

static double fitted_s(const struct packages *packages, const struct model *model, int row)
{
    double sum_s = 0;
    for (int k = 0; k < TERMS; k++)
        sum_s += model->terms[k] * packages->columns[k][row];
    return sum_s;
}

/* By the terms of the subset; false: they cannot be told apart. */
static bool model_solve(struct packages *packages, int subset, struct model *model)
{
    const int count = packages->count;
    int columns = 0, at = 0;
    *model = (struct model){.squares = 0};
    for (int k = 0; k < TERMS; k++)
        for (int row = 0; (subset & 1 << k) && row < count; row++)
            packages->rows[columns++] = packages->columns[k][row] / packages->scales[row];
    columns /= count;
    for (int row = 0; row < count; row++)
        packages->targets[row] = packages->seconds[row] / packages->scales[row];
    if (LAPACKE_dgels(LAPACK_COL_MAJOR, 'N', count, columns, 1, packages->rows, count,
                      packages->targets, count) != 0)
        return false;
    for (int k = 0; k < TERMS; k++)
        if (subset & 1 << k)
            model->terms[k] = packages->targets[at++];
    for (int row = 0; row < count; row++) {
        const double off_s = packages->seconds[row] - fitted_s(packages, model, row);
        model->squares += pow(off_s / packages->scales[row], 2);
    }
    const double corner = fabs(packages->rows[(columns - 1) * count + columns - 1]);
    model->slope_error = sqrt(model->squares / (count - columns)) / corner;
    return true;
}

static bool is_possible(const struct model *model)
{
    for (int k = 0; k < TERMS; k++)
        if (!(model->terms[k] >= 0))
            return false;
    return true;
}

/* The best one of these terms, none below 0: where one would be, it is best of all without. */
static bool model_find(struct packages *packages, int terms, struct model *best)
{
    bool found = false;
    for (int subset = 1; subset < SUBSETS; subset++) {
        struct model model;
        if ((subset & terms) != subset || (!packages->sizes_differ && (subset & 1 << LATENCY)) ||
            !model_solve(packages, subset, &model) || !is_possible(&model) ||
            (found && model.squares >= best->squares))
            continue;
        *best = model;
        found = true;
    }
    return found;
}

static int ascending(const void *a, const void *b)
{
    const double p = *(const double *)a, q = *(const double *)b;
    return (p > q) - (p < q);
}

/* What is far off is scaled down to where its square counts as its distance. */
static void scales_widen(struct packages *packages, const struct model *model)
{
    double *off = packages->targets; /* room enough */
    for (int row = 0; row < packages->count; row++)
        off[row] =
            fabs(packages->seconds[row] - fitted_s(packages, model, row)) / packages->scales[row];
    qsort(off, (size_t)packages->count, sizeof *off, ascending);
    const double most = HUBER * DEVIATION_BY_MEDIAN * off[packages->count / 2];
    for (int row = 0; most > 0 && row < packages->count; row++) {
        const double off_s = fabs(packages->seconds[row] - fitted_s(packages, model, row));
        packages->scales[row] *= sqrt(fmax(1, off_s / packages->scales[row] / most));
    }
}

static void scales_set(struct packages *packages, const struct model *model)
{
    double mean_s = 0;
    for (int row = 0; row < packages->count; row++)
        mean_s += packages->seconds[row] / packages->count;
    for (int row = 0; row < packages->count; row++)
        packages->scales[row] =
            model ? fmax(fitted_s(packages, model, row), FITTED_LEAST * mean_s) : mean_s;
    if (model)
        scales_widen(packages, model);
}

static void packages_compare(struct packages *packages, struct weighing *weighing,
                             struct cost *compute)
{
    struct model sloped, level;
    weighing->constant = 1;
    scales_set(packages, NULL);
    for (int round = 0; round < ROUNDS; round++) {
        if (!model_find(packages, ALL_TERMS, &sloped))
            return;
        scales_set(packages, &sloped);
    }
    if (!model_find(packages, ALL_TERMS, &sloped) || !model_find(packages, LEVEL_TERMS, &level) ||
        !(sloped.terms[SLOPE] > TOLD_DEVIATIONS * sloped.slope_error))
        return;
    *compute = (struct cost){sloped.terms[LATENCY], sloped.terms[CONSTANT] + sloped.terms[SLOPE]};
    weighing->constant = sloped.terms[CONSTANT] / compute->s_per_task;
    weighing->explained =
        level.squares > 0 ? fmin(1, fmax(0, 1 - sloped.squares / level.squares)) : 0;
}

bool weighing_fit(const struct samples *samples, int setting, int workers,
                  const struct two_way *terms, struct weighing *weighing, struct cost *compute,
                  struct failure *failure)
{
    const struct sample_choice all = {setting, 1, workers, OPERATION_COMPUTE, SAMPLE_BUSY};
    struct packages packages;
    int64_t count;
    struct sample *chosen = samples_choose(samples, &all, &count);
    const bool good = packages_init(&packages, count) && chosen;
    *weighing = (struct weighing){.constant = 0};
    *compute = (struct cost){0, 0};
    if (good) {
        packages_take(&packages, chosen, count, &samples->weights->work, terms);
        weighing->packages = packages.count;
        if (packages.count >= PACKAGES_LEAST)
            packages_compare(&packages, weighing, compute);
    } else {
        failure_memory(failure, "comparing packages with their weights");
    }
    packages_release(&packages);
    free(chosen);
    return good;
}
