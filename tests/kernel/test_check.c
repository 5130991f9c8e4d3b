/* What the matched filter refuses, each with a sentence that says what to do. Values outside a
 * parameter's range are refused before it is called. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#include "kernel/matched/matched_filter.h"
#include "kernel/vector/isa.h"
#include "tests/kernel/whole.h"

static struct memory_host host;
static struct memory_job job;

/* An image and parameters that can be done. */
static int good(void **state)
{
    (void)state;
    memory_host_init(&host);
    host.input = image_of(1, 512, 448, SCOW_U8);
    memory_job_init(&job, &matched_filter_task, &host);
    return 0;
}

static int release(void **state)
{
    (void)state;
    memory_host_release(&host);
    return 0;
}

static int described(int64_t *tasks)
{
    memory_host_restart(&host);
    return matched_filter_task.describe(&host.host, job.values, &host.input, tasks);
}

static void assert_good(int64_t expected)
{
    int64_t tasks = 0;
    if (described(&tasks) != SCOW_OK)
        fail_msg("%s", host.failure);
    assert_string_equal(host.failure, "");
    assert_int_equal(tasks, expected);
}

static void assert_refused(const char *sentence)
{
    int64_t tasks;
    assert_int_equal(described(&tasks), SCOW_FAILED);
    assert_string_equal(host.failure, sentence);
}

static void tasks_are_counted(void **state)
{
    (void)state;
    assert_good(8 * 7);
    memory_job_number(&job, "block", 8192);
    assert_good(1);
    memory_job_number(&job, "block", 1);
    host.input.extent[0] = 3;
    assert_good((int64_t)3 * 512 * 448);
}

static void every_word_of_every_parameter_is_good(void **state)
{
    for (int i = 0; matched_filter_task.parameters[i].name; i++) {
        const struct scow_parameter *parameter = &matched_filter_task.parameters[i];
        for (int k = 0; parameter->words && parameter->words[k]; k++) {
            memory_job_init(&job, &matched_filter_task, &host);
            memory_job_word(&job, parameter->name, parameter->words[k]);
            assert_good(8 * 7);
        }
    }
    (void)state;
}

static void the_ends_of_ranges_are_good(void **state)
{
    (void)state;
    for (int i = 0; matched_filter_task.parameters[i].name; i++) {
        const struct scow_parameter *parameter = &matched_filter_task.parameters[i];
        int64_t tasks;
        memory_job_init(&job, &matched_filter_task, &host);
        host.input = image_of(1, 8192, 8192, SCOW_U8);
        if (parameter->words)
            continue;
        memory_job_number(&job, parameter->name, parameter->greatest);
        assert_int_equal(described(&tasks), SCOW_OK);
        memory_job_number(&job, parameter->name, parameter->least);
        if (strcmp(parameter->name, "sigma") == 0)
            assert_refused("sigma 0.2 and length 9 leave a filter without any contrast: use a "
                           "larger sigma");
        else
            assert_int_equal(described(&tasks), SCOW_OK);
    }
}

/* Smaller than a block, smaller than the filters: a side is at least one task. */
static void no_image_is_too_small(void **state)
{
    (void)state;
    static const struct {
        int64_t rows, columns;
        int block;
        int64_t tasks;
    } cases[] = {{1, 1, 64, 1},       {1, 1, 1, 1},        {1, 100000, 100, 1000},
                 {33, 6400, 64, 100}, {6400, 63, 64, 100}, {14, 400, 8192, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t tasks = 0;
        host.input = image_of(1, cases[i].rows, cases[i].columns, SCOW_U8);
        memory_job_number(&job, "block", cases[i].block);
        assert_int_equal(described(&tasks), SCOW_OK);
        assert_int_equal(tasks, cases[i].tasks);
    }
}

static void extents_out_of_reason(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        host.input = image_of(1, 512, 400, SCOW_U8);
        host.input.extent[i] = 0;
        assert_refused("the image has no pixels: give one that has");
    }
    host.input = image_of(1, (int64_t)1 << 40, 400, SCOW_U8);
    assert_refused("the image claims 1 x 1099511627776 x 400 pixels: more than can be counted");
    host.input = image_of(INT64_MAX, 512, 400, SCOW_U8);
    assert_refused("the image claims 9223372036854775807 x 512 x 400 pixels: more than can be "
                   "counted");
}

static void filters_without_contrast(void **state)
{
    (void)state;
    memory_job_number(&job, "sigma", 0.25);
    assert_refused("sigma 0.25 and length 9 leave a filter without any contrast: use a larger "
                   "sigma");
}

static void algorithms_that_cannot(void **state)
{
    (void)state;
    memory_job_word(&job, "algorithm", "fft");
    memory_job_number(&job, "length", 256);
    assert_refused("the algorithm fft cannot do these filters: use auto");
}

/* What depends on the processor is settled by one rank, and all others do the same. */
static void settling_names_the_processor(void **state)
{
    (void)state;
    for (int isa = 0; isa < ISA_COUNT; isa++) {
        if (!isa_pin(isa_name((enum isa)isa)))
            continue;
        memory_job_init(&job, &matched_filter_task, &host);
        assert_int_equal(matched_filter_task.settle(&host.host, &host.input, job.values), SCOW_OK);
        const struct scow_value settled = *memory_job_value(&job, "tuned");
        assert_string_not_equal(settled.text, "auto");
        memory_job_word(&job, "tuned", settled.text);
        assert_true(memory_job_value(&job, "tuned")->number == settled.number);
        assert_true(isa_pin("generic"));
        assert_int_equal(matched_filter_task.settle(&host.host, &host.input, job.values), SCOW_OK);
        assert_string_equal(memory_job_value(&job, "tuned")->text, settled.text);
    }
    assert_true(isa_pin("auto"));
}

static void results_are_a_grid_and_a_picture(void **state)
{
    (void)state;
    host.input = image_of(3, 96, 70, SCOW_U16);
    memory_job_number(&job, "block", 32);
    memory_job_word(&job, "tuned", "avx2");
    memory_job_word(&job, "algorithm", "direct");
    assert_true(memory_job_open(&job));
    const struct scow_results *results = &job.results;
    const int64_t extent[] = {3, 96, 70}, tile[] = {1, 32, 24};
    assert_int_equal(results->grid_type, SCOW_F32);
    assert_memory_equal(results->grid_extent, extent, sizeof extent);
    assert_memory_equal(results->grid_tile, tile, sizeof tile);
    assert_true(results->grid_picture);
    assert_true(!results->fields && results->state_size == 0 && !results->emits);
    memory_job_close(&job);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, good, release)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(tasks_are_counted),
        TEST(every_word_of_every_parameter_is_good),
        TEST(the_ends_of_ranges_are_good),
        TEST(no_image_is_too_small),
        TEST(extents_out_of_reason),
        TEST(filters_without_contrast),
        TEST(algorithms_that_cannot),
        TEST(settling_names_the_processor),
        TEST(results_are_a_grid_and_a_picture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
