/* The commands of a finished run, from its template and its lines. */
#include "spmd/job/commands.h"

#include <unistd.h>

#include "spmd/input/input.h"
#include "tests/spmd/pictures.h"

static const char lines[] = "plain\na b\none\ttwo\n\nit's\n";

static struct input *lines_open(void)
{
    struct failure failure = FAILURE_INIT;
    picture_text("commands.txt", lines);
    struct input *input = input_open(SCOW_INPUT_LINES, "commands.txt", &failure);
    assert_non_null(input);
    return input;
}

static void assert_commands(const char *command, const char *const *wanted, int64_t count)
{
    struct input *input = lines_open();
    struct commands *commands = commands_open(
        &(struct commands_source){.command = command, .input = "commands.txt"}, input);
    assert_non_null(commands);
    for (int64_t i = count - 1; i >= 0; i--) {
        struct text text = TEXT_INIT;
        assert_true(commands_print(commands, i, &text));
        char *made = text_take(&text);
        assert_string_equal(made, wanted[i]);
        free(made);
    }
    commands_close(&commands);
    assert_null(commands);
    input_close(&input);
}

static void every_line_has_its_own(void **state)
{
    (void)state;
    const char *const quoted[] = {"run plain 1", "run 'a b' 2", "run 'one\ttwo' 3", "run '' 4",
                                  "run 'it'\\''s' 5"};
    assert_commands("run {} {#}", quoted, 5);
    const char *const none[] = {"cat -n", "cat -n", "cat -n", "cat -n", "cat -n"};
    assert_commands("cat -n", none, 5); /* lines come on standard input */
}

static void line_ends_stay_in_the_line(void **state)
{
    (void)state;
    const char *const wanted[] = {"a\\n\\nb plain\\n", "a\\n\\nb 'a b'\\n"};
    assert_commands("a\n\nb {}\n", wanted, 2);
}

static void lines_that_are_not_there_are_not_made_up(void **state)
{
    (void)state;
    struct text text = TEXT_INIT;
    struct input *input = lines_open();
    assert_null(commands_open(&(struct commands_source){.input = "commands.txt"}, input));
    struct commands *commands = commands_open(
        &(struct commands_source){.command = "run {}", .input = "commands.txt"}, input);
    assert_non_null(commands);
    assert_false(commands_print(commands, 5, &text));
    assert_false(commands_print(commands, -1, &text));
    assert_null(text.bytes);
    commands_close(&commands);
    commands_close(&commands);
    input_close(&input);
    assert_int_equal(unlink("commands.txt"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_line_has_its_own),
        cmocka_unit_test(line_ends_stay_in_the_line),
        cmocka_unit_test(lines_that_are_not_there_are_not_made_up),
    };
    return cmocka_run_group_tests(tests, pictures_enter, pictures_leave);
}
