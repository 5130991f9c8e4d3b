/* A node's power is shared by its ranks, and a class has the mean of its workers. */
#include "calibrate/rank_watts.h"

#include <math.h>

#include "tests/checks.h"

static const struct rank_power ranks[] = {{"b", 0, 4}, {"a", 150, 0}, {"b", 80, 1},  {"a", 0, 2},
                                          {"a", 0, 3}, {"c", 0, 5},   {"b10", 90, 6}};

static void nodes_are_shared_by_their_ranks(void **state)
{
    struct rank_power sorted[COUNT_OF(ranks)];
    double watts[COUNT_OF(ranks)];
    (void)state;
    memcpy(sorted, ranks, sizeof ranks);
    rank_watts_share(sorted, (int)COUNT_OF(ranks), watts);
    static const double wanted[] = {50, 40, 50, 50, 40, 0, 90};
    for (size_t k = 0; k < COUNT_OF(wanted); k++)
        assert_true(fabs(watts[k] - wanted[k]) < 1e-12);
}

/* Workers 1 and 2 are a class, 3 and 4 another one, of which one is not known. */
static void classes_have_the_mean_of_their_workers(void **state)
{
    static const double watts[] = {50, 40, 60, 30, 0};
    struct profile_worker first[] = {{.count = 2}, {.count = 2}}, second[] = {{.count = 4}};
    struct profile_window windows[] = {{.workers = first, .worker_count = 2},
                                       {.workers = second, .worker_count = 1}};
    struct profile_setting setting = {.windows = windows, .window_count = 2};
    struct profile profile = {.settings = &setting, .setting_count = 1};
    (void)state;
    rank_watts_put(watts, &profile);
    assert_true(profile.master.watts == 50);
    assert_true(first[0].price.watts == 50 && first[1].price.watts == 0);
    assert_true(second[0].price.watts == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_are_shared_by_their_ranks),
        cmocka_unit_test(classes_have_the_mean_of_their_workers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
