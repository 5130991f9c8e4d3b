/* A node's processors: lists of them, the share of one that a thread gets, and load on them. */
#include <pthread.h>
#include <time.h>

#include "spmd/node/cpu_list.h"
#include "spmd/node/load.h"
#include "spmd/node/processor_time.h"
#include "spmd/node/sensor.h"
#include "tests/checks.h"

static void lists_are_read(void **state)
{
    static const char *const bad[] = {"",   ",",    "1,",   "-",       "1-",    "3-2", "a",
                                      "1 ", "1,,2", "1024", "0-99999", "1-2-3", "-1",  "0-1023,0"};
    struct cpu_list list;
    (void)state;
    assert_true(cpu_list_parse(&list, "7"));
    assert_int_equal(list.count, 1);
    assert_int_equal(list.cpus[0], 7);
    assert_true(cpu_list_parse(&list, "0,2-5,1023"));
    assert_int_equal(list.count, 6);
    for (int k = 1; k <= 4; k++)
        assert_int_equal(list.cpus[k], k + 1);
    assert_int_equal(list.cpus[5], 1023);
    for (size_t k = 0; k < COUNT_OF(bad); k++)
        assert_false(cpu_list_parse(&list, bad[k]));
}

static void load_averages_are_shares(void **state)
{
    (void)state;
    assert_true(sensor_average("4.00 0.40 0.30 3/200 1234\n", 2) == 0.5);
    assert_true(sensor_average("1.50 0.40 0.30 3/200 1234\n", 2) == 1);
    assert_true(sensor_average("0.00 0.40 0.30 3/200 1234\n", 2) == 1);
    assert_true(sensor_average("busy", 2) < 0);
    assert_true(sensor_average("", 2) < 0);
}

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

struct competitor {
    pthread_t thread;
    pthread_barrier_t *begin;
    int cpu;
    double availability; /* negative: not counted */
};

static void *compete(void *self)
{
    struct competitor *own = self;
    struct processor_counter counter = {0};
    struct processor_time from, to;
    const bool bound = cpu_bind(own->cpu);
    pthread_barrier_wait(own->begin);
    const bool counted = bound && processor_time_now(&counter, &from);
    for (const double until_s = now_s() + 0.5; now_s() < until_s;)
        ;
    own->availability =
        counted && processor_time_now(&counter, &to) ? processor_availability(&from, &to) : -1;
    processor_counter_close(&counter);
    return NULL;
}

/* Of one processor, two that are always ready have at most all of it together, and where nobody
 * else wants it, half each. */
static void two_threads_share_a_processor(void **state)
{
    struct cpu_list allowed;
    struct competitor two[2];
    pthread_barrier_t begin;
    (void)state;
    cpu_list_allowed(&allowed);
    pthread_barrier_init(&begin, NULL, 2);
    for (int k = 0; k < 2; k++) {
        two[k] = (struct competitor){.begin = &begin, .cpu = allowed.cpus[0]};
        assert_int_equal(pthread_create(&two[k].thread, NULL, compete, &two[k]), 0);
    }
    for (int k = 0; k < 2; k++)
        pthread_join(two[k].thread, NULL);
    pthread_barrier_destroy(&begin);
    print_message("availability %.3f and %.3f\n", two[0].availability, two[1].availability);
    if (two[0].availability < 0 || two[1].availability < 0)
        skip(); /* nobody counts here */
    assert_true(two[0].availability > 0 && two[1].availability > 0);
    assert_true(two[0].availability + two[1].availability < 1.1);
}

static void who_is_never_ready_has_all(void **state)
{
    const struct processor_time from = {1, 2}, to = {2, 5};
    (void)state;
    assert_true(processor_availability(&from, &from) == 1);
    assert_true(processor_availability(&from, &to) == 0.25);
}

/* A team's time is that of all threads together, and what passed is added. */
static void teams_are_counted_together(void **state)
{
    struct processor_counter counter = {0};
    struct processor_time one, team, sum = {1, 1};
    const struct processor_time from = {2, 3}, to = {2.5, 5};
    (void)state;
    processor_time_add(&sum, &from, &to);
    assert_true(sum.worked_s == 1.5 && sum.queued_s == 3);
    if (!processor_time_team(&counter, 1, &one))
        skip(); /* nobody counts here */
    assert_true(processor_time_team(&counter, 2, &team));
    processor_counter_close(&counter);
    assert_true(one.worked_s >= 0 && team.worked_s >= 0 && team.queued_s >= 0);
}

static void sensors_tell_a_share(void **state)
{
    struct failure failure = FAILURE_INIT;
    double availability;
    (void)state;
    if (!sensor_look(&availability, &failure))
        fail_msg("%s", failure.text);
    assert_true(availability > 0 && availability <= 1);
}

/* A load works at most for the time for which its pattern is high. */
static void load_works_while_it_is_high(void **state)
{
    const struct load_request request = {
        .pattern = load_pattern(1), .seconds = 0.4, .threads = 2, .seed = 1};
    struct failure failure = FAILURE_INIT;
    double worked_s;
    (void)state;
    if (!load_make(&request, &worked_s, &failure))
        fail_msg("%s", failure.text);
    assert_true(worked_s > 0 && worked_s < 2 * 0.2 + 0.05);
}

static void foreign_processors_are_refused(void **state)
{
    struct cpu_list far;
    struct load_request request = {
        .pattern = load_pattern(1), .seconds = 0.1, .threads = 1, .cpus = &far};
    struct failure failure = FAILURE_INIT;
    double worked_s;
    (void)state;
    assert_true(cpu_list_parse(&far, "1023"));
    assert_false(load_make(&request, &worked_s, &failure));
    assert_failure(
        failure, FAILURE_FAILED,
        "cannot run on processor 1023: Invalid argument: name other processors with --cpu");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_are_read),
        cmocka_unit_test(load_averages_are_shares),
        cmocka_unit_test(two_threads_share_a_processor),
        cmocka_unit_test(who_is_never_ready_has_all),
        cmocka_unit_test(teams_are_counted_together),
        cmocka_unit_test(sensors_tell_a_share),
        cmocka_unit_test(load_works_while_it_is_high),
        cmocka_unit_test(foreign_processors_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
