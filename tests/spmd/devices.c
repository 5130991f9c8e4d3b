/* GPUs of workers: each gets its own, of those that the node has or a batch system listed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "spmd/launch/devices.h"

static void check_list(const char *given, int64_t worker, int64_t per_worker, int gpus,
                       const char *expected)
{
    char list[40];
    struct failure failure = {0};
    assert_true(devices_choose(given, worker, per_worker, gpus, list, sizeof list, &failure));
    assert_string_equal(list, expected);
}

static void workers_take_theirs_in_order(void **state)
{
    (void)state;
    check_list(NULL, 0, 1, 0, "0");
    check_list(NULL, 3, 1, 4, "3");
    check_list(NULL, 1, 2, 4, "2,3");
}

static void a_list_is_shared_and_an_own_one_stays(void **state)
{
    (void)state;
    check_list("4,5,6,7", 1, 1, 0, "5");
    check_list("GPU-a,GPU-b,GPU-c,GPU-d", 1, 2, 0, "GPU-c,GPU-d");
    check_list("7", 2, 1, 0, "7");
    check_list("6,7", 1, 2, 1, "6,7");
    check_list("", 1, 1, 0, "");
}

static void too_few_are_refused(void **state)
{
    static const char *const lists[] = {NULL, "0,1,2"};
    (void)state;
    for (size_t k = 0; k < 2; k++) {
        char list[40];
        struct failure failure = {0};
        assert_false(devices_choose(lists[k], 1, 2, 3, list, sizeof list, &failure));
        assert_int_equal(failure.code, FAILURE_USAGE);
        assert_string_equal(failure.text,
                            "worker 2 of its node lacks GPUs: --gpus-per-worker 2 needs 4 there, "
                            "and there are 3: start fewer workers on a node, or ask for more GPUs");
    }
}

static void a_list_without_room_is_refused(void **state)
{
    char list[4];
    struct failure failure = {0};
    (void)state;
    assert_false(devices_choose("GPU-a,GPU-b", 0, 1, 0, list, sizeof list, &failure));
    assert_int_equal(failure.code, FAILURE_USAGE);
    failure = (struct failure){0};
    assert_false(devices_choose(NULL, 0, 9, 0, list, sizeof list, &failure));
    assert_int_equal(failure.code, FAILURE_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(workers_take_theirs_in_order),
        cmocka_unit_test(a_list_is_shared_and_an_own_one_stays),
        cmocka_unit_test(too_few_are_refused),
        cmocka_unit_test(a_list_without_room_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
