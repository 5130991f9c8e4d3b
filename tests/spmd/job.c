/* A job from names and numbers: what is refused, and how it is said. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "spmd/job/job.h"

static void check_refused(const char *name, const char *word, double number, const char *sentence)
{
    const struct kernel *kernel = kernel_find("matched-filter");
    struct parameter_list list = {0};
    struct kernel_setup setup = {.block = 16};
    struct failure failure = FAILURE_INIT;
    assert_true(parameter_list_add(&list, name, word, number));
    assert_false(job_parameters(kernel, &list, "p.json", &setup, &failure));
    assert_string_equal(failure.text, sentence);
    assert_int_equal(failure.code, FAILURE_MISMATCH);
    parameter_list_release(&list);
}

static void test_parameters_refused(void **state)
{
    (void)state;
    check_refused("bank", "chaudhury", 0,
                  "p.json: 'chaudhury' is no bank (did you mean 'chaudhuri'?)");
    check_refused("combin", "max", 0,
                  "p.json: kernel matched-filter has no parameter 'combin' (did you mean "
                  "'combine'?)");
    check_refused("bank", NULL, 3, "p.json: bank must be a word such as 'source', not a number");
}

static void test_parameters_round_trip(void **state)
{
    (void)state;
    const struct kernel *kernel = kernel_find("matched-filter");
    struct parameter_list given = {0}, described = {0};
    struct kernel_setup setup = {.block = 16}, again = {.block = 16};
    struct failure failure = FAILURE_INIT;
    assert_true(parameter_list_add(&given, "bank", "source", 0));
    assert_true(parameter_list_add(&given, "combine", "maxsum", 0));
    assert_true(job_parameters(kernel, &given, "x", &setup, &failure));
    assert_true(job_describe(kernel, &setup, &described, &failure));
    assert_int_equal(described.count, kernel->parameter_count);
    assert_true(job_parameters(kernel, &described, "x", &again, &failure));
    assert_memory_equal(setup.values, again.values,
                        (size_t)kernel->parameter_count * sizeof(double));
    parameter_list_release(&given);
    parameter_list_release(&described);
}

static void test_kernel_by_name(void **state)
{
    (void)state;
    struct failure failure = FAILURE_INIT;
    assert_ptr_equal(job_kernel("matched-filter", "x", &failure), kernel_find("matched-filter"));
    assert_null(job_kernel("matched-filtre", "plan.json", &failure));
    assert_string_equal(failure.text,
                        "plan.json: there is no kernel 'matched-filtre' (did you mean "
                        "'matched-filter'?); this program has 'matched-filter'");
}

static void test_image_smaller_than_a_block(void **state)
{
    (void)state;
    const struct kernel *kernel = kernel_find("matched-filter");
    struct parameter_list none = {0};
    struct kernel_setup setup = {.extent = {1, 40, 40, PIXEL_U8}, .block = 64};
    struct failure failure = FAILURE_INIT;
    struct job job = {0};
    assert_true(job_parameters(kernel, &none, "x", &setup, &failure));
    assert_false(job_init(&job, kernel, &setup, "small.png", &failure));
    assert_int_equal(failure.code, FAILURE_MISMATCH);
    assert_ptr_equal(strstr(failure.text, "small.png: "), failure.text);
    assert_null(job.made);
}

static void test_tasks_of_a_job(void **state)
{
    (void)state;
    const struct kernel *kernel = kernel_find("matched-filter");
    struct parameter_list none = {0};
    struct kernel_setup setup = {.extent = {3, 100, 70, PIXEL_F32}, .block = 32};
    struct failure failure = FAILURE_INIT;
    struct job job = {0};
    assert_true(job_parameters(kernel, &none, "x", &setup, &failure));
    assert_true(job_init(&job, kernel, &setup, "x", &failure));
    assert_int_equal(job.tasks, 3 * 4 * 3);
    job_release(&job);
    assert_null(job.made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parameters_refused),
        cmocka_unit_test(test_parameters_round_trip),
        cmocka_unit_test(test_kernel_by_name),
        cmocka_unit_test(test_image_smaller_than_a_block),
        cmocka_unit_test(test_tasks_of_a_job),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
