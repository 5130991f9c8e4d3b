#include "planner/model/weights.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Allocates weights with their names; the caller fills in the work. */
static struct task_weights *weights_name(const char *source, const char *sha256)
{
    struct task_weights *made = calloc(1, sizeof *made);
    if (!made)
        return NULL;
    made->mean = 1;
    made->source = strdup(source);
    made->sha256 = strdup(sha256);
    if (made->source && made->sha256)
        return made;
    weights_free(made);
    return NULL;
}

struct task_weights *weights_new_own(const char *source, const char *sha256, double *items,
                                     int64_t count)
{
    struct task_weights *made = weights_name(source, sha256);
    if (!made)
        free(items);
    else if (work_weigh_own(&made->work, items, count)) {
        made->deviation = work_deviation(&made->work);
        work_share(&made->work);
    } else {
        weights_free(made);
        made = NULL;
    }
    return made;
}

struct task_weights *weights_new(const char *source, const char *sha256, const double *items,
                                 int64_t count)
{
    double *own = malloc((size_t)count * sizeof *own);
    if (!own)
        return NULL;
    memcpy(own, items, (size_t)count * sizeof *own);
    return weights_new_own(source, sha256, own, count);
}

/* The SHA-256 of an empty input. */
#define DIGEST_OF_NOTHING "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

struct task_weights *weights_alike(int64_t tasks)
{
    struct task_weights *made = weights_name("alike", DIGEST_OF_NOTHING);
    if (made)
        made->work.tasks = tasks;
    return made;
}

/* Moves the regions' ends to the new number of core tasks, as exactly as whole core tasks allow. */
static bool regions_stretch(struct work *work, const struct work *from)
{
    const double scale = (double)work->tasks / (double)from->tasks;
    int64_t before = 0;
    work->regions = calloc(from->region_count, sizeof *work->regions);
    for (size_t k = 0; work->regions && k < from->region_count; k++) {
        const int64_t end = llround(scale * (double)from->regions[k].end);
        if (end == before)
            continue;
        work->regions[work->region_count++] =
            (struct work_region){.tasks = end - before, .cost = from->regions[k].cost};
        before = end;
    }
    return work->regions && work_settle(work);
}

struct task_weights *weights_regions(const struct work *regions, int64_t tasks)
{
    struct task_weights *made = weights_alike(tasks);
    if (made && !regions_stretch(&made->work, regions)) {
        weights_free(made);
        return NULL;
    }
    if (made) {
        made->deviation = work_deviation(&made->work);
        work_share(&made->work);
    }
    return made;
}

bool weights_coarsen(struct task_weights *weights, size_t most)
{
    return work_coarsen(&weights->work, most) &&
           (!weights->bytes || work_coarsen(&weights->bytes->work, most));
}

bool weights_same(const struct task_weights *given, const struct task_weights *weights)
{
    if (work_differs(&given->work) && strcmp(given->sha256, weights->sha256) != 0)
        return false;
    return !given->bytes ||
           (weights->bytes && strcmp(given->bytes->sha256, weights->bytes->sha256) == 0);
}

/* Weights of core tasks that are worth nothing. */
static bool nothing_select(const struct task_range *ranges, int64_t count,
                           struct task_weights *weights)
{
    static const double NEXT_TO_NOTHING = 1e-9;
    struct work *work = &weights->work;
    *work = (struct work){.regions = calloc(1, sizeof *work->regions)};
    if (!work->regions)
        return false;
    for (int64_t k = 0; k < count; k++)
        work->tasks += ranges[k].count;
    work->regions[work->region_count++] = (struct work_region){.tasks = work->tasks, .cost = 1};
    weights->mean = NEXT_TO_NOTHING;
    return work_settle(work);
}

struct task_weights *weights_select(const struct task_weights *from,
                                    const struct task_range *ranges, int64_t count)
{
    struct task_weights *made = weights_name(from->source, from->sha256);
    if (made && !work_select(&made->work, &from->work, ranges, count, &made->mean) &&
        (made->mean > 0 || !nothing_select(ranges, count, made))) {
        weights_free(made);
        return NULL;
    }
    if (made) {
        made->mean *= from->mean;
        made->deviation = work_deviation(&made->work);
        work_share(&made->work);
    }
    if (made && from->bytes && !(made->bytes = weights_select(from->bytes, ranges, count))) {
        weights_free(made);
        return NULL;
    }
    return made;
}

struct task_weights *weights_copy(const struct task_weights *from)
{
    struct task_weights *made = weights_name(from->source, from->sha256);
    if (made && !work_copy(&made->work, &from->work)) {
        weights_free(made);
        return NULL;
    }
    if (made) {
        made->deviation = from->deviation;
        made->mean = from->mean;
    }
    if (made && from->bytes && !(made->bytes = weights_copy(from->bytes))) {
        weights_free(made);
        return NULL;
    }
    return made;
}

double weighing_mean(const struct weighing *weighing, const struct task_weights *weights)
{
    return weighing->constant + (1 - weighing->constant) * weights->mean;
}

bool weighing_work(const struct weighing *weighing, const struct task_weights *weights,
                   struct work *work)
{
    if (!work_copy(work, &weights->work))
        return false;
    if (!(weighing->constant > 0) ||
        work_flatten(work, weighing->constant / weighing_mean(weighing, weights)))
        return true;
    work_release(work);
    return false;
}

bool weights_match(const struct task_weights *weights, int64_t tasks, struct failure *failure)
{
    if (weights->bytes && !weights_match(weights->bytes, tasks, failure))
        return false;
    return weights->work.tasks == tasks ||
           failure_set(failure, FAILURE_MISMATCH,
                       "%s: %" PRId64 " weights, but the job has %" PRId64
                       " core tasks: give one for each of them",
                       weights->source, weights->work.tasks, tasks);
}

bool weights_measured(const struct task_weights *weights, const struct weights_name *measured,
                      const char *path, struct failure *failure)
{
    if (!measured->sha256 || strcmp(weights->sha256, measured->sha256) == 0)
        return true;
    if (!work_differs(&weights->work))
        return failure_set(failure, FAILURE_MISMATCH,
                           "%s: was calibrated with weights of core tasks (%s): give these beside "
                           "those of transfers",
                           path, measured->source);
    return failure_set(failure, FAILURE_MISMATCH,
                       "%s: are other weights than those that %s was calibrated with (%s): give "
                       "those, or calibrate with these",
                       weights->source, path, measured->source);
}

bool weights_name_init(struct weights_name *name, const struct task_weights *weights)
{
    *name = (struct weights_name){.source = NULL};
    if (!weights)
        return true;
    name->source = strdup(weights->source);
    name->sha256 = strdup(weights->sha256);
    name->tasks = weights->work.tasks;
    return name->source && name->sha256;
}

void weights_name_release(struct weights_name *name)
{
    free(name->source);
    free(name->sha256);
    *name = (struct weights_name){.source = NULL};
}

void weights_free(struct task_weights *weights)
{
    if (!weights)
        return;
    free(weights->source);
    free(weights->sha256);
    work_release(&weights->work);
    weights_free(weights->bytes);
    free(weights);
}
