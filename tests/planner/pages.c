/* Memory in pages: aligned, allocated, and freed. */
#include "planner/base/pages.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/checks.h"

static void every_byte_can_be_used(void **state)
{
    static const size_t sizes[] = {0,       1,       4095,    4096,    4097,    2097151,
                                   2097152, 6291456, 9300000, 1 << 20, 4194303, 4198401};
    (void)state;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        unsigned char *pages = pages_new(sizes[k]);
        assert_non_null(pages);
        assert_int_equal((uintptr_t)pages % PAGES_ALIGNMENT, 0);
        pages_touch(pages, sizes[k]);
        memset(pages, 0xA5, sizes[k]);
        for (size_t at = 0; at < sizes[k]; at += 997)
            assert_int_equal(pages[at], 0xA5);
        free(pages);
    }
}

#ifdef __linux__
/* KiB of this process. */
static long resident(void)
{
    char line[128], *end = line;
    FILE *file = fopen("/proc/self/statm", "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    fclose(file);
    strtol(line, &end, 10);
    return strtol(end, NULL, 10) * (sysconf(_SC_PAGESIZE) / 1024);
}

/* A little more than a large page is not two of them. */
static void little_more_is_little_more(void **state)
{
    enum { BLOCKS = 8, SIZE = 2097152 + 8192 };
    unsigned char *blocks[BLOCKS];
    (void)state;
    const long before = resident();
    for (size_t k = 0; k < BLOCKS; k++) {
        blocks[k] = pages_new(SIZE);
        assert_non_null(blocks[k]);
        pages_touch(blocks[k], SIZE);
    }
    assert_true(resident() - before < BLOCKS * 3L * 1024);
    for (size_t k = 0; k < BLOCKS; k++)
        free(blocks[k]);
}
#endif

static void more_than_there_can_be_is_refused(void **state)
{
    (void)state;
    assert_null(pages_new(SIZE_MAX));
    assert_null(pages_new(SIZE_MAX / 2 + 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_byte_can_be_used),
#ifdef __linux__
        cmocka_unit_test(little_more_is_little_more),
#endif
        cmocka_unit_test(more_than_there_can_be_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
