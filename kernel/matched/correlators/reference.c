/*
 * The specification: the definition in kernel/matched/banks/bank.h, term by term, in double
 * precision. It is never made faster; the other algorithms are compared with it.
 */
#include "kernel/matched/correlators/reference.h"

#include <math.h>
#include <stdlib.h>

struct reference_correlator {
    struct correlator base;
    struct bank *bank; /* owned */
};

static bool reference_estimate(const struct bank *bank, const struct demand *demands, int count,
                               double *efforts)
{
    const double slower = 64; /* than a multiply-add of the direct algorithm */
    const double taps = (double)bank_tap_count(bank);
    for (int i = 0; i < count; i++)
        efforts[i] = slower * taps * demands[i].rows * demands[i].columns;
    return true;
}

static void reference_free(struct correlator **correlator)
{
    struct reference_correlator *self = (struct reference_correlator *)*correlator;
    if (!self)
        return;
    bank_free(&self->bank);
    free(self);
    *correlator = NULL;
}

static struct correlator *reference_new(const struct bank *bank, const struct demand *demand)
{
    (void)demand;
    struct reference_correlator *self = calloc(1, sizeof *self);
    if (!self)
        return NULL;
    struct correlator *correlator = &self->base;
    correlator->algorithm = &reference_algorithm;
    self->bank = bank_new_collapsed(bank, COMBINE_MAX); /* a copy */
    if (!self->bank)
        reference_free(&correlator);
    return correlator;
}

static size_t reference_workspace(const struct correlator *correlator)
{
    (void)correlator;
    return 0;
}

/* `at` points at the pixel whose response is wanted. */
static double filter_response(const struct filter *filter, const float *at, ptrdiff_t stride)
{
    double response = 0;
    for (int a = 0; a < filter->rows; a++) {
        const float *row = at + (a - filter->anchor_row) * stride - filter->anchor_column;
        for (int b = 0; b < filter->columns; b++)
            response += filter->taps[a * filter->columns + b] * (double)row[b];
    }
    return response;
}

static double bank_response(const struct bank *bank, const float *at, ptrdiff_t stride)
{
    double greatest = -HUGE_VAL;
    for (int i = 0; i < bank->count; i++) {
        double response = filter_response(&bank->filters[i], at, stride);
        if (response > greatest)
            greatest = response;
    }
    return greatest;
}

static void reference_run(const struct correlator *correlator, const struct tile *tile,
                          void *workspace)
{
    const struct bank *bank = ((const struct reference_correlator *)correlator)->bank;
    (void)workspace;
    for (int y = 0; y < tile->rows; y++)
        for (int x = 0; x < tile->columns; x++) {
            const float *at = tile->origin + y * tile->stride + x;
            float *result = tile->result + y * tile->result_stride + x;
            float response = (float)bank_response(bank, at, tile->stride);
            if (!tile->accumulate || response > *result)
                *result = response;
        }
}

const struct algorithm reference_algorithm = {.name = "reference",
                                              .estimate = reference_estimate,
                                              .new_correlator = reference_new,
                                              .workspace_bytes = reference_workspace,
                                              .run = reference_run,
                                              .free_correlator = reference_free};
