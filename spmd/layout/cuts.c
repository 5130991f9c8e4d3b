#include "spmd/layout/cuts.h"

#include <stdlib.h>
#include <string.h>

#include "spmd/layout/contents.h"
#include "spmd/layout/entries.h"
#include "spmd/layout/layout.h"
#include "spmd/layout/task_digest.h"

/* ---- in memory ----------------------------------------------------------------------------- */

static int64_t numbers_count(const struct cuts *cuts)
{
    return 4 + cuts->parts[0] + cuts->parts[1] + cuts->parts[2];
}

/* The digest of all numbers but the last, which is this digest. */
static int64_t numbers_digest(const struct cuts *cuts)
{
    const int64_t count = numbers_count(cuts) - 1;
    return (int64_t)task_digest_add(0, cuts->numbers, (size_t)count * sizeof *cuts->numbers);
}

static void starts_place(struct cuts *cuts)
{
    int64_t *at = cuts->numbers + 3;
    for (int i = 0; i < 3; i++) {
        cuts->starts[i] = at;
        at += cuts->parts[i];
    }
}

bool cuts_box(const void *self, int64_t task, int64_t start[3], int64_t count[3])
{
    const struct cuts *cuts = self;
    const int64_t *parts = cuts->parts;
    const int64_t which[3] = {task / parts[2] / parts[1], task / parts[2] % parts[1],
                              task % parts[2]};
    for (int i = 0; i < 3; i++) {
        const int64_t *starts = cuts->starts[i], k = which[i];
        start[i] = starts[k];
        count[i] = (k + 1 < parts[i] ? starts[k + 1] : cuts->extent[i]) - starts[k];
    }
    return true;
}

void cuts_release(struct cuts *cuts)
{
    free(cuts->numbers);
    *cuts = (struct cuts){.numbers = NULL};
}

/* ---- making -------------------------------------------------------------------------------- */

static bool box_of(const struct job *job, int64_t task, int64_t start[3], int64_t count[3])
{
    struct failure none = FAILURE_INIT;
    return job_place(job, task, start, count, &none);
}

/* In how many steps of `step` core tasks dimension `i` begins anew, at most `end`. */
static int64_t parts_count(const struct job *job, int i, int64_t step, int64_t end)
{
    int64_t before = -1, parts = 0, start[3], count[3];
    for (; parts * step < end && box_of(job, parts * step, start, count); parts++) {
        if (start[i] <= before)
            break;
        before = start[i];
    }
    return parts;
}

/* False: core tasks are not arranged in such a way. */
static bool parts_find(struct cuts *cuts, const struct job *job)
{
    const int64_t tasks = job->setup.tasks;
    memcpy(cuts->extent, job->results.grid_extent, sizeof cuts->extent);
    cuts->parts[2] = parts_count(job, 2, 1, tasks);
    cuts->parts[1] = cuts->parts[2] > 0 ? parts_count(job, 1, cuts->parts[2], tasks) : 0;
    const int64_t slice = cuts->parts[2] * cuts->parts[1];
    cuts->parts[0] = slice > 0 ? tasks / slice : 0;
    return cuts->parts[0] > 0 && cuts->parts[0] * slice == tasks;
}

static void starts_fill(struct cuts *cuts, const struct job *job)
{
    const int64_t steps[3] = {cuts->parts[1] * cuts->parts[2], cuts->parts[2], 1};
    int64_t start[3] = {0}, count[3];
    memcpy(cuts->numbers, cuts->parts, sizeof cuts->parts);
    starts_place(cuts);
    for (int i = 0; i < 3; i++)
        for (int64_t k = 0; k < cuts->parts[i]; k++) {
            box_of(job, k * steps[i], start, count);
            cuts->starts[i][k] = start[i];
        }
    cuts->numbers[numbers_count(cuts) - 1] = numbers_digest(cuts);
}

static bool boxes_are_so(const struct cuts *cuts, const struct job *job)
{
    bool good = true;
    for (int64_t task = 0; good && task < job->setup.tasks; task++) {
        int64_t start[3], count[3], cut_start[3], cut_count[3];
        cuts_box(cuts, task, cut_start, cut_count);
        good = box_of(job, task, start, count) && memcmp(start, cut_start, sizeof start) == 0 &&
               memcmp(count, cut_count, sizeof count) == 0;
    }
    return good;
}

static bool numbers_write(hid_t file, const struct cuts *cuts)
{
    const hsize_t rows = (hsize_t)numbers_count(cuts);
    const hid_t dataset = entry_rows(file, LAYOUT_CUTS, H5T_NATIVE_INT64, 1, &rows, true);
    const bool good = dataset >= 0 &&
                      layout_rows_write(dataset, H5T_NATIVE_INT64, 0, (int64_t)rows, cuts->numbers);
    return dataset >= 0 && H5Dclose(dataset) >= 0 && good;
}

bool cuts_create(hid_t file, const struct job *job)
{
    struct cuts cuts = {.numbers = NULL};
    if (!parts_find(&cuts, job))
        return true;
    cuts.numbers = malloc((size_t)numbers_count(&cuts) * sizeof *cuts.numbers);
    if (!cuts.numbers)
        return false;
    starts_fill(&cuts, job);
    const bool good = !boxes_are_so(&cuts, job) || numbers_write(file, &cuts);
    cuts_release(&cuts);
    return good;
}

/* ---- reading ------------------------------------------------------------------------------- */

/* Must ascend from 0, and be below the extent. */
static bool starts_make_sense(const struct cuts *cuts, int i)
{
    const int64_t *starts = cuts->starts[i];
    bool good = starts[0] == 0;
    for (int64_t k = 1; good && k < cuts->parts[i]; k++)
        good = starts[k] > starts[k - 1];
    return good && starts[cuts->parts[i] - 1] < cuts->extent[i];
}

static bool parts_make_sense(const struct cuts *cuts, int64_t numbers, int64_t tasks)
{
    bool good = true;
    int64_t left = tasks;
    for (int i = 0; good && i < 3; i++) {
        const int64_t parts = cuts->parts[i];
        good = parts > 0 && parts < numbers && left % parts == 0;
        left = good ? left / parts : 0;
    }
    return good && left == 1 && numbers == numbers_count(cuts);
}

bool cuts_read(struct cuts *cuts, hid_t file, const int64_t extent[3], int64_t tasks)
{
    size_t numbers = 0;
    *cuts = (struct cuts){
        .numbers = contents_rows(file, LAYOUT_CUTS, H5T_NATIVE_INT64, sizeof(int64_t), &numbers)};
    if (!cuts->numbers || numbers < 7)
        return false;
    memcpy(cuts->extent, extent, sizeof cuts->extent);
    memcpy(cuts->parts, cuts->numbers, sizeof cuts->parts);
    if (!parts_make_sense(cuts, (int64_t)numbers, tasks))
        return false;
    starts_place(cuts);
    return cuts->numbers[numbers - 1] == numbers_digest(cuts) && starts_make_sense(cuts, 0) &&
           starts_make_sense(cuts, 1) && starts_make_sense(cuts, 2);
}
