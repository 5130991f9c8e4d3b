/* Every algorithm on every instruction set against the reference, on random banks and tiles whose
 * buffers end where they may end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/correlate.h"
#include "kernel/isa.h"
#include "kernel/kernel.h"
#include "tests/kernel/random.h"

/* A tile with its own memory. */
struct bench {
    struct tile tile;
    float *pixels;  /* owned */
    float *results; /* owned; rows x result_stride, with untouched columns at the right */
    size_t result_count;
    double magnitude; /* of the responses: what errors are compared with */
};

static const float untouched = -12345;

static void shape_random(struct filter *shape, struct random *random, int most)
{
    *shape = (struct filter){.rows = (int)random_between(random, 1, most),
                             .columns = (int)random_between(random, 1, most)};
    switch (random_between(random, 0, 5)) {
    case 0: /* wider than anything around it */
        shape->columns = 3 * most;
        break;
    case 1:
        shape->rows = 2 * most;
        break;
    case 2:
        shape->rows = shape->columns;
        break;
    default:
        break;
    }
    shape->anchor_row = (shape->rows - 1) / 2;
    shape->anchor_column = (shape->columns - 1) / 2;
    if (random_between(random, 0, 4) == 0) { /* as summed filters have them */
        shape->anchor_row = (int)random_between(random, 0, shape->rows - 1);
        shape->anchor_column = (int)random_between(random, 0, shape->columns - 1);
    }
}

/* Random taps; some rows are empty, some filters are. */
static void taps_random(struct bank *bank, int index, struct random *random)
{
    const struct filter *filter = &bank->filters[index];
    double *taps = bank_taps(bank, index);
    bool empty = random_between(random, 0, 9) == 0;
    for (int a = 0; a < filter->rows; a++) {
        bool skip = empty || random_between(random, 0, 7) == 0;
        for (int b = 0; b < filter->columns; b++)
            taps[a * filter->columns + b] = skip ? 0 : random_signed(random);
    }
}

static struct bank *bank_random(struct random *random)
{
    struct filter shapes[16];
    int count = (int)random_between(random, 1, random_between(random, 0, 2) ? 6 : 16);
    bool same = random_between(random, 0, 1);
    int most = (int)random_between(random, 1, 14);
    for (int i = 0; i < count; i++) {
        shape_random(&shapes[i], random, most);
        if (same)
            shapes[i] = shapes[0];
    }
    struct bank *bank = bank_new(shapes, count);
    assert_non_null(bank);
    for (int i = 0; i < count; i++)
        taps_random(bank, i, random);
    return bank;
}

static double bank_magnitude(const struct bank *bank)
{
    double most = 0;
    for (int i = 0; i < bank->count; i++) {
        const struct filter *filter = &bank->filters[i];
        double squares = 0;
        for (int t = 0; t < filter->rows * filter->columns; t++)
            squares += filter->taps[t] * filter->taps[t];
        most = fmax(most, sqrt(squares));
    }
    return most;
}

static void bench_init(struct bench *bench, const struct bank *bank, int rows, int columns,
                       struct random *random)
{
    struct reach reach = bank_reach(bank);
    int64_t wide = reach.left + columns + reach.right + CORRELATE_SLACK;
    ptrdiff_t stride = (ptrdiff_t)(wide + random_between(random, 0, 3));
    int high = reach.up + rows + reach.down;
    size_t count = (size_t)((high - 1) * stride + wide); /* the last row ends with the slack */
    ptrdiff_t result_stride = columns + (ptrdiff_t)random_between(random, 0, 5);
    bench->pixels = malloc(count * sizeof *bench->pixels);
    bench->result_count = (size_t)((rows - 1) * result_stride + columns);
    bench->results = malloc(bench->result_count * sizeof *bench->results);
    assert_non_null(bench->pixels);
    assert_non_null(bench->results);
    for (size_t i = 0; i < count; i++)
        bench->pixels[i] = (float)random_signed(random);
    for (size_t i = 0; i < bench->result_count; i++)
        bench->results[i] = untouched;
    bench->magnitude = bank_magnitude(bank);
    bench->tile = (struct tile){.origin = bench->pixels + reach.up * stride + reach.left,
                                .stride = stride,
                                .rows = rows,
                                .columns = columns,
                                .result = bench->results,
                                .result_stride = result_stride};
}

static void bench_release(struct bench *bench)
{
    free(bench->pixels);
    free(bench->results);
}

static void bench_run(struct bench *bench, const struct algorithm *algorithm,
                      const struct correlator *correlator)
{
    size_t bytes = algorithm->workspace_bytes(correlator);
    void *workspace = aligned_alloc(64, (bytes + 63) / 64 * 64 + 64);
    assert_non_null(workspace);
    algorithm->run(correlator, &bench->tile, workspace);
    free(workspace);
}

/* The same pixels, results of its own. */
static float *bench_reference(const struct bench *bench, const struct bank *bank)
{
    const struct algorithm *reference = algorithm_find("reference");
    struct correlator *correlator =
        reference->new_correlator(bank, bench->tile.rows, bench->tile.columns);
    float *results = malloc(bench->result_count * sizeof *results);
    assert_non_null(results);
    assert_non_null(correlator);
    memcpy(results, bench->results, bench->result_count * sizeof *results);
    struct bench copy = *bench;
    copy.tile.result = results;
    bench_run(&copy, reference, correlator);
    reference->free_correlator(&correlator);
    return results;
}

static void assert_close(const struct bench *bench, const float *expected, const char *algorithm,
                         uint64_t seed)
{
    for (size_t i = 0; i < bench->result_count; i++) {
        double difference = fabs((double)bench->results[i] - (double)expected[i]);
        /* Where the reference left a value alone, the other has to as well. */
        double allowed = expected[i] == untouched ? 0 : 2e-6 * fmax(bench->magnitude, 1e-3);
        if (!(difference <= allowed))
            fail_msg("seed %llu, %s on %s: value %zu is off by %g (allowed %g)",
                     (unsigned long long)seed, algorithm, kernel_isa(), i, difference, allowed);
    }
}

/* One random bank and tile, every algorithm that can do it. */
static void trial(uint64_t seed, bool accumulate)
{
    struct random random = {seed};
    struct bank *bank = bank_random(&random);
    int rows = (int)random_between(&random, 1, random_between(&random, 0, 1) ? 8 : 24);
    int columns = (int)random_between(&random, 1, 90);
    size_t count;
    const struct algorithm *const *algorithms = algorithm_list(&count);
    for (size_t i = 1; i < count; i++) {
        if (!algorithms[i]->applies(bank))
            continue;
        struct bench bench;
        bench_init(&bench, bank, rows, columns, &random);
        for (int y = 0; accumulate && y < rows; y++)
            for (int x = 0; x < columns; x++)
                bench.results[y * bench.tile.result_stride + x] = (float)random_signed(&random);
        bench.tile.accumulate = accumulate;
        float *expected = bench_reference(&bench, bank);
        struct correlator *correlator = algorithms[i]->new_correlator(bank, rows, columns);
        assert_non_null(correlator);
        bench_run(&bench, algorithms[i], correlator);
        assert_close(&bench, expected, algorithms[i]->name, seed);
        algorithms[i]->free_correlator(&correlator);
        assert_null(correlator);
        free(expected);
        bench_release(&bench);
    }
    bank_free(&bank);
}

static void all_agree_with_the_reference(void **state)
{
    (void)state;
    for (int isa = 0; isa < ISA_COUNT; isa++)
        if (kernel_isa_pin(isa_name((enum isa)isa)))
            for (uint64_t seed = 1; seed <= 100; seed++)
                trial(seed * 3 + (uint64_t)isa, seed % 3 == 0);
    assert_true(kernel_isa_pin("auto"));
}

/* Cut a tile at multiples of row_step: bit for bit the same. */
static void split_trial(uint64_t seed, const struct algorithm *algorithm)
{
    struct random random = {seed};
    struct bank *bank = bank_random(&random);
    int rows = (int)random_between(&random, 20, 80), columns = (int)random_between(&random, 1, 70);
    struct bench bench;
    bench_init(&bench, bank, rows, columns, &random);
    struct correlator *correlator = NULL;
    if (algorithm->applies(bank) && algorithm->row_step)
        correlator = algorithm->new_correlator(bank, rows, columns);
    if (correlator) {
        bench_run(&bench, algorithm, correlator);
        float *whole = bench.results;
        bench.results = malloc(bench.result_count * sizeof *bench.results);
        assert_non_null(bench.results);
        memcpy(bench.results, whole, bench.result_count * sizeof *whole);
        int step = algorithm->row_step(correlator);
        struct bench part = bench;
        for (int y = 0; y < rows; y += part.tile.rows) {
            int64_t steps = (rows - y + step - 1) / step;
            int64_t taken = random_between(&random, 1, steps) * step;
            part.tile.rows = taken < rows - y ? (int)taken : rows - y;
            part.tile.origin = bench.tile.origin + y * bench.tile.stride;
            part.tile.result = bench.results + y * bench.tile.result_stride;
            bench_run(&part, algorithm, correlator);
        }
        if (memcmp(whole, bench.results, bench.result_count * sizeof *whole) != 0)
            fail_msg("seed %llu: %s on %s depends on where a tile is cut", (unsigned long long)seed,
                     algorithm->name, kernel_isa());
        free(whole);
        algorithm->free_correlator(&correlator);
    }
    bench_release(&bench);
    bank_free(&bank);
}

static void cutting_a_tile_changes_nothing(void **state)
{
    (void)state;
    size_t count;
    const struct algorithm *const *algorithms = algorithm_list(&count);
    for (int isa = 0; isa < ISA_COUNT; isa++)
        if (kernel_isa_pin(isa_name((enum isa)isa)))
            for (uint64_t seed = 1; seed <= 12; seed++)
                for (size_t i = 1; i < count; i++)
                    split_trial(seed, algorithms[i]);
    assert_true(kernel_isa_pin("auto"));
}

/* Sets whose multiply-adds are fused give one result, so that a mixed cluster has one checksum. */
static void fused_sets_agree_bit_for_bit(void **state)
{
    (void)state;
    if (!isa_available(ISA_AVX512))
        skip();
    const struct algorithm *direct = algorithm_find("direct");
    for (uint64_t seed = 1; seed <= 30; seed++) {
        struct random random = {seed};
        struct bank *bank = bank_random(&random);
        struct bench bench;
        bench_init(&bench, bank, 9, 50, &random);
        size_t bytes = bench.result_count * sizeof *bench.results;
        float *first = malloc(bytes);
        assert_non_null(first);
        for (int isa = ISA_AVX2; isa <= ISA_AVX512; isa++) {
            assert_true(kernel_isa_pin(isa_name((enum isa)isa)));
            struct correlator *correlator = direct->new_correlator(bank, 9, 50);
            assert_non_null(correlator);
            bench_run(&bench, direct, correlator);
            direct->free_correlator(&correlator);
            if (isa == ISA_AVX2)
                memcpy(first, bench.results, bytes);
        }
        assert_memory_equal(first, bench.results, bytes);
        free(first);
        bench_release(&bench);
        bank_free(&bank);
    }
    assert_true(kernel_isa_pin("auto"));
}

static void isas_can_be_pinned(void **state)
{
    (void)state;
    assert_true(kernel_isa_pin("generic"));
    assert_string_equal(kernel_isa(), isa_name(ISA_BASELINE));
    assert_false(kernel_isa_pin("altivec"));
    assert_string_equal(kernel_isa(), isa_name(ISA_BASELINE)); /* as it was */
    assert_true(kernel_isa_pin("auto"));
    for (int isa = ISA_COUNT - 1; isa >= 0; isa--)
        if (isa_available((enum isa)isa)) {
            assert_string_equal(kernel_isa(), isa_name((enum isa)isa));
            break;
        }
}

static void every_algorithm_is_found_by_its_name(void **state)
{
    (void)state;
    size_t count;
    const struct algorithm *const *algorithms = algorithm_list(&count);
    assert_string_equal(algorithms[0]->name, "reference");
    for (size_t i = 0; i < count; i++)
        assert_ptr_equal(algorithm_find(algorithms[i]->name), algorithms[i]);
    assert_null(algorithm_find("magic"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_agree_with_the_reference),
        cmocka_unit_test(cutting_a_tile_changes_nothing),
        cmocka_unit_test(fused_sets_agree_bit_for_bit),
        cmocka_unit_test(isas_can_be_pinned),
        cmocka_unit_test(every_algorithm_is_found_by_its_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
