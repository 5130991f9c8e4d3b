/* The core task `command` when the process that starts commands is killed: another one replaces it,
 * what was under way is tried again, and a line that gets it killed every time is given up. */
#include "tests/checks.h"

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/kernel/command_left.h"
#include "tests/kernel/command_trial.h"

static char scratch[] = "/tmp/scow-command-XXXXXX";

/* A command's parent is what started it. `once`: the first time alone; it would go on for long. */
static void killer_print(char *command, size_t size, bool once, bool lasting)
{
    snprintf(command, size,
             "%s if [ \"$line\" = bad ] && { %s; }; then kill -9 $PPID; sleep 100; fi; echo "
             "\"+$line\"%s",
             lasting ? "while read -r line; do" : "line={};",
             once ? "mkdir once 2>/dev/null" : "true", lasting ? "; done" : "");
}

static void killer_run(struct trial *trial, const char *per, bool once)
{
    char command[300];
    killer_print(command, sizeof command, once, strcmp(per, "task") != 0);
    rmdir("once");
    trial_make(trial, command, per, "a\nbad\nc\nd");
    trial_set_number(trial, "jobs", 1);
    assert_int_equal(trial_run(trial), SCOW_OK);
    assert_done(trial, 0, "+a");
    assert_done(trial, 2, "+c");
    assert_done(trial, 3, "+d");
}

static const char *const ways[] = {"task", "package", "worker"};

static void what_was_under_way_is_tried_again(void **state)
{
    (void)state;
    for (int way = 0; way < 3; way++) {
        struct trial trial;
        killer_run(&trial, ways[way], true);
        assert_done(&trial, 1, "+bad");
        assert_int_equal((int)trial_number(&trial, 1, "attempts"), 2);
        trial_release(&trial);
    }
}

static void a_line_that_kills_it_is_given_up(void **state)
{
    (void)state;
    for (int way = 0; way < 3; way++) {
        struct trial trial;
        killer_run(&trial, ways[way], false);
        assert_rejected(&trial, 1, "the process that starts commands was killed more than once",
                        -SIGKILL);
        trial_release(&trial);
    }
}

/* Also the one that has forked it. */
static void all_of_them_are_killed(void **state)
{
    (void)state;
    struct trial trial;
    const int first = left_begin();
    kill(first, SIGKILL);
    assert_int_equal(waitpid(first, NULL, 0), first);
    killer_run(&trial, "task", true);
    assert_done(&trial, 1, "+bad");
    trial_release(&trial);
    assert_int_not_equal(left_begin(), first);
}

static int scratch_remove(void **state)
{
    (void)state;
    rmdir("once");
    return rmdir(scratch);
}

int main(void)
{
    if (!mkdtemp(scratch) || chdir(scratch) != 0)
        return 1;
    command_spawner_begin();
    left_begin();
#define EACH(test) cmocka_unit_test_setup_teardown(test, left_before, left_after)
    const struct CMUnitTest tests[] = {
        EACH(what_was_under_way_is_tried_again),
        EACH(a_line_that_kills_it_is_given_up),
        EACH(all_of_them_are_killed),
    };
    return cmocka_run_group_tests(tests, NULL, scratch_remove);
}
