/* Every allocation of making a library job ready is made to fail in turn: the job is then refused
 * with a sentence, and under a leak checker nothing is lost. */
#include <stdio.h>
#include <unistd.h>

#include "kernel/library/library.h"
#include "tests/checks.h"
#include "tests/kernel/memory_job.h"
#include "tests/scarcity.h"

/* True: it was made ready without a failure. */
static bool job_survives(const char *path, int allowed)
{
    const struct scow_item items[] = {{"ACGTACGT", 8, "one"}, {"TTGA", 4, "two"}};
    struct memory_host host;
    struct memory_job job;
    memory_host_init(&host);
    host.input = (struct scow_input){.kind = SCOW_INPUT_SEQUENCES, .extent = {2}, .name = "input"};
    host.items = items;
    memory_job_init(&job, &library_task, &host);
    memory_job_text(&job, "targets", path);
    scarcity_begin(allowed);
    const bool good = memory_job_open(&job);
    const bool failed = scarcity_end();
    assert_int_equal(good, !failed);
    assert_true(good || strstr(host.failure, "not enough memory") != NULL);
    memory_job_close(&job);
    memory_host_release(&host);
    return good;
}

static void a_job_without_memory(void **state)
{
    (void)state;
    char path[] = "library.XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    assert_true(dprintf(file, ">a\nACGT\n>b\nTTTTGA\n") > 0);
    close(file);
    int allowed = 0;
    while (!job_survives(path, allowed))
        allowed++;
    assert_true(allowed > 4);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_job_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
