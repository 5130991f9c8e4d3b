/*
 * The algorithm "orbit": direct sums of products that use the symmetries of a bank, twice to eight
 * times fewer multiplications (kernel/matched/correlators/orbit.h says how). A pixel's value
 * depends on its neighbourhood alone.
 */
#include "kernel/matched/correlators/orbit.h"

#include <math.h>
#include <stdlib.h>

#include "kernel/matched/correlators/orbit_plan.h"
#include "kernel/vector/isa.h"

struct orbit_correlator {
    struct correlator base;
    const struct orbit_isa *isa;
    struct orbit_plan plan;
    int columns_most; /* of a tile */
};

static const struct orbit_isa *const passes[ISA_COUNT] = {
    [ISA_BASELINE] = &orbit_isa_generic,
#ifdef __x86_64__
    [ISA_AVX2] = &orbit_isa_avx2,
    [ISA_AVX512] = &orbit_isa_avx512,
#endif
};

/* Prices in multiply-adds of the direct algorithm that take as long, measured on one core, between
 * what AVX2 and AVX-512 say. */
static double effort_per_pixel(const struct orbit_plan *plan)
{
    const double product = 1, feature = 3.8, image = 30;
    return product * plan->multiply_adds + feature * plan->features + image * plan->images;
}

static bool orbit_estimate(const struct bank *bank, const struct demand *demands, int count,
                           double *efforts)
{
    struct orbit_plan plan;
    const bool done = orbit_plan_init(&plan, bank);
    const double each = plan.count > 0 ? effort_per_pixel(&plan) : HUGE_VAL;
    for (int i = 0; i < count; i++)
        efforts[i] = each * demands[i].rows * demands[i].columns;
    orbit_plan_release(&plan);
    return done;
}

static void orbit_free(struct correlator **correlator)
{
    struct orbit_correlator *self = (struct orbit_correlator *)*correlator;
    if (!self)
        return;
    orbit_plan_release(&self->plan);
    free(self);
    *correlator = NULL;
}

static struct correlator *orbit_new(const struct bank *bank, const struct demand *demand)
{
    struct orbit_correlator *self = calloc(1, sizeof *self);
    if (!self)
        return NULL;
    struct correlator *correlator = &self->base;
    correlator->algorithm = &orbit_algorithm;
    self->isa = passes[isa_current()];
    self->columns_most = demand->columns;
    if (!orbit_plan_init(&self->plan, bank) || self->plan.count == 0)
        orbit_free(&correlator);
    return correlator;
}

/* An odd number of cache lines, so that a column of halves spreads over the cache, with room for
 * two registers that are not full: the row's last one, and the last one of what it needs. */
static ptrdiff_t half_stride(const struct orbit_correlator *self, const struct orbit_family *family)
{
    const int line = 16;
    const int count = orbit_back(family) + self->columns_most + orbit_ahead(family);
    return (ptrdiff_t)line * ((count / line + 3) | 1);
}

static size_t half_floats(const struct orbit_correlator *self, const struct orbit_family *family)
{
    return family->components == 2 ? 0
                                   : 2 * (size_t)family->halves * (size_t)half_stride(self, family);
}

static size_t orbit_workspace(const struct correlator *correlator)
{
    const struct orbit_correlator *self = (const struct orbit_correlator *)correlator;
    size_t most = 0;
    for (int f = 0; f < self->plan.count; f++) {
        const struct orbit_family *family = &self->plan.families[f];
        const size_t features = (size_t)family->components * (size_t)family->features *
                                ORBIT_REGISTERS * (size_t)self->isa->lanes;
        const size_t floats = half_floats(self, family) + features;
        most = floats > most ? floats : most;
    }
    return (most * sizeof(float) + 63) / 64 * 64;
}

static void family_run(const struct orbit_correlator *self, const struct orbit_family *family,
                       const struct tile *tile, bool accumulate, float *workspace)
{
    struct orbit_run run = {.family = family,
                            .stride = tile->stride,
                            .columns = tile->columns,
                            .accumulate = accumulate,
                            .halves = workspace,
                            .half_stride = half_stride(self, family),
                            .features = workspace + half_floats(self, family)};
    for (int y = 0; y < tile->rows; y++) {
        run.origin = tile->origin + y * tile->stride;
        run.result = tile->result + y * tile->result_stride;
        self->isa->run(&run);
    }
}

static void orbit_run(const struct correlator *correlator, const struct tile *tile, void *workspace)
{
    const struct orbit_correlator *self = (const struct orbit_correlator *)correlator;
    for (int f = 0; f < self->plan.count; f++)
        family_run(self, &self->plan.families[f], tile, tile->accumulate || f > 0, workspace);
}

const struct algorithm orbit_algorithm = {
    .name = "orbit",
    .estimate = orbit_estimate,
    .new_correlator = orbit_new,
    .workspace_bytes = orbit_workspace,
    .run = orbit_run,
    .free_correlator = orbit_free,
};
