/* What the matched filter refuses, each with a sentence that says what to do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "tests/kernel/whole.h"

static struct kernel_setup good(void)
{
    struct extent extent = {1, 512, 400, PIXEL_U8};
    return setup_initial(kernel_find("matched-filter"), &extent, 64);
}

static void assert_refused(const struct kernel_setup *setup, const char *sentence)
{
    char why[256] = "";
    assert_false(kernel_find("matched-filter")->check(setup, why, sizeof why));
    assert_string_equal(why, sentence);
}

static void number(struct kernel_setup *setup, const char *name, double value)
{
    setup_number(setup, kernel_find("matched-filter"), name, value);
}

static void the_initial_setup_is_good(void **state)
{
    (void)state;
    struct kernel_setup setup = good();
    char why[256] = "";
    assert_true(kernel_find("matched-filter")->check(&setup, why, sizeof why));
    assert_string_equal(why, "");
}

static void every_word_of_every_parameter_is_good(void **state)
{
    (void)state;
    const struct kernel *kernel = kernel_find("matched-filter");
    for (int i = 0; i < kernel->parameter_count; i++)
        for (int k = 0; kernel->parameters[i].choices && kernel->parameters[i].choices[k]; k++) {
            struct kernel_setup setup = good();
            char why[256] = "";
            setup.values[i] = k;
            assert_true(k <= (int)kernel->parameters[i].greatest);
            if (!kernel->check(&setup, why, sizeof why))
                fail_msg("%s %s: %s", kernel->parameters[i].name, kernel->parameters[i].choices[k],
                         why);
        }
}

static void images_that_are_too_small(void **state)
{
    (void)state;
    struct kernel_setup setup = good();
    setup.extent.rows = 14;
    setup.block = 14;
    assert_refused(&setup, "the image (14 x 400 pixels) is smaller than the largest filter "
                           "(15 x 15): use a larger image or smaller filters");
    setup = good();
    setup.extent.columns = 63;
    assert_refused(&setup, "the image (512 x 63 pixels) is smaller than one block of 64 x 64: use "
                           "a smaller block");
    setup = good();
    setup_word(&setup, kernel_find("matched-filter"), "bank", "source");
    setup.extent.columns = 23;
    setup.block = 16;
    assert_refused(&setup, "the image (512 x 23 pixels) is smaller than the largest filter "
                           "(24 x 24): use a larger image or smaller filters");
}

static void extents_and_blocks_out_of_reason(void **state)
{
    (void)state;
    struct kernel_setup setup = good();
    setup.extent.slices = 0;
    assert_refused(&setup, "the image has no pixels: give one that has");
    setup = good();
    setup.extent.rows = (int64_t)1 << 40;
    assert_refused(&setup, "the image claims 1 x 1099511627776 x 400 pixels: more than can be "
                           "counted");
    setup = good();
    setup.extent.slices = INT64_MAX;
    assert_refused(&setup, "the image claims 9223372036854775807 x 512 x 400 pixels: more than can "
                           "be counted");
    setup = good();
    setup.block = 0;
    assert_refused(&setup, "the block is 0 pixels: give a number from 1 to 8192");
    setup.block = 8193;
    assert_refused(&setup, "the block is 8193 pixels: give a number from 1 to 8192");
}

static void values_out_of_reason(void **state)
{
    (void)state;
    struct kernel_setup setup = good();
    number(&setup, "angles", 0);
    assert_refused(&setup, "angles is 0: give a number from 1 to 180");
    number(&setup, "angles", 2.5);
    assert_refused(&setup, "angles is 2.5: give a whole number");
    setup = good();
    number(&setup, "sigma", -1);
    assert_refused(&setup, "sigma is -1: give a number from 0.2 to 32");
    number(&setup, "sigma", (double)INFINITY);
    assert_refused(&setup, "sigma is inf: give a number from 0.2 to 32");
    number(&setup, "sigma", 0.25);
    assert_refused(&setup, "sigma 0.25 and length 9 leave a filter without any contrast: use a "
                           "larger sigma");
    setup = good();
    number(&setup, "length", 1e9);
    assert_refused(&setup, "length is 1e+09: give a number from 1 to 256");
    setup = good();
    number(&setup, "combine", 17);
    assert_refused(&setup, "combine has no choice number 17: name one of its words");
}

static void not_a_number_is_refused_everywhere(void **state)
{
    (void)state;
    const struct kernel *kernel = kernel_find("matched-filter");
    for (int i = 0; i < kernel->parameter_count; i++) {
        struct kernel_setup setup = good();
        char why[256] = "";
        setup.values[i] = (double)NAN;
        assert_false(kernel->check(&setup, why, sizeof why));
        assert_non_null(strstr(why, kernel->parameters[i].name));
    }
}

static void a_small_buffer_is_not_overrun(void **state)
{
    (void)state;
    struct kernel_setup setup = good();
    char why[9] = "12345678";
    setup.block = 0;
    assert_false(kernel_find("matched-filter")->check(&setup, why, 8));
    assert_string_equal(why, "the blo");
    assert_int_equal(why[8], 0);
}

static void kernels_are_found_by_their_names(void **state)
{
    (void)state;
    size_t count;
    const struct kernel *const *kernels = kernel_list(&count);
    assert_true(count >= 1);
    for (size_t i = 0; i < count; i++)
        assert_ptr_equal(kernel_find(kernels[i]->name), kernels[i]);
    assert_null(kernel_find("matched"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_initial_setup_is_good),
        cmocka_unit_test(every_word_of_every_parameter_is_good),
        cmocka_unit_test(images_that_are_too_small),
        cmocka_unit_test(extents_and_blocks_out_of_reason),
        cmocka_unit_test(values_out_of_reason),
        cmocka_unit_test(not_a_number_is_refused_everywhere),
        cmocka_unit_test(a_small_buffer_is_not_overrun),
        cmocka_unit_test(kernels_are_found_by_their_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
