#include "calibrate/fit/two_way.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>

/* Timings that bind a worker whom nothing connects to the mean of all: next to none. */
static const double TIE = 1e-9;

/* The normal equations. */
struct layout {
    const struct two_way_timing *timings;
    int64_t count;
    int workers;
    int64_t places;
    double *matrix;       /* owned; workers x workers, places eliminated */
    double *terms;        /* owned; at first each worker's sum of logarithms */
    double *place_sum;    /* owned */
    double *place_count;  /* owned */
    int64_t *order;       /* owned; timings by place */
    int64_t *place_begin; /* owned; places + 1 of them */
};

static void layout_release(struct layout *layout)
{
    free(layout->matrix);
    free(layout->terms);
    free(layout->place_sum);
    free(layout->place_count);
    free(layout->order);
    free(layout->place_begin);
}

static bool layout_init(struct layout *layout)
{
    const size_t workers = (size_t)layout->workers, places = (size_t)layout->places;
    layout->matrix = calloc(workers * workers + 1, sizeof *layout->matrix);
    layout->terms = calloc(workers + 1, sizeof *layout->terms);
    layout->place_sum = calloc(places + 1, sizeof *layout->place_sum);
    layout->place_count = calloc(places + 1, sizeof *layout->place_count);
    layout->order = calloc((size_t)layout->count + 1, sizeof *layout->order);
    layout->place_begin = calloc(places + 2, sizeof *layout->place_begin);
    return layout->matrix && layout->terms && layout->place_sum && layout->place_count &&
           layout->order && layout->place_begin;
}

/* By counting. */
static void timings_sort(struct layout *layout)
{
    int64_t *begin = layout->place_begin;
    for (int64_t i = 0; i < layout->count; i++)
        begin[layout->timings[i].place + 2]++;
    for (int64_t place = 0; place < layout->places; place++)
        begin[place + 2] += begin[place + 1];
    for (int64_t i = 0; i < layout->count; i++)
        layout->order[begin[layout->timings[i].place + 1]++] = i;
}

static void timings_sum(struct layout *layout)
{
    for (int64_t i = 0; i < layout->count; i++) {
        const struct two_way_timing *timing = &layout->timings[i];
        layout->matrix[timing->worker * layout->workers + timing->worker] += 1;
        layout->terms[timing->worker] += timing->log;
        layout->place_sum[timing->place] += timing->log;
        layout->place_count[timing->place] += 1;
    }
}

/* Of one place: what its mean takes from the equations of the workers that timed it. */
static void place_eliminate(struct layout *layout, int64_t place)
{
    const int64_t *own = layout->order + layout->place_begin[place];
    const int64_t length = layout->place_begin[place + 1] - layout->place_begin[place];
    const double share = 1 / layout->place_count[place];
    for (int64_t i = 0; i < length; i++) {
        const int a = layout->timings[own[i]].worker;
        layout->terms[a] -= share * layout->place_sum[place];
        for (int64_t k = 0; k < length; k++)
            layout->matrix[a * layout->workers + layout->timings[own[k]].worker] -= share;
    }
}

/* Terms have the mean 0: the matrix says nothing of that. */
static void mean_fix(struct layout *layout)
{
    const int64_t n = layout->workers;
    for (int64_t a = 0; a < n; a++) {
        for (int64_t b = 0; b < n; b++)
            layout->matrix[a * n + b] += 1.0 / (double)n;
        layout->matrix[a * n + a] += TIE;
    }
}

/* The sum of squares that is left, with the workers' terms known. */
static double residual(const struct layout *layout)
{
    double sum = 0;
    for (int64_t place = 0; place < layout->places; place++) {
        double mean = 0, squares = 0;
        const int64_t *own = layout->order + layout->place_begin[place];
        const int64_t length = layout->place_begin[place + 1] - layout->place_begin[place];
        for (int64_t i = 0; i < length; i++) {
            const struct two_way_timing *timing = &layout->timings[own[i]];
            const double off = timing->log - layout->terms[timing->worker] - mean;
            mean += off / (double)(i + 1);
            squares += off * (timing->log - layout->terms[timing->worker] - mean);
        }
        sum += squares;
    }
    return sum;
}

/* Workers that share no place with another one: nothing of theirs is left over. */
static int64_t freedom_of(const struct layout *layout)
{
    int64_t freedom = layout->count - layout->places - (layout->workers - 1);
    return freedom > 0 ? freedom : 0;
}

/* Cholesky's factor solves, and its inverse says how sure the terms are. */
static bool layout_solve(struct layout *layout, struct two_way *fit)
{
    const int n = layout->workers;
    if (LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', n, layout->matrix, n) != 0 ||
        LAPACKE_dpotrs(LAPACK_COL_MAJOR, 'L', n, 1, layout->matrix, n, layout->terms, n) != 0 ||
        LAPACKE_dpotri(LAPACK_COL_MAJOR, 'L', n, layout->matrix, n) != 0)
        return false;
    fit->freedom = freedom_of(layout);
    fit->noise = fit->freedom > 0 ? sqrt(fmax(0, residual(layout)) / (double)fit->freedom) : 0;
    const double pairs = n > 1 ? (double)n / (n - 1) : 1; /* of differences */
    for (int k = 0; k < n; k++) {
        const double own = layout->matrix[(int64_t)k * n + k] - 1.0 / n;
        fit->terms[k] = layout->terms[k];
        fit->errors[k] = fit->noise * sqrt(fmax(0, own) * pairs);
    }
    return true;
}

bool two_way_fit(const struct two_way_timing *timings, int64_t count, int workers, int64_t places,
                 struct two_way *fit)
{
    struct layout layout = {
        .timings = timings, .count = count, .workers = workers, .places = places};
    *fit = (struct two_way){.workers = workers};
    fit->terms = calloc((size_t)workers + 1, sizeof *fit->terms);
    fit->errors = calloc((size_t)workers + 1, sizeof *fit->errors);
    bool good = fit->terms && fit->errors && layout_init(&layout);
    if (good) {
        timings_sort(&layout);
        timings_sum(&layout);
        for (int64_t place = 0; place < places; place++)
            place_eliminate(&layout, place);
        mean_fix(&layout);
        good = layout_solve(&layout, fit);
    }
    layout_release(&layout);
    return good;
}

void two_way_release(struct two_way *fit)
{
    free(fit->terms);
    free(fit->errors);
    *fit = (struct two_way){.terms = NULL};
}
