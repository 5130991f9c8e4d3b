/* Workers as jobs: new ones for those that have ended, none beyond what is left to be done, and
 * those that wait in the queue in vain are cancelled. The queue and the commands of Slurm and PBS
 * are simulated. */
#include "spmd/serve/submission.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/checks.h"

enum { NAMES_MOST = 100 };
static enum job_state states_now[NAMES_MOST];
static bool taken_back[NAMES_MOST];
static int names, calls;

static bool pretend_submit(const struct submission *submission, struct submitted_job *jobs,
                           size_t *count, struct failure *failure)
{
    (void)submission, (void)failure;
    calls++;
    for (size_t k = 0; k < *count; k++) {
        assert_true(names < NAMES_MOST);
        states_now[names] = JOB_WAITS;
        snprintf(jobs[k].name, sizeof jobs[k].name, "%d", names++);
    }
    return true;
}

static bool pretend_look(const struct submitted_job *jobs, size_t count, enum job_state *states)
{
    for (size_t k = 0; k < count; k++)
        states[k] = states_now[strtol(jobs[k].name, NULL, 10)];
    return true;
}

static void pretend_cancel(const struct submitted_job *job)
{
    taken_back[strtol(job->name, NULL, 10)] = true;
}

static const struct resource_manager pretended = {"pretended", "a queue", pretend_submit,
                                                  pretend_look, pretend_cancel};

static void begin(struct submission *submission, int64_t wanted)
{
    struct failure failure = FAILURE_INIT;
    names = calls = 0;
    memset(taken_back, 0, sizeof taken_back);
    assert_true(
        submission_begin(submission, &pretended, "scow serve", "access", NULL, wanted, &failure));
    assert_int_equal(submission->count, wanted);
    assert_int_equal(calls, 1);
}

/* Its time has come. */
static void tick(struct submission *submission, int64_t left)
{
    submission->looked_s = 0;
    submission_tick(submission, left);
}

static void others_for_those_that_are_over(void **state)
{
    struct submission submission;
    (void)state;
    begin(&submission, 4);
    submission.jobs[1].since_s = 0; /* a long time ago */
    states_now[0] = states_now[2] = states_now[3] = JOB_RUNS;
    states_now[1] = JOB_OVER;
    tick(&submission, 1000);
    assert_int_equal(submission.count, 4);
    assert_int_equal(names, 5);
    submission_tick(&submission, 1000); /* too soon */
    assert_int_equal(calls, 2);
    submission_end(&submission);
    assert_false(taken_back[1]);
    for (int k = 0; k < names; k++)
        assert_true(k == 1 || taken_back[k]);
}

/* Three core tasks are left: of the jobs in the queue, the last ones go, and what runs stays. */
static void taken_back_where_not_needed(void **state)
{
    struct submission submission;
    (void)state;
    begin(&submission, 6);
    states_now[1] = states_now[4] = JOB_RUNS;
    tick(&submission, 3);
    assert_int_equal(submission.count, 3);
    assert_true(taken_back[5] && taken_back[3] && taken_back[2]);
    assert_false(taken_back[0] || taken_back[1] || taken_back[4]);
    tick(&submission, 1);
    assert_int_equal(submission.count, 2);
    assert_true(taken_back[0]);
    assert_false(taken_back[1] || taken_back[4]);
    states_now[1] = states_now[4] = JOB_OVER;
    submission.jobs[0].since_s = submission.jobs[1].since_s = 0;
    tick(&submission, 0);
    assert_int_equal(submission.count, 0);
    assert_int_equal(names, 6);
    submission_end(&submission);
}

/* They end at once, one after the other. */
static void in_vain(void **state)
{
    struct submission submission;
    (void)state;
    begin(&submission, 2);
    for (int k = 0; k < 10; k++) {
        for (int name = 0; name < names; name++)
            states_now[name] = JOB_OVER;
        tick(&submission, 100);
    }
    assert_true(submission.over);
    assert_int_equal(names, 6);
    submission_end(&submission);
}

/* ---- commands of batch systems -------------------------------------------------------------- */

enum { TEXT_SIZE = 4096 };
static char folder[] = "/tmp/scow-submission-XXXXXX";

static void write_file(const char *name, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    assert_int_equal(chmod(path, 0700), 0);
}

static void read_file(const char *name, char text[TEXT_SIZE])
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, TEXT_SIZE - 1, file)] = '\0';
    fclose(file);
}

static void forget(const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    unlink(path);
}

/* What each is called with is in "calls", a line a call, and what was handed in last in "script".
 * An array is 7, others are numbered by calls. */
static const char submits[] = "#!/bin/sh\n"
                              "cd \"${0%/*}\"\n"
                              "case $* in --version) . ./version; exit ;; esac\n"
                              "for last; do :; done\n"
                              "echo \"${*% *}\" >>calls\n"
                              "cp \"$last\" script\n"
                              "echo \"$last\" >file\n"
                              "case $* in\n"
                              "*' -J '* | *' -t '* | *--array=*) . ./array ;;\n"
                              "*) echo \"$(wc -l <calls).server\" ;;\n"
                              "esac\n";

static int pretend(void **state)
{
    char path[TEXT_SIZE];
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s:%s", folder, getenv("PATH"));
    setenv("PATH", path, 1);
    setenv("SCOW_SUBMIT", "-q short", 1);
    write_file("qsub", submits);
    write_file("sbatch", submits);
    write_file("qdel", "#!/bin/sh\necho \"$*\" >>\"${0%/*}/calls\"\n");
    return 0;
}

static int clean(void **state)
{
    static const char *const files[] = {"qsub",  "sbatch", "qdel", "qstat", "version",
                                        "array", "calls",  "file", "script"};
    (void)state;
    for (size_t k = 0; k < sizeof files / sizeof *files; k++)
        forget(files[k]);
    return rmdir(folder);
}

enum { JOBS_MOST = 1002 };
static struct submitted_job jobs[JOBS_MOST];
static char called[TEXT_SIZE];

/* So many; what that was done by is in `called`. */
static void submit(const struct resource_manager *manager, size_t count)
{
    const struct submission submission = {.manager = manager, .access = "/nowhere/access"};
    struct failure failure = FAILURE_INIT;
    const size_t wanted = count;
    char text[TEXT_SIZE];
    memset(jobs, 0, sizeof jobs);
    forget("calls");
    assert_true(manager->submit(&submission, jobs, &count, &failure));
    assert_int_equal(count, wanted);
    read_file("calls", called);
    read_file("script", text);
    assert_memory_equal(text, "#!/bin/sh\nexec ", strlen("#!/bin/sh\nexec "));
    assert_non_null(strstr(text, "/scow-work /nowhere/access\n"));
    read_file("file", text);
    text[strcspn(text, "\n")] = '\0';
    assert_int_not_equal(access(text, F_OK), 0); /* nothing is left */
}

static void arrays_of_pbs(void **state)
{
    (void)state;
    write_file("version", "echo 'pbs_version = 22.05.11'");
    write_file("array", "echo '7[].server.of.pbs'");
    submit(&submission_pbs, JOBS_MOST);
    assert_string_equal(called, "-N scow-work -J 0-999 -q short\n-N scow-work -J 0-1 -q short\n");
    assert_string_equal(jobs[0].name, "7[0].server.of.pbs");
    assert_string_equal(jobs[999].name, "7[999].server.of.pbs");
    assert_string_equal(jobs[1001].name, "7[1].server.of.pbs");
    submit(&submission_pbs, 1); /* is no array */
    assert_string_equal(called, "-N scow-work -q short\n");
    assert_string_equal(jobs[0].name, "1.server");
}

static void arrays_of_torque(void **state)
{
    (void)state;
    write_file("version", "printf 'Version: 6.1.3\\nCommit: 0a1b\\n' >&2");
    write_file("array", "echo '7[].server'");
    submit(&submission_pbs, 3);
    assert_string_equal(called, "-N scow-work -t 0-2 -q short\n");
    assert_string_equal(jobs[2].name, "7[2].server");
}

/* One by one where nobody knows of arrays, where they are refused, and where what they are called
 * says nothing of their jobs; that array is taken back. */
static void no_arrays(void **state)
{
    static const char single[] = "-N scow-work -q short\n";
    (void)state;
    write_file("version", "echo 'Unknown option: version'; exit 2");
    submit(&submission_pbs, 2);
    assert_string_equal(called, "-N scow-work -q short\n-N scow-work -q short\n");
    assert_string_equal(jobs[1].name, "2.server");
    write_file("version", "echo 'pbs_version = 22.05.11'");
    write_file("array", "exit 1");
    submit(&submission_pbs, 2);
    assert_string_equal(jobs[0].name, "2.server");
    assert_string_equal(jobs[1].name, "3.server");
    write_file("array", "echo 7.server");
    submit(&submission_pbs, 2);
    assert_memory_equal(strchr(called, '\n') + 1, "7.server\n", strlen("7.server\n"));
    assert_string_equal(called + strlen(called) - strlen(single), single);
    assert_string_equal(jobs[1].name, "4.server");
}

static void arrays_of_slurm(void **state)
{
    (void)state;
    write_file("array", "echo '7;cluster'");
    submit(&submission_slurm, JOBS_MOST);
    assert_string_equal(called, "--parsable --job-name=scow-work --array=0-999 -q short\n"
                                "--parsable --job-name=scow-work --array=0-1 -q short\n");
    assert_string_equal(jobs[999].name, "7_999");
    assert_string_equal(jobs[1000].name, "7_0");
}

/* Of these, and nobody else's, by numbers that stand before the server's name. */
static void states_of_pbs(void **state)
{
    static const struct submitted_job asked[] = {
        {.name = "7[0].server.of.pbs"}, {.name = "7[1].server.of.pbs"},
        {.name = "7[2].server.of.pbs"}, {.name = "7[10].server.of.pbs"},
        {.name = "8.server.of.pbs"},    {.name = "9.server.of.pbs"}};
    enum { COUNT = sizeof asked / sizeof *asked };
    static const enum job_state expected[COUNT] = {JOB_RUNS,  JOB_WAITS, JOB_OVER,
                                                   JOB_WAITS, JOB_OVER,  JOB_OVER};
    enum job_state states[COUNT];
    (void)state;
    write_file("qstat", "#!/bin/sh\n"
                        "[ \"$*\" = -t ] || exit 1\n"
                        "me=$(id -un)\n"
                        "cat <<END\n"
                        "Job id            Name             User              Time Use S Queue\n"
                        "----------------  ---------------- ----------------  -------- - -----\n"
                        "7[].server.of.p*  scow-work        $me                      0 B short\n"
                        "7[0].server.of.*  scow-work        $me               00:00:01 R short\n"
                        "7[1].server.of.*  scow-work        $me                      0 Q short\n"
                        "7[2].server.of.*  scow-work        $me                      0 X short\n"
                        "7[10].server.of*  scow-work        $me                      0 H short\n"
                        "8.server.of.pbs   scow-work        $me                      0 F short\n"
                        "9.server.of.pbs   scow-work        un$me                    0 R short\n"
                        "END\n");
    assert_true(submission_pbs.look(asked, COUNT, states));
    assert_memory_equal(states, expected, sizeof expected);
    /* A server that does not answer says nothing of jobs; one without any has its own code. */
    write_file("qstat", "#!/bin/sh\nexit 111\n");
    assert_false(submission_pbs.look(asked, COUNT, states));
    write_file("qstat", "#!/bin/sh\nexit 153\n");
    assert_true(submission_pbs.look(asked, COUNT, states));
    for (int k = 0; k < COUNT; k++)
        assert_int_equal(states[k], JOB_OVER);
    forget("calls");
    submission_pbs.cancel(&asked[1]);
    read_file("calls", called);
    assert_string_equal(called, "7[1].server.of.pbs\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(others_for_those_that_are_over),
        cmocka_unit_test(taken_back_where_not_needed),
        cmocka_unit_test(in_vain),
        cmocka_unit_test(arrays_of_pbs),
        cmocka_unit_test(arrays_of_torque),
        cmocka_unit_test(no_arrays),
        cmocka_unit_test(arrays_of_slurm),
        cmocka_unit_test(states_of_pbs),
    };
    return cmocka_run_group_tests(tests, pretend, clean);
}
