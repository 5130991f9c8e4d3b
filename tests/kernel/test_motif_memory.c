/* Every allocation of making a job ready is made to fail in turn: the job is then refused with a
 * sentence, and under a leak checker nothing is lost. */
#include "tests/checks.h"
#include "tests/kernel/motif_trial.h"

/* The linker sends allocations here. */
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);

static int until_failure = -1; /* allocations that still succeed; negative: all */
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

void *__wrap_realloc(void *memory, size_t size)
{
    return allocation_fails() ? NULL : __real_realloc(memory, size);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return allocation_fails() ? NULL : __real_aligned_alloc(alignment, size);
}

/* True: it was made ready without a failure. */
static bool job_survives(const struct motif_wanted *wanted, int allowed)
{
    const struct motif_sequences sequences = {.count = 3, .letters = {"ACGTA", "TTGCAA", "ACCA"}};
    struct motif_trial trial;
    failed = false;
    until_failure = allowed;
    const bool good = motif_trial_open(&trial, &sequences, wanted);
    until_failure = -1;
    assert_int_equal(good, !failed);
    assert_true(good || strstr(trial.memory.failure, "not enough memory") != NULL);
    motif_trial_close(&trial);
    return good;
}

static void a_job_without_memory(void **state)
{
    (void)state;
    for (int search = 0; search < 2; search++) {
        const struct motif_wanted wanted = {.length = 3, .search = (enum motif_search_word)search};
        int allowed = 0;
        while (!job_survives(&wanted, allowed))
            allowed++;
        assert_true(allowed > 6);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_job_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
