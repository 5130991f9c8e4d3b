/* One way of computing and one plug-in on all ranks: accepted, and refused where a rank has another
 * one. */
#include "spmd/launch/method.h"

#include <stdio.h>

#include "spmd/transport/link_mpi.h"
#include "tests/spmd/census.h"

static struct comm comm;

/* Its method is "counting, parts NUMBER". */
static void job_of(struct job *job, int parts)
{
    const struct census census = {parts, SCOW_F32, {1, 1, 10}, {1, 1, 1}};
    census_open(job, &census_host, &census);
}

/* Collective. As where a job is made. */
static bool method_agree(const struct job *job, struct failure *failure)
{
    char masters[JOB_METHOD_SIZE];
    job_method(job, masters, sizeof masters);
    comm_broadcast(&comm, masters, sizeof masters);
    method_check(job, masters, comm.rank, failure);
    return comm_agree(&comm, failure);
}

static void one_way_is_agreed_on(void **state)
{
    (void)state;
    struct job job;
    struct failure failure = FAILURE_INIT;
    job_of(&job, CENSUS_GRID);
    assert_true(method_agree(&job, &failure));
    assert_int_equal(failure.code, FAILURE_NONE);
    job_close(&job);
}

/* The same sentence on every rank, about the rank that differs. */
static void another_way_is_refused(void **state)
{
    (void)state;
    for (int other = 0; other < comm.size; other++) {
        struct job job;
        struct failure failure = FAILURE_INIT;
        char expected[480];
        job_of(&job, comm.rank == other ? 2 : 4);
        snprintf(
            expected, sizeof expected,
            "rank %d would compute in another way (counting, parts %d) than the master (counting, "
            "parts %d): start the same build of scow on all nodes",
            other > 0 ? other : 1, other > 0 ? 2 : 4, other > 0 ? 4 : 2);
        assert_int_equal(method_agree(&job, &failure), comm.size == 1);
        if (comm.size > 1)
            assert_failure(failure, FAILURE_FAILED, expected);
        job_close(&job);
    }
}

static void kernels_without_a_plugin_agree(void **state)
{
    (void)state;
    const struct kernel kernel = {.task = &census_host};
    struct failure failure = FAILURE_INIT;
    assert_true(kernel_agree(&comm, &kernel, &failure));
    assert_int_equal(failure.code, FAILURE_NONE);
}

static void one_plugin_is_agreed_on(void **state)
{
    (void)state;
    char plugin[] = "/somewhere/mine.so";
    struct kernel kernel = {.task = &census_host, .plugin = plugin};
    struct failure failure = FAILURE_INIT;
    memset(kernel.sha256, 'a', 64);
    assert_true(kernel_agree(&comm, &kernel, &failure));
}

static void another_plugin_is_refused(void **state)
{
    (void)state;
    for (int other = 0; other < comm.size; other++) {
        char plugin[] = "/somewhere/mine.so", expected[480];
        struct kernel kernel = {.task = &census_host, .plugin = plugin};
        struct failure failure = FAILURE_INIT;
        memset(kernel.sha256, 'a', 64);
        kernel.sha256[63] = comm.rank == other ? 'b' : 'a';
        snprintf(expected, sizeof expected,
                 "plug-in '/somewhere/mine.so' is another file on rank %d than on the master: put "
                 "it on a file system that all nodes see",
                 other > 0 ? other : 1);
        assert_int_equal(kernel_agree(&comm, &kernel, &failure), comm.size == 1);
        if (comm.size > 1)
            assert_failure(failure, FAILURE_MISMATCH, expected);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    comm_init(&comm, link_mpi(MPI_COMM_WORLD));
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_way_is_agreed_on),           cmocka_unit_test(another_way_is_refused),
        cmocka_unit_test(kernels_without_a_plugin_agree), cmocka_unit_test(one_plugin_is_agreed_on),
        cmocka_unit_test(another_plugin_is_refused),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    if (failed)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Finalize();
    return 0;
}
