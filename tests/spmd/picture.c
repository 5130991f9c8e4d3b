/* Pictures of grids, by any number of threads, compared with one that is made at once in memory. */
#define _GNU_SOURCE /* mkstemp */
#include "spmd/output/picture.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "kernel/type.h"
#include "planner/base/random.h"
#include "spmd/layout/grey.h"
#include "tests/checks.h"

enum { COUNT = 300000, BEFORE = 1000, THREADS_MOST = 4 };

/* A file of its own, with nobody's name. */
static int file_make(void)
{
    char name[] = "picture-XXXXXX";
    const int file = mkstemp(name);
    assert_true(file >= 0);
    unlink(name);
    return file;
}

static uint16_t *noise_make(uint64_t seed)
{
    uint16_t *numbers = malloc(COUNT * sizeof *numbers);
    assert_non_null(numbers);
    for (int i = 0; i < COUNT; i++)
        numbers[i] = (uint16_t)(random_bits(&seed) % 30000);
    return numbers;
}

/* Somewhere in the grid, as many as take from none to all of several pieces. */
static void part_check(const struct picture_setup *setup, const uint16_t *numbers, uint64_t *random)
{
    struct picture *picture = picture_new(setup);
    const int64_t first = (int64_t)(random_bits(random) % COUNT);
    const int64_t count = (int64_t)(random_bits(random) % (uint64_t)(COUNT - first + 1));
    uint8_t *wanted = malloc(COUNT), *found = malloc(COUNT), *before = malloc(COUNT);
    assert_true(picture && wanted && found && before);
    memset(before, 77, COUNT);
    memcpy(wanted, before, COUNT);
    assert_int_equal(pwrite(setup->file, before, COUNT, setup->shades), COUNT);
    grey_fill(wanted + first, setup->type, numbers + first, count, 100, 29000);
    assert_int_equal(picture_fill(picture, first, count, 100, 29000), PICTURE_DONE);
    assert_int_equal(pread(setup->file, found, COUNT, setup->shades), COUNT);
    assert_memory_equal(found, wanted, COUNT);
    free(wanted);
    free(found);
    free(before);
    picture_free(&picture);
    assert_null(picture);
}

static void any_part_by_any_threads(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        uint64_t random = seed;
        uint16_t *numbers = noise_make(seed);
        const struct picture_setup setup = {
            .file = file_make(),
            .numbers = BEFORE,
            .shades = BEFORE + COUNT * (int64_t)sizeof *numbers,
            .type = SCOW_U16,
            .threads = 1 + (int)(seed % THREADS_MOST),
        };
        assert_int_equal(pwrite(setup.file, numbers, COUNT * sizeof *numbers, setup.numbers),
                         COUNT * sizeof *numbers);
        part_check(&setup, numbers, &random);
        close(setup.file);
        free(numbers);
    }
}

/* A file that ends before the numbers do; one that is open for reading only. */
static void what_went_wrong_is_told(void **state)
{
    (void)state;
    uint16_t *numbers = noise_make(7);
    for (int threads = 1; threads <= THREADS_MOST; threads++) {
        struct picture_setup setup = {.file = file_make(),
                                      .shades = COUNT * (int64_t)sizeof *numbers,
                                      .type = SCOW_U16,
                                      .threads = threads};
        const ssize_t most = COUNT * (ssize_t)sizeof *numbers;
        assert_int_equal(pwrite(setup.file, numbers, (size_t)most - 2, 0), most - 2);
        struct picture *picture = picture_new(&setup);
        assert_int_equal(picture_fill(picture, 0, COUNT - 1, 0, 1), PICTURE_DONE);
        assert_int_equal(ftruncate(setup.file, most - 2), 0);
        assert_int_equal(picture_fill(picture, COUNT - 5, 5, 0, 1), PICTURE_UNREAD);
        assert_int_equal(picture_fill(picture, 0, 0, 0, 1), PICTURE_DONE);
        picture_free(&picture);
        close(setup.file);
        setup.file = open("/dev/zero", O_RDONLY);
        picture = picture_new(&setup);
        assert_int_equal(picture_fill(picture, 0, COUNT, 0, 1), PICTURE_UNWRITTEN);
        picture_free(&picture);
        close(setup.file);
    }
    free(numbers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_part_by_any_threads),
        cmocka_unit_test(what_went_wrong_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
