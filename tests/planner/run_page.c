/* The page of a run without a trace. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "planner/command/pages.h"
#include "planner/files/textfile.h"
#include "tests/checks.h"
#include "tests/planner/runs.h"

static bool slices_none(const char *output, const struct run_record *record, struct text *text,
                        struct failure *failure)
{
    (void)output;
    (void)record;
    (void)failure;
    text_add(text, "null");
    return true;
}

static bool fields_none(const char *output, struct text *text, struct failure *failure)
{
    (void)output;
    (void)failure;
    text_add(text, "null");
    return true;
}

static bool failed_none(const char *path, int64_t most, struct text *text, struct failure *failure)
{
    (void)most;
    return fields_none(path, text, failure);
}

static void a_run_without_trace_has_a_page(void **state)
{
    const struct readers readers = {.print_slices = slices_none,
                                    .print_fields = fields_none,
                                    .print_failed = failed_none,
                                    .print_slowest = fields_none};
    struct run_record record;
    struct failure failure = FAILURE_INIT;
    char path[] = "/tmp/scow-page-XXXXXX";
    size_t length;
    (void)state;
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    run_sample(5, 0.1, &record);
    trace_release(&record.trace);
    record.resumed = 1;
    record.tasks_done = record.tasks;
    if (!page_of_run(path, "out.h5", &record, NULL, &readers, &failure))
        fail_msg("%s", failure.text);
    char *page = textfile_read(path, &length, &failure);
    assert_non_null(page);
    assert_non_null(strstr(page, "The run was killed when all its core tasks were done"));
    assert_non_null(strstr(page, "\"report\":"));
    assert_null(strstr(page, "\"events\":"));
    free(page);
    unlink(path);
    run_record_release(&record);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_run_without_trace_has_a_page)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
