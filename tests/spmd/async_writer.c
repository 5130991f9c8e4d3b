/* Bytes written by a thread, against the same bytes in an array; and when and in which order they
 * are written, which this test's own pwrite sees. */
#define _GNU_SOURCE /* pwrite64 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "spmd/output/async_writer.h"
#include "tests/checks.h"

enum { FILE_BYTES = 5000, PIECES = 7, PIECE_MOST = 400, WRITES_MOST = 64 };

static int file;

/* ---- what the thread sees of a disk ---- */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool held;                      /* writes wait */
static int64_t full_from = FILE_BYTES; /* nothing can be written from there on */
static size_t at_once = FILE_BYTES;    /* the most bytes that one call takes */
static int64_t places[WRITES_MOST];    /* where calls wrote */
static int writes;

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t place)
{
    const size_t most = count < at_once ? count : at_once;
    pthread_mutex_lock(&mutex);
    while (held)
        pthread_cond_wait(&changed, &mutex);
    if (writes < WRITES_MOST)
        places[writes++] = place;
    pthread_mutex_unlock(&mutex);
    if (place >= full_from) {
        errno = ENOSPC;
        return -1;
    }
    return syscall(SYS_pwrite64, descriptor, bytes, most, place);
}

static void lock(bool on)
{
    pthread_mutex_lock(&mutex);
    held = on;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
}

/* ---- */

static struct async_writer_outcome await(struct async_writer *writer)
{
    struct async_writer_outcome outcome;
    while (!async_writer_await(writer, 1, &outcome))
        ;
    return outcome;
}

static void check_file(const char *expected)
{
    char found[FILE_BYTES];
    assert_int_equal(pread(file, found, sizeof found, 0), FILE_BYTES);
    assert_memory_equal(found, expected, FILE_BYTES);
}

static void clear(void)
{
    static const char zeros[FILE_BYTES];
    assert_int_equal(syscall(SYS_pwrite64, file, zeros, sizeof zeros, 0), FILE_BYTES);
    writes = 0;
}

/* Later pieces win, as they come later. */
static void piece_add(struct async_writer *writer, char *expected)
{
    char bytes[PIECE_MOST];
    const int size = rand() % PIECE_MOST, place = rand() % (FILE_BYTES - PIECE_MOST);
    for (int k = 0; k < size; k++)
        bytes[k] = (char)rand();
    memcpy(expected + place, bytes, (size_t)size);
    assert_true(async_writer_add(writer, place, bytes, size, 0));
    memset(bytes, 'x', sizeof bytes); /* they are the caller's again */
}

static void batches_are_written_in_order(void **state)
{
    (void)state;
    static char expected[FILE_BYTES];
    struct async_writer *writer = async_writer_new(file, 1); /* it grows */
    assert_non_null(writer);
    clear();
    memset(expected, 0, sizeof expected);
    at_once = 123;
    for (int batch = 0; batch < 50; batch++) {
        for (int k = rand() % PIECES; k >= 0; k--)
            piece_add(writer, expected);
        assert_false(await(writer).failed);
        async_writer_begin(writer);
    }
    assert_false(await(writer).failed);
    check_file(expected);
    at_once = FILE_BYTES;
    async_writer_free(&writer);
    assert_null(writer);
}

static void the_next_is_put_together_meanwhile(void **state)
{
    (void)state;
    static char expected[FILE_BYTES];
    struct async_writer_outcome outcome;
    struct async_writer *writer = async_writer_new(file, 100);
    assert_non_null(writer);
    clear();
    assert_true(async_writer_await(writer, 0, &outcome));
    lock(true);
    assert_true(async_writer_add(writer, 10, "first", 5, 0));
    async_writer_begin(writer);
    assert_false(async_writer_await(writer, 0, &outcome));
    assert_false(async_writer_await(writer, 1e-3, &outcome));
    assert_true(async_writer_add(writer, 10, "second", 6, 0));
    assert_true(async_writer_add(writer, 90, "dropped", 7, 0));
    async_writer_drop(writer);
    assert_true(async_writer_add(writer, 12, "third", 5, 0));
    assert_false(async_writer_await(writer, 0, &outcome));
    lock(false);
    assert_false(await(writer).failed);
    memset(expected, 0, sizeof expected);
    memcpy(expected + 10, "first", 5);
    check_file(expected);
    async_writer_begin(writer);
    await(writer);
    memcpy(expected + 12, "third", 5);
    check_file(expected);
    async_writer_free(&writer);
}

/* After bytes that cannot be written, later bytes are not written either: a ledger must not say
 * more than the file holds. */
static void nothing_follows_a_failure(void **state)
{
    (void)state;
    struct async_writer *writer = async_writer_new(file, 100);
    static char expected[FILE_BYTES];
    assert_non_null(writer);
    clear();
    full_from = 1000;
    assert_true(async_writer_add(writer, 500, "data", 4, 3));
    assert_true(async_writer_add(writer, 2000, "data", 4, 4));
    assert_true(async_writer_add(writer, 0, "ledger", 6, 3));
    async_writer_begin(writer);
    const struct async_writer_outcome outcome = await(writer);
    assert_true(outcome.failed);
    assert_int_equal(outcome.task, 4);
    assert_int_equal(writes, 2);
    assert_int_equal(places[0], 500);
    assert_int_equal(places[1], 2000);
    memset(expected, 0, sizeof expected);
    memcpy(expected + 500, "data", 4);
    check_file(expected);
    full_from = FILE_BYTES;
    assert_true(async_writer_add(writer, 2000, "data", 4, 4));
    async_writer_begin(writer);
    assert_false(await(writer).failed);
    async_writer_free(&writer);
}

/* Nobody waits for this write: async_writer must finish it when it ends. */
static void what_is_under_way_is_written_before_the_end(void **state)
{
    (void)state;
    static char expected[FILE_BYTES];
    struct async_writer *writer = async_writer_new(file, 100);
    assert_non_null(writer);
    clear();
    assert_true(async_writer_add(writer, 77, "last", 4, 0));
    async_writer_begin(writer);
    async_writer_free(&writer);
    memset(expected, 0, sizeof expected);
    memcpy(expected + 77, "last", 4);
    check_file(expected);
}

int main(void)
{
    const char *given = getenv("SEED");
    const unsigned seed = given ? (unsigned)strtoul(given, NULL, 10) : (unsigned)getpid();
    FILE *temporary = tmpfile();
    assert_non_null(temporary);
    file = fileno(temporary);
    printf("seed %u\n", seed);
    srand(seed);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(batches_are_written_in_order),
        cmocka_unit_test(the_next_is_put_together_meanwhile),
        cmocka_unit_test(nothing_follows_a_failure),
        cmocka_unit_test(what_is_under_way_is_written_before_the_end),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    fclose(temporary);
    return failed;
}
