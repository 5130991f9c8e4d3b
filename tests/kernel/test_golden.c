/* The matched filter against golden values: every combination of algorithm and instruction set. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/matched/correlators/correlate.h"
#include "kernel/vector/isa.h"
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

/* Every `every`-th task of that image, to be freed. NULL: the algorithm cannot do that bank. */
static float *image_response(const struct golden_image *image, const char *combination,
                             const char *algorithm, int64_t every, int64_t phase)
{
    const struct stack stack = {image_of(1, image->rows, image->columns, SCOW_U8), image->pixels};
    struct whole whole;
    whole_init(&whole, &stack, 40);
    memory_job_word(&whole.job, "bank", "source");
    memory_job_word(&whole.job, "combine", combination);
    memory_job_word(&whole.job, "algorithm", algorithm);
    float *response = whole_sample(&whole, every, phase);
    whole_release(&whole);
    return response;
}

/* Every `every`-th task of that image. False: the algorithm cannot do that bank. */
static bool sample_check(const struct sample *sample, const char *combination,
                         const char *algorithm, int64_t every, int64_t phase)
{
    struct golden_image image;
    sample_image(sample, &image);
    float *response = image_response(&image, combination, algorithm, every, phase);
    if (response) {
        int compared;
        double error = relative_error(sample, combination, &image, response, &compared);
        print_message("%-8s %-8s %-8s %-10s %.2g (%d values)\n", isa_name(isa_current()),
                      sample->name, combination, algorithm, error, compared);
        assert_true(error <= 2e-6);
        assert_true(compared >= 3000);
    }
    bool possible = response;
    free(response);
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
        if (!isa_pin(isa_name((enum isa)isa)))
            continue;
        for (int k = 0; k < COMBINATIONS; k++)
            for (size_t i = 1; i < count; i++) /* the reference has a test of its own */
                if (!sample_check(&vessel, combinations[k], algorithms[i]->name, 7, phase++ % 7)) {
                    assert_string_equal(algorithms[i]->name, "orbit");
                    assert_string_not_equal(combinations[k], "max"); /* sums are not symmetric */
                }
    }
    assert_true(isa_pin("auto"));
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
    struct correlator *correlator =
        reference->new_correlator(bank, &(struct demand){1, 1, speeds_current()});
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

/* sums += tap * the image, moved so that its pixel (down, right) comes to (0, 0); zeros outside. */
static void add_moved(const struct golden_image *image, int down, int right, double tap,
                      double *sums)
{
    int left = right < 0 ? -right : 0;
    int end = right > 0 ? image->columns - right : image->columns;
    for (int y = 0; y < image->rows; y++) {
        if (y + down < 0 || y + down >= image->rows)
            continue;
        const uint8_t *from = image->pixels + (y + down) * image->columns;
        for (int x = left; x < end; x++)
            sums[y * image->columns + x] += tap * from[x + right];
    }
}

enum {
    ANGLES = 30,
    WINDOW = 24,
    BEFORE = 11
}; /* the largest filter, and what precedes its anchor */

/* The sum of that angle's golden filters, aligned at their anchors. */
static void angle_taps(const struct bank *bank, int angle, double taps[WINDOW][WINDOW])
{
    memset(taps, 0, sizeof(double[WINDOW][WINDOW]));
    for (int i = 0; i < bank->count; i++) {
        const struct filter *filter = &bank->filters[i];
        int down = BEFORE - filter->anchor_row, right = BEFORE - filter->anchor_column;
        if (filter->angle != angle)
            continue;
        for (int a = 0; a < filter->rows; a++)
            for (int b = 0; b < filter->columns; b++)
                taps[a + down][b + right] += filter->taps[a * filter->columns + b];
    }
}

/* The greatest over angles of the sum over scales, from the golden filters by definition; to be
 * freed. */
static double *maxsum_defined(const struct golden_image *image)
{
    size_t count = (size_t)image->rows * (size_t)image->columns;
    double *greatest = malloc(count * sizeof *greatest), *sums = malloc(count * sizeof *sums);
    assert_true(greatest && sums);
    for (size_t i = 0; i < count; i++)
        greatest[i] = -HUGE_VAL;
    struct bank *bank = golden_bank();
    for (int angle = 0; angle < ANGLES; angle++) {
        double taps[WINDOW][WINDOW];
        angle_taps(bank, angle, taps);
        memset(sums, 0, count * sizeof *sums);
        for (int i = 0; i < WINDOW * WINDOW; i++)
            if (taps[i / WINDOW][i % WINDOW] != 0)
                add_moved(image, i / WINDOW - BEFORE, i % WINDOW - BEFORE,
                          taps[i / WINDOW][i % WINDOW], sums);
        for (size_t i = 0; i < count; i++)
            greatest[i] = fmax(greatest[i], sums[i]);
    }
    bank_free(&bank);
    free(sums);
    return greatest;
}

static void assert_close(const float *response, const double *expected, size_t count,
                         const char *algorithm)
{
    double error = 0, magnitude = 0;
    for (size_t i = 0; i < count; i++) {
        double difference = fabs((double)response[i] - expected[i]);
        assert_true(difference < HUGE_VAL); /* a number */
        error = fmax(error, difference);
        magnitude = fmax(magnitude, fabs(expected[i]));
    }
    print_message("%-8s vessel   maxsum   %-10s %.2g (%zu values)\n", isa_name(isa_current()),
                  algorithm, error / magnitude, count);
    assert_true(error <= 2e-6 * magnitude);
}

/* There is no golden file of maxsum: its definition on golden filters stands in, for every pixel.
 */
static void maxsum_is_what_it_says(void **state)
{
    (void)state;
    struct golden_image image;
    sample_image(&vessel, &image);
    size_t pixels = (size_t)image.rows * (size_t)image.columns;
    double *expected = maxsum_defined(&image);
    size_t count;
    const struct algorithm *const *algorithms = algorithm_list(&count);
    for (size_t i = 0; i <= count; i++) {
        const char *algorithm = i < count ? algorithms[i]->name : "auto";
        float *response = image_response(&image, "maxsum", algorithm, 1, 0);
        assert_non_null(response); /* it is the maximum of a bank: all can do it */
        assert_close(response, expected, pixels, algorithm);
        free(response);
    }
    free(expected);
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
