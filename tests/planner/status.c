/* The status of a run for observers: read as it was written, and as text. */
#include "planner/files/status.h"
#include "planner/command/live.h"
#include "tests/checks.h"
#include "tests/planner/samples.h"

static void status_make(struct dice *dice, struct run_status *status)
{
    *status = (struct run_status){.state = (enum run_state)dice_whole(dice, 0, RUN_STATES - 1),
                                  .written_s = dice_scale(dice, 1, 2e9),
                                  .began_s = dice_scale(dice, 1, 2e9),
                                  .every_s = dice_scale(dice, 1, 1e3),
                                  .elapsed_s = dice_scale(dice, 1e-3, 1e6),
                                  .tasks = dice_whole(dice, 1, (int64_t)1 << 50),
                                  .done = dice_whole(dice, 0, 1000),
                                  .failed = dice_whole(dice, 0, 1000),
                                  .kept = dice_whole(dice, 0, 1000),
                                  .per_s = dice_scale(dice, 1e-6, 1e6),
                                  .left_s = dice_whole(dice, 0, 1) ? dice_scale(dice, 1, 1e6) : -1,
                                  .end_s = dice_whole(dice, 0, 1) ? 1.8e9 : 0,
                                  .workers = dice_whole(dice, 1, 1000),
                                  .living = dice_whole(dice, 0, 1000),
                                  .slowest = dice_whole(dice, 0, 3)};
    status->excess = status->slowest > 0 ? dice_unit(dice) - 0.5 : 0;
    status->loss_count = dice_whole(dice, 0, 3);
    status->losses = calloc((size_t)status->loss_count + 1, sizeof *status->losses);
    assert_non_null(status->losses);
    for (int64_t k = 0; k < status->loss_count; k++)
        status->losses[k] =
            (struct status_loss){dice_whole(dice, 1, 100), strdup("its \"process\" is gone")};
}

static void written_is_read(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        struct dice dice = {seed};
        struct failure failure = FAILURE_INIT;
        struct run_status status, read;
        status_make(&dice, &status);
        char *text = status_print(&status, seed % 2 ? 3 : -1);
        assert_non_null(text);
        if (!status_parse(&read, text, strlen(text), "out.h5.status", &failure))
            fail_msg("%s in %s", failure.text, text);
        char *again = status_print(&read, seed % 2 ? 3 : -1);
        assert_non_null(again);
        assert_string_equal(text, again);
        free(text);
        free(again);
        status_release(&status);
        status_release(&read);
    }
}

static void nonsense_is_refused(void **state)
{
    static const char *const texts[] = {"", "{}", "{\"schema\": \"scow-plan-1\"}",
                                        "{\"schema\": \"scow-status-1\", \"state\": \"running\"}"};
    (void)state;
    for (size_t k = 0; k < COUNT_OF(texts); k++) {
        struct failure failure = FAILURE_INIT;
        struct run_status status;
        assert_false(status_parse(&status, texts[k], strlen(texts[k]), "x.status", &failure));
        assert_int_equal(failure.code, FAILURE_MISMATCH);
    }
}

static struct run_status half_done(void)
{
    return (struct run_status){.written_s = 1e9,
                               .every_s = 3,
                               .elapsed_s = 725,
                               .tasks = 1000,
                               .done = 500,
                               .failed = 2,
                               .kept = 100,
                               .per_s = 0.5517,
                               .left_s = 900,
                               .end_s = 1e9 + 3602,
                               .workers = 8,
                               .living = 7,
                               .slowest = 3,
                               .excess = 0.12};
}

static void a_screen(void **state)
{
    struct run_status status = half_done();
    struct status_loss loss = {4, "its process is gone"};
    struct text text = TEXT_INIT;
    (void)state;
    setenv("TZ", "UTC", 1);
    status.losses = &loss;
    status.loss_count = 1;
    live_describe("out.h5", &status, 1e9 + 2, &text);
    assert_string_equal(text.bytes, "run         out.h5: running, last heartbeat 2 s ago\n"
                                    "done        500 of 1000 core tasks (50 %), 2 failed, 100 done "
                                    "before\n"
                                    "elapsed     12 min 05 s\n"
                                    "rate        0.552 core tasks a second\n"
                                    "left        15 min 00 s, until about 02:01\n"
                                    "job ends    in 60 min 00 s\n"
                                    "slowest     worker 3, at +12 % of what was expected\n"
                                    "workers     7 of 8\n"
                                    "lost        worker 4: its process is gone\n"
                                    "written     2 s ago\n");
    text_release(&text);
}

/* At once, and not when it is old. */
static void who_is_gone_is_told(void **state)
{
    struct run_status status = half_done(), again;
    struct failure failure = FAILURE_INIT;
    struct text text = TEXT_INIT;
    (void)state;
    status.master = process_self();
    assert_false(process_has_ended(&status.master));
    char *json = status_print(&status, -1);
    assert_true(status_parse(&again, json, strlen(json), "x.status", &failure));
    assert_memory_equal(&again.master, &status.master, sizeof again.master);
    status_release(&again);
    free(json);
    status.master.started++; /* another process has its number */
    assert_true(process_has_ended(&status.master));
    status.master.machine++;
    assert_false(process_has_ended(&status.master));
    status.gone = true;
    live_describe("out.h5", &status, 1e9 + 2, &text);
    assert_non_null(strstr(text.bytes, "run         out.h5: gone\n"));
    assert_non_null(strstr(text.bytes, "its master has ended unexpectedly: scow run --resume"));
    assert_null(strstr(text.bytes, "until about"));
    text_release(&text);
}

static void what_is_old_says_so(void **state)
{
    struct run_status status = half_done();
    struct text text = TEXT_INIT;
    (void)state;
    live_describe("out.h5", &status, 1e9 + 180, &text);
    assert_non_null(strstr(text.bytes, "written     3 min 00 s ago: its master is busy"));
    text_release(&text);
    assert_false(status_stale(&status, 14));
    assert_true(status_stale(&status, 16));
    status.every_s = 60;
    assert_false(status_stale(&status, 200));
    status.state = RUN_STOPPED;
    assert_false(status_stale(&status, 1e9));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(written_is_read),
        cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(a_screen),
        cmocka_unit_test(who_is_gone_is_told),
        cmocka_unit_test(what_is_old_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
