/* Every allocation is made to fail in turn: a job is then refused for lack of memory, and never
 * made in another way, because all ranks of a run must do the same. Under a leak checker nothing is
 * lost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/matched/matched_filter.h"
#include "tests/kernel/whole.h"
#include "tests/scarcity.h"

/* What was shared last, kept without an allocation. */
static struct {
    _Alignas(max_align_t) char bytes[256];
    size_t size;
} shared;

static int share_kept(const struct scow_host *host, const void *bytes, size_t size)
{
    (void)host;
    assert_true(size <= sizeof shared.bytes);
    memcpy(shared.bytes, bytes, size);
    shared.size = size;
    return SCOW_OK;
}

/* Nothing reads the image. */
static void whole_start(struct whole *whole, const char *bank, const char *combine,
                        const char *algorithm)
{
    const struct stack stack = {.image = image_of(1, 300, 300, SCOW_U8)};
    whole_init(whole, &stack, 128);
    memory_job_word(&whole->job, "bank", bank);
    memory_job_word(&whole->job, "combine", combine);
    memory_job_word(&whole->job, "algorithm", algorithm);
    whole->host.host.share = share_kept;
}

/* True: it was done without a failure. */
static bool describe_survives(struct whole *whole, int64_t allowed)
{
    int64_t tasks;
    memory_host_restart(&whole->host);
    scarcity_begin(allowed);
    const int status = matched_filter_task.describe(&whole->host.host, whole->job.values,
                                                    &whole->host.input, &tasks);
    const bool failed = scarcity_end();
    assert_int_equal(status, failed ? SCOW_FAILED : SCOW_OK);
    assert_int_equal(failed, strstr(whole->host.failure, "out of memory") != NULL);
    return !failed;
}

static bool open_survives(struct whole *whole, int64_t allowed)
{
    const struct scow_setup setup = {.values = whole->job.values,
                                     .input = whole->host.input,
                                     .shared = shared.bytes,
                                     .shared_size = shared.size};
    void *job = NULL;
    assert_true(describe_survives(whole, -1));
    memory_host_restart(&whole->host);
    scarcity_begin(allowed);
    const int status = matched_filter_task.open(&whole->host.host, &setup, &job);
    const bool failed = scarcity_end();
    assert_int_equal(status, failed ? SCOW_FAILED : SCOW_OK);
    assert_int_equal(failed, strstr(whole->host.failure, "out of memory") != NULL);
    if (status == SCOW_OK)
        matched_filter_task.close(job);
    return !failed;
}

/* How many allocations it takes; of many, those `step` apart fail. */
static int64_t fail_in_turn(bool (*survives)(struct whole *whole, int64_t allowed),
                            const char *bank, const char *combine, const char *algorithm,
                            int64_t step)
{
    struct whole whole;
    int64_t allowed = 0;
    whole_start(&whole, bank, combine, algorithm);
    while (!survives(&whole, allowed))
        allowed += step;
    whole_release(&whole);
    return allowed;
}

static void a_description_without_memory(void **state)
{
    (void)state;
    static const char *const algorithms[] = {"auto", "direct", "orbit", "fft"};
    for (int i = 0; i < 4; i++)
        assert_true(fail_in_turn(describe_survives, "chaudhuri", "max", algorithms[i], 1) > 0);
}

static void a_job_without_memory(void **state)
{
    (void)state;
    static const char *const algorithms[] = {"auto", "reference", "direct", "orbit", "fft"};
    for (int i = 0; i < 5; i++)
        assert_true(fail_in_turn(open_survives, "chaudhuri", "max", algorithms[i], 1) > 0);
}

/* Several summands, and cuts between filters of different sizes. */
static void a_sum_of_maxima_without_memory(void **state)
{
    (void)state;
    assert_true(fail_in_turn(open_survives, "source", "summax", "auto", 97) > 97);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_description_without_memory),
        cmocka_unit_test(a_job_without_memory),
        cmocka_unit_test(a_sum_of_maxima_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
