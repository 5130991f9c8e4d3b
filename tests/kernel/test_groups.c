/* How a bank is split among the algorithms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>

#include "kernel/matched/groups.h"
#include "kernel/matched/response.h"
#include "kernel/vector/isa.h"
#include "tests/cases.h"
#include "tests/kernel/picture.h"
#include "tests/kernel/random.h"
#include "tests/kernel/trial.h"

/* `large` filters of 21 x 21 and `small` ones of 3 x 3, alternating as long as both last. */
static struct bank *mixed_bank(int large, int small, struct random *random)
{
    struct filter shapes[64];
    int count = 0;
    while (large + small > 0) {
        bool big = large > 0 && (small == 0 || count % 2 == 0);
        int edge = big ? 21 : 3;
        shapes[count] = (struct filter){.rows = edge, .columns = edge, .scale = big};
        shapes[count].anchor_row = shapes[count].anchor_column = (edge - 1) / 2;
        count++;
        *(big ? &large : &small) -= 1;
    }
    struct bank *bank = bank_new(shapes, count);
    assert_non_null(bank);
    for (int64_t i = 0; i < bank_tap_count(bank); i++)
        bank->taps[i] = random_signed(random);
    return bank;
}

/* Groups by that algorithm, or by the best one for each. */
static struct groups *groups_chosen(const struct bank *bank, const struct demand *demand,
                                    const struct algorithm *algorithm)
{
    struct groups_choice choice;
    assert_true(groups_choose(bank, demand, 1, algorithm, &choice));
    struct groups *groups = groups_new(bank, demand, &choice);
    assert_non_null(groups);
    return groups;
}

/* Pixels around a tile of 24 x 40, and results of the reference and of `groups` or `response`. */
enum { ROWS = 24, COLUMNS = 40, BORDER = 10, WIDE = COLUMNS + 2 * BORDER + CORRELATE_SLACK };

struct bench {
    float pixels[(ROWS + 2 * BORDER) * WIDE];
    float results[ROWS * COLUMNS];
    struct tile tile;
};

static struct bench *bench_new(struct random *random)
{
    struct bench *bench = calloc(1, sizeof *bench);
    assert_non_null(bench);
    for (int i = 0; i < (ROWS + 2 * BORDER) * WIDE; i++)
        bench->pixels[i] = (float)random_signed(random);
    bench->tile = (struct tile){.origin = bench->pixels + BORDER * WIDE + BORDER,
                                .stride = WIDE,
                                .rows = ROWS,
                                .columns = COLUMNS,
                                .result = bench->results,
                                .result_stride = COLUMNS};
    return bench;
}

static double filter_at(const struct filter *filter, const struct bench *bench, int y, int x)
{
    double sum = 0;
    for (int a = 0; a < filter->rows; a++)
        for (int b = 0; b < filter->columns; b++)
            sum += filter->taps[a * filter->columns + b] *
                   (double)bench->tile
                       .origin[(y + a - filter->anchor_row) * WIDE + x + b - filter->anchor_column];
    return sum;
}

static void groups_do_every_filter_once(void **state)
{
    (void)state;
    struct random random = {1};
    struct bank *bank = mixed_bank(20, 20, &random);
    struct groups *groups =
        groups_chosen(bank, &(struct demand){ROWS, COLUMNS, speeds_current()}, NULL);
    struct bench *bench = bench_new(&random);
    void *workspace = aligned_alloc(64, groups_workspace_bytes(groups) / 64 * 64 + 64);
    groups_run(groups, &bench->tile, workspace);
    int total = 0, filters;
    for (int i = 0; groups_algorithm(groups, i, &filters); i++)
        total += filters;
    assert_int_equal(total, 40);
    for (int i = 0; i < ROWS * COLUMNS; i += 7) {
        double expected = -HUGE_VAL;
        for (int k = 0; k < bank->count; k++)
            expected =
                fmax(expected, filter_at(&bank->filters[k], bench, i / COLUMNS, i % COLUMNS));
        assert_true(fabs((double)bench->results[i] - expected) <= 2e-5);
    }
    free(workspace);
    free(bench);
    groups_free(&groups);
    assert_null(groups);
    bank_free(&bank);
}

static void a_split_is_never_estimated_worse_than_one_algorithm(void **state)
{
    (void)state;
    size_t count;
    const struct algorithm *const *algorithms = algorithm_list(&count);
    for (uint64_t seed = 1; seed <= cases_of(12); seed++) {
        struct random random = {seed};
        struct bank *bank = mixed_bank((int)random_between(&random, 0, 20),
                                       (int)random_between(&random, 1, 20), &random);
        const int edge = (int)random_between(&random, 8, 200);
        const struct demand demand = {edge, edge, speeds_current()};
        struct groups_choice choice, again;
        assert_true(groups_choose(bank, &demand, 1, NULL, &choice));
        assert_true(groups_choose(bank, &demand, 1, NULL, &again));
        for (size_t i = 0; i < count; i++)
            assert_true(choice.effort <= trial_effort(algorithms[i], bank, edge));
        assert_int_equal(again.large, choice.large);
        for (int i = 0; i < GROUPS_MOST; i++)
            assert_int_equal(again.algorithms[i], choice.algorithms[i]);
        bank_free(&bank);
    }
}

/* Whatever else is asked for in the same go. */
static void a_choice_is_for_its_demand_alone(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= cases_of(8); seed++) {
        struct random random = {seed};
        struct bank *bank = mixed_bank((int)random_between(&random, 0, 20),
                                       (int)random_between(&random, 1, 20), &random);
        struct demand demands[DEMANDS_MOST];
        struct groups_choice together[DEMANDS_MOST], alone;
        for (int d = 0; d < DEMANDS_MOST; d++)
            demands[d] = (struct demand){(int)random_between(&random, 1, 300),
                                         (int)random_between(&random, 1, 300),
                                         (enum speeds)(d % SPEEDS_COUNT)};
        assert_true(groups_choose(bank, demands, DEMANDS_MOST, NULL, together));
        for (int d = 0; d < DEMANDS_MOST; d++) {
            assert_true(groups_choose(bank, &demands[d], 1, NULL, &alone));
            assert_int_equal(together[d].large, alone.large);
            assert_true(together[d].effort <= alone.effort && together[d].effort >= alone.effort);
            for (int i = 0; i < GROUPS_MOST; i++)
                assert_int_equal(together[d].algorithms[i], alone.algorithms[i]);
        }
        bank_free(&bank);
    }
}

static void the_reference_is_never_chosen(void **state)
{
    (void)state;
    for (int large = 0; large < 8; large += 3) {
        struct random random = {9};
        int filters;
        struct bank *bank = mixed_bank(large, 3, &random);
        struct groups *groups =
            groups_chosen(bank, &(struct demand){64, 64, speeds_current()}, NULL);
        for (int i = 0; groups_algorithm(groups, i, &filters); i++)
            assert_ptr_not_equal(groups_algorithm(groups, i, &filters),
                                 algorithm_find("reference"));
        groups_free(&groups);
        bank_free(&bank);
    }
}

/* The algorithm that is chosen for `count` square filters with that many taps per side. */
static const struct algorithm *chosen(int count, int side, const struct demand *demand)
{
    struct random random = {(uint64_t)side};
    int filters;
    struct bank *bank = bank_new_random(&random, count, side, side);
    struct groups *groups = groups_chosen(bank, demand, NULL);
    const struct algorithm *algorithm = groups_algorithm(groups, 0, &filters);
    assert_int_equal(filters, count);
    groups_free(&groups);
    bank_free(&bank);
    return algorithm;
}

/* From a certain size on, filters are computed by FFT; the more of them, the smaller that size (16
 * taps per side for one filter, 8 for sixteen, on the processor with which this was first
 * measured). */
static void large_filters_go_to_the_fft(void **state)
{
    (void)state;
    static const int counts[] = {1, 4, 8, 32};
    for (int speeds = 0; speeds < SPEEDS_COUNT; speeds++)
        for (int tile = 64; tile <= (cases_are_many() ? 256 : 64); tile *= 2) {
            const struct demand demand = {tile, tile, (enum speeds)speeds};
            int before = 16;
            for (int i = 0; i < 4; i++) {
                int direct = 0; /* the largest side that is done directly */
                for (int side = 2; side <= 31; side++)
                    if (chosen(counts[i], side, &demand) == algorithm_find("direct")) {
                        assert_int_equal(direct, side == 2 ? 0 : side - 1);
                        direct = side;
                    }
                assert_in_range(direct, 3, before);
                before = direct;
            }
        }
}

/* Whose speeds decide, and not who computes. */
static void the_choice_does_not_depend_on_the_processor(void **state)
{
    (void)state;
    for (int side = 3; side <= 15; side += 2) {
        const struct demand demand = {128, 128, (enum speeds)(side % SPEEDS_COUNT)};
        const struct algorithm *own = chosen(3, side, &demand);
        for (int isa = 0; isa < ISA_COUNT; isa++)
            if (isa_pin(isa_name((enum isa)isa)))
                assert_ptr_equal(chosen(3, side, &demand), own);
        assert_true(isa_pin("auto"));
    }
}

static void speeds_are_those_of_the_instruction_set_in_use(void **state)
{
    (void)state;
    static const enum speeds expected[ISA_COUNT][2] = {
        [ISA_BASELINE] = {SPEEDS_GENERIC, SPEEDS_GENERIC},
        [ISA_AVX2] = {SPEEDS_AVX2, SPEEDS_AVX2},
        [ISA_AVX512] = {SPEEDS_AVX512, SPEEDS_AVX512_256},
    };
    for (int isa = 0; isa < ISA_COUNT; isa++)
        if (isa_pin(isa_name((enum isa)isa)))
            assert_in_range(speeds_current(), expected[isa][0], expected[isa][1]);
    assert_true(isa_pin("auto"));
}

static void one_algorithm_can_be_asked_for(void **state)
{
    (void)state;
    struct random random = {2};
    struct bank *bank = mixed_bank(3, 3, &random);
    struct groups *groups =
        groups_chosen(bank, &(struct demand){64, 64, speeds_current()}, algorithm_find("direct"));
    int filters;
    assert_ptr_equal(groups_algorithm(groups, 0, &filters), algorithm_find("direct"));
    assert_int_equal(filters, 6);
    assert_null(groups_algorithm(groups, 1, &filters));
    groups_free(&groups);
    bank_free(&bank);
}

/* Sum over scales (here: sizes) of the maximum over that scale's filters. */
static void a_sum_of_maxima_adds_scale_by_scale(void **state)
{
    (void)state;
    struct random random = {4};
    struct bank *bank = mixed_bank(5, 7, &random);
    const struct demand demand = {ROWS, COLUMNS, speeds_current()};
    struct response_choice choice;
    assert_true(response_choose(bank, COMBINE_SUMMAX, &demand, 1, NULL, &choice));
    struct response *response = response_new(bank, COMBINE_SUMMAX, &demand, &choice);
    assert_non_null(response);
    assert_non_null(response_summand(response, 1));
    assert_null(response_summand(response, 2));
    struct bench *bench = bench_new(&random);
    void *workspace = aligned_alloc(64, response_workspace_bytes(response) / 64 * 64 + 64);
    response_run(response, &bench->tile, workspace);
    for (int i = 0; i < ROWS * COLUMNS; i += 3) {
        double maxima[2] = {-HUGE_VAL, -HUGE_VAL};
        for (int k = 0; k < bank->count; k++) {
            const struct filter *filter = &bank->filters[k];
            double *greatest = &maxima[filter->scale];
            *greatest = fmax(*greatest, filter_at(filter, bench, i / COLUMNS, i % COLUMNS));
        }
        assert_true(fabs((double)bench->results[i] - maxima[0] - maxima[1]) <= 2e-5);
    }
    free(workspace);
    free(bench);
    response_free(&response);
    assert_null(response);
    bank_free(&bank);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_do_every_filter_once),
        cmocka_unit_test(a_split_is_never_estimated_worse_than_one_algorithm),
        cmocka_unit_test(a_choice_is_for_its_demand_alone),
        cmocka_unit_test(the_reference_is_never_chosen),
        cmocka_unit_test(large_filters_go_to_the_fft),
        cmocka_unit_test(the_choice_does_not_depend_on_the_processor),
        cmocka_unit_test(speeds_are_those_of_the_instruction_set_in_use),
        cmocka_unit_test(one_algorithm_can_be_asked_for),
        cmocka_unit_test(a_sum_of_maxima_adds_scale_by_scale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
