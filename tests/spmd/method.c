/* One way of computing on all ranks: accepted, and refused where one rank's is another. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "spmd/job/method.h"

static struct comm comm;

/* The algorithm named, so that no estimate has a say. */
static void job_of(struct job *job, const char *algorithm)
{
    const struct kernel *kernel = kernel_find("matched-filter");
    struct kernel_setup setup = {.extent = {1, 64, 64, PIXEL_U8}, .block = 32};
    struct parameter_list list = {0};
    struct failure failure = FAILURE_INIT;
    assert_true(parameter_list_add(&list, "algorithm", algorithm, 0));
    assert_true(job_parameters(kernel, &list, "x", &setup, &failure));
    assert_true(job_init(job, kernel, &setup, "x", &failure));
    parameter_list_release(&list);
}

static void one_way_is_agreed_on(void **state)
{
    (void)state;
    struct job job;
    struct failure failure = FAILURE_INIT;
    job_of(&job, "direct");
    assert_true(method_agree(&comm, &job, &failure));
    assert_int_equal(failure.code, FAILURE_NONE);
    job_release(&job);
}

/* The same sentence on every rank, about the rank that differs. */
static void another_way_is_refused(void **state)
{
    (void)state;
    for (int other = 0; other < comm.size; other++) {
        struct job job;
        struct failure failure = FAILURE_INIT;
        char expected[480];
        job_of(&job, comm.rank == other ? "fft" : "direct");
        snprintf(expected, sizeof expected,
                 "rank %d would compute otherwise (%s for 12 filters, in tiles of 32 x 32) than "
                 "the master (%s for 12 filters, in tiles of 32 x 32): start the same build of "
                 "scow on all nodes",
                 other > 0 ? other : 1, other > 0 ? "fft" : "direct", other > 0 ? "direct" : "fft");
        assert_int_equal(method_agree(&comm, &job, &failure), comm.size == 1);
        if (comm.size > 1)
            assert_string_equal(failure.text, expected);
        job_release(&job);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    comm_init(&comm, MPI_COMM_WORLD);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_way_is_agreed_on),
        cmocka_unit_test(another_way_is_refused),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    if (failed)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Finalize();
    return 0;
}
