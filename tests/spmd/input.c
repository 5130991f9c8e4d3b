/* What all kinds of input have in common: names, digests, and no input at all. */
#include "spmd/input/input.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/spmd/pictures.h"

static void assert_digest(const struct input *input, const char *wanted)
{
    struct failure failure = FAILURE_INIT;
    char digest[65];
    assert_true(input_sha256(input, digest, &failure));
    assert_string_equal(digest, wanted);
}

/* The digests of the examples of FIPS 180-4. */
static const char of_nothing[] = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
static const char of_abc[] = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

static void no_input(void **state)
{
    struct failure failure = FAILURE_INIT;
    struct input *input = input_open(SCOW_INPUT_NONE, NULL, &failure);
    (void)state;
    assert_non_null(input);
    assert_true(input_load(input, &failure));
    const struct scow_input *shape = input_shape(input);
    assert_int_equal(shape->kind, SCOW_INPUT_NONE);
    assert_int_equal(shape->type, SCOW_NONE);
    for (int i = 0; i < 3; i++)
        assert_int_equal(shape->extent[i], 0);
    assert_null(shape->name);
    assert_digest(input, of_nothing);
    input_close(&input);
    assert_null(input);
    input_close(&input);
}

static void any_file(void **state)
{
    struct failure failure = FAILURE_INIT;
    char name[] = "any";
    (void)state;
    picture_text("any", "abc");
    struct input *input = input_open(SCOW_INPUT_FILE, name, &failure);
    assert_non_null(input);
    name[0] = 'x'; /* the input has a copy */
    const struct scow_input *shape = input_shape(input);
    assert_int_equal(shape->kind, SCOW_INPUT_FILE);
    assert_int_equal(shape->extent[0], 0);
    assert_string_equal(shape->name, "any");
    assert_true(input_load(input, &failure));
    assert_digest(input, of_abc);
    picture_text("any", "");
    assert_digest(input, of_nothing);
    input_close(&input);
    input = input_open(SCOW_INPUT_FILE, "any", &failure); /* empty, too */
    assert_non_null(input);
    assert_digest(input, of_nothing);
    input_close(&input);
}

/* Whatever the kind, the digest is of the file's bytes. */
static void digests_of_every_kind(void **state)
{
    static const struct {
        enum scow_input_kind kind;
        const char *text, *digest;
    } files[] = {
        {SCOW_INPUT_FILE, "abc", of_abc},
        {SCOW_INPUT_LINES, "abc", of_abc},
        {SCOW_INPUT_SEQUENCES, ">a\nA\n",
         "e4daec5e83a06bedd7cb969280c417ef1118792f2c23789589114b68abffdc47"},
        {SCOW_INPUT_IMAGE, "P2 1 1 9 7",
         "2c6bed190653f59f1e62f2be3dc776c3972174581e8097ec9982b31f6b884f2a"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(files); i++) {
        struct failure failure = FAILURE_INIT;
        picture_text("kind", files[i].text);
        struct input *input = input_open(files[i].kind, "kind", &failure);
        assert_non_null(input);
        assert_digest(input, files[i].digest);
        input_close(&input);
    }
}

static void assert_refused(enum scow_input_kind kind, const char *name, const char *sentence)
{
    struct failure failure = FAILURE_INIT;
    assert_null(input_open(kind, name, &failure));
    assert_failure(failure, FAILURE_MISMATCH, sentence);
}

static void files_that_are_none(void **state)
{
    (void)state;
    assert_refused(SCOW_INPUT_FILE, "none",
                   "cannot open 'none': No such file or directory; check the name");
    assert_refused(SCOW_INPUT_FILE, "",
                   "cannot open '': No such file or directory; check the name");
    assert_refused(SCOW_INPUT_FILE, "/", "'/' is a directory: name a file");
    assert_int_equal(mkfifo("pipe", 0600), 0);
    assert_refused(SCOW_INPUT_FILE, "pipe",
                   "'pipe' is not a regular file: save it to a file first");
}

static void files_without_permission(void **state)
{
    static const enum scow_input_kind kinds[] = {SCOW_INPUT_IMAGE, SCOW_INPUT_LINES,
                                                 SCOW_INPUT_SEQUENCES, SCOW_INPUT_FILE};
    uid_t user = geteuid();
    (void)state;
    picture_text("secret", ">a\nA\n");
    assert_int_equal(chmod("secret", 0), 0);
    assert_int_equal(chmod(".", 0755), 0);
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        struct failure failure = FAILURE_INIT;
        if (user == 0) /* who may read everything */
            assert_int_equal(seteuid(65534), 0);
        struct input *input = input_open(kinds[i], "secret", &failure);
        if (user == 0)
            assert_int_equal(seteuid(user), 0);
        assert_null(input);
        assert_failure(failure, FAILURE_MISMATCH,
                       "cannot open 'secret': Permission denied; check its permissions");
    }
}

static void digests_that_fail(void **state)
{
    struct failure gone = FAILURE_INIT, unreadable = FAILURE_INIT;
    char digest[65] = "untouched";
    (void)state;
    picture_text("gone", "abc");
    struct input *input = input_open(SCOW_INPUT_LINES, "gone", &gone);
    assert_int_equal(unlink("gone"), 0);
    assert_false(input_sha256(input, digest, &gone));
    assert_failure(gone, FAILURE_MISMATCH,
                   "cannot open 'gone': No such file or directory; check the name");
    input_close(&input);
    /* A regular file that can be opened, and not read: nothing is at address 0. */
    input = input_open(SCOW_INPUT_FILE, "/proc/self/mem", &unreadable);
    assert_non_null(input);
    assert_false(input_sha256(input, digest, &unreadable));
    assert_failure(unreadable, FAILURE_MISMATCH,
                   "cannot read '/proc/self/mem' to its end for its SHA-256: check the disk it is "
                   "on");
    input_close(&input);
    assert_string_equal(digest, "untouched");
}

/* Same bytes, same input, whatever was done to the file; other bytes are told. */
static void changes_are_noticed(void **state)
{
    struct failure failure = FAILURE_INIT;
    char digest[65];
    (void)state;
    picture_text("lines", "one\ntwo\n");
    struct input *input = input_open(SCOW_INPUT_LINES, "lines", &failure);
    assert_non_null(input);
    assert_true(input_sha256(input, digest, &failure));
    assert_true(input_untouched(input, &failure));
    assert_true(input_unchanged(input, digest, &failure));
    picture_text("lines", "one\ntwo\n");
    assert_true(input_unchanged(input, digest, &failure));
    picture_text("lines", "one\ntwo!\n");
    assert_false(input_untouched(input, &failure));
    assert_failure(failure, FAILURE_MISMATCH,
                   "'lines' has changed since it was opened: leave it alone while it is in use, "
                   "and start again");
    failure = (struct failure)FAILURE_INIT;
    assert_false(input_unchanged(input, digest, &failure));
    assert_failure(failure, FAILURE_MISMATCH,
                   "'lines' has changed since it was opened: leave it alone while it is in use, "
                   "and start again");
    assert_int_equal(unlink("lines"), 0);
    failure = (struct failure)FAILURE_INIT;
    assert_false(input_unchanged(input, digest, &failure));
    input_close(&input);
    failure = (struct failure)FAILURE_INIT;
    input = input_open(SCOW_INPUT_NONE, NULL, &failure);
    assert_true(input_untouched(input, &failure));
    assert_true(input_unchanged(input, "", &failure));
    input_close(&input);
}

/* Of the same file whoever opens it, by whichever name; of a copy not, though it has the same bytes
 * and times; nor of what the file has become. */
static void files_have_an_identity(void **state)
{
    static const struct timespec times[2] = {{1000, 1}, {1000, 1}};
    struct failure failure = FAILURE_INIT;
    char first[65], second[65];
    (void)state;
    picture_text("lines", "one\ntwo\n");
    assert_int_equal(utimensat(AT_FDCWD, "lines", times, 0), 0);
    assert_int_equal(symlink("lines", "alias"), 0);
    picture_text("copy", "one\ntwo\n");
    assert_int_equal(utimensat(AT_FDCWD, "copy", times, 0), 0);
    struct input *input = input_open(SCOW_INPUT_LINES, "lines", &failure);
    struct input *alias = input_open(SCOW_INPUT_LINES, "alias", &failure);
    struct input *copy = input_open(SCOW_INPUT_LINES, "copy", &failure);
    assert_true(input && alias && copy);
    assert_true(input_identity(input, first, &failure));
    assert_true(input_identity(alias, second, &failure));
    assert_string_equal(first, second);
    assert_true(input_identity(copy, second, &failure));
    assert_string_not_equal(first, second);
    input_close(&alias);
    picture_text("lines", "one\nten\n");
    assert_int_equal(utimensat(AT_FDCWD, "lines", times, 0), 0);
    alias = input_open(SCOW_INPUT_LINES, "alias", &failure);
    assert_true(input_identity(alias, second, &failure));
    assert_string_not_equal(first, second);
    assert_true(input_identity(input, second, &failure)); /* as it was when it was opened */
    assert_string_equal(first, second);
    input_close(&input);
    input_close(&alias);
    input_close(&copy);
    unlink("lines");
    unlink("alias");
    unlink("copy");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_input),
        cmocka_unit_test(any_file),
        cmocka_unit_test(digests_of_every_kind),
        cmocka_unit_test(files_that_are_none),
        cmocka_unit_test(files_without_permission),
        cmocka_unit_test(digests_that_fail),
        cmocka_unit_test(changes_are_noticed),
        cmocka_unit_test(files_have_an_identity),
    };
    return cmocka_run_group_tests(tests, pictures_enter, pictures_leave);
}
