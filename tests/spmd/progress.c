/* What a run prints about its progress. */
#define _GNU_SOURCE /* posix_openpt */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "spmd/launch/progress.h"

static void test_time_left_starts_from_the_plan(void **state)
{
    (void)state;
    struct progress progress;
    progress_init(&progress, NULL, 100, 50.0);
    assert_true(progress_left_s(&progress, 0, 0) == 50.0);
    /* On schedule nothing is corrected. */
    assert_true(progress_left_s(&progress, 50, 25.0) == 25.0);
    /* At twice the planned time per task, half done: the other half takes nearly as long again. */
    const double left_s = progress_left_s(&progress, 50, 50.0);
    assert_true(left_s > 40 && left_s < 50);
    /* The sooner that is seen, the more the plan counts. */
    const double early_s = progress_left_s(&progress, 2, 2.0);
    assert_true(early_s > 49 && early_s < 70);
    assert_true(progress_left_s(&progress, 100, 70.0) == 0.0);
    /* Never negative. */
    assert_true(progress_left_s(&progress, 1, 90.0) >= 0.0);
}

/* Two packages of 40 tasks end at 20 s, a last one of 20 at 30 s. */
static void test_time_left_follows_the_plan(void **state)
{
    (void)state;
    struct progress progress;
    progress_init(&progress, NULL, 100, 30.0);
    progress.curve.count = 3;
    progress.curve.steps = calloc(3, sizeof *progress.curve.steps);
    assert_non_null(progress.curve.steps);
    progress.curve.steps[0] = (struct progress_step){20, 40};
    progress.curve.steps[1] = (struct progress_step){20, 80};
    progress.curve.steps[2] = (struct progress_step){30, 100};
    /* Nothing is to be done before 20 s, so nothing is late. */
    assert_true(progress_left_s(&progress, 0, 0) == 30.0);
    assert_true(progress_left_s(&progress, 0, 19.0) == 11.0);
    assert_true(progress_left_s(&progress, 80, 25.0) == 5.0);
    /* Late from then on. */
    assert_true(progress_left_s(&progress, 0, 40.0) > 15.0);
    /* Done sooner than planned: the rest will take less, too. */
    const double left_s = progress_left_s(&progress, 80, 10.0);
    assert_true(left_s > 5 && left_s < 10);
    progress_end(&progress);
    assert_null(progress.curve.steps);
}

static void test_the_slowest_worker(void **state)
{
    (void)state;
    char *text = NULL;
    size_t size = 0;
    int64_t worker = -1;
    double excess = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    struct progress progress;
    progress_init(&progress, out, 100, 0);
    progress_worker(&progress, 5, 2.0, 2.0);
    assert_false(progress_slowest(&progress, &worker, &excess)); /* of one, nothing is said */
    progress_worker(&progress, 2, 1.0, 1.5);
    progress_worker(&progress, 0, 4.0, 5.0);
    progress_worker(&progress, 2, 3.0, 3.5);
    assert_true(progress_slowest(&progress, &worker, &excess));
    assert_int_equal(worker, 0); /* 25 % each: the first one */
    assert_true(excess == 0.25);
    progress_worker(&progress, 2, 1.0, 2.0);
    assert_true(progress_slowest(&progress, &worker, &excess));
    assert_int_equal(worker, 2);
    progress_show(&progress, 50, 200.0);
    progress_end(&progress);
    fclose(out);
    assert_string_equal(text, "scow: 50 of 100 core tasks (50 %), 0.25/s, 3 min 20 s, 3 min 20 s "
                              "left; slowest worker 3 at +40 %\n");
    free(text);
}

static void test_time_left_without_prediction(void **state)
{
    (void)state;
    struct progress progress;
    progress_init(&progress, NULL, 10, 0);
    assert_true(progress_left_s(&progress, 0, 3.0) < 0);
    assert_true(progress_left_s(&progress, 5, 3.0) == 3.0);
}

/* A job that is measured while it is worked on: programs that load for 4 s say nothing of the time
 * that 1,000 lines will take. */
static void test_time_left_once_it_is_planned(void **state)
{
    (void)state;
    struct progress progress;
    progress_init(&progress, NULL, 1000, -1);
    assert_true(progress_left_s(&progress, 2, 5.0) < 0);
    progress_plan(&progress, 12.0, 16, 21.0);
    assert_true(fabs(progress_left_s(&progress, 16, 12.0) - 9) < 1e-9);
    const double half_s = progress_left_s(&progress, 508, 16.5);
    assert_true(half_s > 4.3 && half_s < 4.7);
    assert_true(progress_left_s(&progress, 1000, 21.0) == 0);
    progress_end(&progress);
}

static void test_a_line_every_few_seconds(void **state)
{
    (void)state;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    struct progress progress;
    progress_init(&progress, out, 200, 100.0);
    progress_show(&progress, 1, 0.5); /* too early */
    progress_show(&progress, 20, 10.0);
    progress_show(&progress, 21, 10.1); /* too soon after the last */
    progress_show(&progress, 40, 20.0);
    progress_end(&progress);
    fclose(out);
    assert_string_equal(text, "scow: 20 of 200 core tasks (10 %), 2/s, 10 s, 90 s left\n"
                              "scow: 40 of 200 core tasks (20 %), 2/s, 20 s, 80 s left\n");
    free(text);
}

/* All that has been written, which a terminal gives piece by piece, up to the second `mark`. */
static void shown_read(int master, const char *mark, char *all, size_t size)
{
    size_t length = 0;
    while (!strstr(all + (length > 0), mark)) {
        struct pollfd there = {.fd = master, .events = POLLIN};
        assert_int_equal(poll(&there, 1, 10000), 1);
        const ssize_t got = read(master, all + length, size - 1 - length);
        assert_true(got > 0);
        length += (size_t)got;
        all[length] = '\0';
    }
}

/* A line that wraps could not be redrawn. */
/* Gives what a terminal of `columns` columns is shown, without the characters that redraw the
 * line. */
static void line_shown(unsigned short columns, char *shown, size_t size)
{
    static const char redraw[] = "\r\033[K";
    const struct winsize window = {.ws_row = 10, .ws_col = columns};
    char all[400] = "";
    const int master = posix_openpt(O_RDWR | O_NOCTTY);
    assert_true(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
    FILE *terminal = fopen(ptsname(master), "r+");
    assert_non_null(terminal);
    assert_int_equal(ioctl(fileno(terminal), TIOCSWINSZ, &window), 0);
    setenv("TERM", "xterm", 1);
    struct progress progress;
    progress_init(&progress, terminal, 1000, 100.0);
    assert_true(progress.terminal >= 0);
    progress_worker(&progress, 0, 1.0, 1.0);
    progress_worker(&progress, 1, 1.0, 1.5);
    progress_show(&progress, 500, 50.0);
    progress_end(&progress);
    assert_int_equal(progress.terminal, -1);
    shown_read(master, redraw, all, sizeof all);
    assert_memory_equal(all, redraw, sizeof redraw - 1);
    char *end = strstr(all + 1, redraw);
    assert_non_null(end);
    assert_string_equal(end, redraw);
    *end = '\0';
    snprintf(shown, size, "%s", all + sizeof redraw - 1);
    fclose(terminal);
    close(master);
}

/* The less there is room for, the less is said; the time left stays as long as it can. */
static void test_a_line_on_a_narrow_terminal(void **state)
{
    static const struct {
        unsigned short columns;
        const char *line;
    } rows[] = {
        {80, "500 of 1000 core tasks (50 %), 10/s, 50 s, 50 s left; slowest worker 2 at +50 %"},
        {77, "500 of 1000 core tasks (50 %), 10/s, 50 s, 50 s left"},
        {40, "500 of 1000 (50 %), 10/s, 50 s left"},
        {25, "500 (50 %), 50 s left"},
        {12, "500 (50 %),"}};
    (void)state;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        char shown[400];
        line_shown(rows[k].columns, shown, sizeof shown);
        assert_string_equal(shown, rows[k].line);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_time_left_starts_from_the_plan),
        cmocka_unit_test(test_time_left_follows_the_plan),
        cmocka_unit_test(test_the_slowest_worker),
        cmocka_unit_test(test_time_left_without_prediction),
        cmocka_unit_test(test_time_left_once_it_is_planned),
        cmocka_unit_test(test_a_line_every_few_seconds),
        cmocka_unit_test(test_a_line_on_a_narrow_terminal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
