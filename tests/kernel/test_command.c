/* The core task `command`: programs that are run over lines, in every way, and their failures.
 * Commands that sleep stand for those that never end, so that no outcome depends on a clock. */
#include "tests/checks.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernel/command/memory.h"
#include "tests/kernel/command_left.h"
#include "tests/kernel/command_trial.h"

#define CHILD COMMAND_CHILD

static const char *const ways[] = {"task", "package", "worker"};

static char scratch[] = "/tmp/scow-command-XXXXXX";

/* ---- starting may fail ---- */

typedef int spawn_function(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                           const posix_spawnattr_t *attributes, char *const words[],
                           char *const environment[]);
spawn_function __wrap_posix_spawn, __real_posix_spawn;

/* How many of the next starts fail; shared with the spawner's processes. */
static int *refused;

int __wrap_posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                       const posix_spawnattr_t *attributes, char *const words[],
                       char *const environment[])
{
    if (*refused > 0) {
        --*refused;
        return EAGAIN;
    }
    return __real_posix_spawn(pid, path, actions, attributes, words, environment);
}

/* ---- what is run, and what comes of it ---- */

static void assert_refused(const char *command, const char *per, const char *lines,
                           const char *sentence)
{
    struct trial trial;
    trial_make(&trial, command, per, lines);
    assert_int_equal(trial_run(&trial), SCOW_FAILED);
    assert_string_equal(trial.failed, sentence);
    trial_release(&trial);
}

static const char hostile[] = "plain\n"
                              "two  words \n"
                              "$(touch x) `touch y` ${HOME} $1\n"
                              "; exit 3 # | & > z < * ? [a] ~\n"
                              "'\n\"\n\\\n''\"\"\\\\\n"
                              "-rf\n--help\n"
                              "\n"
                              "\ttab\t\n"
                              "{} {#} {1}\n"
                              "%s %n \xc3\xa4";

/* Every line reaches the command as it is, by any way and in whatever packages. */
static void lines_arrive_whole(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"printf %s.%s {} {#}", "task"},
        {"printf %s.%s {} {#} | cat", "task"},
        {"printf %s.%s '{}' \"{#}\" && :", "task"},
        {"cat", "task"},
        {"cat", "package"},
        {"cat | cat", "package"},
        {"sed -u ''", "worker"},
    };
    for (size_t row = 0; row < COUNT_OF(rows); row++)
        for (int64_t package = 0; package < 6; package += 5) {
            struct trial trial;
            trial_make(&trial, rows[row][0], rows[row][1], hostile);
            trial.package = package;
            trial.batch = package ? 2 : 0;
            assert_int_equal(trial_run(&trial), SCOW_OK);
            for (int64_t i = 0; i < trial.tasks; i++) {
                char wanted[200];
                snprintf(wanted, sizeof wanted, row < 3 ? "%s.%d" : "%s", trial.items[i].bytes,
                         (int)i + 1);
                assert_done(&trial, i, wanted);
                assert_int_equal((int64_t)trial_number(&trial, i, "stdout_size"),
                                 strlen(wanted) + (row >= 3));
            }
            trial_release(&trial);
        }
}

/* A header is no task; columns are told by their names. */
static void columns_of_lines(void **state)
{
    (void)state;
    struct trial trial;
    trial_make(&trial, "printf %s.%s.%s {name} {#} {2}", "task",
               "id,name\n1,\"a, \"\"b\"\"\"\n2,$HOME");
    trial_set(&trial, "format", "csv");
    trial_set(&trial, "header", "yes");
    trial.package = 1;
    assert_int_equal(trial_run(&trial), SCOW_OK);
    assert_int_equal(trial.tasks, 2);
    assert_done(&trial, 0, "a, \"b\".1.a, \"b\"");
    assert_done(&trial, 1, "$HOME.2.$HOME");
    trial_release(&trial);
    trial_make(&trial, "printf %s {a} | cat", "task", "{\"a\":\"x y\"}\n{\"a\":[1,2]}");
    trial_set(&trial, "format", "jsonl");
    assert_int_equal(trial_run(&trial), SCOW_OK);
    assert_done(&trial, 0, "x y");
    assert_done(&trial, 1, "[1,2]");
    trial_release(&trial);
}

/* The text of a command does, given to a shell, what the command does. */
static void commands_as_texts(void **state)
{
    (void)state;
    static const char *const commands[] = {
        "printf %s.%s {} {#}", "printf %s.%s '{}' \"{#}\" | cat",
        "printf %s.%s \"{}\" {#} && :", "printf %s \"$(printf %s '{}')\".{#}"};
    for (size_t row = 0; row < COUNT_OF(commands); row++) {
        struct trial lines, trial;
        trial_init(&lines, hostile);
        char texts[4000] = "", *at = texts;
        for (int64_t i = 0; i < lines.tasks; i++)
            at += command_text(commands[row], NULL, lines.items[i].bytes, lines.items[i].size,
                               i + 1, at, (size_t)(texts + sizeof texts - at)) +
                  1;
        for (char *zero = texts; zero < at - 1; zero++)
            *zero = *zero ? *zero : '\n';
        trial_make(&trial, "sh -c {}", "task", texts);
        assert_int_equal(trial_run(&trial), SCOW_OK);
        for (int64_t i = 0; i < lines.tasks; i++) {
            char wanted[200];
            snprintf(wanted, sizeof wanted, "%s.%d", lines.items[i].bytes, (int)i + 1);
            assert_done(&trial, i, wanted);
        }
        trial_release(&trial);
        trial_release(&lines);
    }
}

static void fields_of_lines(void **state)
{
    (void)state;
    struct trial trial;
    trial_make(&trial, "printf %s,%s {3} {1}", "task", "a\tb\tc\n\t\t\nx x\ty'\t$z\tmore");
    assert_int_equal(trial_run(&trial), SCOW_OK);
    assert_done(&trial, 0, "c,a");
    assert_done(&trial, 1, ",");
    assert_done(&trial, 2, "$z,x x");
    trial_release(&trial);
}

/* Results do not depend on packages, their parts, or how many commands run at a time. */
static void lines_in_packages(void **state)
{
    (void)state;
    for (size_t way = 0; way < COUNT_OF(ways); way++)
        for (int jobs = 1; jobs <= 7; jobs += 3)
            for (int64_t package = 0; package < 20; package += 8) {
                struct trial trial;
                trial_init_numbers(&trial, 20);
                trial_set(&trial, "command", "sed -u s/^/n/");
                trial_set(&trial, "per", ways[way]);
                trial_set_number(&trial, "jobs", jobs);
                trial.package = package;
                trial.batch = package / 3;
                assert_int_equal(trial_run(&trial), SCOW_OK);
                for (int i = 0; i < 20; i++) {
                    char wanted[20];
                    snprintf(wanted, sizeof wanted, "n%d", i + 1);
                    assert_done(&trial, i, wanted);
                }
                trial_release(&trial);
            }
}

static void both_streams(void **state)
{
    (void)state;
    struct trial trial;
    trial_make(&trial, CHILD " say=out warn=err part={}", "task", "last\nline");
    trial_set_number(&trial, "keep", 5);
    assert_int_equal(trial_run(&trial), SCOW_OK);
    assert_done(&trial, 0, "out\nl");
    assert_string_equal(trial_text(&trial, 0, "stderr"), "err");
    assert_true(trial_number(&trial, 0, "stdout_size") == 8);
    assert_true(trial_number(&trial, 0, "stderr_size") == 4);
    char *out = trial_stream(&trial, 1, COMMAND_STDOUT, 0);
    char *err = trial_stream(&trial, 1, COMMAND_STDERR, 1);
    assert_string_equal(out, "out\nline");
    assert_string_equal(err, "err\n");
    assert_true(trial_number(&trial, 1, "start") > 1.6e9);
    assert_true(trial_number(&trial, 1, "seconds") > 0);
    free(out);
    free(err);
    trial_release(&trial);
}

static void nothing_is_kept(void **state)
{
    (void)state;
    struct trial trial;
    trial_make(&trial, "echo {}", "task", "a");
    trial_set_number(&trial, "keep", 0);
    assert_int_equal(trial_run(&trial), SCOW_OK);
    assert_true(trial_number(&trial, 0, "stdout_size") == 2);
    for (const struct scow_field *field = trial.shape.fields; field->name; field++)
        assert_true(field->type != SCOW_TEXT_BYTES && field->count >= 1);
    char *out = trial_stream(&trial, 0, COMMAND_STDOUT, 0);
    assert_string_equal(out, "a\n");
    free(out);
    trial_release(&trial);
}

/* A variable that tells an MPI library that it is a rank does not reach a command. */
static void what_commands_see(void **state)
{
    (void)state;
    struct trial trial;
    trial_make(&trial, "echo ${PMI_RANK-none} $OMP_NUM_THREADS $TEST_ENVIRONMENT {}", "task", "a");
    trial.threads = 6;
    trial_set_number(&trial, "jobs", 2);
    assert_int_equal(trial_run(&trial), SCOW_OK);
    assert_done(&trial, 0, "none 3 stays a");
    trial_release(&trial);
    /* Signals, descriptors and input as a program expects them; the C library has two more. */
    trial_make(&trial,
               "test -z \"$(cat)\" && ls /proc/self/fd | wc -l && for set in Blk Ign; do "
               "echo $((0x$(sed -n s/Sig$set:.//p /proc/self/status) & 0x7fffffff)); done #{}",
               "task", "a");
    assert_int_equal(trial_run(&trial), SCOW_OK);
    assert_done(&trial, 0, "4\n0\n0");
    trial_release(&trial);
}

/* Which line, which attempt, whose worker; and none of it from a scow that runs this one. */
static void what_is_said_to_commands(void **state)
{
    (void)state;
    struct trial trial;
    static const char say[] = "echo $SCOW_TASK $SCOW_ATTEMPT $SCOW_WORKER $SCOW_SLOT "
                              "${SCOW_TASKS-none} ${SCOW_OUT-none}";
    char command[300];
    snprintf(command, sizeof command, "%s; test {} != twice -o $SCOW_ATTEMPT = 2", say);
    trial_make(&trial, command, "task", "once\ntwice");
    trial_set_number(&trial, "jobs", 1);
    trial_set_number(&trial, "retries", 1);
    assert_int_equal(trial_run(&trial), SCOW_OK);
    assert_done(&trial, 0, "1 1 3 1 none none");
    assert_done(&trial, 1, "2 2 3 1 none none");
    trial_release(&trial);
    snprintf(command, sizeof command, "%s; cat >/dev/null; echo; echo", say);
    trial_make(&trial, command, "package", "a\nb\nc\nd\ne\nf");
    trial_set_number(&trial, "jobs", 1);
    trial.package = 3;
    assert_int_equal(trial_run(&trial), SCOW_OK);
    assert_done(&trial, 3, "4 1 3 1 3 none");
    trial_release(&trial);
    snprintf(command, sizeof command, "while read -r line; do %s; done", say);
    trial_make(&trial, command, "worker", "a\nb");
    trial_set_number(&trial, "jobs", 1);
    assert_int_equal(trial_run(&trial), SCOW_OK);
    assert_done(&trial, 1, "3 1 none none");
    trial_release(&trial);
}

static void where_commands_run(void **state)
{
    (void)state;
    struct trial trial;
    char folder[300];
    snprintf(folder, sizeof folder, "%s/there", scratch);
    assert_int_equal(mkdir(folder, 0700), 0);
    trial_make(&trial, "printf '%s ' $A \"$B\" $OMP_NUM_THREADS $TEST_ENVIRONMENT; basename $PWD",
               "task", "a");
    trial_set(&trial, "workdir", folder);
    trial_set(&trial, "env", "A=1 B=\"two words\" OMP_NUM_THREADS=7");
    trial_set(&trial, "wrap", "env A=2");
    assert_int_equal(trial_run(&trial), SCOW_OK);
    assert_done(&trial, 0, "2 two words 7 stays there");
    trial_release(&trial);
    /* A program beside the folder's other files, and one in a PATH of its own. */
    char program[320], path[330];
    snprintf(program, sizeof program, "%s/prog", folder);
    FILE *script = fopen(program, "w");
    assert_non_null(script);
    assert_true(fputs("#!/bin/sh\necho ran\n", script) > 0);
    assert_int_equal(fclose(script), 0);
    assert_int_equal(chmod(program, 0700), 0);
    trial_make(&trial, "./prog", "task", "a");
    trial_set(&trial, "workdir", folder);
    assert_int_equal(trial_run(&trial), SCOW_OK);
    assert_done(&trial, 0, "ran");
    trial_release(&trial);
    snprintf(path, sizeof path, "PATH=/bin:%s", folder);
    trial_make(&trial, "prog", "task", "a");
    trial_set(&trial, "env", path);
    assert_int_equal(trial_run(&trial), SCOW_OK);
    assert_done(&trial, 0, "ran");
    trial_release(&trial);
    assert_int_equal(unlink(program), 0);
    assert_int_equal(rmdir(folder), 0);
}

/* A path for every line, whose folders are there. */
static void paths_of_their_own(void **state)
{
    (void)state;
    struct trial trial;
    char folder[300], file[330];
    snprintf(folder, sizeof folder, "%s/results/run", scratch);
    trial_make(&trial, "echo {} > $SCOW_OUT.txt", "task", "a\nb");
    trial_set(&trial, "out-dir", folder);
    assert_int_equal(trial_run(&trial), SCOW_OK);
    trial_release(&trial);
    for (int i = 1; i <= 2; i++) {
        snprintf(file, sizeof file, "%s/%d.txt", folder, i);
        assert_int_equal(unlink(file), 0);
    }
    trial_init_numbers(&trial, 12345);
    trial_set(&trial, "command", "while read -r line; do echo ${SCOW_OUT##*/run/}; done");
    trial_set(&trial, "per", "package");
    trial_set(&trial, "out-dir", folder);
    trial_set_number(&trial, "jobs", 2);
    assert_int_equal(trial_run(&trial), SCOW_OK);
    assert_done(&trial, 0, "00/00001");
    assert_done(&trial, 12344, "06/06173");
    trial_release(&trial);
    for (int i = 0; i <= 6; i += 6) {
        snprintf(file, sizeof file, "%s/%02d", folder, i);
        assert_int_equal(rmdir(file), 0);
    }
    assert_int_equal(rmdir(folder), 0);
    snprintf(folder, sizeof folder, "%s/results", scratch);
    assert_int_equal(rmdir(folder), 0);
}

static void wrong_environments(void **state)
{
    (void)state;
    static const char *const rows[][3] = {
        {"workdir", "/nowhere", "--workdir /nowhere is no folder here: make it on every node"},
        {"out-dir", "/dev/null/x",
         "--out-dir /dev/null/x cannot be made: Not a directory: name a folder that every node can "
         "write to"},
        {"wrap", "nice |", "--wrap 'nice |' needs a shell, which only --command can have"},
        {"wrap", "no-such-program",
         "'no-such-program', which --command runs, cannot be run here: "
         "No such file or directory"},
        {"env", "A=$B", "--env 'A=$B' needs a shell, which only --command can have"},
        {"env", "A=1 2",
         "--env has '2', and must be words NAME=VALUE, with quotes around blanks: "
         "'A=1 B=\"two words\"'"},
        {"env", "1A=1",
         "--env has '1A=1', and must be words NAME=VALUE, with quotes around "
         "blanks: 'A=1 B=\"two words\"'"},
        {"env", "SCOW_TASK=1", "--env sets SCOW_TASK, which scow sets for every command by itself"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct trial trial;
        trial_make(&trial, "echo {}", "task", "a");
        trial_set(&trial, rows[i][0], rows[i][1]);
        assert_int_equal(trial_run(&trial), SCOW_FAILED);
        assert_string_equal(trial.failed, rows[i][2]);
        trial_release(&trial);
    }
}

/* The peak of memory is that of one process per line or, for all lines together, is told with the
 * last answered one. */
static void peaks_of_memory(void **state)
{
    (void)state;
    static const char *const methods[] = {"task", "package", "worker"};
    for (int way = 0; way < 3; way++) {
        struct trial trial;
        trial_make(&trial, way == 0 ? CHILD " {}" : CHILD, methods[way], "say=a\nfill=50 say=b");
        if (way == 0)
            trial.items[1] = (struct scow_item){.bytes = "fill=50", .size = 7};
        trial_set_number(&trial, "jobs", 1);
        assert_int_equal(trial_run(&trial), SCOW_OK);
        assert_in_range((int64_t)trial_number(&trial, 1, "peak_kib"), 50000000 / 1024, 80000);
        assert_in_range((int64_t)trial_number(&trial, 0, "peak_kib"), 0, 30000);
        trial_release(&trial);
    }
    assert_in_range(memory_peak_kib(getpid()), 500, 1 << 30);
    assert_in_range(memory_left_kib(), 1000, INT64_MAX);
    assert_int_equal(memory_peak_kib(-5), 0);
}

static void exits_and_signals(void **state)
{
    (void)state;
    struct trial trial;
    trial_make(&trial, CHILD " {}", "task", "exit=0\nexit=3\nkill=9\nkill=15\nexit=255\nsay=on");
    assert_int_equal(trial_run(&trial), SCOW_OK);
    assert_done(&trial, 0, "");
    assert_rejected(&trial, 1, "exit 3", 3);
    assert_rejected(&trial, 2, "killed by signal 9", -9);
    assert_rejected(&trial, 3, "killed by signal 15", -15);
    assert_rejected(&trial, 4, "exit 255", 255);
    assert_done(&trial, 5, "on");
    trial_release(&trial);
}

static void programs_that_cannot_start(void **state)
{
    (void)state;
    char command[600];
    assert_refused("no-such-program {}", "task", "a",
                   "'no-such-program', which --command runs, cannot be run here: No such file or "
                   "directory");
    assert_refused("/etc/passwd {}", "task", "a",
                   "'/etc/passwd', which --command runs, cannot be run here: Permission denied");
    assert_refused("'' {}", "task", "a",
                   "'', which --command runs, cannot be run here: No such file or directory");
    snprintf(command, sizeof command, "%s/script", scratch);
    FILE *script = fopen(command, "w");
    fputs("echo script \"$1\"", script);
    fclose(script);
    char lines[700];
    snprintf(lines, sizeof lines, "no-such-program\n/etc/passwd\n/\n%s\necho", command);
    struct trial trial;
    trial_make(&trial, "{} a", "task", lines);
    chmod(command, 0700);
    assert_int_equal(trial_run(&trial), SCOW_OK);
    assert_rejected(&trial, 0, "cannot be started: No such file or directory", 127);
    assert_rejected(&trial, 1, "cannot be started: Permission denied", 126);
    assert_rejected(&trial, 2, "cannot be started: Permission denied", 126);
    assert_done(&trial, 3, "script a");
    assert_done(&trial, 4, "a");
    trial_release(&trial);
    trial_make(&trial, "no-such-program {} | cat; no-such-program", "task", "a");
    assert_int_equal(trial_run(&trial), SCOW_OK);
    assert_rejected(&trial, 0, "exit 127", 127);
    trial_release(&trial);
}

/* A word may be too long for the system; that is the line's own fault. */
static void lines_that_are_too_long(void **state)
{
    (void)state;
    enum { LONG = 3000000 };
    char *lines = malloc(LONG + 10);
    memset(lines, 'x', LONG);
    memcpy(lines + LONG, "\nshort", sizeof "\nshort");
    struct trial trial;
    trial_make(&trial, "echo {}", "task", lines);
    assert_int_equal(trial_run(&trial), SCOW_OK);
    assert_rejected(&trial, 0, "cannot be started: Argument list too long", 126);
    assert_done(&trial, 1, "short");
    trial_release(&trial);
    for (size_t way = 0; way < COUNT_OF(ways); way++) {
        trial_make(&trial, "cat", ways[way], lines);
        trial_set_number(&trial, "keep", 10);
        assert_int_equal(trial_run(&trial), SCOW_OK);
        assert_done(&trial, 0, "xxxxxxxxxx");
        assert_true(trial_number(&trial, 0, "stdout_size") == LONG + 1);
        assert_done(&trial, 1, "short");
        trial_release(&trial);
    }
    free(lines);
}

/* A system short of processes is asked again, without blame for the line. */
static void starts_that_are_refused(void **state)
{
    (void)state;
    struct trial trial;
    trial_make(&trial, "echo {}", "task", "a\nb\nc");
    *refused = 3;
    assert_int_equal(trial_run(&trial), SCOW_OK);
    assert_int_equal(*refused, 0);
    for (int i = 0; i < 3; i++) {
        assert_done(&trial, i, i == 0 ? "a" : i == 1 ? "b" : "c");
        assert_true(trial_number(&trial, i, "attempts") == 1);
    }
    trial_release(&trial);
}

/* A command that would never end is ended with all processes that it started, by force if
 * necessary. */
static void timeouts(void **state)
{
    (void)state;
    for (size_t way = 0; way < COUNT_OF(ways); way++) {
        struct trial trial;
        trial_make(&trial, way ? CHILD : CHILD " {1} {2}", ways[way],
                   way ? "sleep\nstubborn sleep\nleave sleep\nstubborn leave sleep"
                       : "sleep\tsleep\nstubborn\tsleep\nleave\tsleep\nstubborn\tleave");
        trial_set(&trial, "timeout", "0.05");
        assert_int_equal(trial_run(&trial), SCOW_OK);
        for (int i = 0; i < 4 - (way == 0); i++) {
            assert_string_equal(trial.results[i].why,
                                way == 1 ? "timed out after 0.1 s" : "timed out after 0.05 s");
            assert_true(trial_number(&trial, i, "exit") < 0);
        }
        trial_release(&trial);
    }
}

/* A limit relative to the median: a command that does not end is ended once others have shown how
 * long they take. */
static void timeouts_by_the_median(void **state)
{
    (void)state;
    struct trial trial;
    trial_make(&trial, CHILD " {}", "task", "sleep\nsay=a\nsay=b\nsay=c");
    trial_set(&trial, "timeout", "200%");
    assert_int_equal(trial_run(&trial), SCOW_OK);
    assert_rejected(&trial, 0, "timed out after 1 s", -15);
    assert_done(&trial, 3, "c");
    trial_release(&trial);
}

static void retries(void **state)
{
    (void)state;
    char command[600];
    for (size_t way = 0; way < COUNT_OF(ways); way++) {
        char file[64];
        snprintf(file, sizeof file, "%s/once-%zu", scratch, way);
        snprintf(command, sizeof command, way ? CHILD : CHILD " {1} {2} {3}");
        char lines[400];
        snprintf(lines, sizeof lines,
                 "say=a once=/ once=/\npart=b once=%s say=c\nwarn=d once=/ exit=4\n"
                 "say=e once=/ once=/",
                 file);
        for (char *at = lines; way == 0 && *at; at++)
            *at = *at == ' ' ? '\t' : *at;
        struct trial trial;
        trial_make(&trial, command, ways[way], lines);
        trial_set_number(&trial, "retries", 2);
        trial_set_number(&trial, "jobs", 1);
        assert_int_equal(trial_run(&trial), SCOW_OK);
        assert_done(&trial, 1, "bc");
        assert_true(trial_number(&trial, 1, "attempts") == 2);
        char *first = trial_stream(&trial, 1, COMMAND_STDOUT, 1);
        char *second = trial_stream(&trial, 1, COMMAND_STDOUT, 0);
        assert_string_equal(first, "b");
        assert_string_equal(second, "bc\n");
        assert_rejected(&trial, 2, "exit 4", 4);
        assert_true(trial_number(&trial, 2, "attempts") == 3);
        assert_string_equal(trial_text(&trial, 2, "stderr"), "d");
        assert_done(&trial, 3, "e");
        assert_int_equal(trial.rejects, 1);
        free(first);
        free(second);
        trial_release(&trial);
    }
}

static void halts(void **state)
{
    (void)state;
    struct trial trial;
    trial_make(&trial, CHILD " {}", "task",
               "exit=1\nsay=a\nexit=2\nsay=b\nexit=3\nsleep\nsay=c\nsay=d");
    trial_set(&trial, "halt", "2");
    trial_set_number(&trial, "jobs", 1);
    assert_int_equal(trial_run(&trial), SCOW_FAILED);
    assert_string_equal(trial.failed, "2 of 3 commands failed, which --halt 2 ends; "
                                      "line 3: exit 2");
    assert_int_equal(trial.rejects, 2);
    trial_release(&trial);
    trial_make(&trial, CHILD " {}", "task", "exit=1\nsay=a\nexit=2\nsay=b\nexit=3\nsleep\nsleep");
    trial_set(&trial, "halt", "50%");
    trial_set_number(&trial, "jobs", 1);
    assert_int_equal(trial_run(&trial), SCOW_FAILED);
    assert_string_equal(trial.failed, "3 of 5 commands failed, which --halt 50% ends; "
                                      "line 5: exit 3");
    trial_release(&trial);
    /* All commands and more cannot fail. */
    trial_make(&trial, CHILD " {}", "task", "exit=1");
    trial_set(&trial, "halt", "101%");
    assert_int_equal(trial_run(&trial), SCOW_FAILED);
    assert_string_equal(trial.failed,
                        "--halt is '101%': it must be a number above 0, a percentage up to "
                        "100%, or never");
    trial_release(&trial);
    /* Those that run at that time are ended with it. */
    trial_make(&trial, CHILD " {1} {2}", "task",
               "stubborn\tsleep\nleave\tsleep\nsay=x\texit=1\nsleep\tsleep");
    trial_set(&trial, "halt", "1");
    trial_set_number(&trial, "jobs", 4);
    assert_int_equal(trial_run(&trial), SCOW_FAILED);
    trial_release(&trial);
}

static int scratch_remove(void **state)
{
    (void)state;
    char command[200];
    snprintf(command, sizeof command, "rm -rf %s", scratch);
    return system(command); /* NOLINT(cert-env33-c) */
}

int main(void)
{
    setenv("PMI_RANK", "1", 1);
    setenv("TEST_ENVIRONMENT", "stays", 1);
    refused =
        mmap(NULL, sizeof *refused, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    command_spawner_begin();
    command_spawner_begin();
    left_begin();
    if (!mkdtemp(scratch))
        return 1;
#define EACH(test) cmocka_unit_test_setup_teardown(test, left_before, left_after)
    const struct CMUnitTest tests[] = {
        EACH(lines_arrive_whole),
        EACH(columns_of_lines),
        EACH(commands_as_texts),
        EACH(fields_of_lines),
        EACH(lines_in_packages),
        EACH(both_streams),
        EACH(nothing_is_kept),
        EACH(what_commands_see),
        EACH(what_is_said_to_commands),
        EACH(where_commands_run),
        EACH(paths_of_their_own),
        EACH(wrong_environments),
        EACH(peaks_of_memory),
        EACH(exits_and_signals),
        EACH(programs_that_cannot_start),
        EACH(lines_that_are_too_long),
        EACH(starts_that_are_refused),
        EACH(timeouts),
        EACH(timeouts_by_the_median),
        EACH(retries),
        EACH(halts),
    };
    return cmocka_run_group_tests(tests, NULL, scratch_remove);
}
