/* cmocka, with the headers it wants before it, and what tests of all rooms check alike. */
#ifndef TESTS_CHECKS_H
#define TESTS_CHECKS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "planner/base/failure.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

/* It must have failed with that code and exactly that sentence. */
#define assert_failure(failure, wanted_code, sentence)                                             \
    do {                                                                                           \
        assert_string_equal((failure).text, sentence);                                             \
        assert_int_equal((failure).code, wanted_code);                                             \
    } while (0)

/* Runs only those tests of this program that the environment's SCOW_TESTS names, with * and ?;
 * without it all. */
static inline void tests_choose(void)
{
    const char *names = getenv("SCOW_TESTS");
    if (names)
        cmocka_set_test_filter(names);
}

#endif
