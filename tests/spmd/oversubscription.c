/* Workers that have no core of their own: when that is said, and how; and the cores of the present
 * ranks. */
#define _GNU_SOURCE /* cpu_set_t */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "spmd/launch/cores.h"
#include "spmd/launch/oversubscription.h"
#include "spmd/transport/link_mpi.h"

static void check_line(int workers, int threads, int cores, const char *expected)
{
    const struct oversubscription oversubscription = {
        .node = "n01", .workers = workers, .cores = cores, .hardware_threads = cores};
    struct text text = TEXT_INIT;
    oversubscription_describe(&oversubscription, threads, &text);
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
               "on n01, 3 workers of 1 thread share 2 cores: core tasks that compute then slow "
               "each other down, which a plan cannot predict; start fewer workers "
               "there, or give each fewer threads (OMP_NUM_THREADS)\n");
    check_line(1, 2, 1,
               "on n01, 1 worker of 2 threads shares 1 core: core tasks that compute then slow "
               "each other down, which a plan cannot predict; start fewer workers "
               "there, or give each fewer threads (OMP_NUM_THREADS)\n");
}

static void hardware_threads_are_told(void **state)
{
    (void)state;
    const struct oversubscription oversubscription = {
        .node = "n01", .workers = 4, .cores = 2, .hardware_threads = 4, .first = 1, .second = 3};
    struct text text = TEXT_INIT;
    oversubscription_describe(&oversubscription, 1, &text);
    char *line = text_take(&text);
    assert_non_null(
        strstr(line, "on n01, 4 workers of 1 thread share 2 cores (4 hardware threads): "));
    free(line);
}

static void two_bound_to_one_core_are_told(void **state)
{
    (void)state;
    const struct oversubscription oversubscription = {
        .node = "n01", .workers = 2, .cores = 4, .hardware_threads = 8, .first = 1, .second = 2};
    struct text text = TEXT_INIT;
    oversubscription_describe(&oversubscription, 1, &text);
    char *line = text_take(&text);
    assert_non_null(strstr(line, "on n01, ranks 1 and 2 are bound to one core of 4 cores "
                                 "(8 hardware threads): "));
    assert_non_null(strstr(line, "--bind-to core"));
    free(line);
}

static cpu_set_t set_of(int first, int last)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    for (int k = first; k <= last; k++)
        CPU_SET((size_t)k, &set);
    return set;
}

/* A thread that comes late makes the others move to another core, as long as there is one. */
static void each_finds_a_core_where_there_is_one(void **state)
{
    const cpu_set_t chain[] = {set_of(0, 1), set_of(0, 2), set_of(0, 0), set_of(3, 3)};
    const cpu_set_t tight[] = {set_of(0, 1), set_of(5, 4), set_of(0, 1), set_of(1, 1)};
    const cpu_set_t wide[] = {set_of(0, 3), set_of(0, 3), set_of(0, 3), set_of(0, 3), set_of(0, 3)};
    int first = -1, second = -1;
    (void)state;
    assert_false(cores_shared(chain, 4, &first, &second));
    assert_false(cores_shared(wide, 4, &first, &second));
    assert_true(cores_shared(tight, 4, &first, &second));
    assert_int_not_equal(first, 1);
    assert_int_equal(second, 3);
    assert_true(cores_shared(wide, 5, &first, &second));
    assert_in_range(first, 0, 3);
    assert_int_equal(second, 4);
}

/* Two packages of two cores of two hardware threads, whatever this machine is. */
static void hardware_threads_of_one_core_are_one(void **state)
{
    const struct topology here = cores_topology();
    const cpu_set_t all = set_of(0, 7), half = set_of(1, 2), last = set_of(6, 7);
    cpu_set_t cores;
    (void)state;
    if (here.threads == 0)
        skip(); /* without hwloc */
    assert_int_equal(here.packages, 2);
    assert_int_equal(here.cores, 4);
    assert_int_equal(here.threads, 8);
    assert_int_equal(here.gpus, 0);
    cores_of(&all, &cores);
    assert_int_equal(CPU_COUNT(&cores), 4);
    cores_of(&half, &cores);
    assert_true(CPU_COUNT(&cores) == 2 && CPU_ISSET(0, &cores) && CPU_ISSET(2, &cores));
    cores_of(&last, &cores);
    assert_true(CPU_COUNT(&cores) == 1 && CPU_ISSET(6, &cores));
}

/* Nodes of two kinds, one that nothing is known of, and more kinds than are kept. */
static void nodes_are_counted_by_kind(void **state)
{
    const struct topology plain = {1, 8, 16, 1, 0}, fat = {2, 64, 128, 8, 4}, unknown = {0};
    const struct topology nodes[] = {plain, fat, plain, unknown, plain};
    struct topology_kinds kinds = {.count = 0};
    struct text text = TEXT_INIT;
    (void)state;
    for (size_t k = 0; k < sizeof nodes / sizeof *nodes; k++)
        topology_kinds_add(&kinds, &nodes[k]);
    topology_kinds_describe(&kinds, &text);
    assert_string_equal(text.bytes,
                        "3 nodes of 1 package, 8 cores, 16 hardware threads, 1 NUMA node; 1 node "
                        "of 2 packages, 64 cores, 128 hardware threads, 8 NUMA nodes, 4 GPUs");
    text_release(&text);
    for (int cores = 1; cores <= TOPOLOGY_KINDS_MOST; cores++)
        topology_kinds_add(&kinds, &(struct topology){1, cores, 2 * cores, 1, 0});
    assert_int_equal(kinds.count, TOPOLOGY_KINDS_MOST);
}

static void the_ranks_at_hand(void **state)
{
    struct comm comm;
    (void)state;
    comm_init(&comm, link_mpi(MPI_COMM_WORLD));
    const struct oversubscription here = oversubscription_find(&comm, !comm_leads(&comm));
    if (comm_leads(&comm)) {
        assert_int_equal(here.workers, comm.size > 1 ? comm.size - 1 : 1);
        assert_in_range(here.cores, 1, sysconf(_SC_NPROCESSORS_CONF));
        assert_true(here.node[0] != '\0');
    }
    assert_int_equal(comm_first_on_node(&comm), comm.rank == 0); /* on one node */
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_core_each_needs_no_word),
        cmocka_unit_test(too_few_cores_are_told),
        cmocka_unit_test(hardware_threads_are_told),
        cmocka_unit_test(two_bound_to_one_core_are_told),
        cmocka_unit_test(nodes_are_counted_by_kind),
        cmocka_unit_test(each_finds_a_core_where_there_is_one),
        cmocka_unit_test(hardware_threads_of_one_core_are_one),
        cmocka_unit_test(the_ranks_at_hand),
    };
    MPI_Init(&argc, &argv);
    unsetenv("HWLOC_COMPONENTS"); /* else hwloc does not hear the next one */
    setenv("HWLOC_SYNTHETIC", "pack:2 core:2 pu:2", 1);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
