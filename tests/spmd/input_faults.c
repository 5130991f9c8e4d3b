/* Every allocation is made to fail in turn, and every read of a line or sequence to go wrong: what
 * then comes back is one sentence, and (under a leak checker) nothing is lost. */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "spmd/input/input.h"
#include "tests/scarcity.h"
#include "tests/spmd/pictures.h"

/* The linker sends the product's reads here. */
ssize_t __wrap_pread(int file, void *bytes, size_t size, off_t offset);
ssize_t __real_pread(int file, void *bytes, size_t size, off_t offset);

/* ---- allocations ---- */

struct attempt {
    enum scow_input_kind kind;
    const char *name;
};

/* Everything that can be done with an input of that kind. */
static bool use(const struct attempt *attempt, struct failure *failure)
{
    uint8_t pixel;
    struct scow_item item;
    struct input *input = input_open(attempt->kind, attempt->name, failure);
    bool good = input && input_load(input, failure);
    if (good && attempt->kind == SCOW_INPUT_IMAGE)
        good = input_read_image(input, 0, 0, 0, 1, 1, &pixel, failure);
    else if (good && attempt->kind != SCOW_INPUT_FILE && attempt->kind != SCOW_INPUT_NONE)
        for (int64_t i = 0; good && i < input_shape(input)->extent[0]; i++)
            good = input_read_item(input, i, &item, failure);
    input_close(&input);
    return good;
}

static void every_allocation_fails(void **state)
{
    static const struct attempt attempts[] = {{SCOW_INPUT_NONE, NULL},
                                              {SCOW_INPUT_IMAGE, "image.pgm"},
                                              {SCOW_INPUT_LINES, "lines"},
                                              {SCOW_INPUT_SEQUENCES, "sequences"},
                                              {SCOW_INPUT_FILE, "lines"}};
    (void)state;
    picture_text("image.pgm", "P2 1 1 9 7");
    picture_text("sequences", ">one\nACGT\n>two\nACGTACGTACGT\n");
    FILE *stream = fopen("lines", "wb"); /* more than the first memory for offsets holds */
    for (int i = 0; i < 200; i++)
        fprintf(stream, "%0*d\n", 1 + i / 50, i);
    assert_int_equal(fclose(stream), 0);
    for (size_t i = 0; i < COUNT_OF(attempts); i++) {
        int allowed = 0;
        for (bool reached = true; reached; allowed++) {
            struct failure failure = FAILURE_INIT;
            scarcity_begin(allowed);
            bool good = use(&attempts[i], &failure);
            reached = scarcity_end();
            assert_true(good == !reached);
            assert_int_equal(failure.code, reached ? FAILURE_FAILED : FAILURE_NONE);
            assert_true(!reached || strstr(failure.text, "out of memory while "));
        }
        assert_true(allowed > 1); /* something was allocated at all */
    }
}

/* ---- reading ---- */

enum { WELL, INTERRUPTED, IN_BITS, BROKEN };

static int reading = WELL;

ssize_t __wrap_pread(int file, void *bytes, size_t size, off_t offset)
{
    static int calls;
    bool interrupted = reading == INTERRUPTED && calls++ % 2 == 0;
    if (reading == BROKEN || interrupted) {
        errno = reading == BROKEN ? EIO : EINTR;
        return -1;
    }
    return __real_pread(file, bytes, reading == IN_BITS && size > 3 ? 3 : size, offset);
}

/* The first item is read by the window for those that follow it, the second one alone. */
static void assert_item(enum scow_input_kind kind, int64_t index, const char *wanted)
{
    struct scow_item item;
    for (int mode = WELL; mode <= BROKEN; mode++) {
        struct failure failure = FAILURE_INIT;
        struct input *input = input_open(kind, "text", &failure);
        assert_non_null(input);
        reading = mode;
        bool good = input_read_item(input, index, &item, &failure);
        reading = WELL;
        assert_true(good == (mode != BROKEN));
        if (good)
            assert_string_equal(item.bytes, wanted);
        else
            assert_failure(failure, FAILURE_MISMATCH,
                           "cannot read 'text': Input/output error; copy it again");
        input_close(&input);
    }
}

static void every_read_goes_wrong(void **state)
{
    (void)state;
    picture_text("text", "the first line\nthe second one\n");
    assert_item(SCOW_INPUT_LINES, 0, "the first line");
    assert_item(SCOW_INPUT_LINES, 1, "the second one");
    picture_text("text", ">one\nACGTACGT\n>two\nTTTT\n");
    assert_item(SCOW_INPUT_SEQUENCES, 0, "ACGTACGT");
    assert_item(SCOW_INPUT_SEQUENCES, 1, "TTTT");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_fails),
        cmocka_unit_test(every_read_goes_wrong),
    };
    return cmocka_run_group_tests(tests, pictures_enter, pictures_leave);
}
