/* Workers that have no core of their own: when it is said, and how; the cores of the ranks at hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "spmd/job/crowding.h"

static void check_line(int workers, int threads, int cores, const char *expected)
{
    const struct crowding crowding = {.node = "n01", .workers = workers, .cores = cores};
    struct text text = TEXT_INIT;
    crowding_describe(&crowding, threads, &text);
    char *line = text_take(&text);
    assert_string_equal(line ? line : "", expected);
    free(line);
}

static void a_core_each_needs_no_word(void **state)
{
    (void)state;
    check_line(1, 1, 1, "");
    check_line(4, 2, 8, "");
    check_line(3, 1, 4, "");
}

static void too_few_cores_are_told(void **state)
{
    (void)state;
    check_line(3, 1, 2,
               "on n01, 3 workers of 1 thread share 2 cores: where core tasks compute, a package "
               "takes as long as the others let it, which a plan cannot foresee\n");
    check_line(1, 2, 1,
               "on n01, 1 worker of 2 threads shares 1 core: where core tasks compute, a package "
               "takes as long as the others let it, which a plan cannot foresee\n");
}

static void the_ranks_at_hand(void **state)
{
    struct comm comm;
    (void)state;
    comm_init(&comm, MPI_COMM_WORLD);
    const struct crowding here = crowding_find(&comm);
    assert_int_equal(here.workers, comm.size > 1 ? comm.size - 1 : 1);
    assert_in_range(here.cores, 1, sysconf(_SC_NPROCESSORS_CONF));
    assert_true(here.node[0] != '\0');
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_core_each_needs_no_word),
        cmocka_unit_test(too_few_cores_are_told),
        cmocka_unit_test(the_ranks_at_hand),
    };
    MPI_Init(&argc, &argv);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
