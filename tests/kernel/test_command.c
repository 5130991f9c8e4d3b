/* The core task `command`: programs run over lines, in every way, and whatever they do. Commands
 * that would sleep stand for those that never end, so that no outcome depends on a clock. */
#include "tests/checks.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/kernel/command_trial.h"

#define CHILD COMMAND_CHILD

static const char *const ways[] = {"task", "package", "worker"};
static char scratch[] = "/tmp/scow-command-XXXXXX";

/* ---- processes and descriptors that are left ---- */

static int entries_count(const char *directory)
{
    DIR *list = opendir(directory);
    assert_non_null(list);
    int count = 0;
    while (readdir(list))
        count++;
    closedir(list);
    return count;
}

/* A process's state, and its parent or session; false: there is none. */
static bool process_read(const char *pid, char *state, int *parent, int *session)
{
    char path[300], bytes[1024] = "";
    snprintf(path, sizeof path, "/proc/%s/stat", pid);
    const int fd = open(path, O_RDONLY);
    if (fd < 0)
        return false;
    const ssize_t size = read(fd, bytes, sizeof bytes - 1);
    close(fd);
    const char *name = size > 0 ? strrchr(bytes, ')') : NULL;
    int group;
    return name && sscanf(name + 1, " %c %d %d %d", state, parent, &group, session) == 4;
}

/* Processes of a session that have not ended, or whose parent has not taken note. */
static int session_count(int wanted)
{
    DIR *list = opendir("/proc");
    assert_non_null(list);
    int count = 0;
    for (struct dirent *entry; (entry = readdir(list));) {
        char state;
        int parent, session;
        if (strspn(entry->d_name, "0123456789") == strlen(entry->d_name) &&
            process_read(entry->d_name, &state, &parent, &session) && session == wanted &&
            !(state == 'Z' && parent == 1))
            count++;
    }
    closedir(list);
    return count;
}

static void nap(void)
{
    nanosleep(&(struct timespec){0, 5000000}, NULL);
}

/* What has been killed may take a moment to go. */
static void assert_session(int session, int processes)
{
    for (int naps = 0; naps < 4000 && session_count(session) != processes; naps++)
        nap();
    assert_int_equal(session_count(session), processes);
}

static int spawner_session; /* of this program's spawner, which leads it */

static void spawner_session_find(void)
{
    char self[20], state;
    int parent, session;
    DIR *list = opendir("/proc");
    snprintf(self, sizeof self, "%d", (int)getpid());
    for (struct dirent *entry; (entry = readdir(list));)
        if (process_read(entry->d_name, &state, &parent, &session) && parent == getpid())
            spawner_session = (int)strtol(entry->d_name, NULL, 10);
    closedir(list);
}

static int descriptors;

static int before(void **state)
{
    (void)state;
    descriptors = entries_count("/proc/self/fd");
    return 0;
}

/* After every test: nothing is left but the spawner. */
static int after(void **state)
{
    (void)state;
    assert_int_equal(entries_count("/proc/self/fd"), descriptors);
    assert_session(spawner_session, 1);
    return 0;
}

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

/* ---- trials ---- */

static struct trial *trial_make(struct trial *trial, const char *command, const char *per,
                                const char *lines)
{
    trial_init(trial, lines);
    trial_set(trial, "command", command);
    trial_set(trial, "per", per);
    trial_set_number(trial, "grace", 0.1);
    return trial;
}

static void assert_done(const struct trial *trial, int64_t task, const char *out)
{
    assert_string_equal(trial->results[task].why, "");
    assert_string_equal(trial_text(trial, task, "stdout"), out);
    assert_true(trial_number(trial, task, "exit") == 0);
    assert_true(trial_number(trial, task, "worker") == 3);
}

static void assert_rejected(const struct trial *trial, int64_t task, const char *why, int exit)
{
    assert_string_equal(trial->results[task].why, why);
    assert_int_equal(trial->results[task].rejects, 1);
    assert_int_equal((int)trial_number(trial, task, "exit"), exit);
}

static void assert_refused(const char *command, const char *per, const char *lines,
                           const char *sentence)
{
    struct trial trial;
    trial_make(&trial, command, per, lines);
    assert_int_equal(trial_run(&trial), SCOW_FAILED);
    assert_string_equal(trial.failed, sentence);
    trial_release(&trial);
}

/* ---- what is run, and what comes of it ---- */

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
            at += command_text(commands[row], lines.items[i].bytes, lines.items[i].size, i + 1, at,
                               (size_t)(texts + sizeof texts - at)) +
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

/* On standard error, before and after the answer, and when all lines are answered. */
static void what_is_said_beside_answers(void **state)
{
    (void)state;
    struct trial trial;
    trial_make(&trial, CHILD, "package", "warn=1 say=a warn=2\nwarn=3 say=b warn=4 warn=\xff");
    trial_set_number(&trial, "jobs", 1);
    assert_int_equal(trial_run(&trial), SCOW_OK);
    char said[100] = "";
    for (int i = 0; i < 2; i++) {
        char *err = trial_stream(&trial, i, COMMAND_STDERR, 0);
        strncat(said, err, sizeof said - 1 - strlen(said));
        free(err);
    }
    assert_string_equal(said, "1\n2\n3\n4\n\xff\n");
    const char *last = trial_text(&trial, 1, "stderr");
    assert_string_equal(last + strlen(last) - 3, "4\n?");
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

/* ---- failures ---- */

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
    strcpy(lines + LONG, "\nshort");
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

/* What would never end is ended, with all that it started, by force where it must be. */
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

/* Of the median: what runs without end is ended once others have shown how long they take. */
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
    assert_string_equal(trial.failed, "2 of 3 commands failed on worker 3, which --halt 2 ends; "
                                      "line 3: exit 2");
    assert_int_equal(trial.rejects, 2);
    trial_release(&trial);
    trial_make(&trial, CHILD " {}", "task", "exit=1\nsay=a\nexit=2\nsay=b\nexit=3\nsleep\nsleep");
    trial_set(&trial, "halt", "50%");
    trial_set_number(&trial, "jobs", 1);
    assert_int_equal(trial_run(&trial), SCOW_FAILED);
    assert_string_equal(trial.failed, "3 of 5 commands failed on worker 3, which --halt 50% ends; "
                                      "line 5: exit 3");
    trial_release(&trial);
    /* Those that run at that time are ended with it. */
    trial_make(&trial, CHILD " {1} {2}", "task",
               "stubborn\tsleep\nleave\tsleep\nsay=x\texit=1\nsleep\tsleep");
    trial_set(&trial, "halt", "1");
    trial_set_number(&trial, "jobs", 4);
    assert_int_equal(trial_run(&trial), SCOW_FAILED);
    trial_release(&trial);
}

/* ---- long-lived processes, and those for a package ---- */

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
    trial_make(&trial, CHILD " hold", "worker", "say=a\nsay=b\nsay=c");
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

/* ---- pipes ---- */

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

/* What would fill memory, or a disk, is ended. */
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

/* What a command leaves behind has a moment to finish writing, and ends with it. */
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

/* ---- the run ---- */

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
                   "line 2 of lines.txt has 1 field between tabs, and --command asks for {2}");
    assert_refused("prog {}", "worker", "a",
                   "--command 'prog {}' has a place for a line, but with --per worker lines come "
                   "on standard input: leave it out, or use --per task");
    struct trial trial;
    trial_make(&trial, "echo {}", "task", "a\nb");
    trial.items[1] = (struct scow_item){.bytes = "a\0b", .size = 3};
    assert_int_equal(trial_run(&trial), SCOW_FAILED);
    assert_string_equal(trial.failed, "line 2 of lines.txt has a zero byte, which no word of a "
                                      "command can");
    trial_release(&trial);
    trial_make(&trial, "echo {}", "task", "a");
    trial_set(&trial, "timeout", "2 s");
    assert_int_equal(trial_run(&trial), SCOW_FAILED);
    assert_string_equal(trial.failed, "--timeout is '2 s': it must be a number above 0, or a "
                                      "percentage like 200%");
    trial_release(&trial);
    trial_make(&trial, "echo {}", "task", "a");
    trial.tasks = 0;
    assert_int_equal(trial_run(&trial), SCOW_FAILED);
    assert_string_equal(trial.failed, "lines.txt has no lines");
    trial.tasks = 1;
    trial_release(&trial);
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

/* ---- the rank dies ---- */

/* This program once more, as a rank that runs a command which never ends, until it is killed. */
static int rank_main(const char *file)
{
    static int none;
    refused = &none;
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
    assert_true(session != getsid(0) && session != spawner_session);
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
    setenv("PMI_RANK", "1", 1);
    setenv("TEST_ENVIRONMENT", "stays", 1);
    refused =
        mmap(NULL, sizeof *refused, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    command_spawner_begin();
    command_spawner_begin();
    spawner_session_find();
    if (!mkdtemp(scratch))
        return 1;
#define EACH(test) cmocka_unit_test_setup_teardown(test, before, after)
    const struct CMUnitTest tests[] = {
        EACH(lines_arrive_whole),
        EACH(commands_as_texts),
        EACH(fields_of_lines),
        EACH(lines_in_packages),
        EACH(both_streams),
        EACH(what_is_said_beside_answers),
        EACH(nothing_is_kept),
        EACH(what_commands_see),
        EACH(exits_and_signals),
        EACH(programs_that_cannot_start),
        EACH(lines_that_are_too_long),
        EACH(starts_that_are_refused),
        EACH(timeouts),
        EACH(timeouts_by_the_median),
        EACH(retries),
        EACH(halts),
        EACH(a_process_for_a_package),
        EACH(answers_that_come_at_the_end),
        EACH(answers_that_are_missing),
        EACH(answers_that_are_too_many),
        EACH(a_process_that_dies),
        EACH(a_process_that_begins_afresh),
        EACH(a_process_that_holds_back),
        EACH(much_output),
        EACH(too_much_output),
        EACH(pipes_that_fill),
        EACH(pipes_that_are_closed),
        EACH(background_processes),
        EACH(cancelled),
        EACH(many_lines),
        EACH(jobs_that_are_wrong),
        EACH(input_that_changes),
        EACH(a_rank_that_is_killed),
    };
    return cmocka_run_group_tests(tests, NULL, scratch_remove);
}
