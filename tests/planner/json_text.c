/* JSON is read as it was written. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "planner/base/json_text.h"
#include "tests/checks.h"

static void the_example_of_the_header(void **state)
{
    struct text text = TEXT_INIT;
    (void)state;
    struct json_text job = json_open(&text, "{", ", ");
    json_count(&job, "tasks", 3);
    struct json_text ends = json_open_in(&job, "ends_s", "[", ", ");
    json_number(&ends, NULL, 1.5);
    json_close(&ends, "]");
    json_close(&job, "}");
    assert_string_equal(text.bytes, "{\"tasks\": 3, \"ends_s\": [1.5]}");
    text_release(&text);
}

static void every_kind_is_read_back(void **state)
{
    struct text text = TEXT_INIT;
    (void)state;
    struct json_text json = json_open(&text, "{ ", ",\n  ");
    json_number(&json, "third", 1.0 / 3);
    json_number(&json, "nan", (double)NAN);
    json_number(&json, "infinite", (double)INFINITY);
    json_count(&json, "least", INT64_MIN);
    json_flag(&json, "yes", true);
    json_flag(&json, "no", false);
    json_word(&json, "word", "a \"quoted\"\tword\\");
    json_word(&json, "none", NULL);
    json_raw(&json, "raw", "[1, {}]");
    json_raw(&json, "nothing", NULL);
    struct json_text empty = json_open_in(&json, "empty", "[", ", ");
    json_close(&empty, "]");
    struct json_text rows = json_open_in(&json, "rows", "[\n", ",\n");
    for (int k = 0; k < 3; k++) {
        struct json_text row = json_open_in(&rows, NULL, "    {", ", ");
        json_count(&row, "k", k);
        text_add(json_next(&row, "hex"), "\"%x\"", 10 + k);
        json_close(&row, "}");
    }
    json_close(&rows, "\n  ]");
    json_close(&json, " }\n");

    json_error_t error;
    json_t *root = json_loads(text.bytes, 0, &error);
    assert_non_null(root);
    assert_int_equal(json_object_size(root), 12);
    assert_true(json_real_value(json_object_get(root, "third")) == 1.0 / 3);
    assert_true(json_is_null(json_object_get(root, "nan")));
    assert_true(json_is_null(json_object_get(root, "infinite")));
    assert_true(json_integer_value(json_object_get(root, "least")) == INT64_MIN);
    assert_true(json_is_true(json_object_get(root, "yes")));
    assert_true(json_is_false(json_object_get(root, "no")));
    assert_string_equal(json_string_value(json_object_get(root, "word")), "a \"quoted\"\tword\\");
    assert_true(json_is_null(json_object_get(root, "none")));
    assert_int_equal(json_array_size(json_object_get(root, "raw")), 2);
    assert_true(json_is_null(json_object_get(root, "nothing")));
    assert_int_equal(json_array_size(json_object_get(root, "empty")), 0);
    const json_t *read = json_object_get(root, "rows");
    assert_int_equal(json_array_size(read), 3);
    assert_int_equal(json_integer_value(json_object_get(json_array_get(read, 2), "k")), 2);
    assert_string_equal(json_string_value(json_object_get(json_array_get(read, 2), "hex")), "c");
    json_decref(root);
    text_release(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_example_of_the_header),
        cmocka_unit_test(every_kind_is_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
