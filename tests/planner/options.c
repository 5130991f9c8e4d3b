#include "planner/base/options.h"

#include "planner/base/wrap.h"
#include "tests/checks.h"

struct values {
    bool quiet, verbose;
    enum option_help help;
    const char *output;
    int64_t workers;
    double noise;
    char *operands[2];
    int operand_count;
    struct failure failure;
};

static bool parse(struct values *values, int argc, char **argv)
{
    *values = (struct values){.workers = -1, .noise = -1};
    const struct option_row rows[] = {
        {'q', "quiet", NULL, OPTION_FLAG, &values->quiet, "say less"},
        {'v', "verbose", NULL, OPTION_FLAG, &values->verbose, "say more"},
        {'o', "output", "FILE", OPTION_TEXT, &values->output, "write there"},
        {'n', "workers", "N", OPTION_COUNT, &values->workers, "how many"},
        {0, "noise", "FRACTION", OPTION_NUMBER, &values->noise, "how much"},
    };
    const struct option_table table = {.usage = "scow plan FILE [options]",
                                       .purpose = "Plans.",
                                       .rows = rows,
                                       .row_count = COUNT_OF(rows)};
    return options_parse(&table, argc, argv, values->operands, 2, &values->operand_count,
                         &values->help, &values->failure);
}

#define PARSE(values, ...)                                                                         \
    parse(values, (int)COUNT_OF(((char *[]){"plan", __VA_ARGS__})), (char *[]){"plan", __VA_ARGS__})

static void options_of_every_kind(void **state)
{
    struct values values;
    (void)state;
    assert_true(PARSE(&values, "a", "-qv", "-n4", "--noise=0.25", "-o", "-", "b"));
    assert_true(values.quiet && values.verbose && values.help == OPTION_HELP_NONE);
    assert_int_equal(values.workers, 4);
    assert_true(values.noise == 0.25);
    assert_string_equal(values.output, "-");
    assert_int_equal(values.operand_count, 2);
    assert_string_equal(values.operands[0], "a");
    assert_string_equal(values.operands[1], "b");
    assert_true(PARSE(&values, "--workers", "1e9", "--output=x", "--", "--quiet", "-"));
    assert_int_equal(values.workers, 1000000000);
    assert_string_equal(values.output, "x");
    assert_false(values.quiet);
    assert_int_equal(values.operand_count, 2);
    assert_true(PARSE(&values, "--help", "--nonsense"));
    assert_int_equal(values.help, OPTION_HELP_TEXT);
    assert_true(PARSE(&values, "--help-table", "--nonsense"));
    assert_int_equal(values.help, OPTION_HELP_TABLE);
}

static void options_refused(void **state)
{
    struct values values;
    (void)state;
    assert_false(PARSE(&values, "--quite"));
    assert_failure(values.failure, FAILURE_USAGE,
                   "unknown option '--quite': did you mean '--quiet'?");
    assert_false(PARSE(&values, "--zzz"));
    assert_failure(values.failure, FAILURE_USAGE, "unknown option '--zzz': see 'scow plan --help'");
    assert_false(PARSE(&values, "-z"));
    assert_failure(values.failure, FAILURE_USAGE, "unknown option '-z': see 'scow plan --help'");
    assert_false(PARSE(&values, "a", "b", "c"));
    assert_failure(values.failure, FAILURE_USAGE,
                   "unexpected argument 'c': see 'scow plan --help'");
    assert_false(PARSE(&values, "-n"));
    assert_failure(values.failure, FAILURE_USAGE, "--workers needs a value: N");
    assert_false(PARSE(&values, "--quiet=1"));
    assert_failure(values.failure, FAILURE_USAGE,
                   "no value is allowed in '--quiet=1': see 'scow plan --help'");
}

static void list_print(FILE *out)
{
    fputs("\nRules:\n  ss  one by one\n", out);
}

/* The table that the generator of manual pages and completions reads. */
static void the_table_for_programs(void **state)
{
    bool quiet = false;
    const char *output = NULL;
    const struct option_row rows[] = {
        {'q', "quiet", NULL, OPTION_FLAG, &quiet, "say less"},
        {0, "output", "FILE", OPTION_TEXT, &output, "write there"},
    };
    const struct option_table table = {.usage = "scow plan FILE [options]",
                                       .purpose = "Plans.",
                                       .rows = rows,
                                       .row_count = COUNT_OF(rows),
                                       .epilogue = "First.\nSecond.\n",
                                       .list = list_print};
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    (void)state;
    assert_non_null(out);
    options_help(&table, OPTION_HELP_TABLE, 0, out);
    fclose(out);
    assert_string_equal(text, "usage\tscow plan FILE [options]\n"
                              "purpose\tPlans.\n"
                              "option\tq\tquiet\t\tsay less\n"
                              "option\t\toutput\tFILE\twrite there\n"
                              "option\th\thelp\t\tshow this help and exit\n"
                              "note\tFirst.\nnote\tSecond.\n"
                              "\nRules:\n  ss  one by one\n");
    free(text);
}

static void wrapped(const char *source, int columns, const char *wanted)
{
    struct text text = TEXT_INIT;
    wrap_add(&text, source, columns);
    assert_string_equal(text.bytes, wanted);
    text_release(&text);
}

static void lines_are_wrapped(void **state)
{
    (void)state;
    wrapped("short\n\nlines\n", 40, "short\n\nlines\n");
    wrapped("no end", 40, "no end");
    wrapped("one two three four five six seven eight nine ten", 40,
            "one two three four five six seven eight\nnine ten");
    wrapped("  -o, --output FILE   write what it is that was asked for there\n  -q", 44,
            "  -o, --output FILE   write what it is that\n"
            "                      was asked for there\n  -q");
    wrapped("    a line that begins further to the right\n", 40,
            "    a line that begins further to the\n    right\n");
    wrapped("  --a  aWordThatIsLongerThanALineAndStaysWholeForItIsAPath here\n", 40,
            "  --a  aWordThatIsLongerThanALineAndStaysWholeForItIsAPath\n       here\n");
    /* Characters count, not their bytes. */
    wrapped("\303\244\303\244\303\244\303\244\303\244\303\244\303\244\303\244\303\244 "
            "123456789 123456789 123456789 x",
            40,
            "\303\244\303\244\303\244\303\244\303\244\303\244\303\244\303\244\303\244 "
            "123456789 123456789 123456789\nx");
}

/* The options that belong to one core task come behind the others, below a title of theirs. */
static void own_options_stand_apart(void **state)
{
    const char *output = NULL, *size = NULL;
    const struct option_row rows[] = {
        {'o', "output", "FILE", OPTION_TEXT, &output, "write there"},
        {0, "size", "N", OPTION_TEXT, &size, "pixels"},
    };
    const struct option_table table = {.usage = "scow calibrate",
                                       .purpose = "Measures.",
                                       .rows = rows,
                                       .row_count = COUNT_OF(rows),
                                       .own_count = 1,
                                       .own_title = "Options of julia"};
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    (void)state;
    assert_non_null(out);
    options_help(&table, OPTION_HELP_TEXT, 120, out);
    fclose(out);
    assert_string_equal(text, "Usage: scow calibrate\n\nMeasures.\n\nOptions:\n"
                              "  -o, --output FILE             write there\n"
                              "  -h, --help                    show this help and exit\n"
                              "\nOptions of julia:\n"
                              "      --size N                  pixels\n");
    free(text);
}

static void columns_of_a_file(void **state)
{
    FILE *out = tmpfile();
    (void)state;
    assert_non_null(out);
    unsetenv("COLUMNS");
    assert_int_equal(wrap_columns(out, 0), 80);
    assert_int_equal(wrap_columns(out, 132), 132);
    setenv("COLUMNS", "100", 1);
    assert_int_equal(wrap_columns(out, 132), 100);
    setenv("COLUMNS", "7", 1);
    assert_int_equal(wrap_columns(out, 0), 40);
    setenv("COLUMNS", "wide", 1);
    assert_int_equal(wrap_columns(out, 0), 80);
    unsetenv("COLUMNS");
    fclose(out);
}

static void option_values_refused(void **state)
{
    static char *const counts[] = {"0", "-3", "1.5", "1e30", "9007199254740993",
                                   "x", "",   "4x",  "nan"};
    static char *const numbers[] = {"x", "", "1e999", "nan", "1,5"};
    struct values values;
    (void)state;
    for (size_t k = 0; k < COUNT_OF(counts); k++) {
        assert_false(PARSE(&values, "-n", counts[k]));
        assert_int_equal(values.failure.code, FAILURE_USAGE);
        assert_int_equal(values.workers, -1);
    }
    for (size_t k = 0; k < COUNT_OF(numbers); k++) {
        assert_false(PARSE(&values, "--noise", numbers[k]));
        assert_int_equal(values.failure.code, FAILURE_USAGE);
    }
    assert_false(PARSE(&values, "--workers=many"));
    assert_failure(values.failure, FAILURE_USAGE,
                   "--workers needs a whole number from 1 to 9007199254740992, not 'many'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_of_every_kind),   cmocka_unit_test(options_refused),
        cmocka_unit_test(the_table_for_programs),  cmocka_unit_test(lines_are_wrapped),
        cmocka_unit_test(own_options_stand_apart), cmocka_unit_test(columns_of_a_file),
        cmocka_unit_test(option_values_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
