#include "planner/model/strata.h"

#include <math.h>
#include <stdlib.h>

#include "planner/base/random.h"

/* ---- places -------------------------------------------------------------------------------- */

/* The product index * tasks may overflow: quotient and remainder are multiplied separately. */
static int64_t edge_of(int64_t tasks, int64_t index, int64_t count)
{
    return tasks / count * index + tasks % count * index / count;
}

struct task_range strata_equal(int64_t tasks, int64_t index, int64_t count)
{
    const int64_t first = edge_of(tasks, index, count);
    return (struct task_range){first, edge_of(tasks, index + 1, count) - first};
}

struct task_range strata_place(struct task_range stratum, int64_t package, uint64_t *random)
{
    if (package >= stratum.count)
        return stratum;
    const double places = (double)(stratum.count - package + 1);
    return (struct task_range){stratum.first + (int64_t)(random_uniform(random) * places), package};
}

struct task_range strata_other_half(const struct stratum *stratum)
{
    const int64_t middle = stratum->first + stratum->count / 2,
                  end = stratum->first + stratum->count;
    const int64_t place = stratum->place.first, place_end = place + stratum->place.count;
    const bool behind =
        place_end <= middle || (place < middle && end - place_end > place - stratum->first);
    const int64_t from = place_end > middle ? place_end : middle,
                  to = place < middle ? place : middle;
    return behind ? (struct task_range){from, end - from}
                  : (struct task_range){stratum->first, to - stratum->first};
}

/* ---- the total ----------------------------------------------------------------------------- */

/* Half the squared difference of two neighbours estimates their variance. */
static double half_square(const struct stratum *a, const struct stratum *b)
{
    return (b->cost_s - a->cost_s) * (b->cost_s - a->cost_s) / 2;
}

/* Strata that count as alike: [begin, end) of all strata. */
struct alike {
    const struct stratum *strata;
    size_t begin, end;
};

/* The variance of the cost of stratum `at`, in seconds squared. */
static double variance_of(const struct alike *alike, size_t at)
{
    const struct stratum *own = &alike->strata[at];
    const double untimed = 1 - (double)own->place.count / (double)own->count;
    double sum = 0;
    int neighbours = 0;
    if (at > alike->begin) {
        sum += half_square(own - 1, own);
        neighbours++;
    }
    if (at + 1 < alike->end) {
        sum += half_square(own, own + 1);
        neighbours++;
    }
    return neighbours > 0 ? untimed * sum / neighbours : 0;
}

/* What the strata of one region add to the estimate. */
struct part {
    double sum_s, variance_s2;
    int64_t tasks, sampled;
    double unseen_s;
};

static struct part part_of(const struct alike *alike)
{
    struct part part = {.sum_s = 0};
    double heaviest_s = 0;
    int64_t untimed_most = 0;
    for (size_t k = alike->begin; k < alike->end; k++) {
        const struct stratum *own = &alike->strata[k];
        const double tasks = (double)own->count;
        const int64_t untimed = own->count - own->place.count;
        part.tasks += own->count;
        part.sampled += own->place.count;
        part.sum_s += tasks * own->cost_s;
        part.variance_s2 += tasks * tasks * variance_of(alike, k);
        heaviest_s = fmax(heaviest_s, own->cost_s);
        untimed_most = untimed > untimed_most ? untimed : untimed_most;
    }
    part.unseen_s = (double)untimed_most * (heaviest_s - part.sum_s / (double)part.tasks);
    return part;
}

/* The border lies between the last timed place of one region and the first one of the next, each
 * place being equally probable; it was taken to lie where the strata meet: the variance is the mean
 * squared difference. */
static double border_variance(const struct stratum *before, const struct stratum *after,
                              double apart_s)
{
    const double border = (double)after->first;
    const double left = border - (double)(before->place.first + before->place.count);
    const double right = (double)after->place.first - border;
    const double cubes = left * left * left + right * right * right;
    return left + right > 0 ? apart_s * apart_s * cubes / (3 * (left + right)) : 0;
}

static size_t strata_until(const struct stratum *strata, size_t count, size_t begin, int64_t task)
{
    size_t end = begin;
    while (end < count && strata[end].first < task)
        end++;
    return end;
}

struct strata_total strata_total(const struct stratum *strata, size_t count,
                                 const struct region *regions, size_t region_count)
{
    struct strata_total total = {.mean_s = 0};
    double sum_s = 0, variance_s2 = 0, unseen_s = 0;
    for (size_t r = 0, begin = 0, end; r < region_count || r == 0; r++, begin = end) {
        const int64_t behind = region_count > 0 ? regions[r].first + regions[r].count : INT64_MAX;
        end = strata_until(strata, count, begin, behind);
        const struct alike alike = {strata, begin, end};
        const struct part part = part_of(&alike);
        total.tasks += part.tasks;
        total.sampled += part.sampled;
        sum_s += part.sum_s;
        variance_s2 += part.variance_s2;
        unseen_s = fmax(unseen_s, part.unseen_s);
        if (r > 0)
            variance_s2 += border_variance(&strata[begin - 1], &strata[begin],
                                           regions[r].cost_s - regions[r - 1].cost_s);
    }
    total.mean_s = sum_s / (double)total.tasks;
    total.error = sqrt(variance_s2) / sum_s;
    total.unseen = unseen_s / sum_s;
    return total;
}

/* ---- regions ------------------------------------------------------------------------------- */

/* Sums over the strata before each one, with weight 1 each: of logarithms, and of their squares. */
struct sums {
    double log, square;
};

/* The penalty for one more region: this many variances times the logarithm of the number of strata.
 * Each region has two free parameters, its beginning and its level. */
static const double REGION_PRICE = 3;
/* Costs whose logarithms differ by less count as equal: timings on a machine vary by this. */
static const double DEVIATION_LEAST = 0.02;
enum { REGION_STRATA = 2 };

static double misfit(const struct sums *sums, size_t begin, size_t end)
{
    const double n = (double)(end - begin), log_sum = sums[end].log - sums[begin].log;
    return fmax(0, sums[end].square - sums[begin].square - log_sum * log_sum / n);
}

/* The variance between neighbours, by successive differences (J. von Neumann, 1941). */
static double variance_apart(const struct stratum *strata, size_t count)
{
    double sum = 0;
    for (size_t k = 1; k < count; k++) {
        const double step = log(strata[k].cost_s / strata[k - 1].cost_s);
        sum += step * step / 2;
    }
    return fmax(sum / fmax(1, (double)count - 1), DEVIATION_LEAST * DEVIATION_LEAST);
}

/* Dynamic programming: the best partition of the first k strata ends with a region that begins at
 * begins[k]. */
static void regions_search(const struct sums *sums, size_t count, double price, double *best,
                           size_t *begins)
{
    best[0] = -price;
    for (size_t end = 1; end <= count; end++) {
        best[end] = HUGE_VAL;
        begins[end] = 0;
        for (size_t begin = 0; begin + REGION_STRATA <= end; begin++) {
            const double all = best[begin] + misfit(sums, begin, end) + price;
            if (all < best[end]) {
                best[end] = all;
                begins[end] = begin;
            }
        }
    }
}

static struct region region_of(const struct stratum *strata, size_t begin, size_t end)
{
    struct region region = {.first = strata[begin].first};
    double sum_s = 0;
    for (size_t k = begin; k < end; k++) {
        region.count += strata[k].count;
        sum_s += (double)strata[k].count * strata[k].cost_s;
    }
    region.cost_s = sum_s / (double)region.count;
    return region;
}

/* Collects the regions from the last to the first, then reverses them. */
static size_t regions_collect(const struct stratum *strata, size_t count, const size_t *begins,
                              struct region *regions)
{
    size_t found = 0;
    for (size_t end = count; end > 0; end = begins[end])
        regions[found++] = region_of(strata, begins[end], end);
    for (size_t k = 0; k < found / 2; k++) {
        const struct region held = regions[k];
        regions[k] = regions[found - 1 - k];
        regions[found - 1 - k] = held;
    }
    return found;
}

struct region *strata_regions(const struct stratum *strata, size_t count, size_t *found)
{
    struct sums *sums = calloc(count + 1, sizeof *sums);
    double *best = calloc(count + 1, sizeof *best);
    size_t *begins = calloc(count + 1, sizeof *begins);
    struct region *regions = calloc(count, sizeof *regions);
    const bool good = sums && best && begins && regions;
    for (size_t k = 0; good && k < count; k++) {
        const double cost = log(strata[k].cost_s);
        sums[k + 1] = (struct sums){sums[k].log + cost, sums[k].square + cost * cost};
    }
    if (good && count >= REGION_STRATA) {
        const double price = REGION_PRICE * log((double)count) * variance_apart(strata, count);
        regions_search(sums, count, price, best, begins);
    }
    if (good)
        *found = regions_collect(strata, count, begins, regions);
    free(sums);
    free(best);
    free(begins);
    if (good)
        return regions;
    free(regions);
    return NULL;
}

double strata_deviation(const struct stratum *strata, size_t count)
{
    size_t region_count = 0;
    struct region *regions = strata_regions(strata, count, &region_count);
    double squares_s2 = 0, sum_s = 0, pairs = 0;
    for (size_t r = 0, begin = 0, end; regions && r < region_count; r++, begin = end) {
        end = strata_until(strata, count, begin, regions[r].first + regions[r].count);
        for (size_t k = begin; k < end; k++) {
            sum_s += strata[k].cost_s;
            if (k > begin) {
                squares_s2 += half_square(&strata[k - 1], &strata[k]);
                pairs++;
            }
        }
    }
    free(regions);
    return pairs > 0 ? sqrt(squares_s2 / pairs) / (sum_s / (double)count) : 0;
}

/* ---- which stratum to halve
 * ------------------------------------------------------------------------ */

/* A stratum that may be halved. */
struct wish {
    size_t index;
    double gain_s; /* by how much its part of the total may be off */
    double width;
    double order; /* between equal gains, an order that is spread over the job */
};

static int descending(double a, double b)
{
    return (a < b) - (a > b);
}

static int by_gain(const void *a, const void *b)
{
    const struct wish *p = a, *q = b;
    const int sign = descending(p->gain_s, q->gain_s);
    return sign ? sign : descending(p->order, q->order);
}

static int by_width(const void *a, const void *b)
{
    const struct wish *p = a, *q = b;
    const int sign = descending(p->width, q->width);
    return sign ? sign : descending(p->order, q->order);
}

/* The fractional part of the golden ratio: its multiples do not repeat with any period of the
 * data. */
static const double GOLDEN = 0.61803398874989484820;

static struct wish wish_of(const struct stratum *strata, size_t count, size_t at)
{
    const double before_s = at > 0 ? strata[at - 1].cost_s : 0;
    const double after_s = at + 1 < count ? strata[at + 1].cost_s : before_s;
    const double apart_s = at > 0 ? fabs(after_s - before_s) : 0;
    double whole;
    return (struct wish){.index = at,
                         .gain_s = (double)strata[at].count * apart_s,
                         .width = (double)strata[at].count,
                         .order = modf(GOLDEN * (double)at, &whole)};
}

static size_t wishes_make(const struct stratum *strata, size_t count, int64_t package,
                          struct wish *wishes)
{
    size_t found = 0;
    for (size_t k = 0; k < count; k++)
        if (strata[k].count >= 2 * package && strata_other_half(&strata[k]).count >= package)
            wishes[found++] = wish_of(strata, count, k);
    return found;
}

int64_t strata_halve(const struct stratum *strata, size_t count, int64_t package, int64_t most,
                     bool *chosen)
{
    struct wish *wishes = calloc(count + 1, sizeof *wishes);
    int64_t taken = 0;
    if (!wishes)
        return -1;
    const size_t found = wishes_make(strata, count, package, wishes);
    for (size_t k = 0; k < count; k++)
        chosen[k] = false;
    qsort(wishes, found, sizeof *wishes, by_gain);
    for (size_t k = 0; k < found && taken < most / 2; k++, taken++)
        chosen[wishes[k].index] = true;
    qsort(wishes, found, sizeof *wishes, by_width);
    for (size_t k = 0; k < found && taken < most; k++) {
        taken += !chosen[wishes[k].index];
        chosen[wishes[k].index] = true;
    }
    free(wishes);
    return taken;
}
