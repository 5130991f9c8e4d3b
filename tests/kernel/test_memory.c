/* Every allocation is made to fail in turn: a job is then refused for want of memory, never made in
 * another way, since all ranks of a run must do the same. Under a leak checker nothing is lost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/matched/matched_filter.h"
#include "tests/kernel/whole.h"

/* The linker sends the product's allocations here. */
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);

static int64_t until_failure = -1; /* allocations that still succeed; negative: all */
static bool failed;

static bool allocation_fails(void)
{
    if (until_failure < 0)
        return false;
    failed = until_failure == 0;
    until_failure--;
    return failed;
}

void *__wrap_malloc(size_t size)
{
    return allocation_fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return allocation_fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return allocation_fails() ? NULL : __real_aligned_alloc(alignment, size);
}

static const struct kernel *matched(void)
{
    return kernel_find("matched-filter");
}

static struct kernel_setup setup_of(const char *bank, const char *combine, const char *algorithm)
{
    const struct extent extent = {1, 300, 300, PIXEL_U8};
    struct kernel_setup setup = setup_initial(matched(), &extent, 128);
    setup_word(&setup, matched(), "bank", bank);
    setup_word(&setup, matched(), "combine", combine);
    setup_word(&setup, matched(), "algorithm", algorithm);
    return setup;
}

/* True: it was done without a failure. */
static bool check_survives(const struct kernel_setup *setup, int64_t allowed)
{
    char why[256] = "";
    failed = false;
    until_failure = allowed;
    const bool good = matched()->check(setup, why, sizeof why);
    until_failure = -1;
    assert_int_equal(good, !failed);
    assert_true(good || strstr(why, "out of memory") != NULL);
    return good;
}

static bool job_survives(const struct kernel_setup *setup, int64_t allowed)
{
    failed = false;
    until_failure = allowed;
    struct kernel_job *job = matched()->new_job(setup);
    until_failure = -1;
    assert_int_equal(job != NULL, !failed);
    matched()->free_job(&job);
    return !failed;
}

/* How many allocations it takes; of many, those `step` apart fail. */
static int64_t fail_in_turn(bool (*survives)(const struct kernel_setup *setup, int64_t allowed),
                            const struct kernel_setup *setup, int64_t step)
{
    int64_t allowed = 0;
    while (!survives(setup, allowed))
        allowed += step;
    return allowed;
}

static void a_check_without_memory(void **state)
{
    (void)state;
    static const char *const algorithms[] = {"auto", "direct", "orbit", "fft"};
    for (int i = 0; i < 4; i++) {
        const struct kernel_setup setup = setup_of("chaudhuri", "max", algorithms[i]);
        assert_true(fail_in_turn(check_survives, &setup, 1) > 0);
    }
}

static void a_job_without_memory(void **state)
{
    (void)state;
    static const char *const algorithms[] = {"auto", "reference", "direct", "orbit", "fft"};
    for (int i = 0; i < 5; i++) {
        const struct kernel_setup setup = setup_of("chaudhuri", "max", algorithms[i]);
        assert_true(fail_in_turn(job_survives, &setup, 1) > 0);
    }
}

/* Several summands, and cuts between filters of different sizes. */
static void a_sum_of_maxima_without_memory(void **state)
{
    (void)state;
    const struct kernel_setup setup = setup_of("source", "summax", "auto");
    assert_true(fail_in_turn(job_survives, &setup, 97) > 97);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_check_without_memory),
        cmocka_unit_test(a_job_without_memory),
        cmocka_unit_test(a_sum_of_maxima_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
