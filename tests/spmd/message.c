/* What a worker reports of a package: sealed as it is sent, and accepted only when it is complete,
 * with a reduction's state of any size, with or without a failure. */
#include "spmd/protocol/message.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "spmd/protocol/letter.h"
#include "tests/checks.h"

enum { STATE_MOST = 40 };

static const struct package package = {
    .index = 7, .round = 2, .worker = 1, .first = 300, .count = 12};
static const struct wire_trouble trouble = {.rejection = {.task = 304, .why = "it is too bright"},
                                            .failure = FAILURE_INIT};

/* Owned. */
static struct wire_result *result_make(size_t state_size, bool troubled)
{
    struct wire_result *result = calloc(1, wire_result_size(state_size, true));
    assert_non_null(result);
    result->package = package;
    summary_init(&result->summary);
    result->summary.tasks = package.count;
    result->times.written_s = 1;
    memset(result + 1, 0x5a, state_size);
    if (troubled)
        wire_result_trouble(result, state_size, &trouble);
    wire_result_seal(result, state_size);
    return result;
}

static void what_is_sealed_is_believed(void **state)
{
    (void)state;
    for (size_t size = 0; size < STATE_MOST; size++)
        for (int troubled = 0; troubled < 2; troubled++) {
            struct wire_result *result = result_make(size, troubled);
            const size_t whole = wire_result_size(size, troubled);
            assert_true(wire_result_check(result, size, whole, &package));
            const struct wire_trouble *told = wire_result_told(result, size);
            assert_int_equal(told->failure.code, FAILURE_NONE);
            assert_string_equal(told->rejection.why, troubled ? trouble.rejection.why : "");
            const char *first = (const char *)(result + 1);
            for (size_t k = 0; k < size; k++)
                assert_int_equal(first[k], 0x5a);
            free(result);
        }
}

/* Nothing that is not said travels. */
static void most_results_are_short(void **state)
{
    (void)state;
    for (size_t size = 0; size < STATE_MOST; size++) {
        assert_int_equal(wire_result_size(size, false), sizeof(struct wire_result) + size);
        assert_true(wire_result_size(size, true) >=
                    wire_result_size(size, false) + sizeof(struct wire_trouble));
    }
}

static void damage_is_noticed(void **state)
{
    (void)state;
    for (size_t size = 0; size < STATE_MOST; size += 13)
        for (int troubled = 0; troubled < 2; troubled++) {
            struct wire_result *result = result_make(size, troubled);
            const size_t whole = wire_result_size(size, troubled);
            for (size_t at = 0; at < whole; at++) {
                ((char *)result)[at] ^= 0x10;
                assert_false(wire_result_check(result, size, whole, &package));
                ((char *)result)[at] ^= 0x10;
            }
            for (size_t less = 1; less <= whole; less++)
                assert_false(wire_result_check(result, size, whole - less, &package));
            assert_false(wire_result_check(result, size, whole + 1, &package));
            free(result);
        }
}

static void what_cannot_be_is_not_believed(void **state)
{
    struct wire_result *result = result_make(0, false);
    const size_t whole = wire_result_size(0, false);
    struct package another = package;
    (void)state;
    another.first++;
    assert_false(wire_result_check(result, 0, whole, &another));
    result->summary.tasks--;
    wire_result_seal(result, 0);
    assert_false(wire_result_check(result, 0, whole, &package));
    result->skipped = 1; /* then nothing has been summed up */
    wire_result_seal(result, 0);
    assert_true(wire_result_check(result, 0, whole, &package));
    free(result);
    result = result_make(0, false);
    result->times.arrived_s = (double)NAN;
    wire_result_seal(result, 0);
    assert_false(wire_result_check(result, 0, whole, &package));
    free(result);
}

/* When a package failed, neither sums nor times need be there. */
static void failures_are_told(void **state)
{
    struct wire_trouble failed = {.failure = FAILURE_INIT};
    const size_t state_size = 9;
    struct wire_result *result = result_make(state_size, false);
    (void)state;
    failure_set(&failed.failure, FAILURE_MISMATCH, "the input has ended");
    result->summary.tasks = 0;
    result->times.start_s = 2;
    wire_result_trouble(result, state_size, &failed);
    wire_result_seal(result, state_size);
    assert_true(
        wire_result_check(result, state_size, wire_result_size(state_size, true), &package));
    const struct failure told = wire_result_told(result, state_size)->failure;
    assert_failure(told, FAILURE_MISMATCH, "the input has ended");
    free(result);
}

/* What follows a report in a message of its own. */
static void returned_results_are_compared(void **state)
{
    (void)state;
    char packed[] = "packed results of a package";
    struct wire_result *result = result_make(0, false);
    wire_result_return(result, packed, sizeof packed);
    wire_result_seal(result, 0);
    assert_true(wire_result_check(result, 0, wire_result_size(0, false), &package));
    assert_true(wire_return_check(result, packed, sizeof packed));
    assert_false(wire_return_check(result, packed, sizeof packed - 1));
    for (size_t at = 0; at < sizeof packed; at++) {
        packed[at] ^= 0x10;
        assert_false(wire_return_check(result, packed, sizeof packed));
        packed[at] ^= 0x10;
    }
    result->returned = -1;
    wire_result_seal(result, 0);
    assert_false(wire_result_check(result, 0, wire_result_size(0, false), &package));
    free(result);
}

/* One that tells counts alone, while a package is under way. */
static void counts_are_told(void **state)
{
    (void)state;
    struct wire_result interim = {.counts = {.finished = 3, .failed = 1, .told = 1}};
    wire_interim_seal(&interim);
    assert_true(wire_interim_check(&interim, sizeof interim));
    assert_false(wire_interim_check(&interim, 0));
    assert_false(wire_interim_check(&interim, sizeof interim - 1));
    interim.counts.finished++;
    assert_false(wire_interim_check(&interim, sizeof interim));
    interim.counts.told = -1;
    wire_interim_seal(&interim);
    assert_false(wire_interim_check(&interim, sizeof interim));
}

/* A letter of another version, or of one for another machine, is none; nor is one that was cut. */
static void letters_are_of_one_build(void **state)
{
    static const struct letter_job job = {.tasks = 7};
    static const char *const others[] = {"", "0.0.1 11.2.0 x86-64 little-endian", "x"};
    struct letter letter = {.sizes = {0}}, read;
    size_t size;
    (void)state;
    for (int k = 0; k < LETTER_PARTS; k++)
        letter.parts[k] = "";
    letter.parts[LETTER_JOB] = (const char *)&job;
    letter.sizes[LETTER_JOB] = sizeof job;
    for (size_t k = 0; k <= COUNT_OF(others); k++) {
        const bool own = k == COUNT_OF(others);
        letter.parts[LETTER_VERSION] = own ? letter_version() : others[k];
        letter.sizes[LETTER_VERSION] = strlen(letter.parts[LETTER_VERSION]);
        char *bytes = letter_write(&letter, &size);
        assert_non_null(bytes);
        assert_int_equal(letter_read(&read, bytes, size), own);
        assert_false(letter_read(&read, bytes, size - 1));
        free(bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_sealed_is_believed),
        cmocka_unit_test(most_results_are_short),
        cmocka_unit_test(damage_is_noticed),
        cmocka_unit_test(what_cannot_be_is_not_believed),
        cmocka_unit_test(failures_are_told),
        cmocka_unit_test(returned_results_are_compared),
        cmocka_unit_test(counts_are_told),
        cmocka_unit_test(letters_are_of_one_build),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
