#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/matched/correlators/correlate.h"
#include "tests/kernel/assert_trial.h"

static const struct algorithm *orbit(void)
{
    const struct algorithm *algorithm = algorithm_find("orbit");
    assert_non_null(algorithm);
    return algorithm;
}

/* Images of a rows x columns filter, written as where a tap comes from. */
enum image { SAME, TRANSPOSED, MIRRORED, TURNED };

static double image_tap(const struct filter *filter, enum image image, int a, int b)
{
    const int columns = filter->columns;
    switch (image) {
    case TRANSPOSED:
        return filter->taps[b * columns + a];
    case MIRRORED:
        return filter->taps[a * columns + columns - 1 - b];
    case TURNED:
        return filter->taps[b * columns + columns - 1 - a];
    case SAME:
        break;
    }
    return filter->taps[a * columns + b];
}

/* A bank of images[k] of seeds' filter of[k]; anchors (n - 1) / 2. */
static struct bank *bank_of_images(const struct bank *seeds, const int *of,
                                   const enum image *images, int count)
{
    struct filter *shapes = calloc((size_t)count, sizeof *shapes);
    assert_non_null(shapes);
    for (int k = 0; k < count; k++) {
        const struct filter *seed = &seeds->filters[of[k]];
        const bool swapped = images[k] == TRANSPOSED || images[k] == TURNED;
        shapes[k].rows = swapped ? seed->columns : seed->rows;
        shapes[k].columns = swapped ? seed->rows : seed->columns;
        shapes[k].anchor_row = (shapes[k].rows - 1) / 2;
        shapes[k].anchor_column = (shapes[k].columns - 1) / 2;
        shapes[k].angle = k;
    }
    struct bank *bank = bank_new(shapes, count);
    assert_non_null(bank);
    for (int k = 0; k < count; k++)
        for (int a = 0; a < shapes[k].rows; a++)
            for (int b = 0; b < shapes[k].columns; b++)
                bank_taps(bank, k)[a * shapes[k].columns + b] =
                    image_tap(&seeds->filters[of[k]], images[k], a, b);
    free(shapes);
    return bank;
}

/* Filters and their transposes, one of them its own, one twice. */
static struct bank *bank_with_transposes(struct random *random, int rows, int columns)
{
    static const int of[] = {0, 1, 2, 2, 1, 0, 0, 3};
    static const enum image images[] = {SAME, TRANSPOSED, SAME,       TRANSPOSED,
                                        SAME, SAME,       TRANSPOSED, SAME};
    struct bank *seeds = bank_new_random(random, 4, rows, columns);
    if (rows == columns)
        for (int a = 0; a < rows; a++)
            for (int b = 0; b < a; b++)
                bank_taps(seeds, 3)[a * columns + b] = bank_taps(seeds, 3)[b * columns + a];
    struct bank *bank = bank_of_images(seeds, of, images, rows == columns ? 8 : 7);
    bank_free(&seeds);
    return bank;
}

/* Filters symmetric about a point, each with some of its images, in no order. */
static struct bank *bank_with_symmetry(struct random *random, int rows, int columns)
{
    static const int of[] = {0, 1, 2, 0, 3, 2, 0, 1, 4, 0, 4, 4};
    static const enum image images[] = {SAME,       SAME,       TURNED, MIRRORED, SAME,     SAME,
                                        TRANSPOSED, TRANSPOSED, SAME,   TURNED,   MIRRORED, TURNED};
    struct bank *seeds = bank_new_random(random, 5, rows, columns);
    bank_symmetrize(seeds);
    struct bank *bank = bank_of_images(seeds, of, images, 12);
    bank_free(&seeds);
    return bank;
}

static void banks_closed_under_transposition(void **state)
{
    (void)state;
    static const int shapes[][2] = {{1, 1}, {2, 2}, {5, 5}, {8, 8}, {1, 7}, {9, 4}, {12, 13}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct random random = {100 + i};
        struct bank *bank = bank_with_transposes(&random, shapes[i][0], shapes[i][1]);
        assert_trial_random(orbit(), bank, 7 + (int)i, 40 + 9 * (int)i, 100 + i);
        bank_free(&bank);
    }
}

static void banks_symmetric_about_a_point(void **state)
{
    (void)state;
    static const int shapes[][2] = {{1, 1}, {2, 2}, {5, 5}, {8, 8}, {1, 7}, {9, 3}, {12, 10}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct random random = {200 + i};
        struct bank *bank = bank_with_symmetry(&random, shapes[i][0], shapes[i][1]);
        assert_trial_random(orbit(), bank, 5 + (int)i, 30 + 13 * (int)i, 200 + i);
        bank_free(&bank);
    }
}

static void two_centres_in_one_bank(void **state)
{
    (void)state;
    struct random random = {301};
    static const int shapes[][2] = {{5, 5}, {6, 6}, {4, 4}, {5, 3}, {3, 5}};
    struct filter filters[5] = {{0}};
    for (int i = 0; i < 5; i++)
        filters[i] = (struct filter){.rows = shapes[i][0],
                                     .columns = shapes[i][1],
                                     .anchor_row = (shapes[i][0] - 1) / 2,
                                     .anchor_column = (shapes[i][1] - 1) / 2};
    struct bank *bank = bank_new(filters, 5);
    assert_non_null(bank);
    for (int64_t t = 0; t < bank_tap_count(bank); t++)
        bank->taps[t] = random_signed(&random);
    bank_symmetrize(bank);
    assert_trial_random(orbit(), bank, 20, 50, 301);
    bank_free(&bank);
}

static void a_single_symmetric_filter(void **state)
{
    (void)state;
    struct random random = {401};
    struct bank *bank = bank_new_random(&random, 1, 7, 7);
    assert_false(trial_applies(orbit(), bank));
    bank_symmetrize(bank);
    assert_trial_random(orbit(), bank, 9, 100, 401);
    bank_free(&bank);
}

static void chaudhuri_and_source_have_symmetries(void **state)
{
    (void)state;
    struct bank *chaudhuri = bank_new_chaudhuri(12, 2, 9), *source = bank_new_source();
    assert_non_null(chaudhuri);
    assert_non_null(source);
    assert_trial_random(orbit(), chaudhuri, 10, 101, 501);
    assert_trial_random(orbit(), source, 2, 70, 502);
    assert_true(trial_effort(orbit(), chaudhuri, 1) < (double)bank_tap_count(chaudhuri));
    assert_true(trial_effort(orbit(), source, 1) < (double)bank_tap_count(source));
    bank_free(&source);
    bank_free(&chaudhuri);
}

/* A bank with one tap off by `part` of the largest: does the algorithm still apply? */
static bool applies_when_off(struct bank *bank, int filter, int tap, double part)
{
    double largest = 0;
    for (int64_t t = 0; t < bank_tap_count(bank); t++)
        largest = fmax(largest, fabs(bank->taps[t]));
    double *taps = bank_taps(bank, filter);
    const double before = taps[tap];
    taps[tap] += part * largest;
    const bool applies = trial_applies(orbit(), bank);
    taps[tap] = before;
    return applies;
}

static void nearly_symmetric_banks_are_refused(void **state)
{
    (void)state;
    struct random random = {601};
    struct bank *pairs = bank_with_transposes(&random, 6, 6);
    struct bank *points = bank_with_symmetry(&random, 5, 5);
    assert_true(trial_applies(orbit(), pairs));
    assert_true(trial_applies(orbit(), points));
    for (int filter = 1; filter < 5; filter++)
        for (int tap = 1; tap < 6; tap++) {
            assert_false(applies_when_off(pairs, filter, tap, 1e-6));
            assert_true(applies_when_off(pairs, filter, tap, 1e-9));
            assert_false(applies_when_off(points, filter, tap, 1e-6));
            assert_true(applies_when_off(points, filter, tap, 1e-9));
        }
    /* shifted by a pixel: still the same shape, but no longer about the anchor */
    pairs->filters[1].anchor_row++;
    assert_false(trial_applies(orbit(), pairs));
    bank_free(&points);
    bank_free(&pairs);
}

/* Symmetric about a point, wider than tall, transposes missing: transposed pixels would be read
 * where the tile has none. */
static void pixels_beyond_the_reach_are_not_read(void **state)
{
    (void)state;
    struct random random = {701};
    struct bank *bank = bank_new_random(&random, 3, 3, 9);
    bank_symmetrize(bank);
    assert_false(trial_applies(orbit(), bank));
    assert_true(trial_effort(orbit(), bank, 8) > DBL_MAX);
    assert_null(orbit()->new_correlator(bank, &(struct demand){8, 8, speeds_current()}));
    bank_free(&bank);
}

static void asymmetric_banks_are_refused(void **state)
{
    (void)state;
    struct random random = {801};
    struct bank *bank = bank_new_random(&random, 4, 6, 6);
    assert_false(trial_applies(orbit(), bank));
    assert_null(orbit()->new_correlator(bank, &(struct demand){8, 8, speeds_current()}));
    bank_free(&bank);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(banks_closed_under_transposition),
        cmocka_unit_test(banks_symmetric_about_a_point),
        cmocka_unit_test(two_centres_in_one_bank),
        cmocka_unit_test(a_single_symmetric_filter),
        cmocka_unit_test(chaudhuri_and_source_have_symmetries),
        cmocka_unit_test(nearly_symmetric_banks_are_refused),
        cmocka_unit_test(pixels_beyond_the_reach_are_not_read),
        cmocka_unit_test(asymmetric_banks_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
