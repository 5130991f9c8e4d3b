/* Which ranks live, as seen from another process: locks that are free when their process is gone,
 * processes that are ended only if they are still the same, and packages that are under way. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "planner/base/file_lock.h"
#include "planner/base/process.h"
#include "spmd/master/outstanding.h"
#include "spmd/protocol/membership.h"
#include "tests/checks.h"

enum { PLACE = 3 };

static char path[64];

/* Takes the place, says so and who it is, and waits. */
static void child_run(int out)
{
    const int file = file_lock_together(path);
    const struct process self = process_self();
    if (file < 0 || !file_lock_place(file, PLACE) || write(out, &self, sizeof self) != sizeof self)
        _exit(1);
    for (;;)
        pause();
}

static pid_t child_begin(struct process *process)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        child_run(ends[1]);
    close(ends[1]);
    assert_int_equal(read(ends[0], process, sizeof *process), (int)sizeof *process);
    close(ends[0]);
    return child;
}

static void a_place_is_free_when_its_process_is_gone(void **state)
{
    struct process process;
    int how;
    (void)state;
    const int file = file_lock_together(path);
    assert_true(file >= 0);
    assert_false(file_lock_taken(file, PLACE));
    const pid_t child = child_begin(&process);
    assert_true(file_lock_taken(file, PLACE));
    assert_false(file_lock_place(file, PLACE));
    assert_false(file_lock_taken(file, PLACE + 1));
    assert_int_equal(kill(child, SIGSTOP), 0); /* it is still there */
    assert_true(file_lock_taken(file, PLACE));
    assert_true(process_is_alive(&process));
    process_kill(&process);
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_true(WIFSIGNALED(how) && WTERMSIG(how) == SIGKILL);
    assert_false(file_lock_taken(file, PLACE));
    assert_true(file_lock_place(file, PLACE));
    assert_false(file_lock_taken(file, PLACE)); /* by another */
    close(file);
}

static void only_the_same_process_is_ended(void **state)
{
    struct process process, other;
    int how;
    (void)state;
    const pid_t child = child_begin(&process);
    other = process;
    other.started--;
    assert_false(process_is_alive(&other));
    process_kill(&other);
    other = process;
    other.machine++;
    assert_false(process_is_alive(&other));
    process_kill(&other);
    other.machine = 0;
    assert_false(process_is_alive(&other));
    process_kill(&other);
    other = process_self();
    assert_false(process_is_alive(&other));
    process_kill(&other);
    assert_true(process_is_alive(&process));
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_false(process_is_alive(&process));
    process_kill(&process);
}

static void packages_under_way_are_queues(void **state)
{
    enum { WORKERS = 3, PACKAGES = 1000 };
    struct outstanding outstanding;
    int64_t next[WORKERS] = {0}, count, all = 0;
    (void)state;
    assert_true(outstanding_init(&outstanding, WORKERS));
    for (int64_t k = 0; k < PACKAGES; k++) {
        const struct package package = {.index = k, .worker = k % WORKERS, .first = k, .count = 1};
        assert_true(outstanding_add(&outstanding, &package));
        all++;
        const int64_t worker = (k * k) % WORKERS;
        const struct package *oldest = outstanding_of(&outstanding, worker, &count);
        if (!oldest)
            continue;
        assert_int_equal(oldest->index, worker + WORKERS * next[worker]);
        assert_int_equal(oldest[count - 1].index, worker + WORKERS * (next[worker] + count - 1));
        outstanding_take(&outstanding, worker);
        next[worker]++;
        all--;
    }
    assert_int_equal(outstanding.count, all);
    for (int64_t worker = 0; worker < WORKERS; worker++) {
        outstanding_of(&outstanding, worker, &count);
        all -= count;
        outstanding_drop(&outstanding, worker);
        assert_null(outstanding_of(&outstanding, worker, &count));
        assert_int_equal(outstanding.count, all);
    }
    assert_int_equal(outstanding.count, 0);
    outstanding_release(&outstanding);
}

/* Whatever the link calls them: one that joins again, or later, is no other case. */
static void members_are_known_by_the_order_of_joining(void **state)
{
    static const int peers[] = {3, 1, 70};
    const struct comm comm = {.size = 3};
    const struct membership_setup setup = {
        .comm = &comm, .path = "out.h5", .command = "scow run", .workers = 2};
    const struct process process = {1, 2, 3};
    struct membership members;
    struct process_list lost;
    (void)state;
    membership_init(&members, &setup);
    assert_int_equal(membership_of(&members, 1), 0);
    for (int k = 0; k < 3; k++)
        assert_int_equal(membership_join(&members, peers[k], &process), k + 1);
    for (int k = 0; k < 3; k++) {
        assert_int_equal(membership_of(&members, peers[k]), k + 1);
        assert_int_equal(membership_peer(&members, k + 1), peers[k]);
        assert_int_equal(membership_lives(&members, k + 1), k < 2); /* the last stands by */
    }
    assert_int_equal(membership_of(&members, 2), 0);
    membership_lose(&members, 2, MEMBER_LOST, "it is gone");
    assert_true(membership_lost(&members, 2));
    assert_int_equal(membership_living(&members), 1);
    assert_string_equal(membership_why(&members, 2), "it is gone");
    assert_int_equal(membership_join(&members, peers[1], &process), 2);
    assert_int_equal(membership_living(&members), 2);
    assert_false(membership_processes(&members, &lost));
    assert_int_equal(lost.count, 3);
    free(lost.items);
    membership_release(&members);
}

static int file_make(void **state)
{
    (void)state;
    snprintf(path, sizeof path, "liveness-test-%ld", (long)getpid());
    const int file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0666);
    return file >= 0 && close(file) == 0 ? 0 : -1;
}

static int file_remove(void **state)
{
    (void)state;
    return unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_place_is_free_when_its_process_is_gone),
        cmocka_unit_test(only_the_same_process_is_ended),
        cmocka_unit_test(packages_under_way_are_queues),
        cmocka_unit_test(members_are_known_by_the_order_of_joining),
    };
    return cmocka_run_group_tests(tests, file_make, file_remove);
}
