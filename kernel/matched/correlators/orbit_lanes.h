/*
 * The passes of the algorithm "orbit" for whatever instruction set the including file is compiled
 * for; that file defines ORBIT_ISA, the name of its table.
 */
#include "kernel/matched/correlators/orbit.h"
#include "kernel/vector/vector.h"

#include <math.h>

static float *feature_at(const struct orbit_run *run, int component, int feature)
{
    const ptrdiff_t index = (ptrdiff_t)component * run->family->features + feature;
    return run->features + index * ORBIT_REGISTERS * VECTOR_LANES;
}

/* Pixel and its transpose: their sum and their difference. */
VECTOR_INLINE void features_of_two(const struct orbit_run *run, int x, int registers)
{
    const struct orbit_family *family = run->family;
    for (int k = 0; k < family->features; k++) {
        const float *one = run->origin + family->rows[k] * run->stride + family->columns[k] + x;
        const float *other = run->origin + family->columns[k] * run->stride + family->rows[k] + x;
        float *sum = feature_at(run, 0, k), *difference = feature_at(run, 1, k);
        VECTOR_UNROLL
        for (int b = 0; b < registers; b++) {
            const vector p = vector_load(one + (ptrdiff_t)VECTOR_LANES * b);
            const vector q = vector_load(other + (ptrdiff_t)VECTOR_LANES * b);
            vector_store(sum + (ptrdiff_t)VECTOR_LANES * b, p + q);
            vector_store(difference + (ptrdiff_t)VECTOR_LANES * b, p - q);
        }
    }
}

/* For one row of pixels, sums and differences of rows that are images in the point; as far as
 * features of whole registers use them. */
static void halves_fill(const struct orbit_run *run)
{
    const struct orbit_family *family = run->family;
    const int columns = (run->columns + VECTOR_LANES - 1) / VECTOR_LANES * VECTOR_LANES;
    const int back = orbit_back(family), count = back + columns + orbit_ahead(family);
    for (int h = 0; h < family->halves; h++) {
        const int row = family->first + h;
        const float *one = run->origin + row * run->stride - back;
        const float *other = run->origin + (family->centre - row) * run->stride - back;
        float *sum = run->halves + (ptrdiff_t)2 * h * run->half_stride;
        float *difference = sum + run->half_stride;
        for (int x = 0; x < count; x += VECTOR_LANES) {
            const vector p = vector_load(one + x), q = vector_load(other + x);
            vector_store(sum + x, p + q);
            vector_store(difference + x, p - q);
        }
    }
}

/* The four sums of eight pixels each that belong to one place: of four pixels on its rows and on
 * its transpose's rows. */
VECTOR_INLINE void feature_of_eight(const struct orbit_run *run, int k, int x, int registers)
{
    const struct orbit_family *family = run->family;
    const int row = family->rows[k], column = family->columns[k];
    const float *lines = run->halves + orbit_back(family) + x;
    const float *one = lines + (ptrdiff_t)2 * (row - family->first) * run->half_stride;
    const float *other = lines + (ptrdiff_t)2 * (column - family->first) * run->half_stride;
    float *to[4];
    VECTOR_UNROLL
    for (int component = 0; component < 4; component++)
        to[component] = feature_at(run, component, k);
    VECTOR_UNROLL
    for (ptrdiff_t b = 0; b < (ptrdiff_t)registers * VECTOR_LANES; b += VECTOR_LANES) {
        const float *even = one + b, *odd = even + run->half_stride;
        const float *even2 = other + b, *odd2 = even2 + run->half_stride;
        const ptrdiff_t right = column, left = family->centre - column;
        const ptrdiff_t right2 = row, left2 = family->centre - row;
        const vector plus = vector_load(even + right) + vector_load(even + left);
        const vector minus = vector_load(odd + right) - vector_load(odd + left);
        const vector plus2 = vector_load(even2 + right2) + vector_load(even2 + left2);
        const vector minus2 = vector_load(odd2 + right2) - vector_load(odd2 + left2);
        vector_store(to[0] + b, plus + plus2);
        vector_store(to[1] + b, plus - plus2);
        vector_store(to[2] + b, minus + minus2);
        vector_store(to[3] + b, minus - minus2);
    }
}

/* Sums of products for one component of one group, in registers. */
VECTOR_INLINE void sum_products(const struct orbit_run *run, const struct orbit_sum *sum,
                                int component, int registers,
                                vector products[ORBIT_GROUP][ORBIT_REGISTERS])
{
    const float *features = feature_at(run, component, 0);
    vector total[ORBIT_GROUP][ORBIT_REGISTERS];
    VECTOR_UNROLL
    for (int i = 0; i < ORBIT_GROUP * registers; i++)
        total[i / registers][i % registers] = (vector){0};
    for (int t = 0; t < sum->count; t++) {
        const float *at = features + (ptrdiff_t)sum->features[t] * ORBIT_REGISTERS * VECTOR_LANES;
        const float *weights = sum->weights + (ptrdiff_t)t * ORBIT_GROUP;
        vector feature[ORBIT_REGISTERS];
        VECTOR_UNROLL
        for (int b = 0; b < registers; b++)
            feature[b] = vector_load(at + (ptrdiff_t)VECTOR_LANES * b);
        VECTOR_UNROLL
        for (int i = 0; i < ORBIT_GROUP * registers; i++)
            total[i / registers][i % registers] =
                vector_fma(vector_all(weights[i / registers]), feature[i % registers],
                           total[i / registers][i % registers]);
    }
    VECTOR_UNROLL
    for (int i = 0; i < ORBIT_GROUP * registers; i++)
        products[i / registers][i % registers] = total[i / registers][i % registers];
}

/* The largest response of an orbit's images that the bank has. */
VECTOR_INLINE vector largest_of_two(unsigned images, vector best, vector r0, vector r1)
{
    if (images & 1U)
        best = vector_max(best, r0 + r1);
    if (images & 2U)
        best = vector_max(best, r0 - r1);
    return best;
}

VECTOR_INLINE vector largest_of_four(unsigned images, vector best, vector r0, vector r1, vector r2,
                                     vector r3)
{
    best = largest_of_two(images, best, r0 + r2, r1 + r3);
    return largest_of_two(images >> 2, best, r0 - r2, r1 - r3);
}

/* The largest response at `registers` registers of pixels from x. */
VECTOR_INLINE void registers_respond(const struct orbit_run *run, int registers, vector *best)
{
    const struct orbit_family *family = run->family;
    VECTOR_UNROLL
    for (int b = 0; b < registers; b++)
        best[b] = vector_all(-INFINITY);
    for (int g = 0; g < family->groups; g++) {
        const struct orbit_group *group = &family->group[g];
        vector r[ORBIT_COMPONENTS_MOST][ORBIT_GROUP][ORBIT_REGISTERS];
        for (int component = 0; component < family->components; component++)
            sum_products(run, &group->sums[component], component, registers, r[component]);
        for (int o = 0; o < ORBIT_GROUP; o++) {
            VECTOR_UNROLL
            for (int b = 0; b < registers; b++)
                best[b] = family->components == 2
                              ? largest_of_two(group->images[o], best[b], r[0][o][b], r[1][o][b])
                              : largest_of_four(group->images[o], best[b], r[0][o][b], r[1][o][b],
                                                r[2][o][b], r[3][o][b]);
        }
    }
}

VECTOR_INLINE void registers_run(const struct orbit_run *run, int x, int registers)
{
    vector best[ORBIT_REGISTERS];
    if (run->family->components == 2)
        features_of_two(run, x, registers);
    else
        for (int k = 0; k < run->family->features; k++)
            feature_of_eight(run, k, x, registers);
    registers_respond(run, registers, best);
    VECTOR_UNROLL
    for (int b = 0; b < registers; b++) {
        float *result = run->result + x + (ptrdiff_t)VECTOR_LANES * b;
        const int left = run->columns - x - VECTOR_LANES * b;
        if (left >= VECTOR_LANES) {
            vector_store(result,
                         run->accumulate ? vector_max(best[b], vector_load(result)) : best[b]);
        } else if (left > 0) {
            if (run->accumulate)
                best[b] = vector_max(best[b], vector_load_some(result, left));
            vector_store_some(result, best[b], left);
        }
    }
}

static void registers_run_full(const struct orbit_run *run, int x)
{
    registers_run(run, x, ORBIT_REGISTERS);
}

/* No more than a register beyond the row's end may be read. */
static void registers_run_one(const struct orbit_run *run, int x)
{
    registers_run(run, x, 1);
}

static void run_row(const struct orbit_run *run)
{
    int x = 0;
    if (run->family->components == 4)
        halves_fill(run);
    for (; x + ORBIT_REGISTERS * VECTOR_LANES <= run->columns; x += ORBIT_REGISTERS * VECTOR_LANES)
        registers_run_full(run, x);
    for (; x < run->columns; x += VECTOR_LANES)
        registers_run_one(run, x);
}

const struct orbit_isa ORBIT_ISA = {.lanes = VECTOR_LANES, .run = run_row};
