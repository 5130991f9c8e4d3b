/* Digests of inputs, computed beside other work. */
#define _GNU_SOURCE /* for files with holes */
#include "spmd/input/digest.h"

#include <fcntl.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "planner/files/textfile.h"
#include "tests/spmd/pictures.h"

enum { LARGE = 18 << 20 }; /* so large that it is not done at once */

/* Writes a file of `size` bytes: zeros except for a thousand bytes in the middle and one at the
 * end. It has holes, or is written in full. */
static char *file_write(const char *name, size_t size, bool holes)
{
    char *bytes = calloc(1, size);
    assert_non_null(bytes);
    picture_noise(bytes + size / 2, 1000, 7);
    bytes[size - 1] = 1;
    if (!holes) {
        picture_bytes(name, bytes, size);
        return bytes;
    }
    const int file = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    assert_true(file >= 0);
    assert_int_equal(ftruncate(file, (off_t)size), 0);
    assert_int_equal(pwrite(file, bytes + size / 2, 1000, (off_t)(size / 2)), 1000);
    assert_int_equal(pwrite(file, bytes + size - 1, 1, (off_t)size - 1), 1);
    assert_int_equal(close(file), 0);
    return bytes;
}

static struct input *open_file(const char *name)
{
    struct failure failure = FAILURE_INIT;
    struct input *input = input_open(SCOW_INPUT_FILE, name, &failure);
    assert_non_null(input);
    return input;
}

static void assert_taken(const char *name, const char *wanted)
{
    struct failure failure = FAILURE_INIT;
    char at_once[65];
    struct input *input = open_file(name);
    struct digest *digest = digest_begin(input, "", &failure);
    assert_non_null(digest);
    const char *known = digest_known(digest);
    assert_true(known[0] == '\0' || strcmp(known, wanted) == 0);
    assert_true(digest_wait(digest, &failure));
    assert_string_equal(digest_known(digest), wanted);
    assert_true(digest_wait(digest, &failure)); /* once more */
    digest_free(&digest);
    assert_null(digest);
    assert_true(input_sha256(input, at_once, &failure));
    assert_string_equal(at_once, wanted);
    input_close(&input);
}

static void holes_are_zeros(void **state)
{
    static const size_t sizes[] = {1 << 20, (1 << 20) + 1, 3000001, LARGE};
    (void)state;
    for (size_t k = 0; k < 2 * sizeof sizes / sizeof *sizes; k++) {
        char wanted[65];
        char *bytes = file_write("file", sizes[k / 2], k % 2);
        textfile_sha256(bytes, sizes[k / 2], wanted);
        free(bytes);
        assert_taken("file", wanted);
    }
    /* And where nothing else is there. */
    char wanted[65], *zeros = calloc(1, LARGE);
    assert_non_null(zeros);
    assert_int_equal(truncate("file", 0), 0);
    assert_int_equal(truncate("file", LARGE), 0);
    textfile_sha256(zeros, LARGE, wanted);
    assert_taken("file", wanted);
    free(zeros);
    unlink("file");
}

/* Whenever somebody is in a hurry, once or often. */
static void a_hurry_changes_nothing(void **state)
{
    struct failure failure = FAILURE_INIT;
    char wanted[65];
    char *bytes = file_write("file", LARGE, false);
    (void)state;
    textfile_sha256(bytes, LARGE, wanted);
    free(bytes);
    for (int k = 0; k < 8; k++) {
        const struct timespec nap = {0, 1000000L * k};
        struct input *input = open_file("file");
        struct digest *digest = digest_begin(input, "", &failure);
        assert_non_null(digest);
        nanosleep(&nap, NULL);
        for (int often = 0; often <= k % 3; often++)
            digest_hurry(digest);
        while (k % 2 && digest_busy(digest))
            nanosleep(&nap, NULL);
        assert_true(k % 2 == 0 || digest_known(digest)[0]);
        assert_true(digest_wait(digest, &failure));
        digest_hurry(digest); /* nothing is left */
        assert_string_equal(digest_known(digest), wanted);
        digest_free(&digest);
        input_close(&input);
    }
    unlink("file");
}

/* A thousand GB would take minutes. */
static void what_nobody_waits_for_is_given_up(void **state)
{
    struct failure failure = FAILURE_INIT;
    (void)state;
    picture_text("huge", "x");
    assert_int_equal(truncate("huge", (off_t)1 << 40), 0);
    struct input *input = open_file("huge");
    struct digest *digest = digest_begin(input, "", &failure);
    assert_non_null(digest);
    assert_string_equal(digest_known(digest), "");
    digest_free(&digest);
    input_close(&input);
    unlink("huge");
}

static void what_is_known_is_not_taken_again(void **state)
{
    static const char known[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
    struct failure failure = FAILURE_INIT;
    (void)state;
    picture_text("file", "abc");
    struct input *input = open_file("file");
    struct digest *digest = digest_begin(input, known, &failure);
    assert_non_null(digest);
    assert_string_equal(digest_known(digest), known);
    assert_true(digest_wait(digest, &failure));
    digest_free(&digest);
    input_close(&input);
    unlink("file");
}

/* A small one fails at once, a large one when it is waited for. */
static void what_cannot_be_read_is_told(void **state)
{
    struct failure failure = FAILURE_INIT;
    (void)state;
    struct input *input = open_file("/proc/self/mem");
    assert_null(digest_begin(input, "", &failure));
    assert_failure(failure, FAILURE_MISMATCH,
                   "cannot read '/proc/self/mem' to its end for its SHA-256: check the disk it is "
                   "on");
    input_close(&input);
}

static void stamps_know_sizes_and_times(void **state)
{
    struct failure failure = FAILURE_INIT;
    char first[65], second[65];
    const struct timespec times[2] = {{1000, 1}, {1000, 1}}, later[2] = {{1000, 1}, {1000, 2}};
    (void)state;
    picture_text("file", "abc");
    assert_int_equal(utimensat(AT_FDCWD, "file", times, 0), 0);
    struct input *input = open_file("file");
    assert_true(input_stamp(input, first, &failure));
    picture_text("file", "abd"); /* another content, of the same size and time */
    assert_int_equal(utimensat(AT_FDCWD, "file", times, 0), 0);
    assert_true(input_stamp(input, second, &failure));
    assert_string_equal(first, second);
    assert_int_equal(utimensat(AT_FDCWD, "file", later, 0), 0);
    assert_true(input_stamp(input, second, &failure));
    assert_string_not_equal(first, second);
    picture_text("file", "abcd");
    assert_int_equal(utimensat(AT_FDCWD, "file", times, 0), 0);
    assert_true(input_stamp(input, second, &failure));
    assert_string_not_equal(first, second);
    unlink("file");
    assert_false(input_stamp(input, second, &failure));
    assert_failure(failure, FAILURE_MISMATCH,
                   "cannot read 'file': No such file or directory; copy it again");
    input_close(&input);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(holes_are_zeros),
        cmocka_unit_test(a_hurry_changes_nothing),
        cmocka_unit_test(what_nobody_waits_for_is_given_up),
        cmocka_unit_test(what_is_known_is_not_taken_again),
        cmocka_unit_test(what_cannot_be_read_is_told),
        cmocka_unit_test(stamps_know_sizes_and_times),
    };
    return cmocka_run_group_tests(tests, pictures_enter, pictures_leave);
}
