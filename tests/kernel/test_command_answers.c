/* The core task `command` where processes read lines and answer them: one for a package, or a
 * long-lived one for a worker. */
#include "tests/checks.h"

#include <stdio.h>

#include "tests/kernel/command_left.h"
#include "tests/kernel/command_trial.h"

#define CHILD COMMAND_CHILD

static const char *const ways[] = {"task", "package", "worker"};

static void a_process_for_a_package(void **state)
{
    (void)state;
    struct trial trial;
    /* Four processes: lines of one that fails keep the answers that were given. */
    trial_make(&trial, CHILD, "package",
               "say=a\nsay=b\nexit=5\nsay=d\nsay=e\nkill=9\nsay=g\nsay=h exit=6");
    trial.package = 4;
    assert_int_equal(trial_run(&trial), SCOW_OK);
    assert_done(&trial, 0, "a");
    assert_done(&trial, 1, "b");
    assert_rejected(&trial, 2, "exit 5", 5);
    assert_rejected(&trial, 3, "exit 5", 5);
    assert_done(&trial, 4, "e");
    assert_rejected(&trial, 5, "killed by signal 9", -9);
    assert_done(&trial, 6, "g");
    assert_rejected(&trial, 7, "exit 6", 6);
    trial_release(&trial);
    /* With another try each line is on its own, and only bad ones are left. */
    trial_make(&trial, CHILD, "package",
               "say=a\nsay=b\nexit=5\nsay=d\nsay=e\nkill=9\nsay=g\nsay=h exit=6");
    trial_set_number(&trial, "retries", 1);
    assert_int_equal(trial_run(&trial), SCOW_OK);
    for (int i = 0; i < 8; i++)
        assert_int_equal(trial.results[i].rejects, i == 2 || i == 5 || i == 7);
    assert_done(&trial, 3, "d");
    assert_true(trial_number(&trial, 3, "attempts") == 2);
    trial_release(&trial);
}

/* Any filter does, when its input ends with the package. */
static void answers_that_come_at_the_end(void **state)
{
    (void)state;
    struct trial trial;
    trial_make(&trial, CHILD " hold", "package",
               "say=a\nsay=b warn=1\nsay=c\nsay=d part=x\npart=e");
    trial_set_number(&trial, "jobs", 1);
    assert_int_equal(trial_run(&trial), SCOW_OK);
    for (int i = 0; i < 3; i++)
        assert_int_equal(trial.results[i].rejects, 0);
    assert_done(&trial, 3, "d");
    assert_done(&trial, 4, "xe");
    trial_release(&trial);
}

static void answers_that_are_missing(void **state)
{
    (void)state;
    static const char why[] = "exit 0 without a line of output for this line";
    struct trial trial;
    trial_make(&trial, "head -n 2", "package", "a\nb\nc\nd");
    trial_set_number(&trial, "jobs", 1);
    assert_int_equal(trial_run(&trial), SCOW_OK);
    assert_done(&trial, 1, "b");
    assert_rejected(&trial, 2, why, 0);
    assert_rejected(&trial, 3, why, 0);
    trial_release(&trial);
    trial_make(&trial, "sh -c 'read x; exit 0'", "worker", "a\nb\nc");
    assert_int_equal(trial_run(&trial), SCOW_OK);
    for (int i = 0; i < 3; i++)
        assert_rejected(&trial, i, why, 0);
    trial_release(&trial);
}

/* The time of loading before the first line is told apart from answering, in the same package or in
 * a later one; where no time is needed, none is. A host of an older version is told nothing. */
static void a_process_that_loads(void **state)
{
    (void)state;
    static const struct {
        const char *command;
        int64_t package;
        bool old, slow;
    } cases[] = {{"sh -c 'sleep 0.4; exec sed -u s/x/y/'", 0, false, true},
                 {"sh -c 'sleep 0.4; exec sed -u s/x/y/'", 1, false, true},
                 {"sh -c 'sleep 0.4; exec sed -u s/x/y/'", 0, true, false}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct trial trial;
        trial_make(&trial, cases[k].command, "worker", "ax\nbx\ncx\ndx");
        trial_set_number(&trial, "jobs", 1);
        trial.package = cases[k].package;
        if (cases[k].old)
            trial.host.size = (uint32_t)offsetof(struct scow_host, threads);
        assert_int_equal(trial_run(&trial), SCOW_OK);
        assert_done(&trial, 0, "ay");
        assert_done(&trial, 3, "dy");
        if (cases[k].slow)
            assert_true(trial.started_s >= 0.35 && trial.started_s < 20);
        else
            assert_true(trial.started_s == 0);
        trial_release(&trial);
    }
}

static void answers_that_are_too_many(void **state)
{
    (void)state;
    struct trial trial;
    trial_make(&trial, CHILD, "package", "say=a\nsay=b say=c\nsay=d\nsay=e");
    assert_int_equal(trial_run(&trial), SCOW_OK);
    for (int i = 0; i < 4; i++)
        assert_int_equal(trial.results[i].rejects, i < 2);
    assert_string_equal(trial.results[0].why, "more lines of output than of input");
    trial_release(&trial);
    trial_make(&trial, CHILD, "package", "say=a\nsay=b say=c\nsay=d\nsay=e");
    trial_set_number(&trial, "retries", 1);
    assert_int_equal(trial_run(&trial), SCOW_OK);
    assert_done(&trial, 0, "a");
    assert_string_equal(trial.results[1].why, "more lines of output than of input");
    assert_int_equal(trial.rejects, 1);
    trial_release(&trial);
    trial_make(&trial, CHILD, "worker", "say=a\nsay=b say=c\nsay=d\nsay=e");
    trial_set_number(&trial, "jobs", 1);
    assert_int_equal(trial_run(&trial), SCOW_FAILED);
    assert_string_equal(trial.failed,
                        "the command '" CHILD "' writes more lines than it reads: with --per "
                        "worker it must write one line for every line that it reads, and nothing "
                        "else");
    trial_release(&trial);
    trial_make(&trial, "yes", "worker", "a\nb");
    assert_int_equal(trial_run(&trial), SCOW_FAILED);
    trial_release(&trial);
}

/* The line at which it died is failed, or tried again; all others are done, by the next one. */
static void a_process_that_dies(void **state)
{
    (void)state;
    for (int tries = 0; tries < 2; tries++) {
        struct trial trial;
        trial_make(&trial, CHILD, "worker",
                   "say=a\nexit=5\nsay=c\npart=x kill=11\nsay=e\nexit=0\nsay=g\nsay=h");
        trial_set_number(&trial, "retries", tries);
        trial.package = 3;
        assert_int_equal(trial_run(&trial), SCOW_OK);
        assert_rejected(&trial, 1, "exit 5", 5);
        assert_rejected(&trial, 3, "killed by signal 11", -11);
        assert_done(&trial, 0, "a");
        assert_done(&trial, 2, "c");
        assert_done(&trial, 4, "e");
        assert_done(&trial, 6, "g");
        assert_done(&trial, 7, "h");
        trial_release(&trial);
    }
}

/* One that ends well after every answer is started again and again, without blame. */
static void a_process_that_begins_afresh(void **state)
{
    (void)state;
    struct trial trial;
    trial_make(&trial, "sed -u 1q", "worker", "a\nb\nc\nd\ne");
    trial.package = 2;
    trial_set_number(&trial, "grace", 10);
    assert_int_equal(trial_run(&trial), SCOW_OK);
    assert_done(&trial, 0, "a");
    assert_done(&trial, 4, "e");
    assert_int_equal(trial.rejects, 0);
    trial_release(&trial);
}

/* One that keeps its answers until its input ends would be waited for without end. To do so once
 * is no proof, even of two at a time. */
static void a_process_that_holds_back(void **state)
{
    (void)state;
    struct trial trial;
    trial_make(&trial, CHILD " hold", "worker", "say=a\nsay=b");
    trial_set_number(&trial, "grace", 0.02);
    assert_int_equal(trial_run(&trial), SCOW_OK);
    assert_done(&trial, 0, "a");
    assert_done(&trial, 1, "b");
    trial_release(&trial);
    /* Two that answer within a second of their input's end are enough. */
    trial_make(&trial, CHILD " hold", "worker",
               "say=a\nsay=b\nsay=c\nsay=d\nsay=e\nsay=f\nsay=g\nsay=h\nsay=i\nsay=j");
    trial_set_number(&trial, "grace", 0.02);
    trial_set_number(&trial, "jobs", 1);
    assert_int_equal(trial_run(&trial), SCOW_FAILED);
    assert_done(&trial, 0, "a");
    assert_string_equal(trial.failed,
                        "the command '" CHILD " hold' answers lines only once its input has ended: "
                        "have it pass on every line at once (python3 -u, stdbuf -oL, mawk -W "
                        "interactive), or use --per package");
    trial_release(&trial);
}

/* One that takes its time after its input has ended proves nothing: the next one is tried, too. */
static void a_process_that_holds_back_and_is_slow(void **state)
{
    (void)state;
    struct trial trial;
    trial_make(&trial, "sh -c 'all=$(sed s/x/y/); sleep 1.2; echo \"$all\"'", "worker",
               "ax\nbx\ncx");
    trial_set_number(&trial, "grace", 0.02);
    trial_set_number(&trial, "jobs", 1);
    assert_int_equal(trial_run(&trial), SCOW_OK);
    assert_done(&trial, 0, "ay");
    assert_done(&trial, 2, "cy");
    trial_release(&trial);
}

/* What commands write to standard error before and after an answer, and after all lines are
 * answered. */
static void what_is_said_beside_answers(void **state)
{
    (void)state;
    struct trial trial;
    trial_make(&trial, CHILD, "package", "warn=1 say=a warn=2\nwarn=3 say=b warn=4 warn=\xff");
    trial_set_number(&trial, "jobs", 1);
    assert_int_equal(trial_run(&trial), SCOW_OK);
    /* Which of the two lines it was at when it said so is not known. */
    char said[100] = "", kept[100] = "";
    for (int i = 0; i < 2; i++) {
        char *err = trial_stream(&trial, i, COMMAND_STDERR, 0);
        const char *text = trial_text(&trial, i, "stderr");
        strncat(said, err, sizeof said - 1 - strlen(said));
        strncat(kept, text, sizeof kept - 1 - strlen(kept));
        strncat(kept, *text ? "|" : "", sizeof kept - 1 - strlen(kept));
        free(err);
    }
    assert_string_equal(said, "1\n2\n3\n4\n\xff\n");
    for (char *at = kept; (at = strchr(at, '\n'));)
        *at = '|';
    assert_string_equal(kept, "1|2|3|4|?|");
    trial_release(&trial);
}

static void many_lines(void **state)
{
    (void)state;
    struct trial trial;
    for (int way = 1; way < 3; way++) {
        trial_init_numbers(&trial, 10000);
        trial_set(&trial, "command", "cat");
        trial_set(&trial, "per", ways[way]);
        trial.package = 997;
        assert_int_equal(trial_run(&trial), SCOW_OK);
        for (int i = 0; i < 10000; i++) {
            char wanted[20];
            snprintf(wanted, sizeof wanted, "%d", i + 1);
            assert_done(&trial, i, wanted);
        }
        trial_release(&trial);
    }
    trial_init_numbers(&trial, 300);
    trial_set(&trial, "command", CHILD " say={}");
    trial_set_number(&trial, "jobs", 20);
    assert_int_equal(trial_run(&trial), SCOW_OK);
    assert_done(&trial, 299, "300");
    trial_release(&trial);
}

int main(void)
{
    command_spawner_begin();
    command_spawner_begin();
    left_begin();
#define EACH(test) cmocka_unit_test_setup_teardown(test, left_before, left_after)
    const struct CMUnitTest tests[] = {
        EACH(a_process_for_a_package),
        EACH(answers_that_come_at_the_end),
        EACH(answers_that_are_missing),
        EACH(answers_that_are_too_many),
        EACH(a_process_that_loads),
        EACH(a_process_that_dies),
        EACH(a_process_that_begins_afresh),
        EACH(a_process_that_holds_back),
        EACH(a_process_that_holds_back_and_is_slow),
        EACH(what_is_said_beside_answers),
        EACH(many_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
