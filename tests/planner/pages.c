/* Memory in pages: aligned, all of it there, and gone when it is freed. */
#include "planner/base/pages.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tests/checks.h"

static void every_byte_can_be_used(void **state)
{
    static const size_t sizes[] = {0,       1,           4095,    4096,    4097,    2097151,
                                   2097152, 3 * 2097152, 9300000, 1 << 20, 4194303, 4198401};
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
        cmocka_unit_test(more_than_there_can_be_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
