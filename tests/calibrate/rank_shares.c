/* A class has the mean of its workers' shares of processors, if all of them are known, and the mean
 * of the known bandwidths. */
#include "calibrate/rank_shares.h"
#include "calibrate/rank_bandwidths.h"
#include "calibrate/rank_fetches.h"

#include <math.h>

#include "tests/checks.h"

static void classes_have_the_mean_of_their_workers(void **state)
{
    struct run_had had[] = {{1, 0, 1}, {1, 1, 2}, {2, 1, 3}, {0, 0, 1}};
    const struct run_had_list list = {had, 4};
    const struct samples none = {.items = NULL};
    struct profile_worker small[] = {{.count = 2}, {.count = 1}, {.count = 1, .availability = 0.5}};
    struct profile_worker large[] = {{.count = 2}, {.count = 1}, {.count = 1}};
    struct profile_worker all[] = {{.count = 4}}, beyond[] = {{.count = 5}};
    struct profile_window windows[] = {{.workers = small, .worker_count = 3},
                                       {.workers = large, .worker_count = 3},
                                       {.workers = all, .worker_count = 1},
                                       {.workers = beyond, .worker_count = 1}};
    struct profile_setting settings[] = {{.windows = windows, .window_count = 2},
                                         {.windows = windows + 2, .window_count = 1},
                                         {.windows = windows + 3, .window_count = 1}};
    struct profile profile = {.settings = settings, .setting_count = 3};
    (void)state;
    rank_shares_put(&list, &none, &profile);
    assert_true(small[0].availability == 0.75 && large[0].availability == 0.75);
    assert_true(small[1].availability == 0.6667 && large[1].availability == 0.6667);
    assert_true(small[2].availability == 0);  /* not known any more */
    assert_true(all[0].availability == 0);    /* one of the four is not */
    assert_true(beyond[0].availability == 0); /* of one nobody has told */
    had[3] = (struct run_had){1, 3, 4};
    rank_shares_put(&list, &none, &profile);
    assert_true(small[2].availability == 0.25);
    assert_true(fabs(all[0].availability - (1 + 0.5 + 0.6667 + 0.25) / 4) < 1e-4);
}

/* One package, timed five times by each of two workers: once somebody else had the second one's
 * processor, and it took 5 s, of which its cost counts 2, and so 6 of all 9. It had 0.3 of it while
 * it was measured, and 0.45 in the time that its cost speaks of; the first one had all. */
static void costs_leave_out_what_others_took(void **state)
{
    struct run_had had[] = {{1, 0, 1}, {3, 7, 10}};
    const struct run_had_list list = {had, 2};
    struct profile_worker workers[] = {{.count = 1}, {.count = 1}};
    struct profile_window window = {.workers = workers, .worker_count = 2};
    struct profile_setting setting = {.windows = &window, .window_count = 1};
    struct profile profile = {.settings = &setting, .setting_count = 1};
    struct samples samples = {.items = NULL};
    (void)state;
    for (int pass = 0; pass < 5; pass++)
        for (int rank = 1; rank <= 2; rank++) {
            const struct sample sample = {.rank = rank,
                                          .operation = OPERATION_COMPUTE,
                                          .pass = pass,
                                          .tasks = 10,
                                          .seconds = rank == 2 && pass == 4 ? 5 : 1};
            assert_true(samples_add(&samples, &sample));
        }
    rank_shares_put(&list, &samples, &profile);
    assert_true(workers[0].availability == 1);
    assert_true(workers[1].availability == 0.45); /* 5 s count as 2 */
    samples_release(&samples);
}

static void bandwidths_that_are_known_count(void **state)
{
    const struct bandwidth workers[] = {{1e9, true}, {2e9, true}, {0, true}, {123456789, true}};
    struct profile_worker first[] = {{.count = 2}, {.count = 1, .bandwidth = 5}, {.count = 1}};
    struct profile_worker second[] = {{.count = 6}}, beyond[] = {{.count = 4}, {.count = 5}};
    struct profile_window windows[] = {{.workers = first, .worker_count = 3},
                                       {.workers = second, .worker_count = 1},
                                       {.workers = beyond, .worker_count = 2}};
    struct profile_setting settings[] = {{.windows = windows, .window_count = 2},
                                         {.windows = windows + 2, .window_count = 1}};
    struct profile profile = {.settings = settings, .setting_count = 2};
    (void)state;
    rank_bandwidths_put(workers, 4, &profile);
    assert_true(first[0].bandwidth == 1.5e9);
    assert_true(first[1].bandwidth == 0); /* not known any more */
    assert_true(first[2].bandwidth == 123500000);
    assert_true(second[0].bandwidth == 1041000000); /* of three, to four digits */
    assert_true(beyond[0].bandwidth == 1041000000);
    assert_true(beyond[1].bandwidth == 0); /* nobody was there */
}

static void fetches_that_are_known_count(void **state)
{
    const double workers_s[] = {1e-5, 3e-5, 0, 1.23456e-6};
    struct profile_worker first[] = {{.count = 2}, {.count = 1, .fetch_s = 5}, {.count = 1}};
    struct profile_worker beyond[] = {{.count = 4}, {.count = 5}};
    struct profile_window windows[] = {{.workers = first, .worker_count = 3},
                                       {.workers = beyond, .worker_count = 2}};
    struct profile_setting setting = {.windows = windows, .window_count = 2};
    struct profile profile = {.settings = &setting, .setting_count = 1};
    (void)state;
    rank_fetches_put(workers_s, 4, &profile);
    assert_true(fabs(first[0].fetch_s - 2e-5) < 1e-12);
    assert_true(first[1].fetch_s == 0); /* not known any more */
    assert_true(fabs(first[2].fetch_s - 1.235e-6) < 1e-15);
    assert_true(fabs(beyond[0].fetch_s - 1.374e-5) < 1e-10); /* of three, to four digits */
    assert_true(beyond[1].fetch_s == 0);                     /* nobody was there */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(classes_have_the_mean_of_their_workers),
        cmocka_unit_test(costs_leave_out_what_others_took),
        cmocka_unit_test(bandwidths_that_are_known_count),
        cmocka_unit_test(fetches_that_are_known_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
