/* Compressed input is read as its contents, whole and in any order, or refused. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "spmd/input/input.h"
#include "tests/spmd/items.h"
#include "tests/spmd/pictures.h"

static void run(const char *command)
{
    assert_int_equal(system(command), 0); /* NOLINT(cert-env33-c) */
}

static char *lines_make(size_t *size)
{
    enum { LINES = 100000 };
    char *text = malloc((size_t)LINES * 12);
    size_t used = 0;
    assert_non_null(text);
    for (int i = 0; i < LINES; i++)
        used += (size_t)sprintf(text + used, "%d\n", i * 7);
    *size = used;
    return text;
}

static void assert_unpacked(const char *name, const char *text, size_t size)
{
    struct items items;
    assert_true(items_find(SCOW_INPUT_LINES, text, size, &items));
    assert_true(items_agree(SCOW_INPUT_LINES, name, &items));
    items_release(&items);
}

static void assert_refused(const char *name, const char *sentence)
{
    struct failure failure = FAILURE_INIT;
    assert_null(input_open(SCOW_INPUT_LINES, name, &failure));
    if (!strstr(failure.text, sentence))
        assert_string_equal(failure.text, sentence);
}

static void texts_that_are_compressed(void **state)
{
    size_t size;
    char *text = lines_make(&size);
    (void)state;
    picture_bytes("plain", text, size);
#ifdef SCOW_HAVE_ZLIB
    /* Parts one behind the other are one text. */
    run("head -c 100001 plain | gzip -c > a.gz && tail -c +100002 plain | gzip -c >> a.gz");
    assert_unpacked("a.gz", text, size);
    run("gzip -c plain > plain.csv.gz");
    assert_unpacked("plain.csv.gz", text, size);
#endif
#ifdef SCOW_HAVE_ZSTD
    if (access("/usr/bin/zstd", X_OK) == 0) {
        run("head -c 100001 plain | zstd -q -c > a.zst && tail -c +100002 plain | zstd -qc >> "
            "a.zst");
        assert_unpacked("a.zst", text, size);
        run("head -c 1000 a.zst > cut.zst");
        assert_refused("cut.zst", "cannot unpack 'cut.zst': it ends too early; copy it again");
    }
#endif
    free(text);
}

static void files_that_are_damaged(void **state)
{
    (void)state;
#ifdef SCOW_HAVE_ZLIB
    run("seq 100000 | gzip -c > whole.gz && head -c 5000 whole.gz > cut.gz");
    assert_refused("cut.gz", "cannot unpack 'cut.gz': ");
    run("cp whole.gz bad.gz && printf xxxx | dd of=bad.gz bs=1 seek=9000 conv=notrunc 2>/dev/null");
    assert_refused("bad.gz", "cannot unpack 'bad.gz': ");
    run("gzip -c </dev/null > empty.gz");
    assert_refused("empty.gz", "'empty.gz' holds nothing when it is unpacked");
    assert_int_equal(setenv("TMPDIR", "/nowhere", 1), 0);
    assert_refused("whole.gz", "cannot unpack 'whole.gz' into /nowhere: No such file or directory; "
                               "name a folder that has room in TMPDIR");
    assert_int_equal(unsetenv("TMPDIR"), 0);
#endif
}

static void sequences_that_are_compressed(void **state)
{
    (void)state;
#ifdef SCOW_HAVE_ZLIB
    struct failure failure = FAILURE_INIT;
    struct scow_item item;
    run("printf '>one\\nACGT\\nAC\\n>two\\nTT\\n' | gzip -c > a.fasta.gz");
    struct input *input = input_open(SCOW_INPUT_SEQUENCES, "a.fasta.gz", &failure);
    assert_string_equal(failure.text, "");
    assert_int_equal(input_shape(input)->extent[0], 2);
    assert_true(input_read_item(input, 0, &item, &failure));
    assert_string_equal(item.bytes, "ACGTAC");
    input_close(&input);
#endif
}

enum { EMPTY_BLOCK = 28 };

/* Packs as bgzip does: each block has a field of its own, and the last block is empty. */
static void sequences_in_blocks(void **state)
{
    (void)state;
#ifdef SCOW_HAVE_ZLIB
    static const unsigned char blocks[] = {
        0x1f, 0x8b, 0x08, 0x04, 0x00, 0x00, 0x00, 0x00, 0x00, 0xff, 0x06, 0x00, 0x42, 0x43, 0x02,
        0x00, 0x23, 0x00, 0xb3, 0xcb, 0xcf, 0x4b, 0xe5, 0x72, 0x74, 0x76, 0x07, 0x00, 0x5b, 0xfb,
        0xbe, 0xc6, 0x08, 0x00, 0x00, 0x00, 0x1f, 0x8b, 0x08, 0x04, 0x00, 0x00, 0x00, 0x00, 0x00,
        0xff, 0x06, 0x00, 0x42, 0x43, 0x02, 0x00, 0x28, 0x00, 0x0b, 0xe1, 0x72, 0x74, 0xe6, 0xb2,
        0x2b, 0x29, 0xcf, 0xe7, 0x0a, 0x09, 0xe1, 0x02, 0x00, 0xc2, 0x7c, 0x3a, 0x64, 0x0d, 0x00,
        0x00, 0x00, 0x1f, 0x8b, 0x08, 0x04, 0x00, 0x00, 0x00, 0x00, 0x00, 0xff, 0x06, 0x00, 0x42,
        0x43, 0x02, 0x00, 0x1b, 0x00, 0x03, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00};
    struct failure failure = FAILURE_INIT;
    struct scow_item item;
    picture_bytes("b.fasta.gz", blocks, sizeof blocks);
    struct input *input = input_open(SCOW_INPUT_SEQUENCES, "b.fasta.gz", &failure);
    assert_string_equal(failure.text, "");
    assert_int_equal(input_shape(input)->extent[0], 2);
    assert_true(input_read_item(input, 0, &item, &failure));
    assert_string_equal(item.bytes, "ACGTAC");
    assert_true(input_read_item(input, 1, &item, &failure));
    assert_string_equal(item.bytes, "TT");
    input_close(&input);
    /* Cut where a block ends, it would be all that gzip wants. */
    picture_bytes("cut.fasta.gz", blocks, sizeof blocks - EMPTY_BLOCK);
    assert_null(input_open(SCOW_INPUT_SEQUENCES, "cut.fasta.gz", &failure));
    assert_string_equal(failure.text, "cannot unpack 'cut.fasta.gz': the empty block is missing "
                                      "with which bgzip ends; copy it again");
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_that_are_compressed),
        cmocka_unit_test(files_that_are_damaged),
        cmocka_unit_test(sequences_that_are_compressed),
        cmocka_unit_test(sequences_in_blocks),
    };
    return cmocka_run_group_tests(tests, pictures_enter, pictures_leave);
}
