#include "planner/files/textfile.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/checks.h"

static void files_round_trip(void **state)
{
    struct failure failure = FAILURE_INIT;
    size_t length = 0;
    (void)state;
    assert_true(textfile_write("round.txt", "first", &failure));
    assert_true(textfile_write("round.txt", "second\n", &failure));
    char *text = textfile_read("round.txt", &length, &failure);
    assert_non_null(text);
    assert_string_equal(text, "second\n");
    assert_int_equal(length, 7);
    free(text);
    struct stat status;
    assert_int_equal(stat("round.txt", &status), 0);
    assert_int_equal(status.st_mode & 0600, 0600);
    assert_int_equal(unlink("round.txt"), 0);
}

/* Contents are replaced, and nothing else of what the user has arranged. */
static void links_and_permissions_stay(void **state)
{
    struct failure failure = FAILURE_INIT;
    struct stat status;
    char leads[32] = "";
    (void)state;
    assert_true(textfile_write("secret.txt", "first", &failure));
    assert_int_equal(chmod("secret.txt", 0640), 0);
    assert_int_equal(symlink("secret.txt", "link.txt"), 0);
    assert_true(textfile_check("link.txt", &failure));
    assert_true(textfile_write("link.txt", "second", &failure));
    assert_int_equal(readlink("link.txt", leads, sizeof leads - 1), 10);
    assert_string_equal(leads, "secret.txt");
    assert_int_equal(stat("secret.txt", &status), 0);
    assert_int_equal(status.st_size, 6);
    assert_int_equal(status.st_mode & 0777, 0640);
    assert_int_equal(unlink("secret.txt"), 0);
    assert_true(textfile_write("link.txt", "third", &failure)); /* it leads nowhere */
    assert_int_equal(unlink("link.txt"), 0);
}

static void files_larger_than_one_read(void **state)
{
    struct failure failure = FAILURE_INIT;
    size_t length = 0, size = 300000;
    char *wide = malloc(size + 1);
    (void)state;
    assert_non_null(wide);
    memset(wide, 'x', size);
    wide[size] = '\0';
    assert_true(textfile_write("wide.txt", wide, &failure));
    char *text = textfile_read("wide.txt", &length, &failure);
    assert_non_null(text);
    assert_int_equal(length, size);
    assert_string_equal(text, wide);
    free(text);
    free(wide);
    assert_int_equal(unlink("wide.txt"), 0);
}

struct heard {
    size_t count, most, sum;
    char last[8];
    const char *stop_at;
};

static bool line_hear(void *self, const char *line, size_t length, struct failure *failure)
{
    struct heard *heard = self;
    heard->count++;
    heard->sum += length;
    heard->most = length > heard->most ? length : heard->most;
    snprintf(heard->last, sizeof heard->last, "%.*s", (int)(length < 7 ? length : 7), line);
    return !heard->stop_at || strcmp(heard->stop_at, heard->last) != 0 ||
           failure_set(failure, FAILURE_USAGE, "line %zu", heard->count);
}

static void lines_hear(const char *text, struct heard *heard)
{
    struct failure failure = FAILURE_INIT;
    const struct textfile_taker taker = {heard, line_hear};
    assert_true(textfile_write("lines.txt", text, &failure));
    assert_true(textfile_lines("lines.txt", &taker, &failure));
}

/* However lines lie in the pieces that are read. */
static void lines_are_taken_one_by_one(void **state)
{
    struct heard none = {0}, ends = {0}, open = {0}, empty = {0};
    (void)state;
    lines_hear("", &none);
    assert_int_equal(none.count, 0);
    lines_hear("one\r\n\ntwo\n", &ends);
    assert_true(ends.count == 3 && ends.sum == 6 && ends.most == 3);
    lines_hear("one\ntwo", &open);
    assert_true(open.count == 2 && strcmp(open.last, "two") == 0);
    lines_hear("\n", &empty);
    assert_true(empty.count == 1 && empty.sum == 0);
    for (size_t size = 65530; size < 65540; size++) {
        struct heard heard = {0};
        char *wide = malloc(3 * size + 16);
        memset(wide, 'x', 3 * size);
        wide[size] = '\n';
        wide[2 * size + 1] = '\n';
        snprintf(wide + 3 * size, 16, "\nlast\n");
        lines_hear(wide, &heard);
        assert_true(heard.count == 4 && heard.most == size && heard.sum == 3 * size - 2 + 4);
        assert_string_equal(heard.last, "last");
        free(wide);
    }
    assert_int_equal(unlink("lines.txt"), 0);
}

static void a_refused_line_is_the_last(void **state)
{
    struct failure refused = FAILURE_INIT, missing = FAILURE_INIT, folder = FAILURE_INIT;
    struct heard heard = {.stop_at = "b"};
    const struct textfile_taker taker = {&heard, line_hear};
    (void)state;
    assert_true(textfile_write("lines.txt", "a\nb\nc\n", &refused));
    assert_false(textfile_lines("lines.txt", &taker, &refused));
    assert_failure(refused, FAILURE_USAGE, "line 2");
    assert_int_equal(unlink("lines.txt"), 0);
    assert_false(textfile_lines("no-such-file", &taker, &missing));
    assert_failure(missing, FAILURE_MISMATCH,
                   "cannot open 'no-such-file': No such file or directory; check the name");
    assert_false(textfile_lines(".", &taker, &folder));
    assert_failure(folder, FAILURE_MISMATCH, "cannot read '.': Is a directory; check the file");
}

static void files_refused(void **state)
{
    struct failure missing = FAILURE_INIT, folder = FAILURE_INIT, nowhere = FAILURE_INIT,
                   full = FAILURE_INIT;
    size_t length = 0;
    (void)state;
    assert_null(textfile_read("no-such-file", &length, &missing));
    assert_failure(missing, FAILURE_MISMATCH,
                   "cannot open 'no-such-file': No such file or directory; check the name");
    assert_null(textfile_read(".", &length, &folder));
    assert_failure(folder, FAILURE_MISMATCH, "cannot read '.': Is a directory; check the file");
    assert_false(textfile_write("no-such-folder/x", "x", &nowhere));
    assert_failure(nowhere, FAILURE_FAILED,
                   "cannot write 'no-such-folder/x': No such file or directory; choose a place "
                   "that exists, is yours and has room");
    assert_false(textfile_write("/dev/full", "x", &full));
    assert_failure(full, FAILURE_FAILED,
                   "cannot write '/dev/full': No space left on device; choose a place that exists, "
                   "is yours and has room");
}

static void check_answers_as_write_would(void **state)
{
    struct failure good = FAILURE_INIT, nowhere = FAILURE_INIT;
    (void)state;
    assert_true(textfile_check("-", &good));
    assert_true(textfile_check("checked.txt", &good));
    assert_int_equal(access("checked.txt", F_OK), -1); /* nothing is left behind */
    assert_true(textfile_check("/dev/null", &good));
    assert_false(textfile_check("no-such-folder/x", &nowhere));
    assert_failure(nowhere, FAILURE_FAILED,
                   "cannot write 'no-such-folder/x': No such file or directory; choose a place "
                   "that exists, is yours and has room");
}

/* FIPS 180-4, the examples of one block and of the empty message. */
static void digests_are_sha256(void **state)
{
    char digest[65];
    (void)state;
    textfile_sha256("abc", 3, digest);
    assert_string_equal(digest, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    textfile_sha256("", 0, digest);
    assert_string_equal(digest, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_round_trip),
        cmocka_unit_test(files_larger_than_one_read),
        cmocka_unit_test(files_refused),
        cmocka_unit_test(check_answers_as_write_would),
        cmocka_unit_test(digests_are_sha256),
        cmocka_unit_test(links_and_permissions_stay),
        cmocka_unit_test(lines_are_taken_one_by_one),
        cmocka_unit_test(a_refused_line_is_the_last),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
