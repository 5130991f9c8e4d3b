/* What a report says of the processors that workers had. */
#include "planner/report/had.h"

#include <stdlib.h>

#include "tests/checks.h"

static double shares[] = {0.9, 0, 0.5};

static void is_said(void (*say)(const struct run_record *, struct text *),
                    const struct run_record *record, const char *wanted)
{
    struct text text = TEXT_INIT;
    say(record, &text);
    assert_string_equal(text.bytes ? text.bytes : "", wanted);
    text_release(&text);
}

static void column_is(const struct run_record *record, int64_t worker, const char *wanted)
{
    struct text text = TEXT_INIT;
    had_column(record, worker, &text);
    assert_string_equal(text.bytes ? text.bytes : "", wanted);
    text_release(&text);
}

/* The second worker is not known, nor is a fourth, who did not tell. */
static void the_mean_and_the_least_are_told(void **state)
{
    const struct run_record record = {.had = shares, .had_count = 3};
    struct text text = TEXT_INIT;
    (void)state;
    is_said(had_text, &record,
            "processors  workers had 70.0 % of theirs while they computed, worker 3 the least: "
            "50.0 %\n");
    is_said(had_head, &record, "  processors");
    column_is(&record, 0, "      90.0 %");
    column_is(&record, 1, "           -");
    column_is(&record, 3, "           -");
    struct json_text json = json_open(&text, "{", ", ");
    had_json(&record, 0, &json);
    json_close(&json, "}");
    assert_string_equal(text.bytes, "{\"availability\": 0.9}");
    text_release(&text);
    json = json_open(&text, "{", ", ");
    had_json(&record, 1, &json);
    json_close(&json, "}");
    assert_string_equal(text.bytes, "{\"availability\": null}");
    text_release(&text);
}

static void one_alone_is_no_least(void **state)
{
    const struct run_record record = {.had = shares, .had_count = 1};
    (void)state;
    is_said(had_text, &record, "processors  workers had 90.0 % of theirs while they computed\n");
}

static void what_nobody_knows_is_not_told(void **state)
{
    const struct run_record none = {.had_count = 0}, unknown = {.had = shares + 1, .had_count = 1};
    struct text text = TEXT_INIT;
    (void)state;
    is_said(had_text, &none, "");
    is_said(had_text, &unknown, "");
    is_said(had_head, &unknown, "");
    column_is(&unknown, 0, "");
    struct json_text json = json_open(&text, "{", ", ");
    had_json(&none, 0, &json);
    json_close(&json, "}");
    assert_string_equal(text.bytes, "{}");
    text_release(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_mean_and_the_least_are_told),
        cmocka_unit_test(one_alone_is_no_least),
        cmocka_unit_test(what_nobody_knows_is_not_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
