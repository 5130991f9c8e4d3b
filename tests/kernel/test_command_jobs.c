/* Jobs of the core task `command` that are refused: wrong commands, lines and memory. */
#include "tests/checks.h"

#include "tests/kernel/command_trial.h"
#include "tests/scarcity.h"

static void assert_refused(const char *command, const char *per, const char *lines,
                           const char *sentence)
{
    struct trial trial;
    trial_make(&trial, command, per, lines);
    assert_int_equal(trial_run(&trial), SCOW_FAILED);
    assert_string_equal(trial.failed, sentence);
    trial_release(&trial);
}

static void jobs_that_are_wrong(void **state)
{
    (void)state;
    assert_refused(
        NULL, "task", "a",
        "--command is missing: 'prog {}' runs prog with every line, and 'sh -c {}' lines "
        "that are commands themselves");
    assert_refused(" ", "task", "a", "--command ' ' is empty");
    assert_refused("prog 'x", "task", "a",
                   "--command 'prog 'x' has a quote or parenthesis that is not closed");
    assert_refused("prog {2}", "task", "a\tb\nno tab",
                   "line 2 of lines.txt has 1 column between tabs, and --command asks for {2}");
    assert_refused("prog {}", "worker", "a",
                   "--command 'prog {}' has a place for a line, but with --per worker lines come "
                   "on standard input: leave it out, or use --per task");
    struct trial trial;
    trial_make(&trial, "echo {}", "task", "a\nb");
    trial.items[1] = (struct scow_item){.bytes = "a\0b", .size = 3};
    assert_int_equal(trial_run(&trial), SCOW_FAILED);
    assert_string_equal(
        trial.failed,
        "line 2 of lines.txt has a zero byte, which a word of a command cannot contain");
    trial_release(&trial);
    trial_make(&trial, "echo {}", "task", "a");
    trial_set(&trial, "timeout", "2 s");
    assert_int_equal(trial_run(&trial), SCOW_FAILED);
    assert_string_equal(trial.failed, "--timeout is '2 s': it must be a number above 0, a "
                                      "percentage like 200%, or never");
    trial_release(&trial);
    trial_make(&trial, "echo {}", "task", "a");
    trial.tasks = 0;
    assert_int_equal(trial_run(&trial), SCOW_FAILED);
    assert_string_equal(trial.failed, "lines.txt has no lines");
    trial.tasks = 1;
    trial_release(&trial);
}

static void assert_columns_refused(const char *command, const char *format, const char *lines,
                                   const char *sentence)
{
    struct trial trial;
    trial_make(&trial, command, strchr(command, '{') ? "task" : "package", lines);
    trial_set(&trial, "format", format);
    if (strcmp(format, "jsonl") != 0)
        trial_set(&trial, "header", "yes");
    assert_int_equal(trial_describe(&trial), SCOW_FAILED);
    assert_string_equal(trial.failed, sentence);
    trial_release(&trial);
}

static void columns_that_are_not_there(void **state)
{
    (void)state;
    assert_columns_refused("p {b}", "csv", "a,b\n1,2\n\"x,\"",
                           "line 3 of lines.txt has 1 column between ',', and --command asks for "
                           "{b}");
    assert_columns_refused("p {b}", "csv", "a,b\n1,2\n5\" disk,3",
                           "line 3 of lines.txt has a quote inside field 1: put the whole field in "
                           "quotes, and double the quotes in it (RFC 4180)");
    assert_columns_refused("p {c}", "csv", "a,b\n1,2",
                           "--command 'p {c}' has {c}, which is no place for a line: no column is "
                           "called that, such as {a} is; {{c}} is a text in braces");
    assert_columns_refused("p {a}", "tsv", "a,b", "lines.txt has no lines behind its header");
    assert_columns_refused("p {a}", "jsonl", "{\"a\":1}\n{\"b\":1}",
                           "line 2 of lines.txt has no key 'a', which --command asks for");
    assert_columns_refused("p {a}", "jsonl", "a",
                           "line 1 of lines.txt is no JSON object: '[' or "
                           "'{' expected near 'a'");
    struct trial trial;
    trial_make(&trial, "cat", "worker", "a\nb");
    trial_set(&trial, "format", "csv");
    trial.items[1] = (struct scow_item){.bytes = "\"a\nb\"", .size = 5};
    assert_int_equal(trial_describe(&trial), SCOW_FAILED);
    assert_string_equal(trial.failed, "line 2 of lines.txt has a newline within quotes, which "
                                      "--per package or worker cannot pass on: use --per task");
    trial_release(&trial);
}

static void jobs_without_memory(void **state)
{
    (void)state;
    int allowed = 0, status;
    do {
        struct trial trial;
        trial_make(&trial, "echo {} {#} | cat", "task", "a\nb");
        scarcity_begin(allowed++);
        status = trial_describe(&trial);
        assert_int_equal(status, scarcity_end() ? SCOW_FAILED : SCOW_OK);
        if (status != SCOW_OK)
            assert_non_null(strstr(trial.failed, "memory"));
        trial_release(&trial);
    } while (status != SCOW_OK);
    assert_true(allowed > 8);
}

/* Lines that grew since they were measured do not go beyond what was promised. */
static void input_that_changes(void **state)
{
    (void)state;
    struct trial trial;
    char package[64];
    size_t size;
    trial_make(&trial, "echo {}", "task", "ab\ncd");
    assert_int_equal(trial_describe(&trial), SCOW_OK);
    trial.items[1] = (struct scow_item){.bytes = "much longer", .size = 11};
    assert_true(command_task.package_size_most(trial.job, 2) == 14);
    assert_int_equal(command_task.pack(&trial.host, trial.job, 0, 2, package, &size), SCOW_FAILED);
    assert_string_equal(trial.failed, "line 2 is longer than when the input was first read: it "
                                      "must not change during a run");
    trial_release(&trial);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jobs_that_are_wrong),
        cmocka_unit_test(columns_that_are_not_there),
        cmocka_unit_test(jobs_without_memory),
        cmocka_unit_test(input_that_changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
