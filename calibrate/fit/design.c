#include "calibrate/fit/design.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/random.h"

/* The fractional part of the golden ratio. */
static const double GOLDEN = 0.61803398874989484820;

void design_init(struct design *design, int64_t tasks, int workers, uint64_t seed)
{
    *design = (struct design){.tasks = tasks, .workers = workers, .seed = seed};
}

void design_add(struct design *design, int64_t tasks)
{
    int at = design->size_count;
    if (tasks < 1 || tasks > design->tasks || at == DESIGN_SIZES_MOST)
        return;
    for (int i = 0; i < design->size_count; i++)
        if (design->sizes[i].tasks == tasks)
            return;
    for (; at > 0 && design->sizes[at - 1].tasks > tasks; at--)
        design->sizes[at] = design->sizes[at - 1];
    design->sizes[at] =
        (struct design_size){.tasks = tasks, .copies = 1, .start = random_uniform(&design->seed)};
    design->size_count++;
}

void design_grid(struct design *design, int64_t most, double growth)
{
    for (int step = 0; step < DESIGN_SIZES_MOST - 1; step++) {
        const double size = pow(growth, step);
        if (size >= (double)most)
            break;
        design_add(design, (int64_t)size);
    }
    design_add(design, most);
}

int64_t design_largest(const struct design *design)
{
    return design->size_count > 0 ? design->sizes[design->size_count - 1].tasks : 0;
}

void design_copies(struct design *design, double latency_s, double s_per_task, double pass_s,
                   int copies_most)
{
    const double share_s = pass_s / design->size_count;
    const double room =
        (double)DESIGN_JOBS_MOST * (double)design->tasks / design->size_count / design->workers;
    for (int i = 0; i < design->size_count; i++) {
        struct design_size *size = &design->sizes[i];
        const double tasks = (double)size->tasks;
        const double affordable = share_s / (latency_s + s_per_task * tasks);
        const double copies = fmin(fmin(affordable, room / tasks), copies_most);
        size->copies = copies > 1 ? (int)copies : 1;
    }
}

/* ---- places -------------------------------------------------------------------------------- */

/* A package on its way to its place. */
struct candidate {
    struct design_package package;
    double wish; /* where in the job, 0 to 1 */
    int64_t part;
};

static double wish_next(struct design_size *size)
{
    double whole;
    return modf(size->start + GOLDEN * (double)size->placed++, &whole);
}

static int64_t packages_count(const struct design *design)
{
    int64_t count = 0;
    for (int i = 0; i < design->size_count; i++)
        count += (int64_t)design->sizes[i].copies * design->workers;
    return count;
}

/* Into the first part with room, from large to small; `used` tasks of each part so far. Returns the
 * number of parts. */
static int64_t candidates_make(struct design *design, struct candidate *candidates, int64_t *used)
{
    int64_t parts = 0, at = 0;
    for (int i = design->size_count - 1; i >= 0; i--) {
        struct design_size *size = &design->sizes[i];
        for (int64_t k = 0; k < (int64_t)size->copies * design->workers; k++) {
            int64_t part = 0;
            while (part < parts && used[part] + size->tasks > design->tasks)
                part++;
            if (part == parts)
                used[parts++] = 0;
            used[part] += size->tasks;
            candidates[at++] = (struct candidate){
                .package = {.worker = (int)(k % design->workers), .tasks = size->tasks},
                .wish = wish_next(size),
                .part = part};
        }
    }
    return parts;
}

static int by_part_and_wish(const void *a, const void *b)
{
    const struct candidate *p = a, *q = b;
    if (p->part != q->part)
        return p->part < q->part ? -1 : 1;
    return (p->wish > q->wish) - (p->wish < q->wish);
}

/* In the order of their wishes, each behind those before it and behind its part of what is free. */
static void part_place(const struct design *design, const struct candidate *candidates,
                       const struct design_part *part, int64_t used,
                       struct design_package *packages)
{
    const double room = (double)(design->tasks - used);
    int64_t before = 0;
    for (int64_t i = part->begin; i < part->end; i++) {
        packages[i] = candidates[i].package;
        packages[i].first = before + (int64_t)(candidates[i].wish * room);
        before += packages[i].tasks;
    }
}

/* Of one worker after the other, its largest first; of one size by their places. */
static int by_worker_and_size(const void *a, const void *b)
{
    const struct design_package *p = a, *q = b;
    if (p->worker != q->worker)
        return p->worker < q->worker ? -1 : 1;
    if (p->tasks != q->tasks)
        return p->tasks > q->tasks ? -1 : 1;
    return (p->first > q->first) - (p->first < q->first);
}

static void packages_shuffle(struct design *design, struct design_package *packages, int64_t count)
{
    for (int64_t i = count - 1; i > 0; i--) {
        const int64_t k = (int64_t)(random_uniform(&design->seed) * (double)(i + 1));
        const struct design_package held = packages[i];
        packages[i] = packages[k];
        packages[k] = held;
    }
}

/* Of one worker's packages, its largest first, how many are of the first one's size. */
static int64_t size_length(const struct design_package *packages, int64_t count)
{
    int64_t length = 1;
    while (length < count && packages[length].tasks == packages[0].tasks)
        length++;
    return length;
}

static int64_t worker_length(const struct design_package *packages, int64_t count)
{
    int64_t length = 1;
    while (length < count && packages[length].worker == packages[0].worker)
        length++;
    return length;
}

/* Those of one size by chance; and the last to the front. */
static void worker_order(struct design *design, struct design_package *packages, int64_t count)
{
    for (int64_t at = 0, length; at < count; at += length) {
        length = size_length(packages + at, count - at);
        packages_shuffle(design, packages + at, length);
    }
    const struct design_package last = packages[count - 1];
    memmove(packages + 1, packages, (size_t)(count - 1) * sizeof *packages);
    packages[0] = last;
}

/* Receiving the next package takes a processor, too, while one is computed: as in a run, the next
 * is to be one of about the same size, or single tasks would seem to cost what it takes to receive
 * a large package. They get smaller: where the next one is of another size, it is of a lesser. A
 * worker's first package finds it cold, and does not count: that shall be the one that is missed
 * least, for there are few of the largest. */
static void part_order(struct design *design, const struct design_part *part,
                       struct design_package *packages)
{
    qsort(packages + part->begin, (size_t)(part->end - part->begin), sizeof *packages,
          by_worker_and_size);
    for (int64_t at = part->begin, length; at < part->end; at += length) {
        length = worker_length(packages + at, part->end - at);
        worker_order(design, packages + at, length);
    }
}

void design_pass_shuffle(struct design *design, struct design_pass *pass)
{
    for (int64_t part = 0; part < pass->part_count; part++)
        part_order(design, &pass->parts[part], pass->packages);
}

static void pass_place(struct design *design, const struct candidate *candidates,
                       const int64_t *used, struct design_pass *pass)
{
    int64_t at = 0;
    for (int64_t part = 0; part < pass->part_count; part++) {
        pass->parts[part].begin = at;
        while (at < pass->count && candidates[at].part == part)
            at++;
        pass->parts[part].end = at;
        part_place(design, candidates, &pass->parts[part], used[part], pass->packages);
    }
    design_pass_shuffle(design, pass);
}

bool design_pass_make(struct design *design, struct design_pass *pass, struct failure *failure)
{
    const int64_t count = packages_count(design);
    struct candidate *candidates = calloc((size_t)count + 1, sizeof *candidates);
    int64_t *used = calloc((size_t)count + 1, sizeof *used);
    *pass = (struct design_pass){.count = count};
    pass->packages = calloc((size_t)count + 1, sizeof *pass->packages);
    pass->parts = calloc((size_t)count + 1, sizeof *pass->parts);
    const bool good = candidates && used && pass->packages && pass->parts;
    if (good) {
        pass->part_count = candidates_make(design, candidates, used);
        qsort(candidates, (size_t)count, sizeof *candidates, by_part_and_wish);
        pass_place(design, candidates, used, pass);
    } else {
        design_pass_release(pass);
        failure_memory(failure, "choosing what to probe");
    }
    free(candidates);
    free(used);
    return good;
}

const struct design_package *design_find(const struct design_pass *pass, int64_t part,
                                         int64_t first)
{
    for (int64_t i = pass->parts[part].begin; i < pass->parts[part].end; i++)
        if (pass->packages[i].first == first)
            return &pass->packages[i];
    return NULL;
}

void design_pass_release(struct design_pass *pass)
{
    free(pass->packages);
    free(pass->parts);
    *pass = (struct design_pass){0};
}
