#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "spmd/input/spans.h"
#include "tests/spmd/items.h"
#include "tests/spmd/pictures.h"

/* ---- what is read is what was written ---- */

static void assert_text(const char *bytes, size_t size)
{
    struct items items;
    picture_bytes("text", bytes, size);
    assert_true(items_find(SCOW_INPUT_LINES, bytes, size, &items));
    assert_true(items_agree(SCOW_INPUT_LINES, "text", &items));
    assert_int_equal(unlink("text"), 0); /* writing it anew would wait for the disk */
    items_release(&items);
}

static void every_line_end(void **state)
{
    static const struct {
        const char *text;
        const char *lines[5];
    } texts[] = {{"a", {"a"}},
                 {"a\n", {"a"}},
                 {"a\r\n", {"a"}},
                 {"a\r", {"a\r"}}, /* no line end */
                 {"\n", {""}},
                 {"\r\n", {""}},
                 {"\n\n", {"", ""}},
                 {"a b\t\nc\r\n\r\n\nlast", {"a b\t", "c", "", "", "last"}},
                 {"a\r\r\nb\rc\n\r\n", {"a\r", "b\rc", ""}}};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        struct failure failure = FAILURE_INIT;
        picture_text("ends", texts[i].text);
        struct input *input = input_open(SCOW_INPUT_LINES, "ends", &failure);
        assert_string_equal(failure.text, "");
        const struct scow_input *shape = input_shape(input);
        assert_int_equal(shape->kind, SCOW_INPUT_LINES);
        assert_string_equal(shape->name, "ends");
        int64_t count = 0;
        for (; count < 5 && texts[i].lines[count]; count++) {
            struct scow_item item;
            assert_true(input_read_item(input, count, &item, &failure));
            assert_string_equal(item.bytes, texts[i].lines[count]);
            assert_int_equal(item.size, strlen(texts[i].lines[count]));
            assert_null(item.name);
        }
        assert_int_equal(shape->extent[0], count);
        input_close(&input);
    }
}

/* Short texts in which all kinds of ends meet, by an oracle. */
static void random_texts(void **state)
{
    static const char letters[] = "ab \n\n\r\xff";
    uint64_t seed = 31;
    (void)state;
    for (int i = 0; i < 500; i++) {
        char text[40];
        size_t size = 1 + picture_random(&seed) % sizeof text;
        for (size_t k = 0; k < size; k++)
            text[k] = letters[picture_random(&seed) % (sizeof letters - 1)];
        assert_text(text, size);
    }
}

/* Lines as long as what is read at a time, a little shorter and longer, and far longer. */
static void lines_of_every_length(void **state)
{
    static const size_t lengths[] = {1 << 15, 1 << 16, 1 << 20, 3 << 20};
    size_t size = 0;
    char *text = malloc((size_t)5 * ((1 << 15) + (1 << 16) + (1 << 20) + (3 << 20) + 100));
    (void)state;
    assert_non_null(text);
    for (size_t i = 0; i < COUNT_OF(lengths); i++)
        for (size_t less = 0; less < 5; less++) {
            size_t length = lengths[i] + 2 - less;
            memset(text + size, 'a' + (int)(i + less), length);
            size += length;
            if (less % 2)
                text[size++] = '\r';
            text[size++] = '\n';
        }
    assert_text(text, size);
    /* One of the pieces that are looked at begins at 2^20: with the end, and between CR and LF. */
    for (size_t from = 0; from < 3; from++) {
        memset(text, 'x', (1 << 20) + 5);
        memcpy(text + (1 << 20) - from, "\r\n", 2);
        assert_text(text, (1 << 20) + 5);
        assert_text(text, (1 << 20) - from + 2);
    }
    free(text);
}

static void many_lines(void **state)
{
    enum { LINES = 500000 };
    struct failure failure = FAILURE_INIT;
    struct scow_item item;
    uint64_t seed = 32;
    FILE *stream = fopen("many", "wb");
    (void)state;
    assert_non_null(stream);
    for (int i = 0; i < LINES; i++)
        assert_true(fprintf(stream, "%d\n", i) > 0);
    assert_int_equal(fclose(stream), 0);
    struct input *input = input_open(SCOW_INPUT_LINES, "many", &failure);
    assert_string_equal(failure.text, "");
    assert_int_equal(input_shape(input)->extent[0], LINES);
    for (int i = 0; i < LINES; i++) {
        assert_true(input_read_item(input, i, &item, &failure));
        assert_int_equal(strtol(item.bytes, NULL, 10), i);
    }
    for (int i = 0; i < 10000; i++) {
        int at = (int)(picture_random(&seed) % LINES);
        assert_true(input_read_item(input, at, &item, &failure));
        assert_int_equal(strtol(item.bytes, NULL, 10), at);
    }
    input_close(&input);
}

/* A line is as good as its neighbours, and as the same one asked for before. */
static void the_same_line_again(void **state)
{
    struct failure failure = FAILURE_INIT;
    struct scow_item item, again;
    (void)state;
    picture_text("again", "one\ntwo\n");
    struct input *input = input_open(SCOW_INPUT_LINES, "again", &failure);
    assert_true(input_read_item(input, 1, &item, &failure));
    assert_true(input_read_item(input, 1, &again, &failure));
    assert_ptr_equal(item.bytes, again.bytes);
    assert_string_equal(again.bytes, "two");
    assert_true(input_load(input, &failure));
    assert_true(input_read_item(input, 0, &item, &failure));
    assert_string_equal(item.bytes, "one");
    input_close(&input);
}

/* Text behind four gigabytes of a hole, which a line could not have. */
static void offsets_beyond_four_gigabytes(void **state)
{
    static const struct regular_rule rule = {"it", "a file", .may_be_empty = false};
    const int64_t far = ((int64_t)5 << 30) + 7;
    struct failure failure = FAILURE_INIT;
    struct spans spans;
    size_t size;
    int file = open("far", O_CREAT | O_RDWR | O_TRUNC, 0600);
    (void)state;
    assert_true(file >= 0);
    assert_int_equal(pwrite(file, "before", 6, far - 6), 6);
    assert_int_equal(pwrite(file, "after", 5, far), 5);
    assert_int_equal(close(file), 0);
    assert_true(spans_init(&spans, "far", &rule, &failure));
    for (int64_t start = far - 6; start <= far; start += 6)
        assert_true(spans_add(&spans, start, &failure));
    spans.end = far + 5;
    for (int64_t i = 3; i >= 0; i--) {
        const char *bytes = spans_read(&spans, i % 2, &size, &failure);
        assert_non_null(bytes);
        assert_int_equal(size, i % 2 ? 5 : 6);
        assert_memory_equal(bytes, i % 2 ? "after" : "before", size);
    }
    spans_release(&spans);
    assert_int_equal(unlink("far"), 0);
}

/* A record goes on within quotes; more of them than all starts are kept of, in any order. */
static void records_of_tables(void **state)
{
    enum { RECORDS = 3 * SPANS_STARTS_MOST };
    struct failure failure = FAILURE_INIT;
    struct scow_item item;
    uint64_t seed = 33;
    char wanted[100];
    (void)state;
    FILE *stream = fopen("table.csv", "wb");
    assert_non_null(stream);
    for (int i = 0; i < RECORDS; i++)
        assert_true(fprintf(stream, "%d,\"a \"\"%d\"\"\n\r\n,\"\r\n", i, i) > 0);
    assert_int_equal(fclose(stream), 0);
    struct input *input = input_open(SCOW_INPUT_LINES, "table.csv", &failure);
    assert_string_equal(failure.text, "");
    assert_int_equal(input_shape(input)->extent[0], RECORDS);
    for (int i = 0; i < 2 * RECORDS; i++) {
        const int at = i < RECORDS ? i : (int)(picture_random(&seed) % RECORDS);
        snprintf(wanted, sizeof wanted, "%d,\"a \"\"%d\"\"\n\r\n,\"", at, at);
        assert_true(input_read_item(input, at, &item, &failure));
        assert_string_equal(item.bytes, wanted);
    }
    input_close(&input);
    picture_text("table.csv", "a\n\"b\nc\n");
    assert_null(input_open(SCOW_INPUT_LINES, "table.csv", &failure));
    assert_failure(failure, FAILURE_MISMATCH,
                   "record 2 of 'table.csv' begins quotes that nothing ends: close them, or give "
                   "the file a name that does not end on .csv");
}

/* ---- what is refused ---- */

static void assert_refused(const char *name, const char *sentence)
{
    struct failure failure = FAILURE_INIT;
    assert_null(input_open(SCOW_INPUT_LINES, name, &failure));
    assert_failure(failure, FAILURE_MISMATCH, sentence);
}

static void files_that_are_no_text(void **state)
{
    (void)state;
    assert_refused("none", "cannot open 'none': No such file or directory; check the name");
    assert_refused("/", "'/' is a directory: name a text file");
    assert_refused("/dev/zero", "'/dev/zero' is not a regular file: save the lines to a file "
                                "first");
    assert_int_equal(mkfifo("pipe", 0600), 0);
    assert_refused("pipe", "'pipe' is not a regular file: save the lines to a file first");
    picture_text("empty", "");
    assert_refused("empty", "'empty' is empty: make or copy the lines again");
    picture_bytes("zero", "one\ntwo\n\0\n", 10);
    assert_refused("zero", "line 3 of 'zero' holds a zero byte: name a text file, and convert "
                           "UTF-16 to UTF-8 first");
    picture_bytes("utf16", "\xff\xfeo\0n\0e\0\n\0", 10);
    assert_refused("utf16", "line 1 of 'utf16' holds a zero byte: name a text file, and convert "
                            "UTF-16 to UTF-8 first");
}

/* Refused where the hole begins, however far it reaches. */
static void sparse_files(void **state)
{
    (void)state;
    picture_text("sparse", "one\ntwo\nthree");
    assert_int_equal(truncate("sparse", (off_t)6 << 30), 0);
    assert_refused("sparse", "line 3 of 'sparse' holds a zero byte: name a text file, and convert "
                             "UTF-16 to UTF-8 first");
}

static void assert_changed(struct input *input, int64_t index, const char *line)
{
    struct failure failure = FAILURE_INIT;
    struct scow_item item = {.bytes = "untouched"};
    if (line) {
        assert_true(input_read_item(input, index, &item, &failure));
        assert_string_equal(item.bytes, line);
        return;
    }
    assert_false(input_read_item(input, index, &item, &failure));
    assert_failure(failure, FAILURE_MISMATCH,
                   "'moving' has changed since it was opened: leave it alone while it is in use, "
                   "and start again");
    assert_string_equal(item.bytes, "untouched");
}

/* The file is written anew while it is open: what a line, as it was counted, still is, is read. */
static void files_that_change(void **state)
{
    static const struct {
        const char *before, *after;
        const char *lines[3]; /* NULL: is found out */
    } changes[] = {{"one\ntwo\nthree\n", "one\ntwo\nthree\nfour\n", {"one", "two", "three"}},
                   {"one\ntwo\nthree", "one\ntwo\nthree and more\n", {"one", "two", "three"}},
                   {"one\ntwo\nthree\n", "one\ntwo\nthr", {"one", "two", NULL}},
                   {"one\ntwo\nthree\n", "one\n", {"one", NULL, NULL}},
                   {"one\ntwo\nthree\n", "", {NULL, NULL, NULL}},
                   {"one\ntwo\nthree\n", "six\ntwelve\nten\n", {"six", NULL, NULL}},
                   {"one\ntwo\nthree", "one\ntwo\nei\nht\n", {"one", "two", NULL}}};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(changes); i++)
        for (int backwards = 0; backwards < 2; backwards++) {
            struct failure failure = FAILURE_INIT;
            picture_text("moving", changes[i].before);
            struct input *input = input_open(SCOW_INPUT_LINES, "moving", &failure);
            assert_non_null(input);
            picture_text("moving", changes[i].after);
            for (int k = 0; k < 3; k++) {
                int at = backwards ? 2 - k : k;
                assert_changed(input, at, changes[i].lines[at]);
            }
            input_close(&input);
        }
}

static void zero_bytes_that_come_later(void **state)
{
    struct failure failure = FAILURE_INIT;
    (void)state;
    picture_text("moving", "one\ntwo\n");
    struct input *input = input_open(SCOW_INPUT_LINES, "moving", &failure);
    picture_bytes("moving", "one\n\0wo\n", 8);
    assert_changed(input, 0, "one");
    assert_changed(input, 1, NULL);
    assert_changed(input, 1, NULL);
    assert_changed(input, 0, "one"); /* not what is left of the other */
    input_close(&input);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_line_end),
        cmocka_unit_test(random_texts),
        cmocka_unit_test(lines_of_every_length),
        cmocka_unit_test(many_lines),
        cmocka_unit_test(the_same_line_again),
        cmocka_unit_test(offsets_beyond_four_gigabytes),
        cmocka_unit_test(files_that_are_no_text),
        cmocka_unit_test(sparse_files),
        cmocka_unit_test(records_of_tables),
        cmocka_unit_test(files_that_change),
        cmocka_unit_test(zero_bytes_that_come_later),
    };
    return cmocka_run_group_tests(tests, pictures_enter, pictures_leave);
}
