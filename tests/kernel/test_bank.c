#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>

#include "kernel/matched/banks/bank.h"
#include "tests/kernel/golden.h"

static void assert_near(double actual, double expected, double tolerance)
{
    if (!(fabs(actual - expected) <= tolerance))
        fail_msg("%.17g is not within %g of %.17g", actual, tolerance, expected);
}

/* The tap at (y, x) from the anchor; zero outside. */
static double tap_at(const struct filter *filter, int y, int x)
{
    int a = y + filter->anchor_row, b = x + filter->anchor_column;
    if (a < 0 || b < 0 || a >= filter->rows || b >= filter->columns)
        return 0;
    return filter->taps[a * filter->columns + b];
}

static double filter_sum(const struct filter *filter)
{
    double sum = 0;
    for (int i = 0; i < filter->rows * filter->columns; i++)
        sum += filter->taps[i];
    return sum;
}

static void source_equals_golden(void **state)
{
    (void)state;
    struct bank *bank = bank_new_source(), *golden = golden_bank();
    assert_non_null(bank);
    assert_int_equal(bank->count, 210);
    assert_int_equal(golden->count, 210);
    for (int i = 0; i < bank->count; i++) {
        const struct filter *ours = &bank->filters[i], *theirs = &golden->filters[i];
        assert_int_equal(ours->rows, theirs->rows);
        assert_int_equal(ours->columns, theirs->columns);
        assert_int_equal(ours->anchor_row, theirs->anchor_row);
        assert_int_equal(ours->anchor_column, theirs->anchor_column);
        assert_int_equal(ours->scale, theirs->scale);
        assert_int_equal(ours->angle, theirs->angle);
        for (int t = 0; t < ours->rows * ours->columns; t++)
            assert_near(ours->taps[t], theirs->taps[t], 1e-12);
    }
    assert_int_equal(bank_tap_count(bank), 45306);
    bank_free(&golden);
    bank_free(&bank);
    assert_null(bank);
}

static void source_reaches_11_back_and_12_ahead(void **state)
{
    (void)state;
    struct bank *bank = bank_new_source();
    struct reach reach = bank_reach(bank);
    assert_int_equal(reach.up, 11);
    assert_int_equal(reach.left, 11);
    assert_int_equal(reach.down, 12);
    assert_int_equal(reach.right, 12);
    bank_free(&bank);
}

static void collapsed_sum_adds_all_filters_at_their_anchors(void **state)
{
    (void)state;
    struct bank *bank = bank_new_source(), *sum = bank_new_collapsed(bank, COMBINE_SUM);
    assert_int_equal(sum->count, 1);
    const struct filter *one = &sum->filters[0];
    for (int y = -13; y <= 13; y++)
        for (int x = -13; x <= 13; x++) {
            double expected = 0;
            for (int i = 0; i < bank->count; i++)
                expected += tap_at(&bank->filters[i], y, x);
            assert_near(tap_at(one, y, x), expected, 1e-14);
        }
    assert_near(filter_sum(one), 21.927554066695503, 1e-9);
    bank_free(&sum);
    bank_free(&bank);
}

static void collapsed_maxsum_keeps_one_filter_per_angle(void **state)
{
    (void)state;
    struct bank *bank = bank_new_source(), *angles = bank_new_collapsed(bank, COMBINE_MAXSUM);
    assert_int_equal(angles->count, 30);
    for (int k = 0; k < 30; k++)
        for (int y = -13; y <= 13; y++)
            for (int x = -13; x <= 13; x++) {
                double expected = 0;
                for (int scale = 0; scale < 7; scale++)
                    expected += tap_at(&bank->filters[scale * 30 + k], y, x);
                assert_int_equal(angles->filters[k].angle, k);
                assert_near(tap_at(&angles->filters[k], y, x), expected, 1e-14);
            }
    bank_free(&angles);
    bank_free(&bank);
}

static void collapsed_max_is_a_copy(void **state)
{
    (void)state;
    struct bank *bank = bank_new_chaudhuri(5, 1.5, 7);
    struct bank *copy = bank_new_collapsed(bank, COMBINE_MAX);
    assert_int_equal(copy->count, bank->count);
    assert_int_equal(bank_tap_count(copy), bank_tap_count(bank));
    for (int64_t t = 0; t < bank_tap_count(bank); t++)
        assert_true(copy->taps[t] == bank->taps[t]);
    bank_free(&bank);
    assert_near(filter_sum(&copy->filters[4]), 0, 1e-12); /* still its own */
    bank_free(&copy);
}

static void chaudhuri_is_the_papers_filter(void **state)
{
    (void)state;
    struct bank *bank = bank_new_chaudhuri(12, 2, 9);
    assert_int_equal(bank->count, 12);
    const struct filter *upright = &bank->filters[0];
    assert_int_equal(upright->rows, 9);     /* |v| <= 4.5 */
    assert_int_equal(upright->columns, 13); /* |u| <= 6 */
    double mean = 0;
    for (int x = -6; x <= 6; x++)
        mean += exp(-x * x / 8.0) / 13;
    for (int y = -4; y <= 4; y++)
        for (int x = -6; x <= 6; x++)
            assert_near(tap_at(upright, y, x), exp(-x * x / 8.0) - mean, 1e-15);
    bank_free(&bank);
}

static void chaudhuri_is_zero_mean_and_symmetric(void **state)
{
    (void)state;
    static const double sigmas[] = {0.5, 1.3, 2, 4.75}, lengths[] = {1, 6, 9, 21.5};
    for (int k = 0; k < 4; k++) {
        struct bank *bank = bank_new_chaudhuri(12, sigmas[k], lengths[k]);
        for (int i = 0; i < 12; i++) {
            const struct filter *filter = &bank->filters[i];
            const struct filter *mirrored = &bank->filters[(12 - i) % 12];
            const struct filter *transposed = &bank->filters[(18 - i) % 12];
            assert_near(filter_sum(filter), 0, 1e-12);
            assert_true(tap_at(filter, 0, 0) > 0);
            for (int y = -20; y <= 20; y++)
                for (int x = -20; x <= 20; x++) {
                    assert_near(tap_at(filter, y, x), tap_at(filter, -y, -x), 1e-14);
                    assert_near(tap_at(filter, y, x), tap_at(mirrored, y, -x), 1e-14);
                    assert_near(tap_at(filter, y, x), tap_at(transposed, x, y), 1e-14);
                }
        }
        bank_free(&bank);
    }
}

static void scaling_turns_bright_into_dark(void **state)
{
    (void)state;
    struct bank *bank = bank_new_chaudhuri(3, 2, 9), *dark = bank_new_chaudhuri(3, 2, 9);
    bank_scale(dark, -1);
    for (int64_t t = 0; t < bank_tap_count(bank); t++)
        assert_true(dark->taps[t] == -bank->taps[t]);
    bank_free(&dark);
    bank_free(&bank);
}

static void subset_copies_the_chosen_filters(void **state)
{
    (void)state;
    static const int chosen[] = {209, 3, 3};
    struct bank *bank = bank_new_source(), *subset = bank_new_subset(bank, chosen, 3);
    assert_int_equal(subset->count, 3);
    for (int k = 0; k < 3; k++) {
        const struct filter *original = &bank->filters[chosen[k]], *copy = &subset->filters[k];
        assert_int_equal(copy->rows, original->rows);
        assert_int_equal(copy->angle, original->angle);
        assert_ptr_not_equal(copy->taps, original->taps);
        for (int t = 0; t < copy->rows * copy->columns; t++)
            assert_true(copy->taps[t] == original->taps[t]);
    }
    bank_free(&subset);
    bank_free(&bank);
}

static void an_empty_bank_is_a_bank(void **state)
{
    (void)state;
    struct bank *bank = bank_new(NULL, 0);
    assert_non_null(bank);
    assert_int_equal(bank_tap_count(bank), 0);
    assert_int_equal(bank_reach(bank).up, 0);
    bank_free(&bank);
    bank_free(&bank); /* NULL by now: allowed */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(source_equals_golden),
        cmocka_unit_test(source_reaches_11_back_and_12_ahead),
        cmocka_unit_test(collapsed_sum_adds_all_filters_at_their_anchors),
        cmocka_unit_test(collapsed_maxsum_keeps_one_filter_per_angle),
        cmocka_unit_test(collapsed_max_is_a_copy),
        cmocka_unit_test(chaudhuri_is_the_papers_filter),
        cmocka_unit_test(chaudhuri_is_zero_mean_and_symmetric),
        cmocka_unit_test(scaling_turns_bright_into_dark),
        cmocka_unit_test(subset_copies_the_chosen_filters),
        cmocka_unit_test(an_empty_bank_is_a_bank),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
