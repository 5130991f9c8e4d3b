/* The core task `command` and what processes do to pipes, and which processes they leave behind;
 * how they end when a run or a rank does. */
#include "tests/checks.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/kernel/command_left.h"
#include "tests/kernel/command_trial.h"

#define CHILD COMMAND_CHILD

static const char *const ways[] = {"task", "package", "worker"};

static char scratch[] = "/tmp/scow-command-XXXXXX";
static int spawner; /* its session */

/* Much output, on both streams, by all ways; what is kept here is bounded. */
static void much_output(void **state)
{
    (void)state;
    enum { BYTES = 5000000 };
    struct trial trial;
    trial_make(&trial, "head -c 5000000 /dev/zero | tee /dev/stderr", "task", "a\nb\nc");
    trial.emit_most = 100000;
    assert_int_equal(trial_run(&trial), SCOW_OK);
    for (int i = 0; i < 3; i++) {
        assert_true(trial_number(&trial, i, "stdout_size") == BYTES);
        assert_true(trial_number(&trial, i, "stderr_size") == BYTES);
    }
    assert_true(trial.emitted_size > 6 * (size_t)BYTES);
    trial_release(&trial);
    for (int way = 1; way < 3; way++) {
        trial_make(&trial, CHILD, ways[way], "wide=3000000\nsay=b\nwide=3000000\nwide=70000");
        assert_int_equal(trial_run(&trial), SCOW_OK);
        assert_true(trial_number(&trial, 0, "stdout_size") == 3000001);
        assert_done(&trial, 1, "b");
        assert_true(trial_number(&trial, 2, "stdout_size") == 3000001);
        char *out = trial_stream(&trial, 3, COMMAND_STDOUT, 0);
        assert_int_equal(strlen(out), 70001);
        for (int i = 0; i < 70000; i++)
            assert_int_equal(out[i], "abcdefgh"[i % 8]);
        free(out);
        trial_release(&trial);
    }
}

/* A command whose output would fill memory or a disk is ended. */
static void too_much_output(void **state)
{
    (void)state;
    static const char why[] = "wrote more than --most-output allows";
    struct trial trial;
    trial_make(&trial, "yes {}", "task", "a");
    trial_set_number(&trial, "most-output", 100000);
    assert_int_equal(trial_run(&trial), SCOW_OK);
    assert_rejected(&trial, 0, why, -15);
    assert_true(trial.emitted_size < 150000);
    trial_release(&trial);
    for (int way = 1; way < 3; way++) {
        trial_make(&trial, CHILD, ways[way], "say=a\nwide=3000000 sleep\nsay=c");
        trial_set_number(&trial, "most-output", 100000);
        trial_set_number(&trial, "retries", 1);
        assert_int_equal(trial_run(&trial), SCOW_OK);
        assert_done(&trial, 0, "a");
        assert_rejected(&trial, 1, why, -15);
        assert_done(&trial, 2, "c");
        trial_release(&trial);
    }
}

/* Both pipes are full at once, when a command writes before it has read all. */
static void pipes_that_fill(void **state)
{
    (void)state;
    enum { LINES = 400, WIDTH = 3000 };
    char *lines = malloc(LINES * (WIDTH + 1));
    for (int i = 0; i < LINES; i++) {
        memset(lines + i * (WIDTH + 1), 'a' + i % 26, WIDTH);
        lines[i * (WIDTH + 1) + WIDTH] = i < LINES - 1 ? '\n' : '\0';
    }
    for (int way = 1; way < 3; way++) {
        struct trial trial;
        trial_make(&trial, CHILD " echo", ways[way], lines);
        assert_int_equal(trial_run(&trial), SCOW_OK);
        for (int i = 0; i < LINES; i++) {
            assert_int_equal(trial.results[i].rejects, 0);
            assert_int_equal(trial_text(&trial, i, "stdout")[7], 'a' + i % 26);
        }
        trial_release(&trial);
    }
    free(lines);
}

static void pipes_that_are_closed(void **state)
{
    (void)state;
    static const char closed[] = "the command closed its input or output before its answer";
    enum { LONG = 300000 };
    char *lines = malloc(2 * LONG);
    memset(lines, 'x', 2 * LONG - 1);
    lines[LONG] = '\n';
    lines[2 * LONG - 1] = '\0';
    struct trial trial;
    trial_make(&trial, CHILD " deaf say=done exit=0", "task", lines);
    assert_int_equal(trial_run(&trial), SCOW_OK);
    assert_done(&trial, 0, "done");
    trial_release(&trial);
    trial_make(&trial, CHILD " deaf say=done exit=0", "package", lines);
    assert_int_equal(trial_run(&trial), SCOW_OK);
    assert_done(&trial, 1, "done");
    trial_release(&trial);
    trial_make(&trial, CHILD " deaf sleep", "worker", lines);
    assert_int_equal(trial_run(&trial), SCOW_OK);
    assert_rejected(&trial, 0, closed, -15);
    assert_int_equal(trial.rejects, 2);
    trial_release(&trial);
    trial_make(&trial, CHILD, "worker", "mute sleep\nsay=b");
    trial_set_number(&trial, "jobs", 1);
    assert_int_equal(trial_run(&trial), SCOW_OK);
    assert_rejected(&trial, 0, closed, -15);
    assert_done(&trial, 1, "b");
    trial_release(&trial);
    free(lines);
}

/* Processes that a command leaves behind have a moment to finish writing, and are then ended. */
static void background_processes(void **state)
{
    (void)state;
    struct trial trial;
    trial_make(&trial, CHILD " leave say={}", "task", "a\nb\nc");
    assert_int_equal(trial_run(&trial), SCOW_OK);
    assert_done(&trial, 0, "a");
    assert_done(&trial, 2, "c");
    trial_release(&trial);
    trial_make(&trial, "sleep 100000 > /dev/null 2>&1 & echo {}", "task", "a\nb");
    assert_int_equal(trial_run(&trial), SCOW_OK);
    assert_done(&trial, 1, "b");
    trial_release(&trial);
    trial_make(&trial, "(sleep 0.05; echo late) & echo {}", "task", "a");
    trial_set_number(&trial, "grace", 100);
    assert_int_equal(trial_run(&trial), SCOW_OK);
    assert_done(&trial, 0, "a\nlate");
    trial_release(&trial);
}

/* Stopped once all of them run, and have said so. */
static void cancelled(void **state)
{
    (void)state;
    for (size_t way = 0; way < COUNT_OF(ways); way++) {
        struct trial trial;
        trial_make(&trial, way ? CHILD : CHILD " {1} {2} {3}", ways[way],
                   way ? "leave part=1 sleep\nstubborn part=2 sleep\nsay=3\nsay=4"
                       : "leave\tpart=1\tsleep\nstubborn\tpart=2\tsleep\nsay=3\tx\tx");
        trial_set_number(&trial, "jobs", 2);
        trial.stop_at = 2 * (COMMAND_HEADER_SIZE + 1);
        assert_int_equal(trial_run(&trial), SCOW_STOPPED);
        assert_string_equal(trial.failed, "");
        trial_release(&trial);
    }
}

/* ---- the rank dies ---- */

/* This program once more, as a rank that runs a command which never ends, until it is killed. */
static int rank_main(const char *file)
{
    char command[600];
    struct trial trial;
    command_spawner_begin();
    snprintf(command, sizeof command, "echo $$ > %s.new; mv %s.new %s; sleep 1000000 & wait", file,
             file, file);
    trial_make(&trial, command, "task", "a");
    return trial_run(&trial);
}

static void a_rank_that_is_killed(void **state)
{
    (void)state;
    char file[100], self[1000], number[20] = "";
    snprintf(file, sizeof file, "%s/rank", scratch);
    const ssize_t size = readlink("/proc/self/exe", self, sizeof self - 1);
    assert_true(size > 0);
    self[size] = '\0';
    const pid_t rank = fork();
    if (rank == 0) {
        execl(self, self, "--rank", file, (char *)NULL);
        _exit(1);
    }
    int fd = -1;
    for (int naps = 0; naps < 4000 && (fd = open(file, O_RDONLY)) < 0; naps++)
        nap();
    assert_true(fd >= 0 && read(fd, number, sizeof number - 1) > 0);
    close(fd);
    number[strcspn(number, "\n")] = '\0';
    char status;
    int parent, session;
    assert_true(process_read(number, &status, &parent, &session));
    assert_true(session != getsid(0) && session != spawner);
    kill(rank, SIGKILL);
    assert_int_equal(waitpid(rank, NULL, 0), rank);
    assert_session(session, 0);
}

static int scratch_remove(void **state)
{
    (void)state;
    char command[200];
    snprintf(command, sizeof command, "rm -rf %s", scratch);
    return system(command);
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--rank") == 0)
        return rank_main(argv[2]);
    command_spawner_begin();
    command_spawner_begin();
    spawner = left_begin();
    if (!mkdtemp(scratch))
        return 1;
#define EACH(test) cmocka_unit_test_setup_teardown(test, left_before, left_after)
    const struct CMUnitTest tests[] = {
        EACH(much_output),           EACH(too_much_output),      EACH(pipes_that_fill),
        EACH(pipes_that_are_closed), EACH(background_processes), EACH(cancelled),
        EACH(a_rank_that_is_killed),
    };
    return cmocka_run_group_tests(tests, NULL, scratch_remove);
}
