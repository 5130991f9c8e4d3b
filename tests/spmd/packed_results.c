/* Results as a sequence of bytes: they are unpacked as they were packed, whatever core tasks leave,
 * and other bytes are refused. */
#include "spmd/job/packed_results.h"

#include <stdio.h>

#include "spmd/job/summary.h"
#include "tests/spmd/census.h"

enum { ALIGNMENT = 64, MOST = 20 };

static const struct census everything = {
    .parts = CENSUS_ALL, .type = SCOW_F32, .extent = {9, 13, 11}, .tile = {2, 3, 4}};

/* Tasks [first, first + count), computed; results borrowed from the engine. */
static const struct package_results *computed(struct engine *engine, const struct job *job,
                                              int64_t first, int64_t count)
{
    static const struct engine_pulse no_pulse = {NULL, NULL};
    struct failure failure = FAILURE_INIT;
    size_t size;
    void *package = census_package(job, first, count, &size);
    const bool good = engine_compute(engine, first, count, package, size, no_pulse, &failure);
    assert_string_equal(failure.text, "");
    assert_true(good);
    free(package);
    return engine_results(engine);
}

/* Owned. */
static char *packed(const struct job *job, const struct package_results *results, size_t *size)
{
    *size = packed_results_size(job, results);
    char *bytes = aligned_alloc(ALIGNMENT, (*size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
    assert_non_null(bytes);
    memset(bytes, 0x5a, *size);
    packed_results_fill(job, results, bytes);
    return bytes;
}

static void what_is_packed_comes_out(void **state)
{
    (void)state;
    static const int parts[] = {
        CENSUS_ALL,   CENSUS_GRID, CENSUS_RECORDS, CENSUS_REDUCTION,
        CENSUS_EMITS, 0,           CENSUS_REJECTS, CENSUS_GRID | CENSUS_EMITS};
    for (size_t i = 0; i < COUNT_OF(parts); i++) {
        struct census census = everything;
        struct failure failure = FAILURE_INIT;
        struct job job;
        census.parts = parts[i];
        census_open(&job, &census_host, &census);
        struct engine *engine = engine_new(&job, MOST, 1, 1, &failure);
        assert_non_null(engine);
        for (int64_t first = 0, count = 1; first + count <= job.setup.tasks; first += count++) {
            const struct package_results *results = computed(engine, &job, first, count);
            struct package_results opened;
            size_t size;
            char *bytes = packed(&job, results, &size);
            assert_true(size >= packed_results_least(&job, count));
            assert_true(packed_results_open(&job, bytes, size, &opened));
            opened.state = results->state;
            opened.rejected = results->rejected;
            opened.rejection = results->rejection;
            assert_census(&job, &opened);
            free(bytes);
        }
        engine_free(&engine);
        job_close(&job);
    }
}

/* Of the head, which says how much of everything there is, every bit; and every length. */
static void other_bytes_are_refused(void **state)
{
    (void)state;
    enum { HEAD_BITS = 6 * 64, FIRST_BITS = 64 };
    struct failure failure = FAILURE_INIT;
    struct package_results opened;
    struct job job;
    size_t size;
    census_open(&job, &census_host, &everything);
    struct engine *engine = engine_new(&job, MOST, 1, 1, &failure);
    assert_non_null(engine);
    char *bytes = packed(&job, computed(engine, &job, 3, 9), &size);
    assert_true(packed_results_open(&job, bytes, size, &opened));
    for (size_t less = 1; less <= size; less++)
        assert_false(packed_results_open(&job, bytes, size - less, &opened));
    /* Another first task is other tasks' results, which emitted bytes do not belong to. */
    for (int bit = 0; bit < HEAD_BITS; bit++) {
        bytes[bit / 8] = (char)(bytes[bit / 8] ^ (1 << bit % 8));
        if (bit < FIRST_BITS || !packed_results_open(&job, bytes, size, &opened)) {
            bytes[bit / 8] = (char)(bytes[bit / 8] ^ (1 << bit % 8));
            continue;
        }
        /* What is taken for good lies within the bytes. */
        assert_true((char *)opened.ledger + opened.count <= bytes + size);
        assert_true(opened.emissions.bytes + opened.emissions.size <= bytes + size);
        assert_true(opened.reasons.bytes + opened.reasons.size <= bytes + size);
        bytes[bit / 8] = (char)(bytes[bit / 8] ^ (1 << bit % 8));
    }
    free(bytes);
    engine_free(&engine);
    job_close(&job);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_packed_comes_out),
        cmocka_unit_test(other_bytes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
