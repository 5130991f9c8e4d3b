#include <stdio.h>
#include <unistd.h>

#include "tests/spmd/items.h"
#include "tests/spmd/pictures.h"

/* ---- what is read is what was written ---- */

static void assert_sequences(const char *text, int64_t count, const struct scow_item *wanted)
{
    struct failure failure = FAILURE_INIT;
    picture_text("some.fa", text);
    struct input *input = input_open(SCOW_INPUT_SEQUENCES, "some.fa", &failure);
    assert_string_equal(failure.text, "");
    assert_int_equal(input_shape(input)->kind, SCOW_INPUT_SEQUENCES);
    assert_int_equal(input_shape(input)->extent[0], count);
    for (int64_t i = 0; i < count; i++) {
        struct scow_item item;
        assert_true(input_read_item(input, i, &item, &failure));
        assert_string_equal(item.bytes, wanted[i].bytes);
        assert_int_equal(item.size, strlen(wanted[i].bytes));
        assert_string_equal(item.name, wanted[i].name);
    }
    input_close(&input);
}

static struct scow_item sequence(const char *name, const char *letters)
{
    return (struct scow_item){.bytes = letters, .name = name};
}

static void every_form(void **state)
{
    (void)state;
    assert_sequences(">one\nACGT", 1, (struct scow_item[]){sequence("one", "ACGT")});
    assert_sequences(">one two\t\r\nAC\r\n\r\ngt \t*-\r\nN\r\n", 1,
                     (struct scow_item[]){sequence("one two", "ACgt*-N")});
    assert_sequences(
        "\n \r\n>\nA\n>  \nC\n> x>y\nz\n", 3,
        (struct scow_item[]){sequence("", "A"), sequence("", "C"), sequence(" x>y", "z")});
    assert_sequences(">a\n\n A\n C\n>b\nG\n\n\n", 2,
                     (struct scow_item[]){sequence("a", "AC"), sequence("b", "G")});
}

/* Texts of all characters that matter, by an oracle: about a quarter of them are good. */
static void random_texts(void **state)
{
    static const char letters[] = "\n\n>AcZ*-  \r\t1";
    uint64_t seed = 33;
    int good = 0;
    (void)state;
    for (int i = 0; i < 2000; i++) {
        struct items items;
        struct failure failure = FAILURE_INIT;
        char text[24] = ">";
        size_t size = 1 + picture_random(&seed) % (sizeof text - 1);
        for (size_t k = 1; k < size; k++)
            text[k] = letters[picture_random(&seed) % (sizeof letters - (i % 4 ? 2 : 1))];
        picture_bytes("random.fa", text, size);
        if (items_find(SCOW_INPUT_SEQUENCES, text, size, &items)) {
            good++;
            assert_true(items_agree(SCOW_INPUT_SEQUENCES, "random.fa", &items));
        } else {
            assert_null(input_open(SCOW_INPUT_SEQUENCES, "random.fa", &failure));
            assert_int_equal(failure.code, FAILURE_MISMATCH);
        }
        items_release(&items);
        assert_int_equal(unlink("random.fa"), 0); /* writing it anew would wait for the disk */
    }
    assert_in_range(good, 200, 1800);
}

/* Sequences over several of the pieces that the file is read in, on lines of 60. */
static void long_sequences(void **state)
{
    enum { LETTERS = 1500000, LINE = 60 };
    uint64_t seed = 34;
    FILE *stream = fopen("long.fa", "wb");
    size_t size;
    (void)state;
    assert_non_null(stream);
    for (int k = 0; k < 3; k++) {
        fprintf(stream, ">sequence %d\n", k);
        for (int i = 0; i < LETTERS >> k; i++) {
            putc("ACGT"[picture_random(&seed) % 4], stream);
            if (i % LINE == LINE - 1)
                putc('\n', stream);
        }
        putc('\n', stream);
    }
    assert_int_equal(fclose(stream), 0);
    unsigned char *bytes = picture_load("long.fa", &size);
    struct failure failure = FAILURE_INIT;
    struct input *input = input_open(SCOW_INPUT_SEQUENCES, "long.fa", &failure);
    assert_non_null(input);
    size_t at = 0;
    for (int k = 0; k < 3; k++) {
        struct scow_item item;
        bool same = true;
        assert_true(input_read_item(input, k, &item, &failure));
        assert_int_equal(item.size, LETTERS >> k);
        at += strlen(">sequence 0\n");
        for (size_t i = 0; i < item.size; i++, at++) {
            while (bytes[at] == '\n')
                at++;
            same = same && item.bytes[i] == (char)bytes[at];
        }
        assert_true(same);
        while (at < size && bytes[at] == '\n')
            at++;
    }
    assert_int_equal(at, size);
    input_close(&input);
    free(bytes);
}

static void names_of_any_length(void **state)
{
    enum { LENGTH = 3000000 };
    struct failure failure = FAILURE_INIT;
    struct scow_item item;
    char *text = malloc(LENGTH + 5);
    (void)state;
    assert_non_null(text);
    memset(text, 'n', LENGTH);
    text[0] = '>';
    memcpy(text + LENGTH, "\nAC\n", 5);
    picture_text("name.fa", text);
    struct input *input = input_open(SCOW_INPUT_SEQUENCES, "name.fa", &failure);
    assert_non_null(input);
    assert_true(input_read_item(input, 0, &item, &failure));
    assert_int_equal(strlen(item.name), LENGTH - 1);
    assert_string_equal(item.bytes, "AC");
    input_close(&input);
    free(text);
}

/* ---- what is refused ---- */

static void assert_refused(const char *name, const char *sentence)
{
    struct failure failure = FAILURE_INIT;
    assert_null(input_open(SCOW_INPUT_SEQUENCES, name, &failure));
    assert_failure(failure, FAILURE_MISMATCH, sentence);
}

static void assert_text_refused(const char *text, const char *sentence)
{
    picture_text("bad.fa", text);
    assert_refused("bad.fa", sentence);
}

static void files_without_sequences(void **state)
{
    (void)state;
    assert_refused("none", "cannot open 'none': No such file or directory; check the name");
    assert_refused("/", "'/' is a directory: name a FASTA file");
    assert_refused("/dev/null", "'/dev/null' is not a regular file: save the sequences to a file "
                                "first");
    assert_text_refused("", "'bad.fa' is empty: make or copy the sequences again");
    assert_text_refused(" \n\r\n\t",
                        "'bad.fa' holds no sequences but white space alone: name a FASTA file");
    assert_text_refused("\nACGT\n>one\nA\n",
                        "line 2 of 'bad.fa' has 'A' before the first header: name a FASTA file, in "
                        "which a sequence begins with a line of '>' and its name");
    assert_text_refused(" >one\nA\n",
                        "line 1 of 'bad.fa' has '>' before the first header: name a FASTA file, in "
                        "which a sequence begins with a line of '>' and its name");
    assert_text_refused("\x89PNG",
                        "line 1 of 'bad.fa' has byte 0x89 before the first header: name a FASTA "
                        "file, in which a sequence begins with a line of '>' and its name");
}

static void sequences_without_letters(void **state)
{
    (void)state;
    assert_text_refused(">one\n>two\nA\n", "sequence 1 ('one', line 1) of 'bad.fa' has no letters: "
                                           "add them, or take its header away");
    assert_text_refused(">one\nA\n\n> two \r\n \r\n>three\nA\n",
                        "sequence 2 (' two', line 4) of 'bad.fa' has no letters: add them, or take "
                        "its header away");
    assert_text_refused(">one\nA\n>last", "sequence 2 ('last', line 3) of 'bad.fa' has no letters: "
                                          "add them, or take its header away");
    assert_text_refused(">", "sequence 1 ('', line 1) of 'bad.fa' has no letters: add them, or "
                             "take its header away");
}

static void letters_that_are_none(void **state)
{
    (void)state;
    assert_text_refused(">one\nACGT\nAC1T\n",
                        "line 3 of 'bad.fa', in sequence 1 ('one'), has '1' among its letters: "
                        "only A to Z, a to z, '*' and '-' may stand there");
    assert_text_refused(">one\nACGT\n>two\r\n\r\nAC>GT\n",
                        "line 5 of 'bad.fa', in sequence 2 ('two'), has '>' among its letters: "
                        "only A to Z, a to z, '*' and '-' may stand there");
    assert_text_refused(">one\nA\xc3\xa4\n",
                        "line 2 of 'bad.fa', in sequence 1 ('one'), has byte 0xc3 among its "
                        "letters: only A to Z, a to z, '*' and '-' may stand there");
    picture_bytes("bad.fa", ">one\nA\0\n", 8);
    assert_refused("bad.fa", "line 2 of 'bad.fa', in sequence 1 ('one'), has byte 0x00 among its "
                             "letters: only A to Z, a to z, '*' and '-' may stand there");
    picture_bytes("bad.fa", ">one\nA\n>t\0o\nA\n", 14);
    assert_refused("bad.fa", "line 3 of 'bad.fa', the header of sequence 2, holds a zero byte: "
                             "name a FASTA file, or copy it again");
}

/* Names are cut to 63 bytes, between characters, and show no control characters. */
static void names_in_sentences(void **state)
{
    (void)state;
    assert_text_refused(">a123456789b123456789c123456789d123456789e123456789f123456789123\n1",
                        "line 2 of 'bad.fa', in sequence 1 ('a123456789b123456789c123456789d123456"
                        "789e123456789f123456789123'), has '1' among its letters: only A to Z, a "
                        "to z, '*' and '-' may stand there");
    assert_text_refused(">a123456789b123456789c123456789d123456789e123456789f1234567891234\n1",
                        "line 2 of 'bad.fa', in sequence 1 ('a123456789b123456789c123456789d123456"
                        "789e123456789f123456789123'), has '1' among its letters: only A to Z, a "
                        "to z, '*' and '-' may stand there");
    assert_text_refused(
        ">a123456789b123456789c123456789d123456789e123456789f12345678912\xe2\x82\xac and more\n1",
        "line 2 of 'bad.fa', in sequence 1 ('a123456789b123456789c123456789d123456789e123456789f12"
        "345678912'), has '1' among its letters: only A to Z, a to z, '*' and '-' may stand there");
    assert_text_refused(">a\x1b[31mb\tc\n1", "line 2 of 'bad.fa', in sequence 1 ('a [31mb c'), has "
                                             "'1' among its letters: only A to Z, a to z, '*' and "
                                             "'-' may stand there");
}

/* ---- files that change while they are open ---- */

static void assert_changed(struct input *input, int64_t index, const char *letters)
{
    struct failure failure = FAILURE_INIT;
    struct scow_item item = {.bytes = "untouched"};
    if (letters) {
        assert_true(input_read_item(input, index, &item, &failure));
        assert_string_equal(item.bytes, letters);
        return;
    }
    assert_false(input_read_item(input, index, &item, &failure));
    assert_failure(failure, FAILURE_MISMATCH,
                   "'moving.fa' has changed since it was opened: leave it alone while it is in "
                   "use, and start again");
    assert_string_equal(item.bytes, "untouched");
}

static void files_that_change(void **state)
{
    static const char before[] = ">one\nACG\n>two\nTT\n";
    static const struct {
        const char *after;
        size_t size;
        const char *letters[2]; /* NULL: is found out */
    } changes[] = {{">one\nACG\n>two\nTT\n>three\nA", 25, {"ACG", "TT"}},
                   {">one\nACG\n>two\nT", 15, {"ACG", NULL}},
                   {">one\nAC", 7, {NULL, NULL}},
                   {"", 0, {NULL, NULL}},
                   {">one\nA1G\n>two\n  \n", 17, {NULL, NULL}},
                   {"=one\nACG\n>twoTTTT", 17, {NULL, NULL}},
                   {">o\0e\nGCA\n>two\n-*\n", 17, {NULL, "-*"}},
                   {">one\n>CG\n>two\nTT\n", 17, {NULL, "TT"}}};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(changes); i++)
        for (int backwards = 0; backwards < 2; backwards++) {
            struct failure failure = FAILURE_INIT;
            picture_text("moving.fa", before);
            struct input *input = input_open(SCOW_INPUT_SEQUENCES, "moving.fa", &failure);
            assert_non_null(input);
            picture_bytes("moving.fa", changes[i].after, changes[i].size);
            for (int k = 0; k < 2; k++) {
                int at = backwards ? 1 - k : k;
                assert_changed(input, at, changes[i].letters[at]);
            }
            input_close(&input);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form),
        cmocka_unit_test(random_texts),
        cmocka_unit_test(long_sequences),
        cmocka_unit_test(names_of_any_length),
        cmocka_unit_test(files_without_sequences),
        cmocka_unit_test(sequences_without_letters),
        cmocka_unit_test(letters_that_are_none),
        cmocka_unit_test(names_in_sentences),
        cmocka_unit_test(files_that_change),
    };
    return cmocka_run_group_tests(tests, pictures_enter, pictures_leave);
}
