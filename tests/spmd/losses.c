/* What an output keeps about lost workers, and how a resumed run uses it. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "spmd/output/losses.h"
#include "spmd/protocol/fault.h"
#include "tests/checks.h"

enum { TASKS = 100, ROWS = 16 };

struct trial {
    struct losses_row rows[ROWS];
    struct losses_in_flight in_flight[4]; /* the master's first */
    uint8_t ledger[TASKS];
    struct losses_known known;
};

static struct losses_known *trial_begin(struct trial *trial)
{
    *trial = (struct trial){.known = {.rows = trial->rows,
                                      .in_flight = trial->in_flight,
                                      .in_flight_count = 4,
                                      .ledger = trial->ledger,
                                      .tasks = TASKS}};
    return &trial->known;
}

static void assert_row(const struct losses_row *row, int64_t first, int64_t count, int losses,
                       bool given_up)
{
    assert_int_equal(row->first, first);
    assert_int_equal(row->count, count);
    assert_int_equal(row->losses, losses);
    assert_int_equal(row->given_up, given_up);
}

static void a_noted_signal_says_whose_fault_it_was(void **state)
{
    struct trial trial;
    struct losses_known *known = trial_begin(&trial);
    (void)state;
    trial.in_flight[1] = (struct losses_in_flight){.first = 0, .count = 10};
    trial.in_flight[2] = (struct losses_in_flight){.first = 10, .count = 10, .signal = SIGSEGV};
    trial.in_flight[0].asked = 1; /* whatever was asked, it did that by itself */
    losses_resolve(known);
    assert_int_equal(known->count, 1);
    assert_row(&trial.rows[0], 10, 10, 1, false);
    assert_int_equal(trial.rows[0].signal, SIGSEGV);
}

static void without_one_all_in_flight_are_suspect(void **state)
{
    struct trial trial;
    struct losses_known *known = trial_begin(&trial);
    (void)state;
    trial.in_flight[1] = (struct losses_in_flight){.first = 0, .count = 10};
    trial.in_flight[2] = (struct losses_in_flight){.first = 10, .count = 10};
    trial.in_flight[3] = (struct losses_in_flight){.first = 20, .count = 2}; /* done since */
    trial.ledger[20] = trial.ledger[21] = 1;
    losses_resolve(known);
    assert_int_equal(known->count, 2);
    assert_row(&trial.rows[0], 0, 10, 1, false);
    assert_row(&trial.rows[1], 10, 10, 1, false);
}

static void who_was_asked_to_stop_blames_nothing(void **state)
{
    struct trial trial;
    struct losses_known *known = trial_begin(&trial);
    (void)state;
    trial.in_flight[0].asked = 1;
    trial.in_flight[1] = (struct losses_in_flight){.first = 0, .count = 10};
    losses_resolve(known);
    assert_int_equal(known->count, 0);
}

/* Two of which one may be the reason are both kept; one alone is given up, with a signal both. */
static void single_tasks_are_given_up_when_it_is_sure(void **state)
{
    for (int way = 0; way < 3; way++) {
        struct trial trial;
        struct losses_known *known = trial_begin(&trial);
        const bool noted = way == 2, two = way > 0;
        trial.rows[0] = (struct losses_row){.first = 0, .count = 10, .losses = noted ? 1 : 2};
        known->count = 1;
        trial.in_flight[1] =
            (struct losses_in_flight){.first = 3, .count = 1, .signal = noted ? SIGSEGV : 0};
        if (two)
            trial.in_flight[2] =
                (struct losses_in_flight){.first = 4, .count = 1, .signal = noted ? SIGBUS : 0};
        losses_resolve(known);
        assert_int_equal(known->count, two ? 3 : 2);
        assert_row(&trial.rows[1], 3, 1, noted ? 2 : 3, !two || noted);
        assert_int_equal(trial.ledger[3], !two || noted ? 2 : 0);
        if (two)
            assert_row(&trial.rows[2], 4, 1, noted ? 2 : 3, noted);
    }
    (void)state;
}

/* All ranks killed from outside, twice, while the same core task was worked on. */
static void two_kills_from_outside_give_nothing_up(void **state)
{
    struct trial trial;
    struct losses_known *known = trial_begin(&trial);
    (void)state;
    trial.rows[0] = (struct losses_row){.first = 2, .count = 3, .losses = 1};
    known->count = 1;
    trial.in_flight[1] = (struct losses_in_flight){.first = 3, .count = 1};
    losses_resolve(known);
    assert_row(&trial.rows[1], 3, 1, 2, false);
    assert_int_equal(trial.ledger[3], 0);
    losses_resolve(known); /* and once more */
    assert_row(&trial.rows[2], 3, 1, 3, true);
    assert_int_equal(trial.ledger[3], 2);
}

static void nonsense_is_left_out(void **state)
{
    struct trial trial;
    struct losses_known *known = trial_begin(&trial);
    (void)state;
    trial.rows[0] = (struct losses_row){.first = -1, .count = 10, .losses = 1};
    trial.rows[1] = (struct losses_row){.first = 5, .count = INT64_MAX, .losses = 1};
    trial.rows[2] = (struct losses_row){.first = 7, .count = 1, .losses = 2, .given_up = 1};
    known->count = 3;
    trial.in_flight[1] = (struct losses_in_flight){.first = TASKS, .count = 1};
    trial.in_flight[2] = (struct losses_in_flight){.first = 0, .count = -4};
    losses_resolve(known);
    assert_int_equal(known->count, 1);
    assert_row(&trial.rows[0], 7, 1, 2, true);
    trial.ledger[7] = 2;
    losses_forget(known);
    assert_int_equal(known->count, 0);
    assert_int_equal(trial.ledger[7], 0);
}

/* ---- in a file ---- */

static const struct output_places places = {
    .ledger = 16, .in_flight = 128, .in_flight_rows = 4, .lost = 1024};

static void begin_and_die(const char *path, int number)
{
    struct losses losses;
    signal(number, SIG_DFL); /* the test's own are not meant */
    losses_open(&losses, path, &places, 2, 0);
    losses_begin(&losses, 40, 5);
    fault_watch(losses.file, losses_signal_place(&losses, 2));
    raise(number);
    _exit(0);
}

static void what_a_process_died_of_is_noted(void **state)
{
    static const int numbers[] = {SIGSEGV, SIGABRT, SIGKILL};
    char path[] = "losses-test-XXXXXX";
    const int file = mkstemp(path);
    (void)state;
    assert_true(file >= 0);
    for (size_t k = 0; k < COUNT_OF(numbers); k++) {
        int status = 0;
        struct losses losses;
        struct losses_in_flight row;
        const pid_t child = fork();
        if (child == 0)
            begin_and_die(path, numbers[k]);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == numbers[k]);
        losses_open(&losses, path, &places, 0, 0);
        assert_true(losses_of(&losses, 2, &row));
        assert_int_equal(row.first, 40);
        assert_int_equal(row.count, 5);
        assert_int_equal(row.signal, numbers[k] == SIGKILL ? 0 : numbers[k]);
        assert_false(losses_of(&losses, 2, &row)); /* it was forgotten */
        assert_false(losses_of(&losses, 7, &row)); /* it has no row */
        losses_close(&losses);
    }
    close(file);
    unlink(path);
}

/* Files of an older version have no table, and some runs have no file: nothing is kept then. */
static void without_a_table_nothing_is_kept(void **state)
{
    const struct output_places none = {.ledger = 16};
    struct losses losses;
    struct losses_in_flight row;
    (void)state;
    losses_open(&losses, "/dev/null", &none, 1, 0);
    losses_begin(&losses, 1, 1);
    losses_add(&losses, &(struct losses_row){.first = 1, .count = 1});
    assert_false(losses_of(&losses, 1, &row));
    losses_begin(NULL, 1, 1);
    losses_asked(NULL);
    assert_false(losses_of(NULL, 1, &row));
    assert_true(losses_give_up(NULL, &(struct losses_row){.first = 1, .count = 1}, 1));
    losses_close(&losses);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_noted_signal_says_whose_fault_it_was),
        cmocka_unit_test(without_one_all_in_flight_are_suspect),
        cmocka_unit_test(who_was_asked_to_stop_blames_nothing),
        cmocka_unit_test(single_tasks_are_given_up_when_it_is_sure),
        cmocka_unit_test(two_kills_from_outside_give_nothing_up),
        cmocka_unit_test(nonsense_is_left_out),
        cmocka_unit_test(what_a_process_died_of_is_noted),
        cmocka_unit_test(without_a_table_nothing_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
