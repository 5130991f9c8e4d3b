/* Boxes of core tasks as extents of a data set: every number once, in its place, in as few extents
 * as possible. */
#include "spmd/output/extents.h"

#include <inttypes.h>
#include <stdio.h>

#include "kernel/type.h"
#include "tests/kernel/random.h"
#include "tests/spmd/census.h"

enum { CELLS_MOST = 1 << 19 };

/* What the extents have handed over so far. */
struct taken {
    const struct job *job;
    float grid[CELLS_MOST];
    unsigned char times[CELLS_MOST]; /* how often each number was there */
    int extents, until_refusal;      /* negative: none is refused */
    int64_t end;                     /* bytes, of the last one */
    bool joinable;                   /* two that followed each other could have been one */
};

static struct taken taken;
static char room[EXTENTS_ROOM];

static bool take(void *self, const struct extent *extent, struct failure *failure)
{
    struct taken *all = self;
    const int64_t size = (int64_t)sizeof(float);
    if (all->until_refusal-- == 0)
        return failure_set(failure, FAILURE_FAILED, "no more of task %" PRId64, extent->task);
    assert_true(extent->size > 0 && extent->place >= 0);
    assert_true(extent->place % size == 0 && extent->size % size == 0);
    all->joinable = all->joinable || (all->extents > 0 && extent->place == all->end);
    all->end = extent->place + extent->size;
    assert_true(all->end <= CELLS_MOST * size);
    all->extents++;
    if (extent->bytes)
        memcpy((char *)all->grid + extent->place, extent->bytes, (size_t)extent->size);
    for (int64_t at = extent->place; at < all->end; at += size)
        all->times[at / size]++;
    return true;
}

static void taken_clear(const struct job *job)
{
    memset(&taken, 0, sizeof taken);
    taken.job = job;
    taken.until_refusal = -1;
}

/* The place of a number in the grid of all results. */
static size_t index_of(const struct job *job, int64_t z, int64_t y, int64_t x)
{
    const int64_t *extent = job->results.grid_extent;
    return (size_t)((z * extent[1] + y) * extent[2] + x);
}

/* Boxes of the tasks as a worker has them, each number its place; what is behind a box is spoilt.
 * To be freed. */
static float *boxes_new(const struct job *job, int64_t first, int64_t tasks)
{
    const size_t box = job->tile_size / sizeof(float);
    float *boxes = malloc((size_t)tasks * job->tile_size);
    assert_non_null(boxes);
    memset(boxes, 0xff, (size_t)tasks * job->tile_size);
    for (int64_t k = 0; k < tasks; k++) {
        int64_t start[3], count[3];
        float *to = boxes + (size_t)k * box;
        job->task->place(job->opened, first + k, start, count);
        for (int64_t z = 0; z < count[0]; z++)
            for (int64_t y = 0; y < count[1]; y++)
                for (int64_t x = 0; x < count[2]; x++)
                    *to++ = (float)index_of(job, start[0] + z, start[1] + y, start[2] + x);
    }
    return boxes;
}

/* Those of the tasks once, with their own numbers where there are any; all others never. */
static void assert_taken(const struct job *job, int64_t first, int64_t tasks, bool numbers)
{
    for (int64_t task = first; task < first + tasks; task++) {
        int64_t start[3], count[3];
        job->task->place(job->opened, task, start, count);
        for (int64_t z = start[0]; z < start[0] + count[0]; z++)
            for (int64_t y = start[1]; y < start[1] + count[1]; y++)
                for (int64_t x = start[2]; x < start[2] + count[2]; x++) {
                    const size_t at = index_of(job, z, y, x);
                    assert_int_equal(taken.times[at], 1);
                    assert_true(!numbers || taken.grid[at] == (float)at);
                    taken.times[at] = 0;
                }
    }
    for (size_t at = 0; at < CELLS_MOST; at++)
        assert_int_equal(taken.times[at], 0);
}

/* How many extents these tasks are. */
static int check_tasks(const struct job *job, int64_t first, int64_t tasks, bool numbers)
{
    struct failure failure = FAILURE_INIT;
    const struct extents extents = {job, numbers ? room : NULL, take, &taken};
    float *boxes = boxes_new(job, first, tasks);
    taken_clear(job);
    const bool good =
        extents_take(&extents, first, tasks, numbers ? (const char *)boxes : NULL, &failure);
    assert_string_equal(failure.text, "");
    assert_true(good);
    assert_taken(job, first, tasks, numbers);
    free(boxes);
    return taken.extents;
}

static void every_number_is_handed_over_once(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct random random = {seed};
        struct census census = {.parts = CENSUS_GRID, .type = SCOW_F32};
        struct job job;
        for (int i = 0; i < 3; i++) {
            census.extent[i] = random_between(&random, 1, i == 0 ? 4 : 30);
            census.tile[i] = random_between(&random, 1, census.extent[i]);
        }
        census_open(&job, &census_host, &census);
        const int64_t tasks = job.setup.tasks, first = random_between(&random, 0, tasks - 1);
        const int64_t count = random_between(&random, 1, tasks - first);
        const int copied = check_tasks(&job, first, count, true);
        assert_false(taken.joinable); /* all of it has room */
        assert_int_equal(check_tasks(&job, first, count, false), copied);
        assert_false(taken.joinable);
        job_close(&job);
    }
}

static void check_shape(struct census census, int64_t first, int64_t tasks, int expected)
{
    struct job job;
    census.parts = CENSUS_GRID;
    census.type = SCOW_F32;
    census_open(&job, &census_host, &census);
    assert_int_equal(check_tasks(&job, first, tasks, true), expected);
    job_close(&job);
}

/* 600 x 300 floats are less than the room, 600 x 800 more. */
static void whole_rows_are_one_extent(void **state)
{
    (void)state;
    const struct census plane = {.extent = {2, 300, 600}, .tile = {1, 64, 64}};
    check_shape(plane, 0, 10, 1);  /* a band */
    check_shape(plane, 0, 50, 1);  /* a slice */
    check_shape(plane, 10, 20, 1); /* two bands */
    check_shape(plane, 3, 5, 60);  /* a run of each row */
    check_shape(plane, 8, 3, 119); /* two ends of rows, which meet once */
    const struct census rows = {.extent = {1, 800, 600}, .tile = {1, 1, 600}};
    check_shape(rows, 0, 800, 1); /* in memory as in the file: no copy, no limit */
    const struct census wide = {.extent = {1, 800, 600}, .tile = {1, 800, 300}};
    check_shape(wide, 0, 2, 2); /* the room is full once */
    const struct census thin = {.extent = {1, 2, 600}, .tile = {1, 2, 1}};
    check_shape(thin, 0, 600, 6); /* more tasks side by side than are looked at together */
}

static void a_refusal_ends_it(void **state)
{
    (void)state;
    const struct census census = {
        .parts = CENSUS_GRID, .type = SCOW_F32, .extent = {1, 30, 40}, .tile = {1, 10, 10}};
    struct failure failure = FAILURE_INIT;
    struct job job;
    census_open(&job, &census_host, &census);
    const struct extents extents = {&job, room, take, &taken};
    float *boxes = boxes_new(&job, 1, 2);
    taken_clear(&job);
    taken.until_refusal = 3;
    assert_false(extents_take(&extents, 1, 2, (const char *)boxes, &failure));
    assert_failure(failure, FAILURE_FAILED, "no more of task 1");
    assert_int_equal(taken.extents, 3);
    free(boxes);
    job_close(&job);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_number_is_handed_over_once),
        cmocka_unit_test(whole_rows_are_one_extent),
        cmocka_unit_test(a_refusal_ends_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
