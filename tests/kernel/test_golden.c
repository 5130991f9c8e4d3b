/* The matched filter against golden values: every combination, algorithm and instruction set. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernel/correlate.h"
#include "kernel/isa.h"
#include "tests/kernel/golden.h"
#include "tests/kernel/whole.h"

enum { COMBINATIONS = 3 };
static const char *const combinations[COMBINATIONS] = {"sum", "max", "summax"};

/* Which pixels of an image a golden file holds: every step-th row and column. */
struct sample {
    const char *name;
    int step;
};
static const struct sample vessel = {"vessel", 1}, retina = {"retina", 5};

static float *sample_floats(const struct sample *sample, const char *combination,
                            const struct golden_image *image, int *rows, int *columns)
{
    char name[64];
    snprintf(name, sizeof name, "%s.%s.f32", sample->name, combination);
    *rows = (image->rows + sample->step - 1) / sample->step;
    *columns = (image->columns + sample->step - 1) / sample->step;
    return golden_floats(name, (size_t)*rows * (size_t)*columns);
}

static void sample_image(const struct sample *sample, struct golden_image *image)
{
    char name[64];
    snprintf(name, sizeof name, "%s.pgm", sample->name);
    golden_image_read(image, name);
}

/* Greatest difference as a share of the greatest golden magnitude, where there is a response at
 * all; `compared` counts those places. */
static double relative_error(const struct sample *sample, const char *combination,
                             const struct golden_image *image, const float *response, int *compared)
{
    int rows, columns;
    float *golden = sample_floats(sample, combination, image, &rows, &columns);
    double error = 0, magnitude = 0;
    *compared = 0;
    for (int y = 0; y < rows; y++)
        for (int x = 0; x < columns; x++) {
            double expected = (double)golden[y * columns + x];
            double actual = (double)response[y * sample->step * image->columns + x * sample->step];
            double difference = fabs(actual - expected);
            magnitude = fmax(magnitude, fabs(expected));
            if (actual >= HUGE_VAL)
                continue;
            assert_true(difference < HUGE_VAL); /* a number */
            error = fmax(error, difference);
            ++*compared;
        }
    free(golden);
    return error / magnitude;
}

/* Every `every`-th task of that image. False: the algorithm cannot do that bank. */
static bool sample_check(const struct sample *sample, const char *combination,
                         const char *algorithm, int64_t every, int64_t phase)
{
    const struct kernel *kernel = kernel_find("matched-filter");
    struct golden_image image;
    sample_image(sample, &image);
    struct extent extent = {1, image.rows, image.columns, PIXEL_U8};
    struct stack stack = {extent, image.pixels};
    struct kernel_setup setup = setup_initial(kernel, &extent, 40);
    setup_word(&setup, kernel, "bank", "source");
    setup_word(&setup, kernel, "combine", combination);
    setup_word(&setup, kernel, "algorithm", algorithm);
    char why[256];
    bool possible = kernel->check(&setup, why, sizeof why);
    if (possible) {
        int compared;
        float *response = whole_sample(kernel, &setup, &stack, every, phase);
        double error = relative_error(sample, combination, &image, response, &compared);
        print_message("%-8s %-8s %-8s %-10s %.2g (%d values)\n", kernel_isa(), sample->name,
                      combination, algorithm, error, compared);
        assert_true(error <= 2e-6);
        assert_true(compared >= 3000);
        free(response);
    }
    golden_image_release(&image);
    return possible;
}

/* A different part of the image each time, because all of it would take long. */
static void every_algorithm_on_every_isa_meets_the_vessels(void **state)
{
    (void)state;
    size_t count;
    int64_t phase = 0;
    const struct algorithm *const *algorithms = algorithm_list(&count);
    for (int isa = 0; isa < ISA_COUNT; isa++) {
        if (!kernel_isa_pin(isa_name((enum isa)isa)))
            continue;
        for (int k = 0; k < COMBINATIONS; k++)
            for (size_t i = 1; i < count; i++) /* the reference has a test of its own */
                if (!sample_check(&vessel, combinations[k], algorithms[i]->name, 7, phase++ % 7))
                    assert_string_not_equal(algorithms[i]->name, "direct");
    }
    assert_true(kernel_isa_pin("auto"));
}

static void the_automatic_choice_meets_all_of_both(void **state)
{
    (void)state;
    for (int k = 0; k < COMBINATIONS; k++) {
        assert_true(sample_check(&vessel, combinations[k], "auto", 1, 0));
        assert_true(sample_check(&retina, combinations[k], "auto", 1, 0));
    }
}

/* The image's pixels as floats with a border of zeros, so that any pixel can be a tile. */
static float *padded(const struct golden_image *image, int border, ptrdiff_t *stride)
{
    *stride = image->columns + 2 * border + CORRELATE_SLACK;
    float *floats = calloc((size_t)*stride * (size_t)(image->rows + 2 * border), sizeof *floats);
    assert_non_null(floats);
    for (int y = 0; y < image->rows; y++)
        for (int x = 0; x < image->columns; x++)
            floats[(y + border) * *stride + x + border] = image->pixels[y * image->columns + x];
    return floats;
}

/* The specification itself, on a scattering of pixels that includes corners and edges. */
static void the_reference_meets_the_retina(void **state)
{
    (void)state;
    enum { BORDER = 12, APART = 11 };
    const struct algorithm *reference = algorithm_find("reference");
    struct golden_image image;
    sample_image(&retina, &image);
    ptrdiff_t stride;
    float *floats = padded(&image, BORDER, &stride);
    struct bank *bank = bank_new_source();
    struct correlator *correlator = reference->new_correlator(bank, 1, 1);
    int rows, columns;
    float *golden = sample_floats(&retina, "max", &image, &rows, &columns);
    for (int y = 0; y < rows; y += APART)
        for (int x = 0; x < columns; x += APART) {
            float response;
            struct tile tile = {.origin = floats + (y * retina.step + BORDER) * stride +
                                          x * retina.step + BORDER,
                                .stride = stride,
                                .rows = 1,
                                .columns = 1,
                                .result = &response,
                                .result_stride = 1};
            reference->run(correlator, &tile, NULL);
            float expected = golden[y * columns + x];
            assert_true(fabsf(response - expected) <= 1.2e-7F * fabsf(expected));
        }
    free(golden);
    reference->free_correlator(&correlator);
    bank_free(&bank);
    free(floats);
    golden_image_release(&image);
}

/* One filter at one pixel of the zero-padded image. */
static double response_at(const struct filter *filter, const struct golden_image *image, int y,
                          int x)
{
    double sum = 0;
    for (int a = 0; a < filter->rows; a++)
        for (int b = 0; b < filter->columns; b++) {
            int row = y + a - filter->anchor_row, column = x + b - filter->anchor_column;
            if (row >= 0 && column >= 0 && row < image->rows && column < image->columns)
                sum += filter->taps[a * filter->columns + b] *
                       image->pixels[row * image->columns + column];
        }
    return sum;
}

/* The greatest over angles of the sum over scales, from the golden filters by definition. */
static double maxsum_at(const struct bank *bank, const struct golden_image *image, int y, int x)
{
    double sums[30] = {0}, greatest = -HUGE_VAL;
    for (int i = 0; i < bank->count; i++)
        sums[bank->filters[i].angle] += response_at(&bank->filters[i], image, y, x);
    for (int angle = 0; angle < 30; angle++)
        greatest = fmax(greatest, sums[angle]);
    return greatest;
}

/* There is no golden file of maxsum: its definition on golden filters stands in, pixel by pixel. */
static void maxsum_is_what_it_says(void **state)
{
    (void)state;
    const struct kernel *kernel = kernel_find("matched-filter");
    struct golden_image image;
    sample_image(&vessel, &image);
    struct bank *bank = golden_bank();
    struct extent extent = {1, image.rows, image.columns, PIXEL_U8};
    struct stack stack = {extent, image.pixels};
    struct kernel_setup setup = setup_initial(kernel, &extent, 50);
    setup_word(&setup, kernel, "bank", "source");
    setup_word(&setup, kernel, "combine", "maxsum");
    struct random random = {1};
    float *response = whole_compute(kernel, &setup, &stack, &random, 0, 1, NULL);
    const double magnitude = 769.5; /* the greatest there is */
    for (int i = 0; i < image.rows * image.columns; i += 41) {
        double expected = maxsum_at(bank, &image, i / image.columns, i % image.columns);
        assert_true(fabs((double)response[i] - expected) <= 2e-6 * magnitude);
    }
    free(response);
    bank_free(&bank);
    golden_image_release(&image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_algorithm_on_every_isa_meets_the_vessels),
        cmocka_unit_test(the_automatic_choice_meets_all_of_both),
        cmocka_unit_test(maxsum_is_what_it_says),
        cmocka_unit_test(the_reference_meets_the_retina),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
