/* The description of how a job is computed: it is true, it fits, and it is not cut within a
 * word. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "kernel/matched/matched_job.h"
#include "tests/kernel/random.h"
#include "tests/kernel/whole.h"

enum { METHOD_BYTES = 1024 };

/* Square filters of that many taps a side, one of each side and scale; to be freed. */
static struct bank *bank_of(const int *sides, const int *scales, int count)
{
    struct filter shapes[64] = {{0}};
    struct random random = {7};
    assert_in_range(count, 1, 64);
    for (int i = 0; i < count; i++)
        shapes[i] = (struct filter){.rows = sides[i],
                                    .columns = sides[i],
                                    .anchor_row = sides[i] / 2,
                                    .anchor_column = sides[i] / 2,
                                    .scale = scales[i]};
    struct bank *bank = bank_new(shapes, count);
    assert_non_null(bank);
    for (int64_t i = 0; i < bank_tap_count(bank); i++)
        bank->taps[i] = random_signed(&random);
    return bank;
}

/* The response for tiles of 64 x 64. */
static struct response *response_of(const int *sides, const int *scales, int count,
                                    enum combine combine, const char *algorithm)
{
    struct bank *bank = bank_of(sides, scales, count);
    const struct demand demand = {64, 64, SPEEDS_AVX2};
    struct response_choice choice;
    assert_true(response_choose(bank, combine, &demand, 1,
                                algorithm ? algorithm_find(algorithm) : NULL, &choice));
    struct response *response = response_new(bank, combine, &demand, &choice);
    assert_non_null(response);
    bank_free(&bank);
    return response;
}

static void assert_said(struct response *response, const char *expected)
{
    const struct matched_job job = {.response = response, .tile_rows = 64, .tile_columns = 64};
    char said[METHOD_BYTES];
    matched_method(&job, said, sizeof said);
    assert_string_equal(said, expected);
}

/* The description of a job that users make; its image is never read. */
static void job_said(const char *bank, const char *combine, const char *algorithm, int block,
                     char said[METHOD_BYTES])
{
    const struct stack stack = {.image = image_of(1, 256, 256, SCOW_U8)};
    struct whole whole;
    whole_init(&whole, &stack, block);
    memory_job_word(&whole.job, "bank", bank);
    memory_job_word(&whole.job, "combine", combine);
    memory_job_word(&whole.job, "algorithm", algorithm);
    assert_true(memory_job_open(&whole.job));
    whole.job.task->method(whole.job.made, said, METHOD_BYTES);
    whole_release(&whole);
}

static void assert_job_said(const char *bank, const char *combine, const char *algorithm,
                            const char *expected)
{
    char said[METHOD_BYTES];
    job_said(bank, combine, algorithm, 32, said);
    assert_string_equal(said, expected);
}

static void jobs_say_what_was_asked_for(void **state)
{
    (void)state;
    assert_job_said("chaudhuri", "max", "direct", "direct for 12 filters, in tiles of 32 x 32");
    assert_job_said("chaudhuri", "sum", "fft", "fft for 1 filter, in tiles of 32 x 32");
    assert_job_said("source", "summax", "direct",
                    "7 x (direct for 30 filters), in tiles of 32 x 32");
}

/* However the estimates fall, one of these banks is split, and what is said is the split. */
static void a_split_says_who_does_what(void **state)
{
    (void)state;
    int sides[48], scales[48] = {0}, splits = 0;
    for (int large = 1; large < 48; large++) {
        int first = 0, second = 0;
        for (int i = 0; i < 48; i++)
            sides[i] = i < large ? 31 : 2;
        struct response *response = response_of(sides, scales, 48, COMBINE_MAX, NULL);
        const struct groups *groups = response_summand(response, 0);
        const struct algorithm *one = groups_algorithm(groups, 0, &first);
        const struct algorithm *two = groups_algorithm(groups, 1, &second);
        if (two) {
            char expected[200];
            snprintf(expected, sizeof expected,
                     "%s for the %d largest of 48 filters, %s for the others, in tiles of 64 x 64",
                     one->name, large, two->name);
            assert_int_equal(first, large);
            assert_said(response, expected);
            splits++;
        }
        response_free(&response);
    }
    assert_true(splits > 0);
}

static void sums_say_every_summand(void **state)
{
    (void)state;
    const int sides[] = {3, 3, 3, 3, 3, 3, 3, 5}, scales[] = {0, 0, 1, 1, 2, 2, 2, 3};
    struct response *response = response_of(sides, scales, 8, COMBINE_SUMMAX, "direct");
    assert_said(response, "2 x (direct for 2 filters) + (direct for 3 filters) + (direct for 1 "
                          "filter), in tiles of 64 x 64");
    response_free(&response);
    response = response_of(sides + 2, scales + 4, 2, COMBINE_SUMMAX, "direct"); /* an empty scale */
    assert_said(response, "direct for 2 filters, in tiles of 64 x 64");
    response_free(&response);
}

static void what_does_not_fit_is_cut(void **state)
{
    (void)state;
    const int sides[] = {3, 3}, scales[] = {0, 1};
    static const char whole[] = "2 x (direct for 1 filter), in tiles of 64 x 64";
    struct response *response = response_of(sides, scales, 2, COMBINE_SUMMAX, "direct");
    const struct matched_job job = {.response = response, .tile_rows = 64, .tile_columns = 64};
    for (size_t size = 1; size <= sizeof whole; size++) {
        char said[sizeof whole + 1];
        memset(said, '#', sizeof said);
        matched_method(&job, said, size);
        assert_int_equal(strlen(said), size - 1);
        assert_memory_equal(said, whole, size - 1);
        assert_int_equal(said[size], '#');
    }
    response_free(&response);
}

static void no_job_needs_more(void **state)
{
    (void)state;
    static const char *const combines[] = {"sum", "max", "maxsum", "summax"};
    for (int i = 0; i < 4; i++)
        for (int bank = 0; bank < 2; bank++) {
            char said[METHOD_BYTES];
            job_said(bank ? "source" : "chaudhuri", combines[i], "auto", 128, said);
            assert_non_null(strstr(said, ", in tiles of "));
            assert_null(strchr(said, '\n'));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jobs_say_what_was_asked_for), cmocka_unit_test(a_split_says_who_does_what),
        cmocka_unit_test(sums_say_every_summand),      cmocka_unit_test(what_does_not_fit_is_cut),
        cmocka_unit_test(no_job_needs_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
