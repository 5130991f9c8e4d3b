#include "calibrate/fit/classes.h"

#include <math.h>
#include <stdlib.h>

/* Definition 5 of de la Torre's thesis asks for a tolerance: mean costs of packages of equal size
 * may differ by this much, which is by how much makespans may be off that are predicted with their
 * mean, or by so many standard errors up to the second bound; by more of them where these are known
 * from a few passes (Student's t), or from a few places, only. */
static const double TOLERANCE = 0.01, TOLERANCE_UNSURE = 0.25;
static const double TOLD_DEVIATIONS = 2, PASSES_DEVIATIONS = 3, TERMS_DEVIATIONS = 3;
/* Relative; where all timings of a size are equal, they have no deviation at all. */
static const double VARIANCE_LEAST = 1e-18;

const enum operation class_operations[CLASS_OPERATIONS] = {
    OPERATION_LINK, OPERATION_RECEIVE, OPERATION_COMPUTE, OPERATION_OUTPUT, OPERATION_RESULT};
enum { LINK_AT = 0, COMPUTE_AT = 2, OUTPUT_AT = 3, RESULT_AT = 4 };

/* A link is seen where a worker waits for it; everything else as a run has it. */
static enum sample_waiting waiting_of(enum operation operation)
{
    return operation == OPERATION_LINK ? SAMPLE_WAITED : SAMPLE_BUSY;
}

/* Timings of one setting, rank by rank: no fit of a few ranks looks at those of all others. */
struct sorted {
    struct sample *items; /* owned */
    int64_t *begins;      /* owned; of rank k at begins[k], workers + 2 of them */
};

static void sorted_release(struct sorted *sorted)
{
    free(sorted->items);
    free(sorted->begins);
}

/* By counting. False: out of memory; to be released all the same. */
static bool sorted_make(const struct samples *samples, int setting, int workers,
                        struct sorted *sorted)
{
    int64_t *begins = calloc((size_t)workers + 2, sizeof *begins);
    struct sample *items = malloc(((size_t)samples->count + 1) * sizeof *items);
    *sorted = (struct sorted){items, begins};
    if (!begins || !items)
        return false;
    for (int64_t i = 0; i < samples->count; i++)
        if (samples->items[i].setting == setting && samples->items[i].rank <= workers)
            begins[samples->items[i].rank + 1]++;
    for (int rank = 0; rank <= workers; rank++)
        begins[rank + 1] += begins[rank];
    for (int64_t i = 0; i < samples->count; i++) /* each begin moves to its end */
        if (samples->items[i].setting == setting && samples->items[i].rank <= workers)
            items[begins[samples->items[i].rank]++] = samples->items[i];
    for (int rank = workers; rank > 0; rank--)
        begins[rank] = begins[rank - 1];
    begins[0] = 0;
    return true;
}

/* What joins workers. */
struct joining {
    const struct sorted *sorted;
    int setting, workers;
    const struct two_way *terms;  /* NULL: computing is every class's own */
    const struct costs *together; /* of computing, with terms: of the mean worker */
};

static void cost_scale(struct measured_cost *cost, double factor)
{
    cost->cost.latency_s *= factor;
    cost->cost.s_per_task *= factor;
    cost->fit.stderr_latency_s *= factor;
    cost->fit.stderr_s_per_task *= factor;
    cost->fit.jitter_s *= factor;
}

static void costs_scale(struct costs *costs, double factor)
{
    for (int k = 0; k < costs->count; k++)
        cost_scale(&costs->pieces[k].cost, factor);
    for (int k = 0; k < costs->points.count; k++) {
        costs->points.items[k].mean_s *= factor;
        costs->points.items[k].error_s *= factor;
    }
}

void classes_scale(struct worker_class *classes, int count, double factor)
{
    for (int k = 0; k < count; k++)
        costs_scale(&classes[k].costs[COMPUTE_AT], factor);
}

/* The mean of its workers' terms, and computing by it. */
static void term_set(const struct joining *joining, struct worker_class *class)
{
    const int count = class->greatest - class->least + 1;
    double sum = 0, squares = 0;
    for (int rank = class->least; rank <= class->greatest; rank++) {
        const double error = joining->terms->errors[rank - 1];
        sum += joining->terms->terms[rank - 1];
        squares += error * error;
    }
    class->term = sum / count;
    class->error = sqrt(squares) / count;
    class->costs[COMPUTE_AT] = *joining->together;
    costs_scale(&class->costs[COMPUTE_AT], exp(class->term));
}

static bool class_fit(const struct joining *joining, int least, int greatest,
                      struct worker_class *class, struct failure *failure)
{
    const struct sorted *sorted = joining->sorted;
    const struct samples own = {.items = sorted->items + sorted->begins[least],
                                .count = sorted->begins[greatest + 1] - sorted->begins[least]};
    class->least = least;
    class->greatest = class->fitted = greatest;
    bool good = true;
    for (int k = 0; good && k < CLASS_OPERATIONS; k++) {
        const struct sample_choice choice = {joining->setting, least, greatest, class_operations[k],
                                             waiting_of(class_operations[k])};
        if (k != COMPUTE_AT || !joining->terms)
            good = costs_fit(&own, &choice, &class->costs[k], failure);
    }
    if (joining->terms)
        term_set(joining, class);
    const struct sample_choice requests = {joining->setting, least, greatest, OPERATION_REQUEST,
                                           SAMPLE_ANY};
    return good && costs_fit(&own, &requests, &class->request, failure);
}

/* With all ranks that it has by now. */
static bool class_settle(const struct joining *joining, struct worker_class *class,
                         struct failure *failure)
{
    return class->fitted == class->greatest ||
           class_fit(joining, class->least, class->greatest, class, failure);
}

static const struct point *point_find(const struct points *points, double tasks)
{
    for (int i = 0; i < points->count; i++)
        if (points->items[i].tasks == tasks)
            return &points->items[i];
    return NULL;
}

/* How workers are compared. */
struct comparison {
    int share;   /* a second on the link, either way, counts so many times */
    bool behind; /* of computing and output, the longer one counts: the other is beside it */
    bool terms;  /* how far computing is off is known by the workers' terms */
};

/* A mean and its variance. */
struct mean {
    double seconds, variance;
};

static void mean_add(struct mean *mean, const struct point *point, double weight, bool sure)
{
    mean->seconds += weight * point->mean_s;
    mean->variance += sure ? 0 : weight * weight * point->error_s * point->error_s;
}

/* All that a package of so many tasks costs; 0 where the link has not been seen, or nothing has. */
static struct mean work_mean(const struct worker_class *class, double tasks,
                             struct comparison comparison)
{
    struct mean work = {0, 0}, written = {0, 0};
    for (int k = 0; k < CLASS_OPERATIONS; k++) {
        const struct point *point = point_find(&class->costs[k].points, tasks);
        if (!point && k == LINK_AT && comparison.share > 0)
            return (struct mean){0, 0};
        if (point)
            mean_add(k == OUTPUT_AT && comparison.behind ? &written : &work, point,
                     k == LINK_AT || k == RESULT_AT ? comparison.share : 1,
                     k == COMPUTE_AT && comparison.terms);
    }
    return written.seconds > work.seconds ? written : work;
}

/* Of b's cost relative to a's, by how that changed from pass to pass: sizes are timed in the same
 * passes, and where a worker drifts by itself, all of them are off together. */
static double passes_error(const struct points *a, const struct points *b)
{
    double squares = 0;
    int passes = 0;
    for (int pass = 0; pass < PASSES_MOST; pass++) {
        const double apart = b->off[pass] - a->off[pass];
        if (isnan(apart))
            continue;
        squares += apart * apart;
        passes++;
    }
    return passes > 0 ? sqrt(squares) / passes : 0;
}

/* The mean over sizes of b's cost relative to a's, minus 1, by the inverse variances. */
static bool differ_little(const struct worker_class *a, const struct worker_class *b,
                          struct comparison comparison)
{
    const struct points *sizes = &a->costs[COMPUTE_AT].points;
    double weighted = 0, weights = 0;
    for (int at = 0; at < sizes->count; at++) {
        const struct mean ma = work_mean(a, sizes->items[at].tasks, comparison);
        const struct mean mb = work_mean(b, sizes->items[at].tasks, comparison);
        if (ma.seconds <= 0 || mb.seconds <= 0)
            continue;
        const double weight = 1 / (ma.variance / (ma.seconds * ma.seconds) +
                                   mb.variance / (mb.seconds * mb.seconds) + VARIANCE_LEAST);
        weighted += weight * (mb.seconds / ma.seconds - 1);
        weights += weight;
    }
    const double off = weights > 0 ? fabs(weighted / weights) : 0;
    const double by_sizes = weights > 0 ? 1 / sqrt(weights) : 0;
    const double passes = comparison.terms ? 0 : passes_error(sizes, &b->costs[COMPUTE_AT].points);
    const double terms = comparison.terms ? hypot(by_sizes, hypot(a->error, b->error)) : 0;
    const double told = fmax(fmax(TOLD_DEVIATIONS * by_sizes, PASSES_DEVIATIONS * passes),
                             TERMS_DEVIATIONS * terms);
    return off <= fmax(TOLERANCE, fmin(TOLERANCE_UNSURE, told));
}

/* By themselves, and with the port, where a worker's link keeps all workers waiting; and where
 * results are written while workers go on. */
static bool are_alike(const struct worker_class *a, const struct worker_class *b,
                      const struct joining *joining)
{
    const bool terms = joining->terms != NULL;
    const struct comparison comparisons[] = {
        {0, false, terms}, {joining->workers, false, terms}, {0, true, terms}};
    for (size_t k = 0; k < sizeof comparisons / sizeof *comparisons; k++)
        if (!differ_little(a, b, comparisons[k]))
            return false;
    return true;
}

/* One more worker: into the last class, or a class of its own. The last one is fitted anew whenever
 * it has grown by half, so that many ranks of a kind stay quick. */
static bool worker_join(const struct joining *joining, int rank, struct worker_class *classes,
                        int *count, struct failure *failure)
{
    struct worker_class *next = &classes[*count], *last = next - 1;
    if (!class_fit(joining, rank, rank, next, failure))
        return false;
    if (*count == 0 || !are_alike(last, next, joining)) {
        ++*count;
        return *count == 1 || class_settle(joining, last, failure);
    }
    last->greatest = rank;
    const int grown = last->greatest - last->fitted, before = last->fitted - last->least + 1;
    return 2 * grown < before || class_settle(joining, last, failure);
}

static bool workers_join(const struct joining *joining, struct worker_class *classes, int *count,
                         struct failure *failure)
{
    bool good = true;
    *count = 0;
    for (int rank = 1; good && rank <= joining->workers; rank++)
        good = worker_join(joining, rank, classes, count, failure);
    return good && class_settle(joining, &classes[*count - 1], failure);
}

struct worker_class *classes_make(const struct samples *samples, int setting, int workers,
                                  const struct two_way *terms, int *count, struct failure *failure)
{
    const struct sample_choice all = {setting, 1, workers, OPERATION_COMPUTE, SAMPLE_BUSY};
    struct worker_class *classes = calloc((size_t)workers, sizeof *classes);
    struct costs *together = malloc(sizeof *together);
    struct sorted sorted;
    const bool ready = sorted_make(samples, setting, workers, &sorted);
    const struct joining joining = {&sorted, setting, workers, terms, together};
    bool good = ready && classes && together;
    if (!good)
        failure_memory(failure, "fitting costs");
    good = good && (!terms || costs_fit(samples, &all, together, failure)) &&
           workers_join(&joining, classes, count, failure);
    free(together);
    sorted_release(&sorted);
    if (good)
        return classes;
    free(classes);
    return NULL;
}

/* ---- workers together ---------------------------------------------------------------------- */

static double compute_s(const struct worker_class *class, double tasks)
{
    return cost_of(costs_find(&class->costs[COMPUTE_AT], tasks)->cost.cost, tasks);
}

static const struct worker_class *class_of(const struct worker_class *classes, int count, int rank)
{
    int at = 0;
    while (at + 1 < count && rank > classes[at].greatest)
        at++;
    return &classes[at];
}

struct sample *classes_level(const struct samples *samples, int setting,
                             const struct worker_class *classes, int class_count, int64_t *count)
{
    const struct sample_choice choice = {setting, classes[0].least,
                                         classes[class_count - 1].greatest, OPERATION_COMPUTE,
                                         SAMPLE_BUSY};
    struct sample *chosen = samples_choose(samples, &choice, count);
    for (int64_t i = 0; chosen && i < *count; i++) {
        const double tasks = (double)chosen[i].tasks;
        const double own_s = compute_s(class_of(classes, class_count, chosen[i].rank), tasks);
        if (own_s > 0)
            chosen[i].seconds *= compute_s(&classes[0], tasks) / own_s;
    }
    return chosen;
}
