/* What a person waiting is told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "spmd/job/progress.h"

static void test_time_left_starts_from_the_plan(void **state)
{
    (void)state;
    struct progress progress;
    progress_init(&progress, NULL, 100, 50.0);
    assert_true(progress_left_s(&progress, 0, 0) == 50.0);
    /* On schedule nothing is corrected. */
    assert_true(progress_left_s(&progress, 50, 25.0) == 25.0);
    /* At twice the planned time per task, half done: half of 50, half of 100, less what passed. */
    assert_true(progress_left_s(&progress, 50, 50.0) == 25.0);
    assert_true(progress_left_s(&progress, 100, 70.0) == 0.0);
    /* Never negative. */
    assert_true(progress_left_s(&progress, 1, 90.0) >= 0.0);
}

static void test_time_left_without_prediction(void **state)
{
    (void)state;
    struct progress progress;
    progress_init(&progress, NULL, 10, 0);
    assert_true(progress_left_s(&progress, 0, 3.0) < 0);
    assert_true(progress_left_s(&progress, 5, 3.0) == 3.0);
}

static void test_a_line_every_few_seconds(void **state)
{
    (void)state;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    struct progress progress;
    progress_init(&progress, out, 200, 100.0);
    progress_show(&progress, 1, 0.5); /* too early */
    progress_show(&progress, 20, 10.0);
    progress_show(&progress, 21, 10.1); /* too soon after the last */
    progress_show(&progress, 40, 20.0);
    progress_end(&progress);
    fclose(out);
    assert_string_equal(text, "scow: 20 of 200 core tasks (10 %), 10 s, 90 s left\n"
                              "scow: 40 of 200 core tasks (20 %), 20 s, 80 s left\n");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_time_left_starts_from_the_plan),
        cmocka_unit_test(test_time_left_without_prediction),
        cmocka_unit_test(test_a_line_every_few_seconds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
