/* Whole stacks through random packages, blocks and thread counts: the same values bit for bit, and
 * those of the definition. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/matched/banks/bank.h"
#include "kernel/matched/matched_job.h"
#include "tests/kernel/whole.h"

static const struct kernel *matched(void)
{
    return kernel_find("matched-filter");
}

static double pixel_at(const struct stack *stack, int64_t slice, int64_t y, int64_t x)
{
    const struct extent *extent = &stack->extent;
    if (y < 0 || x < 0 || y >= extent->rows || x >= extent->columns)
        return 0;
    int64_t i = (slice * extent->rows + y) * extent->columns + x;
    if (extent->pixel == PIXEL_U8)
        return ((const uint8_t *)stack->pixels)[i];
    if (extent->pixel == PIXEL_U16)
        return ((const uint16_t *)stack->pixels)[i];
    return (double)((const float *)stack->pixels)[i];
}

/* The definition, on the whole image, with the zero padding written as an if. */
static double response_at(const struct bank *bank, const struct stack *stack, int64_t slice,
                          int64_t y, int64_t x)
{
    double greatest = -HUGE_VAL;
    for (int i = 0; i < bank->count; i++) {
        const struct filter *filter = &bank->filters[i];
        double sum = 0;
        for (int a = 0; a < filter->rows; a++)
            for (int b = 0; b < filter->columns; b++)
                sum += filter->taps[a * filter->columns + b] *
                       pixel_at(stack, slice, y + a - filter->anchor_row,
                                x + b - filter->anchor_column);
        greatest = fmax(greatest, sum);
    }
    return greatest;
}

static void assert_defined(const float *image, const struct bank *bank, const struct stack *stack,
                           uint64_t seed)
{
    const struct extent *extent = &stack->extent;
    double scale = extent->pixel == PIXEL_U8 ? 255 : extent->pixel == PIXEL_U16 ? 65535 : 100;
    for (int64_t z = 0, i = 0; z < extent->slices; z++)
        for (int64_t y = 0; y < extent->rows; y++)
            for (int64_t x = 0; x < extent->columns; x++, i++) {
                double expected = response_at(bank, stack, z, y, x);
                if (!(fabs((double)image[i] - expected) <= 2e-5 * scale))
                    fail_msg("seed %llu, (%lld, %lld, %lld): %.9g instead of %.9g",
                             (unsigned long long)seed, (long long)z, (long long)y, (long long)x,
                             (double)image[i], expected);
            }
}

static void setup_random(struct kernel_setup *setup, struct random *random, enum pixel pixel)
{
    struct extent extent = {.slices = random_between(random, 1, 3),
                            .rows = random_between(random, 13, 40),
                            .columns = random_between(random, 13, 40),
                            .pixel = pixel};
    *setup = setup_initial(matched(), &extent, (int)random_between(random, 1, 13));
    setup_number(setup, matched(), "angles", (double)random_between(random, 1, 3));
    setup_number(setup, matched(), "sigma", 1.5);
    setup_number(setup, matched(), "length", (double)random_between(random, 1, 9));
    static const char *const combinations[] = {"sum", "max", "maxsum"};
    setup_word(setup, matched(), "combine", combinations[random_between(random, 0, 2)]);
    if (random_between(random, 0, 1))
        setup_word(setup, matched(), "polarity", "dark");
}

static double value(const struct kernel_setup *setup, const char *name)
{
    return setup_value(setup, matched(), name);
}

/* As the kernel is asked to make it, but by way of the public faces alone. */
static struct bank *setup_bank(const struct kernel_setup *setup)
{
    struct bank *bank = bank_new_chaudhuri((int)value(setup, "angles"), value(setup, "sigma"),
                                           value(setup, "length"));
    struct bank *combined = bank_new_collapsed(bank, (enum combine)value(setup, "combine"));
    bank_scale(combined, value(setup, "polarity") > 0 ? -1 : 1);
    bank_free(&bank);
    return combined;
}

static void values_do_not_depend_on_packages_or_threads(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 24; seed++) {
        struct random random = {seed};
        struct kernel_setup setup;
        setup_random(&setup, &random, (enum pixel)(seed % 3));
        struct stack stack;
        stack_init_random(&stack, &setup.extent, &random);
        size_t bytes = (size_t)(setup.extent.slices * setup.extent.rows * setup.extent.columns) *
                       sizeof(float);
        float *whole = whole_compute(matched(), &setup, &stack, &random, 0, 1, NULL);
        struct bank *bank = setup_bank(&setup);
        assert_defined(whole, bank, &stack, seed);
        for (int threads = 1; threads <= 5; threads += 2) {
            int64_t most = random_between(&random, 1, 60);
            float *again = whole_compute(matched(), &setup, &stack, &random, most, threads, NULL);
            if (memcmp(whole, again, bytes) != 0)
                fail_msg("seed %llu: packages of up to %lld tasks on %d threads differ",
                         (unsigned long long)seed, (long long)most, threads);
            free(again);
        }
        bank_free(&bank);
        free(whole);
        stack_release(&stack);
    }
}

/* One block of several tiles: whoever computes them, and however many, nothing changes. */
static void check_tiles(const char *bank, const char *combine, const char *algorithm, int edge)
{
    struct random random = {7};
    const struct extent extent = {1, edge, edge, PIXEL_U16};
    struct kernel_setup setup = setup_initial(matched(), &extent, edge);
    setup_word(&setup, matched(), "bank", bank);
    setup_word(&setup, matched(), "combine", combine);
    setup_word(&setup, matched(), "algorithm", algorithm);
    struct kernel_job *job = matched()->new_job(&setup);
    assert_non_null(job);
    assert_in_range(job->tile, 48, edge - 1);
    matched()->free_job(&job);
    struct stack stack;
    stack_init_random(&stack, &extent, &random);
    int64_t pulses = 0;
    float *one = whole_compute(matched(), &setup, &stack, &random, 1, 1, &pulses);
    assert_true(pulses >= 4);
    for (int threads = 2; threads <= 5; threads += 3) {
        float *many = whole_compute(matched(), &setup, &stack, &random, 1, threads, NULL);
        assert_memory_equal(one, many, (size_t)edge * (size_t)edge * sizeof *one);
        free(many);
    }
    free(one);
    stack_release(&stack);
}

static void tiles_do_not_show(void **state)
{
    (void)state;
    check_tiles("chaudhuri", "max", "auto", 270);
    check_tiles("chaudhuri", "max", "direct", 150);
    check_tiles("chaudhuri", "max", "orbit", 150);
    check_tiles("source", "max", "fft", 270);
    check_tiles("source", "max", "auto", 270);
    check_tiles("source", "summax", "auto", 270);
}

/* Enough tiles in one package for threads to take whole rows of them. */
static void rows_of_tiles_do_not_show(void **state)
{
    (void)state;
    enum { EDGE = 150, SLICES = 33, THREADS = 4 };
    struct random random = {8};
    const struct extent extent = {SLICES, EDGE, EDGE, PIXEL_U8};
    struct kernel_setup setup = setup_initial(matched(), &extent, EDGE);
    struct kernel_job *job = matched()->new_job(&setup);
    assert_non_null(job);
    const int across = (EDGE + job->tile - 1) / job->tile;
    assert_true(across >= 2 && SLICES * across >= 8 * THREADS);
    matched()->free_job(&job);
    struct stack stack;
    stack_init_random(&stack, &extent, &random);
    float *one = whole_compute(matched(), &setup, &stack, &random, 1, 1, NULL);
    for (int threads = 1; threads <= THREADS; threads++) {
        float *many = whole_compute(matched(), &setup, &stack, &random, 0, threads, NULL);
        assert_memory_equal(one, many, (size_t)SLICES * EDGE * EDGE * sizeof *one);
        free(many);
    }
    free(one);
    stack_release(&stack);
}

/* One pulse a task when nobody helps, one at least when others do all the work. */
static void the_caller_gets_its_pulse(void **state)
{
    (void)state;
    struct random random = {11};
    struct extent extent = {1, 64, 64, PIXEL_U8};
    for (int threads = 1; threads <= 5; threads++) {
        struct kernel_setup setup = setup_initial(matched(), &extent, 16);
        struct stack stack;
        stack_init_random(&stack, &extent, &random);
        int64_t pulses = 0;
        float *image = whole_compute(matched(), &setup, &stack, &random, 16, threads, &pulses);
        assert_true(pulses >= (threads == 1 ? 16 : 1));
        free(image);
        stack_release(&stack);
    }
}

/* The reach of the spoiled pixels, by definition. */
static bool spoiled_at(const struct stack *stack, const struct reach *reach, int64_t y, int64_t x)
{
    for (int64_t a = -reach->up; a <= reach->down; a++)
        for (int64_t b = -reach->left; b <= reach->right; b++) {
            double pixel = pixel_at(stack, 0, y + a, x + b);
            if (!(fabs(pixel) <= 0x1p96))
                return true;
        }
    return false;
}

static void unusable_pixels_spoil_what_they_reach(void **state)
{
    (void)state;
    struct random random = {3};
    struct extent extent = {1, 60, 50, PIXEL_F32};
    struct kernel_setup setup = setup_initial(matched(), &extent, 17);
    struct stack stack;
    stack_init_random(&stack, &extent, &random);
    float *good = whole_compute(matched(), &setup, &stack, &random, 0, 1, NULL);
    static const float unusable[] = {NAN, INFINITY, -INFINITY, 0x1.8p96F};
    static const int places[] = {0, 23 * 50 + 20, 24 * 50 + 33, 59 * 50 + 48};
    for (int k = 0; k < 4; k++)
        ((float *)stack.pixels)[places[k]] = unusable[k];
    struct bank *bank = setup_bank(&setup);
    struct reach reach = bank_reach(bank);
    float *spoiled = whole_compute(matched(), &setup, &stack, &random, 3, 2, NULL);
    int numbers = 0;
    double most = 0;
    for (int i = 0; i < 60 * 50; i++)
        most = fmax(most, fabs((double)good[i]));
    for (int i = 0; i < 60 * 50; i++) {
        bool expected = spoiled_at(&stack, &reach, i / 50, i % 50);
        assert_int_equal(isnan(spoiled[i]) != 0, expected);
        if (expected)
            continue;
        numbers++;
        /* a transform's rounding depends on every pixel of its window */
        assert_true(fabs((double)spoiled[i] - (double)good[i]) <= 2e-6 * most);
    }
    assert_true(numbers > 0);
    bank_free(&bank);
    free(spoiled);
    free(good);
    stack_release(&stack);
}

/* The greatest magnitude of a response inside a constant image of 16-bit pixels. */
static double response_to_constant(unsigned short pixel, const char *algorithm)
{
    struct random random = {5};
    const struct extent extent = {1, 64, 64, PIXEL_U16};
    struct kernel_setup setup = setup_initial(matched(), &extent, 20);
    struct stack stack;
    setup_word(&setup, matched(), "algorithm", algorithm);
    stack_init_random(&stack, &extent, &random);
    for (int i = 0; i < 64 * 64; i++)
        ((unsigned short *)stack.pixels)[i] = pixel;
    float *image = whole_compute(matched(), &setup, &stack, &random, 5, 2, NULL);
    double most = 0;
    for (int y = 8; y < 56; y++)
        for (int x = 8; x < 56; x++)
            most = fmax(most, fabs((double)image[y * 64 + x]));
    assert_true(image[0] > 1); /* the border is an edge */
    free(image);
    stack_release(&stack);
    return most;
}

/* The filters have no mean, so that a constant gives nothing but what single precision leaves of
 * the terms that cancel. */
static void constant_images_give_nothing_inside(void **state)
{
    (void)state;
    static const char *const algorithms[] = {"auto", "direct", "orbit", "fft"};
    double most = 0;
    struct bank *bank = bank_new_chaudhuri(12, 2, 9);
    assert_non_null(bank);
    for (int i = 0; i < bank->count; i++) {
        double norm = 0;
        for (int t = 0; t < bank->filters[i].rows * bank->filters[i].columns; t++)
            norm += fabs(bank->filters[i].taps[t]);
        most = fmax(most, norm);
    }
    for (int i = 0; i < 4; i++)
        for (int pixel = 200; pixel <= 60000; pixel *= 300)
            assert_true(response_to_constant((unsigned short)pixel, algorithms[i]) <=
                        0x1p-21 * most * pixel);
    bank_free(&bank);
}

static void denormal_pixels_are_pixels(void **state)
{
    (void)state;
    struct random random = {6};
    struct extent extent = {1, 32, 32, PIXEL_F32};
    struct kernel_setup setup = setup_initial(matched(), &extent, 16);
    setup_number(&setup, matched(), "angles", 2);
    struct stack stack;
    stack_init_random(&stack, &extent, &random);
    for (int i = 0; i < 32 * 32; i++)
        ((float *)stack.pixels)[i] *= 0x1p-133F; /* at most 100 * 2^-133, all denormal */
    float *image = whole_compute(matched(), &setup, &stack, &random, 0, 1, NULL);
    struct bank *bank = setup_bank(&setup);
    for (int i = 0; i < 32 * 32; i++) {
        double expected = response_at(bank, &stack, 0, i / 32, i % 32);
        assert_true(fabs((double)image[i] - expected) <= 200 * 0x1p-149); /* a step per tap */
    }
    bank_free(&bank);
    free(image);
    stack_release(&stack);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_do_not_depend_on_packages_or_threads),
        cmocka_unit_test(tiles_do_not_show),
        cmocka_unit_test(rows_of_tiles_do_not_show),
        cmocka_unit_test(the_caller_gets_its_pulse),
        cmocka_unit_test(unusable_pixels_spoil_what_they_reach),
        cmocka_unit_test(constant_images_give_nothing_inside),
        cmocka_unit_test(denormal_pixels_are_pixels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
