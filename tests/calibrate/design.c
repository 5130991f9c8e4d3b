/* Which packages are timed: they lie within the job, apart from each other, and all over it. */
#include <math.h>

#include "calibrate/fit/design.h"
#include "tests/calibrate/synthetic.h"
#include "tests/checks.h"

enum { SEEDS = 300 };

static int by_first(const void *a, const void *b)
{
    const struct design_package *p = a, *q = b;
    return (p->first > q->first) - (p->first < q->first);
}

static void check_part(const struct design *design, const struct design_pass *pass, int64_t part)
{
    const int64_t begin = pass->parts[part].begin, count = pass->parts[part].end - begin;
    struct design_package *sorted = malloc((size_t)count * sizeof *sorted);
    int64_t end = 0;
    assert_non_null(sorted);
    assert_true(count > 0);
    memcpy(sorted, pass->packages + begin, (size_t)count * sizeof *sorted);
    qsort(sorted, (size_t)count, sizeof *sorted, by_first);
    for (int64_t i = 0; i < count; i++) {
        assert_true(sorted[i].first >= end && sorted[i].tasks >= 1);
        assert_true(sorted[i].worker >= 0 && sorted[i].worker < design->workers);
        end = sorted[i].first + sorted[i].tasks;
    }
    assert_true(end <= design->tasks);
    free(sorted);
}

/* What a worker gets first is its smallest package: timings of a cold worker do not count. Then
 * they come from large to small: what is received while one is computed is one of its kind. */
static void check_order(const struct design *design, const struct design_pass *pass, int64_t part)
{
    for (int worker = 0; worker < design->workers; worker++) {
        int64_t first = 0, before = INT64_MAX;
        for (int64_t i = pass->parts[part].begin; i < pass->parts[part].end; i++) {
            const struct design_package *package = &pass->packages[i];
            if (package->worker != worker)
                continue;
            if (first == 0) {
                first = package->tasks;
                continue;
            }
            assert_true(package->tasks >= first && package->tasks <= before);
            before = package->tasks;
        }
    }
}

/* The order of places, of packages of one size and worker, changes with every shuffle. */
static void test_equal_sizes_are_shuffled(void **state)
{
    (void)state;
    enum { COPIES = 16, SHUFFLES = 20 };
    struct failure failure = FAILURE_INIT;
    struct design design;
    struct design_pass pass;
    int rising = 0;
    design_init(&design, 1000, 2, 3);
    design_add(&design, 4);
    design_copies(&design, 0, 1e-6, 1, COPIES);
    assert_true(design_pass_make(&design, &pass, &failure));
    assert_int_equal(pass.count, 2 * COPIES);
    for (int k = 0; k < SHUFFLES; k++) {
        design_pass_shuffle(&design, &pass);
        for (int64_t i = 1; i < COPIES; i++)
            rising += pass.packages[i].first > pass.packages[i - 1].first;
    }
    assert_in_range(rising, SHUFFLES * COPIES / 3, SHUFFLES * COPIES * 2 / 3);
    design_pass_release(&pass);
}

/* Every worker has its copies of every size. */
static void check_copies(const struct design *design, const struct design_pass *pass)
{
    for (int k = 0; k < design->size_count; k++)
        for (int worker = 0; worker < design->workers; worker++) {
            int copies = 0;
            for (int64_t i = 0; i < pass->count; i++)
                copies += pass->packages[i].tasks == design->sizes[k].tasks &&
                          pass->packages[i].worker == worker;
            assert_int_equal(copies, design->sizes[k].copies);
        }
}

static void test_packages_fit_into_the_job(void **state)
{
    (void)state;
    struct failure failure = FAILURE_INIT;
    print_message("seeds 1 to %d\n", SEEDS);
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct generator generator = {seed * 1000003};
        struct design design;
        struct design_pass pass;
        const int64_t tasks = 1 + (int64_t)pow(10, 6 * generator_uniform(&generator));
        const int workers = 1 + (int)(9 * generator_uniform(&generator));
        design_init(&design, tasks, workers, seed);
        design_grid(&design, 1 + (int64_t)((double)tasks * generator_uniform(&generator)),
                    1.5 + 3 * generator_uniform(&generator));
        design_add(&design, 17);
        design_copies(&design, 1e-4, 1e-4, 1 * generator_uniform(&generator), 20);
        assert_true(design_pass_make(&design, &pass, &failure));
        assert_int_equal(pass.parts[pass.part_count - 1].end, pass.count);
        for (int64_t part = 0; part < pass.part_count; part++)
            check_part(&design, &pass, part);
        check_copies(&design, &pass);
        design_pass_shuffle(&design, &pass);
        for (int64_t part = 0; part < pass.part_count; part++) {
            check_part(&design, &pass, part);
            check_order(&design, &pass, part);
        }
        design_pass_release(&pass);
    }
}

/* The places of one size are spread over the job: in every eighth there are about as many, and they
 * are in step with no row of tasks. */
static void test_places_are_everywhere(void **state)
{
    (void)state;
    enum { EIGHTHS = 8, ROW = 23, PASSES = 8 };
    struct failure failure = FAILURE_INIT;
    struct design design;
    int eighths[EIGHTHS] = {0}, columns[ROW] = {0}, count = 0;
    design_init(&design, ROW * ROW * 24, 2, 5);
    design_grid(&design, 1024, 2);
    design_copies(&design, 0, 1e-3, 8, 16);
    for (int k = 0; k < PASSES; k++) {
        struct design_pass pass;
        assert_true(design_pass_make(&design, &pass, &failure));
        for (int64_t i = 0; i < pass.count; i++)
            if (pass.packages[i].tasks == 1) {
                eighths[pass.packages[i].first * EIGHTHS / design.tasks]++;
                columns[pass.packages[i].first % ROW]++;
                count++;
            }
        design_pass_release(&pass);
    }
    assert_int_equal(count, 16 * 2 * PASSES);
    for (int k = 0; k < EIGHTHS; k++)
        assert_true(abs(eighths[k] - count / EIGHTHS) <= count / EIGHTHS / 4);
    for (int k = 0; k < ROW; k++)
        assert_true(columns[k] > 0 && columns[k] < 3 * count / ROW);
}

static void test_copies_follow_the_time(void **state)
{
    (void)state;
    struct design design;
    design_init(&design, 1000000, 1, 1);
    design_grid(&design, 64, 4);
    assert_int_equal(design.size_count, 4);
    design_copies(&design, 0, 1e-2, 4 * 1.0, 1000); /* a second for each size */
    assert_int_equal(design.sizes[0].copies, 100);
    assert_int_equal(design.sizes[1].copies, 25);
    assert_int_equal(design.sizes[3].copies, 1);
    design_copies(&design, 0, 1e-2, 1e-9, 1000);
    assert_int_equal(design.sizes[0].copies, 1);
    assert_int_equal(design_largest(&design), 64);
    design_add(&design, 64); /* is there */
    design_add(&design, 0);
    design_add(&design, 1000001);
    assert_int_equal(design.size_count, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_packages_fit_into_the_job),
        cmocka_unit_test(test_equal_sizes_are_shuffled),
        cmocka_unit_test(test_places_are_everywhere),
        cmocka_unit_test(test_copies_follow_the_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
