/* Instruction sets on many ranks: which ones are refused and how, and the text about which ranks
 * use which. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernel/vector/isa.h"
#include "planner/model/conditions.h"
#include "spmd/launch/instructions.h"

static void check_words(const enum isa *used, int workers, const char *expected)
{
    char *words = instructions_describe(used, workers);
    assert_non_null(words);
    assert_string_equal(words, expected);
    free(words);
}

/* `format` has one %s for each name of a set, the baseline's first. */
static void check_mixed(const enum isa *used, int workers, const char *format)
{
    char expected[200], *at = expected;
    for (int isa = 0; *format; format++) {
        const char *piece = *format == '%' ? isa_name((enum isa)isa++) : (char[2]){*format, '\0'};
        at = stpcpy(at, piece);
    }
    check_words(used, workers, expected);
}

static void one_set_has_no_ranks(void **state)
{
    (void)state;
    const enum isa used[] = {ISA_AVX512, ISA_AVX512, ISA_AVX512};
    check_words(used, 1, "avx512");
    check_words(used, 3, "avx512");
    check_words((const enum isa[]){ISA_BASELINE, ISA_BASELINE}, 2, isa_name(ISA_BASELINE));
}

static void two_sets_have_their_ranks(void **state)
{
    (void)state;
    check_mixed((const enum isa[]){ISA_BASELINE, ISA_AVX2}, 2, "% (rank 1), % (rank 2)");
    check_mixed((const enum isa[]){ISA_AVX2, ISA_BASELINE}, 2, "% (rank 2), % (rank 1)");
    check_words((const enum isa[]){ISA_AVX2, ISA_AVX2, ISA_AVX2, ISA_AVX512}, 4,
                "avx2 (ranks 1-3), avx512 (rank 4)");
}

static void runs_of_ranks_are_drawn_together(void **state)
{
    (void)state;
    const enum isa used[] = {ISA_AVX512, ISA_AVX2,     ISA_AVX2,     ISA_BASELINE,
                             ISA_AVX2,   ISA_BASELINE, ISA_BASELINE, ISA_AVX512,
                             ISA_AVX2,   ISA_AVX2,     ISA_AVX2};
    check_mixed(used, 11, "% (ranks 4, 6-7), % (ranks 2-3, 5, 9-11), % (ranks 1, 8)");
}

static void the_same_sets_are_alike_whoever_uses_them(void **state)
{
    (void)state;
    static const char *const alike[][2] = {
        {"avx2", "avx2"},
        {"avx2 (ranks 1-4), avx512 (ranks 5-8)", "avx2 (ranks 1-4), avx512 (ranks 5-6)"},
        {"avx2 (rank 1), avx512 (ranks 2, 4-6)", "avx2 (ranks 2, 4), avx512 (rank 1)"},
    };
    static const char *const different[][2] = {
        {"avx2", "avx512"},
        {"avx2", ""},
        {"avx2 (ranks 1-4), avx512 (ranks 5-8)", "avx512"},
        {"avx2 (ranks 1-4), avx512 (ranks 5-8)", "sse2 (ranks 1-4), avx512 (ranks 5-8)"},
    };
    for (size_t i = 0; i < sizeof alike / sizeof *alike; i++)
        assert_true(conditions_isa_alike(alike[i][0], alike[i][1]));
    for (size_t i = 0; i < sizeof different / sizeof *different; i++) {
        assert_false(conditions_isa_alike(different[i][0], different[i][1]));
        assert_false(conditions_isa_alike(different[i][1], different[i][0]));
    }
}

/* One digit more in the ranks, and a text longer than any fixed buffer would be. */
static void many_ranks_are_all_named(void **state)
{
    (void)state;
    enum { WORKERS = 1001 };
    enum isa used[WORKERS];
    for (int i = 0; i < WORKERS; i++)
        used[i] = i % 2 ? ISA_AVX512 : ISA_AVX2;
    char *words = instructions_describe(used, WORKERS);
    assert_non_null(words);
    int commas = 0;
    for (const char *at = words; *at; at++)
        commas += *at == ',';
    assert_int_equal(commas, WORKERS - 1);
    assert_non_null(strstr(words, ", 999, 1001), avx512 (ranks 2, 4, "));
    assert_non_null(strstr(words, ", 998, 1000)"));
    free(words);
}

static void check_refused(const char *name, const bool had[ISA_COUNT], const char *expected)
{
    struct failure failure = FAILURE_INIT;
    assert_false(instructions_check(name, had, 3, &failure));
    assert_int_equal(failure.code, FAILURE_USAGE);
    assert_string_equal(failure.text, expected);
}

static void what_is_not_there_is_refused(void **state)
{
    (void)state;
    const bool all[ISA_COUNT] = {true, true, true}, old[ISA_COUNT] = {true, false, false};
    const char *least = isa_name(ISA_BASELINE);
    char sentence[200];
    snprintf(sentence, sizeof sentence,
             "--isa avx: there is no such instruction set: name one of auto, %s, avx2, avx512",
             least);
    check_refused("avx", all, sentence);
    check_refused("avx", old, sentence); /* the same to everybody */
    snprintf(sentence, sizeof sentence,
             "--isa : there is no such instruction set: name one of auto, %s, avx2, avx512", least);
    check_refused("", all, sentence);
    snprintf(sentence, sizeof sentence,
             "--isa avx2: the processor of rank 3 does not have it: name one of auto, %s", least);
    check_refused("avx2", old, sentence);
    snprintf(sentence, sizeof sentence,
             "--isa avx512: the processor of rank 3 does not have it: name one of auto, %s, avx2",
             least);
    check_refused("avx512", (const bool[]){true, true, false}, sentence);
}

static void what_is_there_is_taken(void **state)
{
    (void)state;
    const bool all[ISA_COUNT] = {true, true, true}, old[ISA_COUNT] = {true, false, false};
    struct failure failure = FAILURE_INIT;
    for (int isa = 0; isa < ISA_COUNT; isa++)
        assert_true(instructions_check(isa_name((enum isa)isa), all, 1, &failure));
    assert_true(instructions_check("auto", old, 1, &failure));
    assert_true(instructions_check("generic", old, 1, &failure));
    assert_int_equal(failure.code, FAILURE_NONE);
}

/* Every set of this processor can be pinned, and those only; a refusal leaves what was pinned. */
static void pinning_is_what_the_processor_has(void **state)
{
    (void)state;
    const struct comm comm = {.rank = 2, .size = 3};
    for (int isa = 0; isa < ISA_COUNT; isa++) {
        struct failure failure = FAILURE_INIT;
        const char *name = isa_name((enum isa)isa);
        assert_true(instructions_pin("generic", &comm, &failure));
        assert_int_equal(instructions_pin(name, &comm, &failure), isa_available((enum isa)isa));
        assert_string_equal(isa_name(isa_current()),
                            isa_available((enum isa)isa) ? name : isa_name(ISA_BASELINE));
        assert_int_equal(failure.code, isa_available((enum isa)isa) ? FAILURE_NONE : FAILURE_USAGE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_set_has_no_ranks),
        cmocka_unit_test(two_sets_have_their_ranks),
        cmocka_unit_test(runs_of_ranks_are_drawn_together),
        cmocka_unit_test(the_same_sets_are_alike_whoever_uses_them),
        cmocka_unit_test(many_ranks_are_all_named),
        cmocka_unit_test(what_is_not_there_is_refused),
        cmocka_unit_test(what_is_there_is_taken),
        cmocka_unit_test(pinning_is_what_the_processor_has),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
