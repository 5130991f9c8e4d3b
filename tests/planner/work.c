/* Work: what consecutive core tasks are worth, and where in a job a number of units lies. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "planner/model/work.h"
#include "tests/checks.h"
#include "tests/planner/samples.h"

#define CLOSE(a, b) (fabs((a) - (b)) < 1e-9)

static void uniform_work_is_counted(void **state)
{
    (void)state;
    const struct work work = {.tasks = 100};
    assert_true(CLOSE(work_before(&work, 17), 17));
    assert_int_equal(work_nearest(&work, 100, 17.4, 0), 17);
    assert_int_equal(work_nearest(&work, 100, 17.5, 0), 17);
    assert_int_equal(work_nearest(&work, 100, 17.6, 0), 18);
    assert_int_equal(work_nearest(&work, 100, 17.6, 30), 30);
    assert_int_equal(work_nearest(&work, 100, 1e9, 0), 100);
    assert_true(CLOSE(work_mean_cost(&work, 1000, 3, 5), 1));
    assert_true(CLOSE(work_greatest(&work), 1));
}

static void equal_neighbours_are_one_region(void **state)
{
    (void)state;
    static const double weights[] = {3, 3, 3, 0, 0, 7};
    struct work work;
    assert_true(work_weigh(&work, weights, 6));
    assert_int_equal(work.region_count, 3);
    assert_true(CLOSE(work_before(&work, 6), 6));
    assert_true(CLOSE(work_greatest(&work), 7. * 6 / 16));
    /* Of the places before and behind core tasks that are worth nothing, the first. */
    assert_int_equal(work_nearest(&work, 6, 9. * 6 / 16, 0), 3);
    assert_int_equal(work_nearest(&work, 6, 9. * 6 / 16, 4), 4);
    work_release(&work);
}

static void nothing_is_no_work(void **state)
{
    (void)state;
    static const double weights[] = {0, 0, 0};
    struct work work;
    assert_false(work_weigh(&work, weights, 3));
    assert_null(work.regions);
}

/* Whatever is merged is worth what it was, and lies where it lay. */
static void coarse_work_is_worth_the_same(void **state)
{
    (void)state;
    static const double weights[] = {3, 1, 5, 5, 5, 5, 0, 7, 2, 4};
    struct work work, whole;
    assert_true(work_weigh(&work, weights, 10) && work_copy(&whole, &work));
    assert_true(work_coarsen(&work, 7));
    assert_int_equal(work.region_count, 7);
    assert_true(work_coarsen(&work, 3));
    assert_int_equal(work.region_count, 3);
    int64_t end = 0;
    for (size_t k = 0; k < work.region_count; k++) {
        end += work.regions[k].tasks;
        assert_int_equal(work.regions[k].end, end);
        assert_true(CLOSE(work_before(&work, (double)end), work_before(&whole, (double)end)));
    }
    assert_int_equal(end, 10);
    work_release(&work);
    work_release(&whole);
}

/* What is changed of one copy is not changed of the others, whichever is released first. */
static void shared_regions_stay_as_they_are(void **state)
{
    (void)state;
    static const double weights[] = {3, 1, 5, 5, 5, 5, 0, 7, 2, 4};
    struct work work, first = {0}, second = {0}, third = {0};
    assert_true(work_weigh(&work, weights, 10));
    work_share(&work);
    assert_true(work_copy(&first, &work) && work_copy(&second, &first) && work_copy(&third, &work));
    assert_ptr_equal(second.regions, work.regions);
    assert_true(work_coarsen(&first, 3) && work_flatten(&second, 0.5));
    assert_int_equal(first.region_count, 3);
    assert_true(CLOSE(work_before(&second, 1), 0.5 + 0.5 * work_before(&work, 1)));
    assert_ptr_equal(third.regions, work.regions);
    work_release(&work);
    assert_true(CLOSE(work_before(&third, 6), 24 / 3.7));
    assert_true(work_coarsen(&third, 5));
    assert_true(CLOSE(work_before(&third, 10), 10));
    work_release(&first);
    work_release(&second);
    work_release(&third);
}

/* By relative position: of the job of 60, every tenth task begins one of the 6. */
static void jobs_of_other_sizes_use_relative_positions(void **state)
{
    (void)state;
    static const double weights[] = {3, 3, 3, 0, 0, 7};
    struct work work;
    assert_true(work_weigh(&work, weights, 6));
    assert_int_equal(work_nearest(&work, 60, 9. * 60 / 16, 0), 30);
    assert_int_equal(work_nearest(&work, 60, 12.5 * 60 / 16, 0), 55);
    assert_int_equal(work_nearest(&work, 2, 9. * 2 / 16, 0), 1);
    work_release(&work);
}

/* Against the definition: the first of all places with the least distance. */
static void the_nearest_place_is_found(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 1000; seed++) {
        struct dice dice = {seed};
        double weights[60];
        const int64_t tasks = dice_whole(&dice, 1, 60), least = dice_whole(&dice, 0, tasks);
        for (int64_t k = 0; k < tasks; k++)
            weights[k] = (double)dice_whole(&dice, k == 0, 4);
        struct work work;
        assert_true(work_weigh(&work, weights, tasks));
        const double units = dice_scale(&dice, 0.01, 2) * (double)tasks;
        int64_t wanted = least;
        for (int64_t at = least; at <= tasks; at++)
            if (fabs(work_before(&work, (double)at) - units) <
                fabs(work_before(&work, (double)wanted) - units))
                wanted = at;
        const int64_t found = work_nearest(&work, tasks, units, least);
        if (found != wanted)
            fail_msg("seed %d: %d in place of %d", (int)seed, (int)found, (int)wanted);
        work_release(&work);
    }
}

/* However unevenly units lie, what is before each core task is the sum of what lies there. */
static void units_before_are_summed(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct dice dice = {seed};
        double weights[200], sum = 0, before = 0;
        const int64_t tasks = dice_whole(&dice, 1, 200);
        for (int64_t i = 0; i < tasks; i++)
            sum += weights[i] =
                dice_scale(&dice, 1e-6, 1e6) * (double)(i == 0 || dice_whole(&dice, 0, 3) > 0);
        struct work work;
        assert_true(work_weigh(&work, weights, tasks));
        for (int64_t i = 0; i <= tasks; before += i < tasks ? weights[i] : 0, i++) {
            const double wanted = before / sum * (double)tasks;
            if (fabs(work_before(&work, (double)i) - wanted) > 1e-9 * (double)tasks)
                fail_msg("seed %d: before core task %d", (int)seed, (int)i);
        }
        work_release(&work);
    }
}

/* Core tasks 1, 2 and 4 to 6 of eight: worth 2, 2, 8, 0 and 4 where the mean is 3. */
static void parts_of_a_job_are_jobs(void **state)
{
    (void)state;
    static const double weights[] = {4, 2, 2, 4, 8, 0, 4, 0};
    static const struct task_range ranges[] = {{1, 2}, {4, 3}};
    struct work work, part;
    double mean;
    assert_true(work_weigh(&work, weights, 8));
    assert_true(work_select(&part, &work, ranges, 2, &mean));
    assert_true(CLOSE(mean, 16. / 5 / 3));
    assert_int_equal(part.tasks, 5);
    assert_true(CLOSE(work_before(&part, 2), 4 / 3.2) && CLOSE(work_before(&part, 3), 12 / 3.2) &&
                CLOSE(work_before(&part, 4), 12 / 3.2) && CLOSE(work_before(&part, 5), 5));
    work_release(&part);
    assert_true(work_select(&part, &work, &ranges[1], 1, &mean) && part.tasks == 3);
    work_release(&part);
    assert_false(work_select(&part, &work, &(struct task_range){7, 1}, 1, &mean));
    work_release(&work);
    work = (struct work){.tasks = 8};
    assert_true(work_select(&part, &work, ranges, 2, &mean) && mean == 1 && part.tasks == 5);
    assert_false(work_differs(&part));
}

/* ---- very many core tasks that are all unlike ---------------------------------------------- */

enum { UNLIKE = 10000 };

/* Some of them worth nothing, many in a row; their sum. */
static double unlike_draw(struct dice *dice, double *weights)
{
    double sum = 0;
    for (int64_t k = 0; k < UNLIKE; k++)
        sum += weights[k] =
            dice_whole(dice, 0, 9) == 0 || (k > 6000 && k < 6500) ? 0 : dice_scale(dice, 1e-3, 1e3);
    return sum;
}

static bool near(double found, double wanted)
{
    return fabs(found - wanted) <= 1e-9 * UNLIKE;
}

/* One of a million weights takes the memory of one number, and everything is as by definition. */
static void unlike_tasks_are_kept_as_weights(void **state)
{
    (void)state;
    static double weights[UNLIKE];
    struct dice dice = {1};
    const double mean = unlike_draw(&dice, weights) / UNLIKE;
    struct work work;
    assert_true(work_weigh(&work, weights, UNLIKE));
    assert_true(work.weights && !work.regions && work.region_count == UNLIKE);
    double before = 0, greatest = 0, squares = 0;
    for (int64_t k = 0; k < UNLIKE; k++) {
        const double cost = weights[k] / mean;
        assert_true(near(work_before(&work, (double)k), before));
        assert_true(near(work_before(&work, (double)k + 0.25), before + 0.25 * cost));
        const struct work_region region = work_region_of(&work, k);
        assert_true(region.tasks == 1 && region.end == k + 1 && near(region.cost, cost));
        before += cost;
        greatest = fmax(greatest, cost);
        squares += (cost - 1) * (cost - 1);
    }
    assert_true(near(work_before(&work, UNLIKE), UNLIKE));
    assert_true(CLOSE(work_greatest(&work), greatest));
    assert_true(CLOSE(work_deviation(&work), sqrt(squares / UNLIKE)));
    work_release(&work);
}

/* The same places as where each weight is kept as a region of its own. */
static void places_of_unlike_tasks_are_those_of_regions(void **state)
{
    (void)state;
    static double weights[UNLIKE];
    struct dice dice = {2};
    unlike_draw(&dice, weights);
    struct work work, listed = {.tasks = UNLIKE, .region_count = UNLIKE};
    listed.regions = calloc(UNLIKE, sizeof *listed.regions);
    for (int64_t k = 0; k < UNLIKE; k++)
        listed.regions[k] = (struct work_region){.tasks = 1, .cost = weights[k]};
    assert_true(work_weigh(&work, weights, UNLIKE) && work_settle(&listed));
    for (int trial = 0; trial < 20000; trial++) {
        const double units = UNLIKE * 1.1 * dice_unit(&dice);
        const int64_t least = dice_whole(&dice, 0, UNLIKE);
        const int64_t tasks = trial % 2 == 0 ? UNLIKE : dice_whole(&dice, 1, 3 * (int64_t)UNLIKE);
        assert_int_equal(work_nearest(&work, tasks, units, least),
                         work_nearest(&listed, tasks, units, least));
    }
    const int64_t nothing = work_nearest(&work, UNLIKE, work_before(&work, 6300), 0);
    assert_true(nothing <= 6001 && weights[nothing - 1] > 0);
    work_release(&work);
    work_release(&listed);
}

/* Copies share the weights, whatever is done with them. */
static void unlike_tasks_are_shared(void **state)
{
    (void)state;
    static double weights[UNLIKE];
    struct dice dice = {3};
    const double mean = unlike_draw(&dice, weights) / UNLIKE;
    struct work work, flat = {0}, coarse = {0}, whole = {0}, part = {0};
    const struct task_range all = {0, UNLIKE}, ranges[] = {{10, 5000}, {7000, 1000}};
    double worth;
    assert_true(work_weigh(&work, weights, UNLIKE));
    work_share(&work);
    assert_true(work_copy(&flat, &work) && work_copy(&coarse, &work));
    assert_true(work_flatten(&flat, 0.25) && work_coarsen(&coarse, 100));
    assert_true(work_select(&whole, &work, &all, 1, &worth) && CLOSE(worth, 1));
    assert_true(flat.weights == work.weights && whole.weights == work.weights);
    work_share(&whole); /* which it is already */
    assert_true(coarse.regions && !coarse.weights && coarse.region_count == 100);
    for (int64_t k = 0; k < UNLIKE; k += 7) {
        const double flattened = 0.25 * (double)k + 0.75 * work_before(&work, (double)k);
        assert_true(near(work_before(&flat, (double)k), flattened));
        assert_true(fabs(work_before(&coarse, (double)k) - work_before(&work, (double)k)) <
                    100 * work_greatest(&work));
    }
    assert_true(work_select(&part, &work, ranges, 2, &worth) && part.tasks == 6000);
    assert_true(near(6000 * worth, work_before(&work, 5010) - work_before(&work, 10) +
                                       work_before(&work, 8000) - work_before(&work, 7000)));
    assert_true(near(work_region_of(&part, 5500).cost, weights[7500] / mean / worth));
    work_release(&work);
    assert_true(near(work_before(&flat, UNLIKE), UNLIKE) &&
                near(work_before(&whole, UNLIKE), UNLIKE) &&
                near(work_before(&coarse, UNLIKE), UNLIKE));
    work_release(&flat);
    work_release(&coarse);
    work_release(&whole);
    work_release(&part);
}

static int greater(const void *a, const void *b)
{
    const double p = *(const double *)a, q = *(const double *)b;
    return (p < q) - (p > q);
}

/* Against sorting. */
static void the_heaviest_are_found(void **state)
{
    (void)state;
    static double weights[UNLIKE];
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct dice dice = {seed};
        const double sum = unlike_draw(&dice, weights), share = dice_unit(&dice);
        double heavy = 0;
        struct work work;
        assert_true(work_weigh(&work, weights, UNLIKE));
        qsort(weights, UNLIKE, sizeof *weights, greater);
        const double most = share * UNLIKE;
        for (int64_t k = 0; (double)k < most; k++)
            heavy += weights[k] * fmin(1, most - (double)k);
        assert_true(fabs(work_heaviest(&work, share) - heavy / sum) < 1e-9);
        assert_true(CLOSE(work_heaviest(&work, 1), 1));
        work_release(&work);
    }
    const double few[] = {3, 3, 3, 0, 0, 7};
    struct work work;
    assert_true(work_weigh(&work, few, 6));
    assert_true(CLOSE(work_heaviest(&work, 1. / 6), 7. / 16));
    assert_true(CLOSE(work_heaviest(&work, 0.25), 8.5 / 16));
    work_release(&work);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(uniform_work_is_counted),
        cmocka_unit_test(equal_neighbours_are_one_region),
        cmocka_unit_test(nothing_is_no_work),
        cmocka_unit_test(coarse_work_is_worth_the_same),
        cmocka_unit_test(shared_regions_stay_as_they_are),
        cmocka_unit_test(jobs_of_other_sizes_use_relative_positions),
        cmocka_unit_test(the_nearest_place_is_found),
        cmocka_unit_test(units_before_are_summed),
        cmocka_unit_test(parts_of_a_job_are_jobs),
        cmocka_unit_test(unlike_tasks_are_kept_as_weights),
        cmocka_unit_test(places_of_unlike_tasks_are_those_of_regions),
        cmocka_unit_test(unlike_tasks_are_shared),
        cmocka_unit_test(the_heaviest_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
