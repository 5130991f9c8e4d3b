/* Jobs in chunks: how rules assign them, and the files of their results. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "spmd/chunks/chunks.h"
#include "spmd/chunks/part.h"
#include "tests/checks.h"

static int64_t count_of(const char *rule, int64_t workers, int64_t tasks)
{
    struct chunks_job job = {.workers = workers};
    struct chunks chunks;
    struct failure failure = FAILURE_INIT;
    int64_t at = 0;
    snprintf(job.rule, sizeof job.rule, "%s", rule);
    assert_true(chunks_make(&chunks, &job, tasks, &failure));
    for (int64_t k = 0; k < chunks.count; k++) {
        assert_int_equal(chunks.items[k].index, k);
        assert_int_equal(chunks.items[k].first, at);
        assert_int_equal(chunks_find(&chunks, at, chunks.items[k].count), k);
        assert_int_equal(chunks_find(&chunks, at, chunks.items[k].count + 1), -1);
        at += chunks.items[k].count;
    }
    assert_int_equal(at, tasks);
    const int64_t count = chunks.count;
    chunks_release(&chunks);
    return count;
}

/* Table 2 of Herrera and others: 50,000 rows on five workers. */
static void goldens(void **state)
{
    (void)state;
    assert_int_equal(count_of("fsc,k=2000", 5, 50000), 25);
    assert_int_equal(count_of("gss,least=1000", 5, 50000), 16);
    assert_true(count_of("tss", 5, 50000) > 5);
    assert_true(count_of("fiss", 5, 50000) > 5);
    assert_int_equal(count_of("fsc,k=10", 7, 3), 3); /* at most an even share */
}

static void other_rules(void **state)
{
    static const char *const rules[] = {"fac", "ss", "af", "gs", "gss,lest=3", ""};
    (void)state;
    for (size_t k = 0; k < sizeof rules / sizeof *rules; k++) {
        struct failure failure = FAILURE_INIT;
        assert_false(chunks_rule_check(rules[k], &failure));
        assert_int_equal(failure.code, FAILURE_USAGE);
    }
}

static void jobs(void **state)
{
    const struct chunks_job job = {.rule = "gss,least=1000", .workers = 5, .input = "/a b"};
    struct chunks_job read;
    struct failure failure = FAILURE_INIT;
    char text[512], cut[512];
    (void)state;
    chunks_job_print(&job, text, sizeof text);
    assert_true(chunks_job_parse(&read, text, "job", &failure));
    assert_string_equal(read.rule, job.rule);
    assert_string_equal(read.input, job.input);
    assert_int_equal(read.workers, job.workers);
    for (size_t size = 0; size < strlen(text); size++) {
        snprintf(cut, sizeof cut, "%.*s", (int)size, text);
        assert_false(chunks_job_parse(&read, cut, "job", &failure));
        assert_int_equal(failure.code, FAILURE_MISMATCH);
    }
}

/* A file gives back what was written; changed anywhere that counts, it is refused. */
static void files(void **state)
{
    char folder[] = "/tmp/scow-part-XXXXXX", path[64];
    static const char packed[64] = "results";
    struct wire_result *report = calloc(1, wire_result_size(8, false));
    struct part_head head;
    struct part part;
    struct failure failure = FAILURE_INIT;
    bool there;
    (void)state;
    assert_non_null(report);
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/chunk-3", folder);
    part_head_init(&head);
    head.package = report->package = (struct package){.index = 3, .first = 10, .count = 2};
    summary_init(&report->summary);
    report->summary.tasks = 2;
    wire_result_return(report, packed, sizeof packed);
    wire_result_seal(report, 8);
    head.report_size = wire_result_size(8, false);
    head.packed_size = sizeof packed;
    assert_false(part_read(&part, path, 8, &there, &failure));
    assert_false(there);
    failure = (struct failure)FAILURE_INIT;
    assert_true(part_write(path, &head, report, packed, &failure));
    assert_true(part_read(&part, path, 8, &there, &failure));
    assert_int_equal(part.head.package.first, 10);
    assert_memory_equal(part.report, report, head.report_size);
    assert_memory_equal(part.packed, packed, sizeof packed);
    assert_true(part.head.times.ended_s > 0 && part.head.times.transfer_s > 0);
    part_release(&part);
    assert_false(part_read(&part, path, 16, &there, &failure)); /* of another reduction */
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    fseek(file, -1, SEEK_END);
    fputc('x', file);
    fclose(file);
    assert_false(part_read(&part, path, 8, &there, &failure));
    assert_true(there);
    unlink(path);
    rmdir(folder);
    free(report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(goldens),
        cmocka_unit_test(other_rules),
        cmocka_unit_test(jobs),
        cmocka_unit_test(files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
