/* Where a master listens: on the loopback address, in a job on the node's own address, and on all
 * addresses only where the user says so. */
#include "spmd/serve/address.h"

#include <stdlib.h>
#include <string.h>

#include "tests/checks.h"

static void outside_jobs(void)
{
    unsetenv("SLURM_JOB_ID");
    unsetenv("PBS_JOBID");
}

static void usual(void **state)
{
    char address[ACCESS_ADDRESS_SIZE];
    struct failure failure = FAILURE_INIT;
    (void)state;
    outside_jobs();
    assert_true(address_find(NULL, address, &failure));
    assert_string_equal(address, "tcp://127.0.0.1:0");
    assert_false(address_keeps_out(address));
    setenv("SLURM_JOB_ID", "7", 1);
    assert_true(address_keeps_out(address));
    assert_false(address_keeps_out("tcp://10.1.2.3:5555"));
    if (address_find(NULL, address, &failure)) { /* this machine's name may be known nowhere */
        assert_null(strstr(address, "//0.0.0.0"));
        assert_null(strstr(address, "[::]"));
        assert_non_null(strstr(address, ":0"));
    }
    outside_jobs();
}

static void as_asked(void **state)
{
    static const struct {
        const char *listen, *address;
    } rows[] = {{"127.0.0.1", "tcp://127.0.0.1:0"},
                {"127.0.0.2:5555", "tcp://127.0.0.2:5555"},
                {"[::1]:80", "tcp://[::1]:80"},
                {"0.0.0.0:7", "tcp://0.0.0.0:7"}};
    static const char *const wrong[] = {
        "", ":5", "127.0.0.1:", "127.0.0.1:70000", "127.0.0.1:x", "[::1", "[::1]x"};
    char address[ACCESS_ADDRESS_SIZE];
    (void)state;
    for (size_t k = 0; k < COUNT_OF(rows); k++) {
        struct failure failure = FAILURE_INIT;
        if (!address_find(rows[k].listen, address, &failure))
            fail_msg("%s: %s", rows[k].listen, failure.text);
        assert_string_equal(address, rows[k].address);
    }
    for (size_t k = 0; k < COUNT_OF(wrong); k++) {
        struct failure failure = FAILURE_INIT;
        assert_false(address_find(wrong[k], address, &failure));
        assert_int_equal(failure.code, FAILURE_USAGE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(usual),
        cmocka_unit_test(as_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
