/* Communication on several ranks: agreement, texts, clocks, packages in order. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "spmd/transport/bandwidth.h"
#include "spmd/transport/bundle.h"
#include "spmd/transport/comm.h"
#include "spmd/transport/fetch.h"
#include "spmd/transport/inbox.h"
#include "spmd/transport/link_mpi.h"
#include "spmd/transport/outbox.h"

static struct comm comm;

static void test_agree_on_nothing(void **state)
{
    (void)state;
    struct failure failure = FAILURE_INIT;
    assert_true(comm_agree(&comm, &failure));
    assert_int_equal(failure.code, FAILURE_NONE);
}

static void test_agree_on_the_lowest(void **state)
{
    (void)state;
    for (int lowest = 0; lowest < comm.size; lowest++) {
        struct failure failure = FAILURE_INIT;
        if (comm.rank >= lowest)
            failure_set(&failure, FAILURE_MISMATCH, "rank %d failed", comm.rank);
        assert_false(comm_agree(&comm, &failure));
        char expected[40];
        snprintf(expected, sizeof expected, "rank %d failed", lowest);
        assert_string_equal(failure.text, expected);
        assert_int_equal(failure.code, FAILURE_MISMATCH);
    }
}

static void test_texts(void **state)
{
    (void)state;
    const char *const texts[] = {"", "x", "a longer one"};
    for (int i = 0; i < 3; i++) {
        char *mine = comm.rank == 0 ? strdup(texts[i]) : NULL;
        size_t length = comm.rank == 0 ? strlen(mine) : 0;
        struct failure failure = FAILURE_INIT;
        char *text = bundle_share_text(mine, &length, &comm, &failure);
        assert_non_null(text);
        assert_string_equal(text, texts[i]);
        assert_int_equal(length, strlen(texts[i]));
        free(text);
    }
}

/* Whoever stands next to whom. */
static void test_nodes_have_one_that_answers(void **state)
{
    static const struct {
        const char names[6][4];
        int ranks, stands[6];
    } cases[] = {
        {{"a"}, 1, {0}},
        {{"a", "a", "a", "b", "b"}, 5, {0, 1, 1, 3, 3}},
        {{"a", "b", "a", "b", "a", "c"}, 6, {0, 1, 2, 1, 2, 5}},
        {{"a", "b", "c", "c", "b", "b"}, 6, {0, 1, 2, 2, 1, 1}},
    };
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        int stands[6];
        bandwidth_stands(cases[k].names[0], sizeof cases[k].names[0], cases[k].ranks, stands);
        for (int rank = 0; rank < cases[k].ranks; rank++)
            assert_int_equal(stands[rank], cases[k].stands[rank]);
    }
}

/* All are on one node, of which the first other rank answers; without time nothing is known. */
static void test_bandwidth(void **state)
{
    struct bandwidth found[8];
    struct failure failure = FAILURE_INIT;
    (void)state;
    assert_true(comm.size <= 8);
    for (int turn = 0; turn < 2; turn++) {
        assert_true(bandwidth_probe(&comm, turn == 0 ? 60 : 0, found, &failure));
        for (int rank = 0; comm.rank == 0 && rank < comm.size; rank++) {
            assert_int_equal(found[rank].first, rank == 1);
            assert_int_equal(found[rank].bytes_s > 0, turn == 0 && rank > 0);
            assert_true(rank == 0 || found[rank].bytes_s == found[1].bytes_s);
        }
    }
}

static void test_bundles(void **state)
{
    static const char text[] = "with\0a zero";
    struct bundle bundle = {0};
    struct failure failure = FAILURE_INIT;
    double number = 0.5;
    size_t length = 1;
    (void)state;
    if (comm.rank == 0) {
        bundle_put(&bundle, &number, sizeof number);
        bundle_put_text(&bundle, text, sizeof text);
        bundle_put_text(&bundle, NULL, 0);
        bundle_put_text(&bundle, "", 0);
        bundle_put(&bundle, &number, sizeof number);
    }
    number = 0;
    assert_true(bundle_share(&bundle, &comm, &failure));
    bundle_take(&bundle, &number, sizeof number);
    assert_true(number > 0.4);
    char *taken = bundle_take_text(&bundle, &length, &failure);
    assert_int_equal(length, sizeof text);
    assert_memory_equal(taken, text, sizeof text);
    free(taken);
    assert_null(bundle_take_text(&bundle, &length, &failure));
    taken = bundle_take_text(&bundle, &length, &failure);
    assert_int_equal(length, 0);
    assert_string_equal(taken, "");
    free(taken);
    assert_memory_equal(bundle_next(&bundle, sizeof number), &number, sizeof number);
    assert_int_equal(failure.code, FAILURE_NONE);
    bundle_release(&bundle);
}

/* Everybody has the master's failure, and in place of its own; another's is its own alone. */
static void test_bundles_that_there_are_not(void **state)
{
    struct bundle bundle = {0};
    struct failure failure = FAILURE_INIT;
    (void)state;
    if (comm.rank == 0)
        bundle_put(&bundle, "x", 1);
    failure_set(&failure, FAILURE_MISMATCH, "rank %d failed", comm.rank);
    assert_false(bundle_share(&bundle, &comm, &failure));
    assert_string_equal(failure.text, "rank 0 failed");
    failure = (struct failure)FAILURE_INIT;
    if (comm.rank == 1)
        failure_set(&failure, FAILURE_MISMATCH, "rank %d failed", comm.rank);
    assert_true(bundle_share(&bundle, &comm, &failure));
    assert_int_equal(failure.code, comm.rank == 1 ? FAILURE_MISMATCH : FAILURE_NONE);
    assert_memory_equal(bundle_next(&bundle, 1), "x", 1);
    bundle_release(&bundle);
}

static void test_gather(void **state)
{
    (void)state;
    int mine = 10 * comm.rank, *all = calloc((size_t)comm.size, sizeof *all);
    assert_non_null(all);
    comm_gather(&comm, &mine, sizeof mine, all);
    for (int i = 0; comm.rank == 0 && i < comm.size; i++)
        assert_int_equal(all[i], 10 * i);
    free(all);
}

/* All ranks are on one machine with one monotonic clock: whatever offset was there must vanish. */
static void test_clocks(void **state)
{
    (void)state;
    comm_align_clocks(&comm);
    assert_true(fabs(comm.offset_s) < 0.05);
    if (comm.rank == 0)
        assert_true(comm.offset_s == 0);
    double before = comm_now(&comm);
    comm_barrier(&comm);
    assert_true(comm_now(&comm) >= before);
}

/* Where MPICH is told so, in tests that are quicker for it (tests/CMakeLists.txt). */
static bool ranks_share_no_node(void)
{
    const char *said = getenv("MPIR_CVAR_NOLOCAL");
    return said && strcmp(said, "1") == 0;
}

static void test_workers_on_node(void **state)
{
    (void)state;
    if (ranks_share_no_node())
        skip();
    const int all = comm.size > 1 ? comm.size - 1 : 1;
    assert_int_equal(comm_workers_on_node(&comm), all);
    assert_int_equal(comm_sum_on_node(&comm, comm.rank + 1), comm.size * (comm.size + 1) / 2);
    assert_int_equal(comm_nodes(&comm), 1);
    assert_true(comm_first_on_node(&comm) == (comm.rank == 0));
    comm_find_node(&comm);
    assert_int_equal(comm_workers_on_node(&comm), all);
    assert_int_equal(comm_sum_on_node(&comm, comm.rank + 1), comm.size * (comm.size + 1) / 2);
    assert_int_equal(comm.nodes, 1);
    assert_true(comm_first_on_node(&comm) == (comm.rank == 0));
}

/* One that says nothing, or what cannot be, or so on one rank alone, is not believed. */
static void test_launchers_that_mislead(void **state)
{
    static const char name[] = "MPI_LOCALNRANKS";
    static const char *const sayings[] = {"", "0", "1000", "-1", "many", "1"};
    const int all = comm.size > 1 ? comm.size - 1 : 1;
    const char *said = getenv(name);
    (void)state;
    if (ranks_share_no_node())
        skip();
    char *truth = said ? strdup(said) : NULL;
    for (size_t k = 0; k < 2 * sizeof sayings / sizeof *sayings; k++) {
        struct comm again = comm;
        again.workers_on_node = again.nodes = 0;
        const bool all_say_so = k % 2 == 0;
        /* Whoever is alone by all that are asked is believed to be so. */
        const bool alone = all_say_so && strcmp(sayings[k / 2], "1") == 0;
        if (all_say_so || comm.rank == 0)
            setenv(name, sayings[k / 2], 1);
        comm_find_node(&again);
        assert_int_equal(again.workers_on_node, alone ? 1 : all);
        assert_int_equal(again.nodes, alone ? comm.size : 1);
        assert_true(comm_first_on_node(&again) == (alone || comm.rank == 0));
        const int sum = comm_sum_on_node(&again, comm.rank + 1);
        assert_int_equal(sum, alone ? comm.rank + 1 : comm.size * (comm.size + 1) / 2);
        if (truth)
            setenv(name, truth, 1);
    }
    free(truth);
}

/* Up to a bound, which is farther off for who may be late. */
static void test_naps_grow(void **state)
{
    const struct awaited nothing = {.requests = {NULL}};
    (void)state;
    double longest_s[2] = {0, 0};
    for (int k = 0; k < 2; k++) {
        struct pause pause = {.longer = k == 0 ? 0 : 3};
        double before_s = 0;
        for (int count = 0; count < 200; count++) {
            before_s = pause.nap_s;
            clock_pause(&pause, &nothing);
        }
        assert_true(pause.nap_s == before_s);
        longest_s[k] = pause.nap_s;
    }
    assert_true(longest_s[0] > 0 && fabs(longest_s[1] / longest_s[0] - 3) < 1e-9);
}

/* Small packages travel at once, large ones only with the receiver's help. */
enum { PACKAGES = 50, BYTES_MOST = 100000 };

static size_t size_of(int64_t index)
{
    return (size_t)(index * 7919 % BYTES_MOST);
}

static void master_packages(struct outbox *outbox)
{
    const struct outbox_idle idle = {NULL, NULL, NULL};
    for (int64_t index = 0; index < PACKAGES; index++) {
        for (int rank = 1; rank < comm.size; rank++) {
            unsigned char *bytes = outbox_claim(outbox, idle);
            memset(bytes, (int)(index + rank) & 0xff, size_of(index));
            struct wire_package header = {.kind = WIRE_WORK, .package = {.index = index}};
            outbox_post(outbox, rank, &header, size_of(index), 0);
            outbox_progress(outbox);
        }
    }
    outbox_drain(outbox, idle);
}

static void worker_packages(struct inbox *inbox)
{
    double last = 0;
    for (int64_t index = 0; index < PACKAGES; index++) {
        struct inbox_package in;
        inbox_take(inbox, (struct inbox_idle){0}, &in);
        assert_int_equal(in.header.package.index, index);
        assert_true(in.arrived_s >= last);
        assert_int_equal((uintptr_t)in.bytes % 64, 0);
        last = in.arrived_s;
        for (int i = 0; i < 3; i++)
            inbox_progress(inbox);
        const unsigned char *bytes = in.bytes;
        for (size_t i = 0; i < size_of(index); i++)
            assert_int_equal(bytes[i], (index + comm.rank) & 0xff);
        inbox_done(inbox);
    }
    assert_true(inbox_progress_s(inbox) > 0);
    assert_true(inbox_progress_s(inbox) == 0);
}

/* One worker has no room, and gets it only when the other one has all its packages. */
static void late_master(struct outbox *outbox)
{
    const struct outbox_idle idle = {NULL, NULL, NULL};
    const int ranks[] = {1, 2};
    for (int64_t index = 0; index < PACKAGES; index++)
        for (int k = index == 0 ? 0 : 1; k < 2; k++) {
            const struct wire_package header = {.kind = WIRE_WORK, .package = {.index = index}};
            outbox_claim(outbox, idle);
            outbox_post(outbox, ranks[k], &header, BYTES_MOST, 0);
        }
    outbox_drain(outbox, idle);
}

static void late_worker(int64_t packages)
{
    struct failure failure = FAILURE_INIT;
    char go = 0;
    if (comm.rank == 1)
        comm_receive(&comm, &go, sizeof go, 2, WIRE_CONTROL);
    struct inbox *inbox = inbox_new(&comm, 2, BYTES_MOST, &failure);
    assert_non_null(inbox);
    for (int64_t index = 0; index < packages; index++) {
        struct inbox_package in;
        inbox_take(inbox, (struct inbox_idle){0}, &in);
        assert_int_equal(in.header.package.index, index);
        inbox_done(inbox);
    }
    inbox_free(&inbox);
    if (comm.rank == 2)
        comm_send(&comm, &go, sizeof go, 1, WIRE_CONTROL);
}

static void test_late_workers_hold_up_nobody(void **state)
{
    (void)state;
    struct failure failure = FAILURE_INIT;
    if (comm.size < 3)
        return;
    if (comm.rank == 0) {
        const struct outbox_setup setup = {.buffers = 3, .bytes = BYTES_MOST};
        struct outbox *outbox = outbox_new(&comm, &setup, &failure);
        assert_non_null(outbox);
        late_master(outbox);
        outbox_free(&outbox);
    } else if (comm.rank == 1 || comm.rank == 2) {
        late_worker(comm.rank == 1 ? 1 : PACKAGES);
    }
    comm_barrier(&comm);
}

static void test_packages(void **state)
{
    (void)state;
    struct failure failure = FAILURE_INIT;
    if (comm.rank == 0) {
        const struct outbox_setup setup = {.buffers = 2, .bytes = BYTES_MOST};
        struct outbox *outbox = outbox_new(&comm, &setup, &failure);
        assert_non_null(outbox);
        master_packages(outbox);
        outbox_free(&outbox);
        assert_null(outbox);
    } else {
        struct inbox *inbox = inbox_new(&comm, 2, BYTES_MOST, &failure);
        assert_non_null(inbox);
        worker_packages(inbox);
        inbox_free(&inbox);
        assert_null(inbox);
    }
    comm_barrier(&comm);
}

/* All leave at one time, which comes while the buffers are looked at: in the order of posting all
 * the same, for the last one may be the word to stop. */
static void test_departures_keep_their_order(void **state)
{
    (void)state;
    enum { MESSAGES = 31, TIMES = 100 };
    const struct outbox_idle idle = {NULL, NULL, NULL};
    struct failure failure = FAILURE_INIT;
    const bool leads = comm.rank == 0 && comm.size > 1;
    const struct outbox_setup setup = {.buffers = MESSAGES + 1, .bytes = 64};
    struct outbox *outbox = leads ? outbox_new(&comm, &setup, &failure) : NULL;
    struct inbox *inbox = comm.rank == 1 ? inbox_new(&comm, 1, 64, &failure) : NULL;
    for (int64_t time = 0; time < TIMES; time++) {
        comm_barrier(&comm);
        const double departure_s = comm_now(&comm) + 5e-4;
        for (int64_t index = 0; index < MESSAGES && (outbox || inbox); index++) {
            const struct wire_package header = {.kind = WIRE_WORK, .package.index = index};
            struct inbox_package in;
            if (outbox) {
                outbox_claim(outbox, idle);
                outbox_post(outbox, 1, &header, 0, departure_s);
                continue;
            }
            inbox_take(inbox, (struct inbox_idle){0}, &in);
            assert_int_equal(in.header.package.index, index);
            inbox_done(inbox);
        }
        while (outbox && comm_now(&comm) < departure_s + 1e-4)
            outbox_progress(outbox);
        if (outbox)
            outbox_drain(outbox, idle);
    }
    outbox_free(&outbox);
    inbox_free(&inbox);
    comm_barrier(&comm);
}

static void left_count(void *self, const struct wire_package *header, double left_s)
{
    int64_t *count = self;
    assert_int_equal(header->package.index, *count);
    assert_true(left_s <= comm_now(&comm));
    ++*count;
}

/* The master's side: the second package stays as long as nobody takes the first. */
static void two_post(struct outbox *outbox, int to, const int64_t *left)
{
    enum { LOOKS = 1000 };
    const struct outbox_idle idle = {NULL, NULL, NULL};
    struct awaited awaited = {.requests = {NULL}};
    for (int64_t index = 0; index < 2; index++) {
        const struct wire_package header = {.kind = WIRE_WORK, .package.index = index};
        outbox_claim(outbox, idle);
        outbox_post(outbox, index == 0 ? 1 : to, &header, 1 << 20, 0);
    }
    for (int k = 0; k < LOOKS; k++)
        outbox_progress(outbox);
    outbox_await(outbox, &awaited);
    assert_int_equal(*left, 1);
    assert_true(awaited.requests[1] && awaited.requests[1]->pending);
    comm_barrier(&comm);
    outbox_drain(outbox, idle);
    assert_int_equal(*left, 2);
}

static void test_one_by_one(void **state)
{
    (void)state;
    struct failure failure = FAILURE_INIT;
    const int to = comm.size > 2 ? 2 : 1;
    int64_t left = 0;
    const struct outbox_setup setup = {
        .buffers = 3, .bytes = 1 << 20, .one_by_one = true, .left = left_count, .self = &left};
    if (comm.rank == 0 && comm.size > 1) {
        struct outbox *outbox = outbox_new(&comm, &setup, &failure);
        two_post(outbox, to, &left);
        outbox_free(&outbox);
    } else {
        comm_barrier(&comm);
    }
    struct inbox *inbox = comm.rank == 1 || (comm.rank == to && to > 1)
                              ? inbox_new(&comm, 2, 1 << 20, &failure)
                              : NULL;
    for (int64_t index = 0; inbox && index < (to == 1 ? 2 : 1); index++) {
        struct inbox_package in;
        inbox_take(inbox, (struct inbox_idle){0}, &in);
        assert_int_equal(in.header.package.index, to == 1 ? index : comm.rank - 1);
        inbox_done(inbox);
    }
    inbox_free(&inbox);
    comm_barrier(&comm);
}

/* A departure far off is no reason to wait when nothing travels any more; without `early` it is. */
static void test_early_departures(void **state)
{
    (void)state;
    for (int early = 0; early < 2 && comm.size > 1; early++) {
        struct failure failure = FAILURE_INIT;
        struct wire_package header = {.kind = WIRE_WORK};
        const struct outbox_setup setup = {.buffers = 2, .bytes = 64, .early = early};
        struct outbox *outbox = comm.rank == 0 ? outbox_new(&comm, &setup, &failure) : NULL;
        if (outbox) {
            const double departure_s = comm_now(&comm) + (early ? 3600 : 0.05);
            outbox_claim(outbox, (struct outbox_idle){NULL, NULL, NULL});
            outbox_post(outbox, 1, &header, 0, departure_s);
            while (!outbox_progress(outbox))
                ;
            assert_true(early == (comm_now(&comm) < departure_s));
        } else if (comm.rank == 1) {
            comm_receive(&comm, &header, sizeof header, 0, WIRE_PACKAGE);
        }
        outbox_free(&outbox);
    }
    comm_barrier(&comm);
}

/* Of very many ranks some have a turn, evenly spread; of few ranks all but the master have one. */
static void test_turns(void **state)
{
    (void)state;
    for (int turn = 0; turn < 5; turn++)
        assert_int_equal(fetch_turn(6, turn), turn + 1);
    assert_true(fetch_turn(6, 5) < 0 && fetch_turn(1, 0) < 0);
    assert_int_equal(fetch_turn(641, 0), 1);
    assert_int_equal(fetch_turn(641, 63), 631);
    assert_true(fetch_turn(641, 64) < 0);
}

static void test_fetches(void **state)
{
    double found_s[16];
    struct failure failure = FAILURE_INIT;
    (void)state;
    assert_true(fetch_probe(&comm, found_s, &failure));
    for (int rank = 0; comm.rank == 0 && rank < comm.size; rank++)
        assert_true(rank == 0 ? found_s[rank] == 0 : found_s[rank] > 0);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    comm_init(&comm, link_mpi(MPI_COMM_WORLD));
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_agree_on_nothing),
        cmocka_unit_test(test_agree_on_the_lowest),
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_nodes_have_one_that_answers),
        cmocka_unit_test(test_bandwidth),
        cmocka_unit_test(test_bundles),
        cmocka_unit_test(test_bundles_that_there_are_not),
        cmocka_unit_test(test_gather),
        cmocka_unit_test(test_clocks),
        cmocka_unit_test(test_workers_on_node),
        cmocka_unit_test(test_launchers_that_mislead),
        cmocka_unit_test(test_naps_grow),
        cmocka_unit_test(test_late_workers_hold_up_nobody),
        cmocka_unit_test(test_packages),
        cmocka_unit_test(test_departures_keep_their_order),
        cmocka_unit_test(test_one_by_one),
        cmocka_unit_test(test_early_departures),
        cmocka_unit_test(test_turns),
        cmocka_unit_test(test_fetches),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    if (failed)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Finalize();
    return 0;
}
