/* Whole stacks through random packages, batches, core tasks and thread counts: the same values bit
 * for bit, and those of the definition. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/matched/banks/bank.h"
#include "kernel/matched/matched_job.h"
#include "tests/cases.h"
#include "tests/kernel/whole.h"

static double pixel_at(const struct stack *stack, int64_t slice, int64_t y, int64_t x)
{
    const int64_t *extent = stack->image.extent;
    if (y < 0 || x < 0 || y >= extent[1] || x >= extent[2])
        return 0;
    int64_t i = (slice * extent[1] + y) * extent[2] + x;
    if (stack->image.type == SCOW_U8)
        return ((const uint8_t *)stack->pixels)[i];
    if (stack->image.type == SCOW_U16)
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
    const int64_t *extent = stack->image.extent;
    const int type = stack->image.type;
    double scale = type == SCOW_U8 ? 255 : type == SCOW_U16 ? 65535 : 100;
    for (int64_t z = 0, i = 0; z < extent[0]; z++)
        for (int64_t y = 0; y < extent[1]; y++)
            for (int64_t x = 0; x < extent[2]; x++, i++) {
                double expected = response_at(bank, stack, z, y, x);
                if (!(fabs((double)image[i] - expected) <= 2e-5 * scale))
                    fail_msg("seed %" PRIu64 ", (%" PRId64 ", %" PRId64 ", %" PRId64
                             "): %.9g instead of %.9g",
                             seed, z, y, x, (double)image[i], expected);
            }
}

static const int types[] = {SCOW_U8, SCOW_U16, SCOW_F32};

static void stack_random(struct stack *stack, struct random *random, int type)
{
    const int64_t slices = random_between(random, 1, 3), rows = random_between(random, 1, 40);
    const struct scow_input image = image_of(slices, rows, random_between(random, 1, 40), type);
    stack_init_random(stack, &image, random);
}

static void whole_random(struct whole *whole, const struct stack *stack, struct random *random)
{
    static const char *const combinations[] = {"sum", "max", "maxsum"};
    whole_init(whole, stack, (int)random_between(random, 1, 20));
    if (random_between(random, 0, 1))
        memory_job_number(&whole->job, "width", (double)random_between(random, 1, 50));
    memory_job_number(&whole->job, "angles", (double)random_between(random, 1, 3));
    memory_job_number(&whole->job, "sigma", 1.5);
    memory_job_number(&whole->job, "length", (double)random_between(random, 1, 9));
    memory_job_word(&whole->job, "combine", combinations[random_between(random, 0, 2)]);
    if (random_between(random, 0, 1))
        memory_job_word(&whole->job, "polarity", "dark");
}

static double value(const struct whole *whole, const char *name)
{
    return memory_job_value(&whole->job, name)->number;
}

/* Makes the bank as the core task would, but through public functions only. */
static struct bank *whole_bank(const struct whole *whole)
{
    struct bank *bank = bank_new_chaudhuri((int)value(whole, "angles"), value(whole, "sigma"),
                                           value(whole, "length"));
    struct bank *combined = bank_new_collapsed(bank, (enum combine)value(whole, "combine"));
    bank_scale(combined, value(whole, "polarity") > 0 ? -1 : 1);
    bank_free(&bank);
    return combined;
}

static void values_do_not_depend_on_packages_or_threads(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= cases_of(30); seed++) {
        struct random random = {seed};
        struct stack stack;
        struct whole whole;
        stack_random(&stack, &random, types[seed % 3]);
        whole_random(&whole, &stack, &random);
        size_t bytes = (size_t)image_pixels(&stack.image) * sizeof(float);
        float *all = whole_compute(&whole, &random, 0, 1);
        struct bank *bank = whole_bank(&whole);
        assert_defined(all, bank, &stack, seed);
        for (int threads = 1; threads <= 5; threads += 2) {
            int64_t most = random_between(&random, 1, 60);
            float *again = whole_compute(&whole, &random, most, threads);
            if (memcmp(all, again, bytes) != 0)
                fail_msg("seed %" PRIu64 ": packages of up to %" PRId64
                         " tasks on %d threads differ",
                         seed, most, threads);
            free(again);
        }
        bank_free(&bank);
        free(all);
        whole_release(&whole);
        stack_release(&stack);
    }
}

/* The definition at every pixel, whatever the sides are, the block and the width. */
static void check_shape(int64_t rows, int64_t columns, int block, int width)
{
    struct random random = {13};
    const struct scow_input image = image_of(2, rows, columns, SCOW_U8);
    struct stack stack;
    struct whole whole;
    stack_init_random(&stack, &image, &random);
    whole_init(&whole, &stack, block);
    memory_job_number(&whole.job, "width", width);
    memory_job_number(&whole.job, "angles", 2);
    float *all = whole_compute(&whole, &random, 3, 2);
    struct bank *bank = whole_bank(&whole);
    assert_defined(all, bank, &stack, 13);
    bank_free(&bank);
    free(all);
    whole_release(&whole);
    stack_release(&stack);
}

static void images_of_any_shape_are_done(void **state)
{
    (void)state;
    check_shape(1, 1, 64, 0);
    check_shape(1, 1, 1, 0);
    check_shape(1, 3000, 64, 0);
    check_shape(3000, 1, 64, 0);
    check_shape(33, 400, 64, 0);
    check_shape(67, 131, 64, 0);
    check_shape(5, 7, 8192, 0);
    check_shape(127, 65, 64, 0);
    check_shape(40, 700, 16, 700);
    check_shape(40, 700, 16, 1048576);
    check_shape(300, 20, 150, 3);
}

/* The edge of the tiles that a core task is computed in. */
static int tile_of(struct whole *whole)
{
    assert_true(memory_job_open(&whole->job));
    const int tile = ((const struct matched_job *)whole->job.made)->tile_rows;
    memory_job_close(&whole->job);
    return tile;
}

/* One core task of several tiles: whoever computes them, and however many, nothing changes. */
static void check_tiles(const char *bank, const char *combine, const char *algorithm, int edge)
{
    struct random random = {7};
    const struct scow_input image = image_of(1, edge, edge, SCOW_U16);
    struct stack stack;
    struct whole whole;
    stack_init_random(&stack, &image, &random);
    whole_init(&whole, &stack, edge);
    memory_job_word(&whole.job, "bank", bank);
    memory_job_word(&whole.job, "combine", combine);
    memory_job_word(&whole.job, "algorithm", algorithm);
    assert_in_range(tile_of(&whole), 48, edge - 1);
    float *one = whole_compute(&whole, &random, 1, 1);
    assert_true(whole.host.pulses >= 4);
    for (int threads = 2; threads <= 5; threads += 3) {
        float *many = whole_compute(&whole, &random, 1, threads);
        assert_memory_equal(one, many, (size_t)edge * (size_t)edge * sizeof *one);
        free(many);
    }
    free(one);
    whole_release(&whole);
    stack_release(&stack);
}

static void tiles_do_not_show(void **state)
{
    (void)state;
    check_tiles("chaudhuri", "max", "auto", 270);
    check_tiles("chaudhuri", "max", "direct", 150);
    check_tiles("chaudhuri", "max", "orbit", 150);
    check_tiles("source", "max", "fft", 270);
    if (!cases_are_many())
        return;
    check_tiles("source", "max", "auto", 270);
    check_tiles("source", "summax", "auto", 270);
}

/* Enough tiles in one package for threads to take whole rows of them. */
static void rows_of_tiles_do_not_show(void **state)
{
    (void)state;
    enum { EDGE = 150, SLICES = 33, THREADS = 4 };
    struct random random = {8};
    const struct scow_input image = image_of(SLICES, EDGE, EDGE, SCOW_U8);
    struct stack stack;
    struct whole whole;
    stack_init_random(&stack, &image, &random);
    whole_init(&whole, &stack, EDGE);
    /* What 'auto' takes for so small a slice, and so its tiles, depends on the processor. */
    memory_job_word(&whole.job, "algorithm", "direct");
    const int tile = tile_of(&whole), across = (EDGE + tile - 1) / tile;
    assert_true(across >= 2 && SLICES * across >= 8 * THREADS);
    float *one = whole_compute(&whole, &random, 1, 1);
    assert_true(memory_job_open(&whole.job));
    for (int threads = 1; threads <= THREADS; threads += cases_are_many() ? 1 : 3) {
        struct memory_outcome outcome;
        assert_int_equal(memory_job_compute(&whole.job, 0, SLICES, 0, threads, &outcome), SCOW_OK);
        assert_memory_equal(one, outcome.grid, (size_t)SLICES * EDGE * EDGE * sizeof *one);
        memory_outcome_release(&outcome);
    }
    free(one);
    whole_release(&whole);
    stack_release(&stack);
}

/* A package of 16 tasks of one tile each, on that many threads; how many pulses there were. */
static int64_t package_pulses(int threads, int64_t until_stop, int status)
{
    struct random random = {11};
    const struct scow_input image = image_of(1, 64, 64, SCOW_U8);
    struct stack stack;
    struct whole whole;
    struct memory_outcome outcome;
    stack_init_random(&stack, &image, &random);
    whole_init(&whole, &stack, 16);
    assert_true(memory_job_open(&whole.job));
    assert_int_equal(whole.job.setup.tasks, 16);
    whole.host.pulses_until_stop = until_stop;
    assert_int_equal(memory_job_compute(&whole.job, 0, 16, 0, threads, &outcome), status);
    memory_outcome_release(&outcome);
    whole_release(&whole);
    stack_release(&stack);
    return whole.host.pulses;
}

/* One pulse a task when nobody helps, one at least when others do all the work. */
static void the_caller_gets_its_pulse(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 5; threads++)
        assert_true(package_pulses(threads, -1, SCOW_OK) >= (threads == 1 ? 16 : 1));
}

/* Core tasks that are not computed at the stop are left out: their pulses do not come. */
static void a_stop_ends_the_package(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 5; threads++)
        assert_true(package_pulses(threads, 0, SCOW_STOPPED) >= 1);
    assert_in_range(package_pulses(1, 3, SCOW_STOPPED), 4, 5);
}

/* A task of several tiles whose run is stopped at the first pulse: later tiles are not written. */
static void a_stop_leaves_tiles_out(void **state)
{
    (void)state;
    enum { EDGE = 270 };
    struct random random = {12};
    const struct scow_input image = image_of(1, EDGE, EDGE, SCOW_U8);
    struct stack stack;
    struct whole whole;
    struct memory_outcome outcome;
    stack_init_random(&stack, &image, &random);
    whole_init(&whole, &stack, EDGE);
    assert_true(tile_of(&whole) < EDGE);
    assert_true(memory_job_open(&whole.job));
    whole.host.pulses_until_stop = 0;
    assert_int_equal(memory_job_compute(&whole.job, 0, 1, 0, 1, &outcome), SCOW_STOPPED);
    const unsigned char untouched[] = {0xa5, 0xa5, 0xa5, 0xa5};
    const size_t last = outcome.box_size - sizeof untouched;
    assert_memory_not_equal(outcome.grid, untouched, sizeof untouched);
    assert_memory_equal(outcome.grid + last, untouched, sizeof untouched);
    memory_outcome_release(&outcome);
    whole_release(&whole);
    stack_release(&stack);
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
    const struct scow_input image = image_of(1, 60, 50, SCOW_F32);
    struct stack stack;
    struct whole whole;
    stack_init_random(&stack, &image, &random);
    whole_init(&whole, &stack, 17);
    float *good = whole_compute(&whole, &random, 0, 1);
    static const float unusable[] = {NAN, INFINITY, -INFINITY, 0x1.8p96F};
    static const int places[] = {0, 23 * 50 + 20, 24 * 50 + 33, 59 * 50 + 48};
    for (int k = 0; k < 4; k++)
        ((float *)stack.pixels)[places[k]] = unusable[k];
    struct bank *bank = whole_bank(&whole);
    struct reach reach = bank_reach(bank);
    float *spoiled = whole_compute(&whole, &random, 3, 2);
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
    whole_release(&whole);
    stack_release(&stack);
}

/* The greatest magnitude of a response inside a constant image of 16-bit pixels. */
static double response_to_constant(unsigned short pixel, const char *algorithm)
{
    struct random random = {5};
    const struct scow_input input = image_of(1, 64, 64, SCOW_U16);
    struct stack stack;
    struct whole whole;
    stack_init_random(&stack, &input, &random);
    for (int i = 0; i < 64 * 64; i++)
        ((unsigned short *)stack.pixels)[i] = pixel;
    whole_init(&whole, &stack, 20);
    memory_job_word(&whole.job, "algorithm", algorithm);
    float *image = whole_compute(&whole, &random, 5, 2);
    double most = 0;
    for (int y = 8; y < 56; y++)
        for (int x = 8; x < 56; x++)
            most = fmax(most, fabs((double)image[y * 64 + x]));
    assert_true(image[0] > 1); /* the border is an edge */
    free(image);
    whole_release(&whole);
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
    const struct scow_input input = image_of(1, 32, 32, SCOW_F32);
    struct stack stack;
    struct whole whole;
    stack_init_random(&stack, &input, &random);
    for (int i = 0; i < 32 * 32; i++)
        ((float *)stack.pixels)[i] *= 0x1p-133F; /* at most 100 * 2^-133, all denormal */
    whole_init(&whole, &stack, 16);
    memory_job_number(&whole.job, "angles", 2);
    float *image = whole_compute(&whole, &random, 0, 1);
    struct bank *bank = whole_bank(&whole);
    for (int i = 0; i < 32 * 32; i++) {
        double expected = response_at(bank, &stack, 0, i / 32, i % 32);
        assert_true(fabs((double)image[i] - expected) <= 200 * 0x1p-149); /* a step per tap */
    }
    bank_free(&bank);
    free(image);
    whole_release(&whole);
    stack_release(&stack);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_do_not_depend_on_packages_or_threads),
        cmocka_unit_test(images_of_any_shape_are_done),
        cmocka_unit_test(tiles_do_not_show),
        cmocka_unit_test(rows_of_tiles_do_not_show),
        cmocka_unit_test(the_caller_gets_its_pulse),
        cmocka_unit_test(a_stop_ends_the_package),
        cmocka_unit_test(a_stop_leaves_tiles_out),
        cmocka_unit_test(unusable_pixels_spoil_what_they_reach),
        cmocka_unit_test(constant_images_give_nothing_inside),
        cmocka_unit_test(denormal_pixels_are_pixels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
