/* Small parts: nearest word, parameters, growing text, trace, failure. */
#include "tests/checks.h"

#include <inttypes.h>
#include <math.h>

#include "planner/base/array.h"
#include "planner/base/duration.h"
#include "planner/base/nearest.h"
#include "planner/base/parameter.h"
#include "planner/base/text.h"
#include "planner/model/trace.h"

static void nearest_finds_typing_errors(void **state)
{
    static const char *const known[] = {"plan", "simulate", "report", "show", "calibrate"};
    (void)state;
    assert_string_equal(nearest_word("plna", known, COUNT_OF(known)), "plan");
    assert_string_equal(nearest_word("simulat", known, COUNT_OF(known)), "simulate");
    assert_string_equal(nearest_word("clibarte", known, COUNT_OF(known) - 0), "calibrate");
    assert_string_equal(nearest_word("show", known, COUNT_OF(known)), "show");
    assert_null(nearest_word("", known, COUNT_OF(known)));
    assert_null(nearest_word("xyz", known, COUNT_OF(known)));
    assert_null(nearest_word("plan", known, 0));
    char endless[200];
    memset(endless, 'a', sizeof endless - 1);
    endless[sizeof endless - 1] = '\0';
    assert_null(nearest_word(endless, known, COUNT_OF(known)));
}

static void parameters_copy_and_compare(void **state)
{
    struct parameter_list list = {NULL, 0}, copy = {NULL, 0};
    (void)state;
    assert_true(parameter_list_add(&list, "bank", "source", 0));
    assert_true(parameter_list_add(&list, "sigma", NULL, 2.5));
    assert_true(parameter_list_copy(&copy, &list));
    assert_true(parameter_list_equal(&copy, &list));
    assert_true(parameter_list_find(&copy, "sigma")->number == 2.5);
    assert_string_equal(parameter_list_find(&copy, "bank")->word, "source");
    assert_null(parameter_list_find(&copy, "sigm"));
    copy.items[1].number = 3;
    assert_false(parameter_list_equal(&copy, &list));
    assert_true(parameter_list_add(&list, "more", NULL, 1));
    assert_false(parameter_list_equal(&copy, &list));
    parameter_list_release(&list);
    parameter_list_release(&copy);
    assert_int_equal(copy.count, 0);
}

static void arrays_keep_their_items(void **state)
{
    enum { COUNT = 1000 };
    int64_t *reserved = NULL, *extended = NULL;
    size_t capacity = 0, moves = 0;
    (void)state;
    for (size_t k = 0; k < COUNT; k++) {
        const size_t before = capacity;
        reserved = array_reserve(reserved, &capacity, k + 1, sizeof *reserved);
        extended = array_extend(extended, k, sizeof *extended);
        assert_non_null(reserved);
        assert_non_null(extended);
        assert_true(capacity > k);
        moves += capacity != before;
        reserved[k] = extended[k] = (int64_t)k;
    }
    assert_true(moves < 12);
    for (size_t k = 0; k < COUNT; k++)
        assert_true(reserved[k] == (int64_t)k && extended[k] == (int64_t)k);
    const size_t before = capacity;
    assert_null(array_reserve(reserved, &capacity, SIZE_MAX / 4, sizeof *reserved));
    assert_null(array_extend(extended, SIZE_MAX / 8 + 1, sizeof *extended));
    assert_int_equal(capacity, before);
    free(reserved);
    free(extended);
}

static void text_numbers_read_back(void **state)
{
    static const double numbers[] = {0,   0.1,    1e-300, 1.0 / 3, 2.2e-5, 123456789012345678.0,
                                     1e9, 5e-324, -4.75};
    (void)state;
    for (size_t k = 0; k < COUNT_OF(numbers); k++) {
        struct text text = TEXT_INIT;
        text_add_number(&text, numbers[k]);
        assert_true(strtod(text.bytes, NULL) == numbers[k]);
        text_release(&text);
    }
    struct text text = TEXT_INIT;
    text_add_number(&text, 0.1);
    text_add(&text, " ");
    text_add_number(&text, -0.0);
    text_add(&text, " ");
    text_add_number(&text, (double)NAN);
    text_add(&text, " ");
    text_add_quoted(&text, "a\"b\\c\n");
    char *words = text_take(&text);
    assert_string_equal(words, "0.1 0 null \"a\\\"b\\\\c\\u000a\"");
    assert_null(text.bytes);
    free(words);
    words = text_take(&text);
    assert_string_equal(words, "");
    free(words);
}

static void counts_are_printed_whole(void **state)
{
    static const int64_t counts[] = {0, 7, -1, 10, 4096, -99, INT64_MAX, INT64_MIN};
    struct text text = TEXT_INIT, expected = TEXT_INIT;
    (void)state;
    for (size_t k = 0; k < COUNT_OF(counts); k++) {
        text_add_count(&text, counts[k]);
        text_add_bytes(&text, ", nothing more", 1);
        text_add(&expected, "%" PRId64 ",", counts[k]);
    }
    assert_string_equal(text.bytes, expected.bytes);
    text_release(&text);
    text_release(&expected);
}

static void trace_keeps_events(void **state)
{
    struct trace trace = {.count = 0};
    (void)state;
    for (int64_t k = 0; k < 1000; k++) {
        struct trace_event event = {0, OPERATION_SEND, 0, k, k, 1, 0, 1};
        assert_true(trace_add(&trace, &event));
    }
    assert_int_equal(trace.count, 1000);
    assert_int_equal(trace.events[999].package, 999);
    assert_string_equal(operation_name(OPERATION_IDLE), "idle");
    assert_string_equal(operation_name(OPERATION_ENVELOPE), "envelope");
    trace_release(&trace);
    assert_null(trace.events);
}

static void durations_as_people_say_them(void **state)
{
    static const struct {
        const char *text;
        double seconds; /* negative: it is none */
    } texts[] = {{"90", 90},      {"1.5", 1.5},   {"45s", 45}, {"5m", 300}, {"5min", 300},
                 {"1h30m", 5400}, {"2d", 172800}, {"", -1},    {"h", -1},   {"1h2", -1},
                 {"-5", -1},      {"3 s", -1},    {"nan", -1}, {"2x", -1},  {"1e999", -1}};
    char words[DURATION_SIZE];
    (void)state;
    for (size_t k = 0; k < COUNT_OF(texts); k++) {
        const double seconds = duration_parse(texts[k].text);
        if (texts[k].seconds < 0 ? seconds >= 0 : seconds != texts[k].seconds)
            fail_msg("'%s' is %g s", texts[k].text, seconds);
    }
    assert_string_equal(duration_print(-3, words), "0 s");
    assert_string_equal(duration_print(0.4, words), "0 s");
    assert_string_equal(duration_print(99.4, words), "99 s");
    assert_string_equal(duration_print(99.5, words), "1 min 40 s");
    assert_string_equal(duration_print(5999, words), "99 min 59 s");
    assert_string_equal(duration_print(6000, words), "1 h 40 min");
    assert_string_equal(duration_print(1e300, words), "277777777 h 46 min");
}

static void failure_keeps_the_first(void **state)
{
    struct failure failure = FAILURE_INIT;
    (void)state;
    assert_false(failure_set(&failure, FAILURE_USAGE, "first %d", 1));
    assert_false(failure_set(&failure, FAILURE_FAILED, "second"));
    assert_false(failure_memory(&failure, "testing"));
    assert_failure(failure, FAILURE_USAGE, "first 1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nearest_finds_typing_errors),
        cmocka_unit_test(parameters_copy_and_compare),
        cmocka_unit_test(arrays_keep_their_items),
        cmocka_unit_test(text_numbers_read_back),
        cmocka_unit_test(counts_are_printed_whole),
        cmocka_unit_test(trace_keeps_events),
        cmocka_unit_test(durations_as_people_say_them),
        cmocka_unit_test(failure_keeps_the_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
