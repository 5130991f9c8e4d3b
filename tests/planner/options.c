#include "planner/base/options.h"

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

/* What the generator of manual pages and completions reads. */
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
    options_help(&table, OPTION_HELP_TABLE, out);
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
        cmocka_unit_test(options_of_every_kind),
        cmocka_unit_test(options_refused),
        cmocka_unit_test(the_table_for_programs),
        cmocka_unit_test(option_values_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
