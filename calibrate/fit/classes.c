#include "calibrate/fit/classes.h"

#include <math.h>
#include <stdlib.h>

/* Definition 5 of de la Torre's thesis asks for a tolerance: mean costs of packages of equal size
 * may differ by this much, or by so many standard errors up to the second bound. */
static const double TOLERANCE = 0.02, TOLERANCE_UNSURE = 0.25, TOLD_DEVIATIONS = 2;
/* Relative; where all timings of a size are equal, they have no deviation at all. */
static const double VARIANCE_LEAST = 1e-18;

const enum operation class_operations[CLASS_OPERATIONS] = {OPERATION_LINK, OPERATION_RECEIVE,
                                                           OPERATION_COMPUTE, OPERATION_OUTPUT};
enum { LINK_AT = 0, COMPUTE_AT = 2 };

/* A link is seen where a worker waits for it; everything else as a run has it. */
static enum sample_waiting waiting_of(enum operation operation)
{
    return operation == OPERATION_LINK ? SAMPLE_WAITED : SAMPLE_BUSY;
}

static bool class_fit(const struct samples *samples, int setting, int least, int greatest,
                      struct worker_class *class, struct failure *failure)
{
    class->least = least;
    class->greatest = greatest;
    bool good = true;
    for (int k = 0; good && k < CLASS_OPERATIONS; k++) {
        const struct sample_choice choice = {setting, least, greatest, class_operations[k],
                                             waiting_of(class_operations[k])};
        good = costs_fit(samples, &choice, &class->costs[k], failure);
    }
    const struct sample_choice requests = {setting, least, greatest, OPERATION_REQUEST, SAMPLE_ANY};
    return good && costs_fit(samples, &requests, &class->request, failure);
}

static const struct point *point_find(const struct points *points, double tasks)
{
    for (int i = 0; i < points->count; i++)
        if (points->items[i].tasks == tasks)
            return &points->items[i];
    return NULL;
}

/* All that a package of so many tasks costs, a second on the link `share` times, and that mean's
 * variance; 0 where the link has not been seen, or nothing has. */
static double work_mean(const struct worker_class *class, double tasks, int share, double *variance)
{
    double sum = 0;
    *variance = 0;
    for (int k = 0; k < CLASS_OPERATIONS; k++) {
        const struct point *point = point_find(&class->costs[k].points, tasks);
        const double weight = k == LINK_AT ? share : 1;
        if (!point && k == LINK_AT && share > 0)
            return 0;
        if (!point)
            continue;
        sum += weight * point->mean_s;
        *variance += weight * weight * point->error_s * point->error_s;
    }
    return sum;
}

/* The mean over sizes of b's cost relative to a's, minus 1, by the inverse variances. */
static bool differ_little(const struct worker_class *a, const struct worker_class *b, int share)
{
    const struct points *sizes = &a->costs[COMPUTE_AT].points;
    double weighted = 0, weights = 0;
    for (int at = 0; at < sizes->count; at++) {
        double va, vb;
        const double ma = work_mean(a, sizes->items[at].tasks, share, &va);
        const double mb = work_mean(b, sizes->items[at].tasks, share, &vb);
        if (ma <= 0 || mb <= 0)
            continue;
        const double weight = 1 / (va / (ma * ma) + vb / (mb * mb) + VARIANCE_LEAST);
        weighted += weight * (mb / ma - 1);
        weights += weight;
    }
    const double off = weights > 0 ? fabs(weighted / weights) : 0;
    const double error = weights > 0 ? 1 / sqrt(weights) : 0;
    return off <= fmax(TOLERANCE, fmin(TOLERANCE_UNSURE, TOLD_DEVIATIONS * error));
}

/* By themselves, and with the port, where a worker's link keeps all workers waiting. */
static bool are_alike(const struct worker_class *a, const struct worker_class *b, int workers)
{
    return differ_little(a, b, 0) && differ_little(a, b, workers);
}

/* One more worker: into the last class, or a class of its own. */
static bool worker_join(const struct samples *samples, int setting, int rank, int workers,
                        struct worker_class *classes, int *count, struct failure *failure)
{
    struct worker_class *next = &classes[*count];
    if (!class_fit(samples, setting, rank, rank, next, failure))
        return false;
    if (*count == 0 || !are_alike(next - 1, next, workers)) {
        ++*count;
        return true;
    }
    return class_fit(samples, setting, next[-1].least, rank, next - 1, failure);
}

struct worker_class *classes_make(const struct samples *samples, int setting, int workers,
                                  int *count, struct failure *failure)
{
    struct worker_class *classes = calloc((size_t)workers, sizeof *classes);
    *count = 0;
    if (!classes) {
        failure_memory(failure, "fitting costs");
        return NULL;
    }
    for (int rank = 1; rank <= workers; rank++)
        if (!worker_join(samples, setting, rank, workers, classes, count, failure)) {
            free(classes);
            return NULL;
        }
    return classes;
}
