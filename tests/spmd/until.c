/* When a run must have ended, as users and batch systems say it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "spmd/run/until.h"
#include "tests/checks.h"

static const double now_s = 1795422600; /* 2026-11-23 08:30:00 UTC */

static void what_users_say(void **state)
{
    static const struct {
        const char *text;
        double left_s;
    } texts[] = {{"90", 90},
                 {"1.5", 1.5},
                 {"45s", 45},
                 {"3.5s", 3.5},
                 {"2h", 7200},
                 {"1h30m", 5400},
                 {"2d", 172800},
                 {"10:15", 6300},
                 {"10:15:30", 6330},
                 {"08:30", 86400},
                 {"00:00", 55800},
                 {"2026-11-23T09:00", 1800},
                 {"2026-11-24 08:30:05", 86405}};
    (void)state;
    for (size_t k = 0; k < COUNT_OF(texts); k++) {
        struct failure failure = FAILURE_INIT;
        struct until until;
        if (!until_parse(&until, texts[k].text, now_s, &failure))
            fail_msg("%s", failure.text);
        assert_true(until.known);
        if (fabs(until.end_s - now_s - texts[k].left_s) > 1e-6)
            fail_msg("%s is in %g s", texts[k].text, until.end_s - now_s);
    }
}

static void none_is_none(void **state)
{
    struct failure failure = FAILURE_INIT;
    struct until until;
    (void)state;
    assert_true(until_parse(&until, "none", now_s, &failure));
    assert_false(until.known);
}

static void nonsense_is_refused(void **state)
{
    static const char *const texts[] = {
        "", "2x", "h", "25:00", "10:61", "10:", "1h2", "2026-11-23", "-5", "nan", "10:15x"};
    static const char *const past[] = {"0", "0s", "2026-11-23T08:29"};
    (void)state;
    for (size_t k = 0; k < COUNT_OF(texts); k++) {
        struct failure failure = FAILURE_INIT;
        struct until until;
        if (until_parse(&until, texts[k], now_s, &failure))
            fail_msg("'%s' was taken", texts[k]);
        assert_int_equal(failure.code, FAILURE_USAGE);
    }
    for (size_t k = 0; k < COUNT_OF(past); k++) {
        struct failure failure = FAILURE_INIT;
        struct until until;
        char sentence[100];
        snprintf(sentence, sizeof sentence, "--until %s: is over already", past[k]);
        assert_false(until_parse(&until, past[k], now_s, &failure));
        assert_failure(failure, FAILURE_USAGE, sentence);
    }
}

static void durations_of_batch_systems(void **state)
{
    (void)state;
    assert_true(until_duration_s("5:30") == 330);
    assert_true(until_duration_s("01:00:05") == 3605);
    assert_true(until_duration_s("2-01:00:05") == 176405);
    assert_true(until_duration_s("1-12") == 129600);
    assert_true(until_duration_s("UNLIMITED") < 0);
    assert_true(until_duration_s("INVALID") < 0);
    assert_true(until_duration_s("7") < 0);
    assert_true(until_duration_s("") < 0);
}

/* A command that prints that, first in the PATH. */
static void command_make(const char *directory, const char *name, const char *prints)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "#!/bin/sh\ncat <<'END'\n%s\nEND\n", prints);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, 0700), 0);
}

static void batch_systems_are_asked(void **state)
{
    char directory[] = "/tmp/until-test-XXXXXX", path[4096], name[300];
    struct until until;
    (void)state;
    assert_non_null(mkdtemp(directory));
    snprintf(path, sizeof path, "%s:%s", directory, getenv("PATH"));
    setenv("PATH", path, 1);
    command_make(directory, "squeue", "1-02:03:04");
    command_make(directory, "qstat",
                 "Job Id: 7.host\n    resources_used.walltime = 00:10:00\n"
                 "    Resource_List.walltime = 02:00:00");
    until_ask(&until, now_s);
    assert_false(until.known);
    setenv("PBS_JOBID", "7.host", 1);
    until_ask(&until, now_s);
    assert_true(until.known && until.end_s == now_s + 6600);
    assert_string_equal(until.who, "PBS");
    setenv("SLURM_JOB_ID", "7", 1);
    until_ask(&until, now_s);
    assert_true(until.known && until.end_s == now_s + 93784);
    setenv("SLURM_JOB_END_TIME", "1795430000", 1);
    until_ask(&until, now_s);
    assert_true(until.known && until.end_s == 1795430000);
    assert_string_equal(until.who, "Slurm");
    unsetenv("SLURM_JOB_END_TIME");
    command_make(directory, "squeue", "UNLIMITED");
    until_ask(&until, now_s);
    assert_false(until.known);
    snprintf(name, sizeof name, "%s/squeue", directory);
    unlink(name);
    snprintf(name, sizeof name, "%s/qstat", directory);
    unlink(name);
    rmdir(directory);
}

/* A second, and 2 % of what is left, up to a minute, are for sealing. */
static void sealing_takes_its_time(void **state)
{
    const struct until soon = {.known = true, .end_s = now_s + 10};
    const struct until later = {.known = true, .end_s = now_s + 1000};
    const struct until much_later = {.known = true, .end_s = now_s + 1e5};
    (void)state;
    assert_true(fabs(until_left_s(&soon, now_s) - 9) < 1e-6);
    assert_true(fabs(until_left_s(&later, now_s) - 980) < 1e-6);
    assert_true(fabs(until_left_s(&much_later, now_s) - 99940) < 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_users_say),          cmocka_unit_test(none_is_none),
        cmocka_unit_test(nonsense_is_refused),     cmocka_unit_test(durations_of_batch_systems),
        cmocka_unit_test(batch_systems_are_asked), cmocka_unit_test(sealing_takes_its_time),
    };
    setenv("TZ", "UTC", 1);
    tzset();
    unsetenv("SLURM_JOB_ID");
    unsetenv("SLURM_JOB_END_TIME");
    unsetenv("PBS_JOBID");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
