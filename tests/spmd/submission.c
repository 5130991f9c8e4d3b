/* Workers as jobs: others for those that are over, none beyond what is left to be done, and those
 * that wait in the queue for nothing taken back. The queue is pretended. */
#include "spmd/serve/submission.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(others_for_those_that_are_over),
        cmocka_unit_test(taken_back_where_not_needed),
        cmocka_unit_test(in_vain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
