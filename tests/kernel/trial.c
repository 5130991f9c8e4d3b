#include "tests/kernel/trial.h"

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernel/isa.h"
#include "kernel/kernel.h"

enum { MARGIN = 3 }; /* values around a result that nobody may touch */
static const float untouched = -12345.0F;

struct bank *bank_new_random(struct random *random, int count, int rows, int columns)
{
    struct filter *shapes = calloc((size_t)count, sizeof *shapes);
    assert_non_null(shapes);
    for (int i = 0; i < count; i++)
        shapes[i] = (struct filter){.rows = rows,
                                    .columns = columns,
                                    .anchor_row = (rows - 1) / 2,
                                    .anchor_column = (columns - 1) / 2,
                                    .angle = i};
    struct bank *bank = bank_new(shapes, count);
    assert_non_null(bank);
    for (int64_t t = 0; t < bank_tap_count(bank); t++)
        bank->taps[t] = random_signed(random);
    free(shapes);
    return bank;
}

void picture_init(struct picture *picture, const struct bank *bank, int rows, int columns)
{
    *picture = (struct picture){.reach = bank_reach(bank), .rows = rows, .columns = columns};
    picture->stride = picture->reach.left + columns + picture->reach.right + CORRELATE_SLACK;
    const size_t count =
        (size_t)picture->stride * (size_t)(picture->reach.up + rows + picture->reach.down);
    picture->memory = malloc(count * sizeof *picture->memory);
    assert_non_null(picture->memory);
    for (size_t i = 0; i < count; i++)
        picture->memory[i] = NAN;
}

float *picture_at(const struct picture *picture, int row, int column)
{
    return picture->memory + (picture->reach.up + row) * picture->stride + picture->reach.left +
           column;
}

void picture_fill_random(struct picture *picture, struct random *random, double scale)
{
    for (int y = -picture->reach.up; y < picture->rows + picture->reach.down; y++)
        for (int x = -picture->reach.left; x < picture->columns + picture->reach.right; x++)
            *picture_at(picture, y, x) = (float)(scale * random_signed(random));
}

void picture_release(struct picture *picture)
{
    free(picture->memory);
    picture->memory = NULL;
}

static float *result_new(const struct picture *picture, float value)
{
    const size_t count = (size_t)picture->rows * (size_t)(picture->columns + MARGIN) + MARGIN;
    float *result = malloc(count * sizeof *result);
    assert_non_null(result);
    for (size_t i = 0; i < count; i++)
        result[i] = value;
    return result;
}

/* Rows [first, last) as one tile. */
static struct tile picture_tile(const struct picture *picture, int first, int last, float *result)
{
    const ptrdiff_t stride = picture->columns + MARGIN;
    return (struct tile){.origin = picture_at(picture, first, 0),
                         .stride = picture->stride,
                         .rows = last - first,
                         .columns = picture->columns,
                         .result = result + first * stride,
                         .result_stride = stride};
}

/* A correlator and a thread's workspace. */
struct machine {
    const struct algorithm *algorithm;
    struct correlator *correlator;
    void *workspace;
};

static void machine_init(struct machine *machine, const struct algorithm *algorithm,
                         const struct bank *bank, int rows, int columns)
{
    machine->algorithm = algorithm;
    machine->correlator = algorithm->new_correlator(bank, rows, columns);
    assert_non_null(machine->correlator);
    const size_t bytes = algorithm->workspace_bytes(machine->correlator);
    assert_int_equal(bytes % 64, 0);
    machine->workspace = aligned_alloc(64, bytes + 64);
    assert_non_null(machine->workspace);
    memset(machine->workspace, 0xff, bytes + 64); /* not numbers */
}

static void machine_release(struct machine *machine)
{
    machine->algorithm->free_correlator(&machine->correlator);
    assert_null(machine->correlator);
    free(machine->workspace);
}

static void machine_run(const struct machine *machine, struct tile tile, bool accumulate)
{
    tile.accumulate = accumulate;
    machine->algorithm->run(machine->correlator, &tile, machine->workspace);
}

float *picture_run(const struct picture *picture, const struct algorithm *algorithm,
                   const struct bank *bank, int rows_most, int columns_most)
{
    struct machine machine;
    float *result = result_new(picture, untouched);
    machine_init(&machine, algorithm, bank, rows_most, columns_most);
    machine_run(&machine, picture_tile(picture, 0, picture->rows, result), false);
    machine_release(&machine);
    return result;
}

/* What the greatest response to random pixels of that size comes to, roughly: the greatest norm of
 * a filter's taps times the largest pixel. */
static double response_scale(const struct bank *bank, const struct picture *picture)
{
    double norm = 0, pixel = 0;
    for (int i = 0; i < bank->count; i++) {
        double square = 0;
        for (int t = 0; t < bank->filters[i].rows * bank->filters[i].columns; t++)
            square += bank->filters[i].taps[t] * bank->filters[i].taps[t];
        norm = fmax(norm, sqrt(square));
    }
    for (int y = -picture->reach.up; y < picture->rows + picture->reach.down; y++)
        for (int x = -picture->reach.left; x < picture->columns + picture->reach.right; x++)
            pixel = fmax(pixel, fabs((double)*picture_at(picture, y, x)));
    return norm * pixel;
}

static void check_near(const struct picture *picture, const float *result, const float *reference,
                       double tolerance, uint64_t seed)
{
    const int stride = picture->columns + MARGIN;
    for (int y = 0; y < picture->rows; y++)
        for (int x = 0; x < picture->columns; x++) {
            const double actual = (double)result[y * stride + x];
            const double expected = (double)reference[y * stride + x];
            if (!(fabs(actual - expected) <= tolerance))
                fail_msg("%s, seed %" PRIu64 ": %.9g at (%d, %d) of %d x %d is not within %.3g of "
                         "%.9g",
                         kernel_isa(), seed, actual, y, x, picture->rows, picture->columns,
                         tolerance, expected);
        }
}

static void check_margin(const struct picture *picture, const float *result)
{
    for (int y = 0; y < picture->rows; y++)
        for (int x = 0; x < MARGIN; x++)
            assert_true(result[y * (picture->columns + MARGIN) + picture->columns + x] ==
                        untouched);
}

static void check_same(const struct picture *picture, const float *one, const float *other,
                       const char *what, uint64_t seed)
{
    const size_t row = (size_t)picture->columns * sizeof *one;
    for (int y = 0; y < picture->rows; y++) {
        const ptrdiff_t at = (ptrdiff_t)y * (picture->columns + MARGIN);
        if (memcmp(one + at, other + at, row) != 0)
            fail_msg("%s, seed %" PRIu64 ": row %d is not the same %s", kernel_isa(), seed, y,
                     what);
    }
}

/* In two pieces, onto the same result: nothing may change, neither by cutting nor by adding the
 * maximum with itself. */
static void check_cut(const struct machine *machine, const struct picture *picture,
                      const float *whole, uint64_t seed)
{
    if (machine->algorithm->row_step == NULL)
        return;
    const int step = machine->algorithm->row_step(machine->correlator);
    assert_true(step > 0);
    const int cut = step < picture->rows ? (picture->rows / 2 + step - 1) / step * step : 0;
    float *result = result_new(picture, untouched);
    if (cut > 0)
        machine_run(machine, picture_tile(picture, 0, cut, result), false);
    if (cut < picture->rows)
        machine_run(machine, picture_tile(picture, cut, picture->rows, result), false);
    check_same(picture, result, whole, "when cut", seed);
    machine_run(machine, picture_tile(picture, 0, picture->rows, result), true);
    check_same(picture, result, whole, "when accumulated onto itself", seed);
    free(result);
}

static void check_accumulate(const struct machine *machine, const struct picture *picture,
                             const float *whole)
{
    const float high = 1e30F;
    float *result = result_new(picture, high);
    machine_run(machine, picture_tile(picture, 0, picture->rows, result), true);
    for (int y = 0; y < picture->rows; y++)
        for (int x = 0; x < picture->columns; x++) {
            const int at = y * (picture->columns + MARGIN) + x;
            assert_true(result[at] == (whole[at] > high ? whole[at] : high));
        }
    free(result);
}

/* The result with the instruction set in use, checked. To be freed. */
static float *check_isa(const struct algorithm *algorithm, const struct bank *bank,
                        const struct picture *picture, const float *reference, double tolerance,
                        uint64_t seed)
{
    struct machine machine;
    float *result = result_new(picture, untouched);
    machine_init(&machine, algorithm, bank, picture->rows, picture->columns);
    machine_run(&machine, picture_tile(picture, 0, picture->rows, result), false);
    check_near(picture, result, reference, tolerance, seed);
    check_margin(picture, result);
    check_cut(&machine, picture, result, seed);
    check_accumulate(&machine, picture, result);
    machine_release(&machine);
    return result;
}

void trial_check(const struct algorithm *algorithm, const struct bank *bank,
                 const struct picture *picture, uint64_t seed)
{
    const double tolerance = 2e-6 * response_scale(bank, picture);
    float *reference =
        picture_run(picture, algorithm_find("reference"), bank, picture->rows, picture->columns);
    float *results[ISA_COUNT] = {NULL};
    assert_true(algorithm->applies(bank));
    for (int isa = 0; isa < ISA_COUNT; isa++)
        if (kernel_isa_pin(isa_name((enum isa)isa)))
            results[isa] = check_isa(algorithm, bank, picture, reference, tolerance, seed);
    if (results[ISA_AVX2] != NULL && results[ISA_AVX512] != NULL)
        check_same(picture, results[ISA_AVX2], results[ISA_AVX512], "on AVX2 and AVX-512", seed);
    assert_true(kernel_isa_pin("auto"));
    for (int isa = 0; isa < ISA_COUNT; isa++)
        free(results[isa]);
    free(reference);
}

void trial_check_random(const struct algorithm *algorithm, const struct bank *bank, int rows,
                        int columns, uint64_t seed)
{
    struct random random = {seed};
    struct picture picture;
    picture_init(&picture, bank, rows, columns);
    picture_fill_random(&picture, &random, 1);
    trial_check(algorithm, bank, &picture, seed);
    picture_release(&picture);
}
