/* Values of a core task's parameters: from names and words to what the task is given, and back. */
#include "spmd/job/values.h"

#include <math.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/spmd/pictures.h"

enum { COUNT, WIDTH, COLOUR, TITLE, NOTE, TABLE, LIST, PARAMETERS };

static const char *const colours[] = {"red", "green", "blue", NULL};

static const struct scow_parameter parameters[PARAMETERS + 1] = {
    [COUNT] = {.name = "count",
               .help = "h",
               .initial = 3,
               .least = 1,
               .greatest = 9007199254740992,
               .kind = SCOW_WHOLE},
    [WIDTH] = {.name = "width",
               .help = "h",
               .initial = 0.5,
               .least = -1,
               .greatest = 1,
               .kind = SCOW_NUMBER},
    [COLOUR] = {.name = "colour", .help = "h", .words = colours, .initial = 1, .kind = SCOW_WORD},
    [TITLE] = {.name = "title", .help = "h", .text = "none", .kind = SCOW_TEXT},
    [NOTE] = {.name = "note", .help = "h", .kind = SCOW_TEXT},
    [TABLE] = {.name = "table", .help = "h", .text = "/no/such/default", .kind = SCOW_PATH},
    [LIST] = {.name = "list", .help = "h", .kind = SCOW_PATH},
};

static const struct scow_task task = {SCOW_TASK, .name = "painter", .parameters = parameters};
static const struct scow_task plain = {SCOW_TASK, .name = "plain"};

/* One parameter given, everything else as it is. */
static bool read_one(struct values *values, const char *name, const char *word, double number,
                     bool paths, struct failure *failure)
{
    struct parameter_list list = {0};
    assert_true(parameter_list_add(&list, name, word, number));
    const bool good = values_read(values, &task, &list, "p.json", paths, failure);
    parameter_list_release(&list); /* what was read does not need it any more */
    return good;
}

static void check_refused(const char *name, const char *word, double number, const char *sentence)
{
    struct values values;
    struct failure failure = FAILURE_INIT;
    assert_false(read_one(&values, name, word, number, true, &failure));
    assert_failure(failure, FAILURE_MISMATCH, sentence);
    values_release(&values);
}

static struct scow_value value_of(struct values *values, int index, const char *word, double number,
                                  bool paths)
{
    struct failure failure = FAILURE_INIT;
    const bool good = read_one(values, parameters[index].name, word, number, paths, &failure);
    assert_string_equal(failure.text, "");
    assert_true(good);
    return values->items[index];
}

static void check_number(int index, double number)
{
    struct values values;
    assert_true(value_of(&values, index, NULL, number, true).number == number);
    values_release(&values);
}

static void check_text(int index, const char *word, double number, const char *text)
{
    struct values values;
    assert_string_equal(value_of(&values, index, word, number, false).text, text);
    values_release(&values);
}

static void what_is_not_given_has_its_default(void **state)
{
    (void)state;
    const struct parameter_list none = {0};
    struct values values;
    struct failure failure = FAILURE_INIT;
    assert_true(values_read(&values, &task, &none, "x", true, &failure));
    assert_int_equal(task_parameter_count(&task), PARAMETERS);
    assert_int_equal(values.count, PARAMETERS);
    assert_false(values.staged);
    assert_true(values.items[COUNT].number == 3);
    assert_true(values.items[WIDTH].number == 0.5);
    assert_true(values.items[COLOUR].number == 1);
    assert_string_equal(values.items[COLOUR].text, "green");
    assert_string_equal(values.items[TITLE].text, "none");
    assert_null(values.items[NOTE].text);
    assert_string_equal(values.items[TABLE].text, "/no/such/default");
    assert_null(values.items[LIST].text);
    values_release(&values);
    assert_null(values.items);
}

static void a_task_may_have_no_parameters(void **state)
{
    (void)state;
    struct parameter_list list = {0};
    struct values values;
    struct failure failure = FAILURE_INIT;
    assert_int_equal(task_parameter_count(&plain), 0);
    assert_true(values_read(&values, &plain, &list, "x", true, &failure));
    assert_int_equal(values.count, 0);
    assert_non_null(values.items);
    values_release(&values);
    assert_true(parameter_list_add(&list, "count", NULL, 1));
    assert_false(values_read(&values, &plain, &list, "plan.json", true, &failure));
    assert_failure(failure, FAILURE_MISMATCH,
                   "plan.json: core task 'plain' has no parameter 'count': 'scow tasks' "
                   "lists them");
    values_release(&values);
    parameter_list_release(&list);
}

static void numbers_are_within_their_ranges(void **state)
{
    (void)state;
    static const char whole[] =
        "p.json: count must be a whole number from 1 to 9.00719925474099e+15";
    static const char real[] = "p.json: width must be a number from -1 to 1";
    check_number(COUNT, 1);
    check_number(COUNT, 9007199254740992);
    check_number(WIDTH, -1);
    check_number(WIDTH, 1);
    check_number(WIDTH, 1e-300);
    check_refused("count", NULL, 0, whole);
    check_refused("count", NULL, 2.5, whole);
    check_refused("count", NULL, 9007199254740994, whole);
    check_refused("count", NULL, (double)NAN, whole);
    check_refused("count", "three", 0, whole);
    check_refused("width", NULL, nextafter(1, 2), real);
    check_refused("width", NULL, -HUGE_VAL, real);
    check_refused("width", NULL, (double)NAN, real);
    check_refused("width", "1", 0, real);
}

static void words_are_among_those_there_are(void **state)
{
    (void)state;
    struct values values;
    const struct scow_value blue = value_of(&values, COLOUR, "blue", 0, true);
    assert_true(blue.number == 2);
    assert_ptr_equal(blue.text, colours[2]); /* as long as the task */
    values_release(&values);
    check_refused("colour", "grene", 0, "p.json: colour cannot be 'grene': did you mean 'green'?");
    check_refused("colour", "mauve", 0,
                  "p.json: colour cannot be 'mauve': 'scow tasks' has its words");
    check_refused("colour", "", 0, "p.json: colour cannot be '': 'scow tasks' has its words");
    check_refused("colour", NULL, 2, "p.json: colour must be a word such as 'red', not a number");
}

static void texts_are_any(void **state)
{
    (void)state;
    check_text(TITLE, "a 'quoted' \"text\"", 0, "a 'quoted' \"text\"");
    check_text(NOTE, "", 0, "");
}

/* A text of digits may have been written without quotes. */
static void numbers_can_be_texts(void **state)
{
    (void)state;
    check_text(TITLE, NULL, 12, "12");
    check_text(TITLE, NULL, -0.5, "-0.5");
    check_text(TITLE, NULL, 0.1, "0.1");
    check_text(TITLE, NULL, 1.0 / 3, "0.33333333333333331");
}

static void the_last_of_two_counts(void **state)
{
    (void)state;
    struct parameter_list list = {0};
    struct values values;
    struct failure failure = FAILURE_INIT;
    assert_true(parameter_list_add(&list, "title", "first", 0));
    assert_true(parameter_list_add(&list, "title", "second", 0));
    assert_true(values_read(&values, &task, &list, "x", true, &failure));
    assert_string_equal(values.items[TITLE].text, "second");
    values_release(&values);
    parameter_list_release(&list);
}

static void paths_are_made_absolute(void **state)
{
    (void)state;
    struct values values;
    char here[4096], whole[4200];
    assert_non_null(getcwd(here, sizeof here));
    snprintf(whole, sizeof whole, "%s/there.txt", here);
    picture_text("there.txt", "something");
    assert_string_equal(value_of(&values, LIST, "./there.txt", 0, true).text, whole);
    values_release(&values);
    /* Where only the words count, files need not be there. */
    check_text(LIST, "./nowhere.txt", 0, "./nowhere.txt");
    check_refused("list", "nowhere.txt", 0,
                  "p.json: list 'nowhere.txt' cannot be read: No such file or directory; check "
                  "the name");
    if (geteuid() == 0) /* may read everything */
        return;
    picture_text("locked.txt", "something");
    assert_int_equal(chmod("locked.txt", 0), 0);
    check_refused("list", "locked.txt", 0,
                  "p.json: list 'locked.txt' cannot be read: Permission denied; check the name");
}

static void check_switch(const char *name, const char *sentence)
{
    struct failure failure = FAILURE_INIT;
    for (int yes = 0; yes < 2; yes++) {
        struct values values;
        assert_true(read_one(&values, name, yes ? "yes" : "no", 0, true, &failure));
        assert_int_equal(values.staged, yes && strcmp(name, "staged") == 0);
        assert_int_equal(values.write_behind, yes && strcmp(name, "write-behind") == 0);
        values_release(&values);
    }
    check_refused(name, "perhaps", 0, sentence);
    check_refused(name, NULL, 1, sentence);
}

static void switches_are_yes_or_no(void **state)
{
    (void)state;
    check_switch("staged", "p.json: staged must be 'yes' or 'no'");
    check_switch("write-behind", "p.json: write-behind must be 'yes' or 'no'");
}

static void results_have_words_of_their_own(void **state)
{
    (void)state;
    static const char sentence[] = "p.json: results must be 'none', 'package' or 'end'";
    static const struct {
        const char *word;
        enum results results;
    } known[] = {{"none", RESULTS_NONE}, {"package", RESULTS_PACKAGE}, {"end", RESULTS_END}};
    for (size_t k = 0; k < COUNT_OF(known); k++) {
        struct failure failure = FAILURE_INIT;
        struct values values, copy;
        struct parameter_list described = {0};
        assert_true(read_one(&values, "results", known[k].word, 0, true, &failure));
        assert_int_equal(values.results, known[k].results);
        assert_true(values_copy(&copy, &values, &failure));
        assert_int_equal(copy.results, known[k].results);
        assert_true(values_describe(&copy, &task, &described, &failure));
        const struct parameter *told = parameter_list_find(&described, "results");
        assert_string_equal(told ? told->word : "none", known[k].word);
        parameter_list_release(&described);
        values_release(&copy);
        values_release(&values);
    }
    check_refused("results", "perhaps", 0, sentence);
    check_refused("results", NULL, 1, sentence);
}

static void unknown_names_are_refused(void **state)
{
    (void)state;
    check_refused("colur", "red", 0,
                  "p.json: core task 'painter' has no parameter 'colur': did you mean 'colour'?");
    check_refused("zzz", NULL, 1,
                  "p.json: core task 'painter' has no parameter 'zzz': 'scow tasks' lists them");
    check_refused("", NULL, 1,
                  "p.json: core task 'painter' has no parameter '': 'scow tasks' lists them");
}

static void assert_equal(const struct values *a, const struct values *b)
{
    assert_int_equal(a->count, b->count);
    assert_int_equal(a->staged, b->staged);
    assert_int_equal(a->write_behind, b->write_behind);
    for (int i = 0; i < a->count; i++) {
        const char *one = a->items[i].text, *other = b->items[i].text;
        assert_true(a->items[i].number == b->items[i].number);
        assert_int_equal(one != NULL, other != NULL);
        if (one)
            assert_string_equal(one, other);
    }
}

static void values_some(struct values *values)
{
    struct parameter_list list = {0};
    struct failure failure = FAILURE_INIT;
    assert_true(parameter_list_add(&list, "width", NULL, 0.1));
    assert_true(parameter_list_add(&list, "colour", "blue", 0));
    assert_true(parameter_list_add(&list, "note", "a text", 0));
    assert_true(parameter_list_add(&list, "list", "somewhere", 0));
    assert_true(parameter_list_add(&list, "staged", "yes", 0));
    assert_true(parameter_list_add(&list, "write-behind", "yes", 0));
    assert_true(values_read(values, &task, &list, "x", false, &failure));
    parameter_list_release(&list);
}

static void what_is_described_reads_the_same(void **state)
{
    (void)state;
    struct values given, again;
    struct parameter_list described = {0};
    struct failure failure = FAILURE_INIT;
    values_some(&given);
    assert_true(values_describe(&given, &task, &described, &failure));
    assert_int_equal(described.count, PARAMETERS + 2);
    assert_string_equal(parameter_list_find(&described, "staged")->word, "yes");
    assert_string_equal(parameter_list_find(&described, "write-behind")->word, "yes");
    assert_true(values_read(&again, &task, &described, "x", false, &failure));
    assert_equal(&given, &again);
    values_release(&given);
    values_release(&again);
    parameter_list_release(&described);
}

/* Parameters without a value are not described, and a job that is not staged does not say so. */
static void what_was_not_given_is_not_described(void **state)
{
    (void)state;
    const struct parameter_list none = {0};
    struct parameter_list described = {0};
    struct values values;
    struct failure failure = FAILURE_INIT;
    assert_true(values_read(&values, &task, &none, "x", true, &failure));
    assert_true(values_describe(&values, &task, &described, &failure));
    assert_null(parameter_list_find(&described, "note"));
    assert_null(parameter_list_find(&described, "list"));
    assert_null(parameter_list_find(&described, "staged"));
    assert_null(parameter_list_find(&described, "write-behind"));
    assert_int_equal(described.count, PARAMETERS - 2);
    values_release(&values);
    parameter_list_release(&described);
}

static void a_copy_stands_alone(void **state)
{
    (void)state;
    struct values given, copy, reference;
    struct failure failure = FAILURE_INIT;
    values_some(&given);
    values_some(&reference);
    assert_true(values_copy(&copy, &given, &failure));
    assert_ptr_not_equal(copy.items[NOTE].text, given.items[NOTE].text);
    values_release(&given);
    assert_equal(&copy, &reference);
    values_release(&copy);
    values_release(&reference);
}

/* For a task without an input, the plan sets the number of core tasks. */
static void a_plan_says_how_many_tasks(void **state)
{
    (void)state;
    const struct scow_parameter rows[] = {
        {.name = "tasks", .help = "h", .kind = SCOW_WHOLE, .initial = 5, .least = 2, .greatest = 9},
        {.name = NULL},
    };
    struct scow_task sized = {SCOW_TASK, .name = "sized", .parameters = rows};
    const struct parameter_list none = {0};
    struct values values;
    struct failure failure = FAILURE_INIT;
    assert_true(values_read(&values, &sized, &none, "x", true, &failure));
    values_resize(&values, &sized, 10);
    assert_true(values.items[0].number == 5); /* out of range: told where tasks are counted */
    values_resize(&values, &sized, 9);
    assert_true(values.items[0].number == 9);
    sized.input = SCOW_INPUT_LINES;
    values_resize(&values, &sized, 3);
    assert_true(values.items[0].number == 9);
    values_release(&values);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_given_has_its_default),
        cmocka_unit_test(a_task_may_have_no_parameters),
        cmocka_unit_test(numbers_are_within_their_ranges),
        cmocka_unit_test(words_are_among_those_there_are),
        cmocka_unit_test(texts_are_any),
        cmocka_unit_test(numbers_can_be_texts),
        cmocka_unit_test(the_last_of_two_counts),
        cmocka_unit_test(paths_are_made_absolute),
        cmocka_unit_test(switches_are_yes_or_no),
        cmocka_unit_test(results_have_words_of_their_own),
        cmocka_unit_test(unknown_names_are_refused),
        cmocka_unit_test(what_is_described_reads_the_same),
        cmocka_unit_test(what_was_not_given_is_not_described),
        cmocka_unit_test(a_copy_stands_alone),
        cmocka_unit_test(a_plan_says_how_many_tasks),
    };
    return cmocka_run_group_tests(tests, pictures_enter, pictures_leave);
}
