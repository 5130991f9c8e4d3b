#include "planner/schedulers/scow/pairs.h"

#include <math.h>
#include <stdlib.h>

#include "planner/base/array.h"
#include "planner/base/limits.h"

/* Slopes within this of 1 count as 1: a sum of lambda times 1 / lambda is rarely exact. */
static const double NEAR = 1e-12;

/* Running sums over the first workers. */
struct fed {
    const struct ranking *ranking;
    int64_t workers;
    struct pair_line lines[PAIR_LINES];
    double speed, overhead; /* sum 1 / rw, sum RW / rw */
    double slowest_s;       /* max RW, and not below 0: a period must be longer */
};

/* Beyond the ranking, equal workers continue. */
static const struct ranked_worker *worker_of(const struct ranking *ranking, int64_t place)
{
    return &ranking->workers[ranking->equal ? 0 : place];
}

static void line_add(struct pair_line *line, struct cost cost, struct cost work)
{
    const double share = cost.s_per_task / rate_of(work);
    line->slope += share;
    line->intercept_s += cost.latency_s - share * work.latency_s;
}

static void fed_add(struct fed *fed)
{
    const struct ranked_worker *worker = worker_of(fed->ranking, fed->workers++);
    line_add(&fed->lines[PAIR_MASTER], fed->ranking->master, worker->work);
    line_add(&fed->lines[PAIR_LINKS], worker->link, worker->work);
    fed->speed += 1 / rate_of(worker->work);
    fed->overhead += worker->work.latency_s / rate_of(worker->work);
    fed->slowest_s = fmax(fed->slowest_s, worker->work.latency_s);
}

void pairs_lines(const struct ranking *ranking, int64_t workers, struct pair_line lines[PAIR_LINES])
{
    struct fed fed = {.ranking = ranking};
    while (fed.workers < workers)
        fed_add(&fed);
    for (int k = 0; k < PAIR_LINES; k++)
        lines[k] = fed.lines[k];
}

/* The periods with R(i, T) <= T: from *low_s to *high_s; there are none where that is empty. */
static void line_cut(const struct pair_line *line, double *low_s, double *high_s)
{
    const double left = 1 - line->slope;
    if (left > NEAR)
        *low_s = fmax(*low_s, line->intercept_s / left);
    else if (left < -NEAR)
        *high_s = fmin(*high_s, line->intercept_s / left);
    else if (line->intercept_s > 0)
        *high_s = 0;
}

static struct pair pair_of(const struct fed *fed, double period_s, bool from)
{
    const struct ranking *ranking = fed->ranking;
    const int64_t different = ranking->equal ? 1 : fed->workers;
    struct pair pair = {.workers = fed->workers,
                        .from = from,
                        .period_s = period_s,
                        .tasks = fed->speed * period_s - fed->overhead,
                        .least = HUGE_VAL};
    double work_s = 0, port_s = 0;
    for (int64_t i = 0; i < different; i++) {
        const struct cost work = worker_of(ranking, i)->work;
        const double load = (period_s - work.latency_s) / rate_of(work);
        pair.least = fmin(pair.least, load);
        pair.greatest = fmax(pair.greatest, load);
        work_s += cost_of(work, load);
    }
    for (int k = 0; k < PAIR_LINES; k++)
        port_s = fmax(port_s, fed->lines[k].slope * period_s + fed->lines[k].intercept_s);
    pair.port_utilization = port_s / period_s;
    pair.worker_utilization = work_s / ((double)different * period_s);
    pair.in_window = pair.least >= ranking->least && pair.greatest <= ranking->greatest;
    return pair;
}

static bool pair_add(struct pairs *pairs, struct pair pair)
{
    struct pair *items = array_extend(pairs->items, pairs->count, sizeof *items);
    if (items == NULL)
        return false;
    items[pairs->count++] = pair;
    pairs->items = items;
    return true;
}

static bool gap_add(struct pairs *pairs, int64_t workers, bool any)
{
    struct pair_gap *last = pairs->gap_count > 0 ? &pairs->gaps[pairs->gap_count - 1] : NULL;
    if (last != NULL && last->last == workers - 1 && last->any == any) {
        last->last = workers;
        return true;
    }
    struct pair_gap *gaps = array_extend(pairs->gaps, pairs->gap_count, sizeof *gaps);
    if (gaps == NULL)
        return false;
    gaps[pairs->gap_count++] = (struct pair_gap){workers, workers, any};
    pairs->gaps = gaps;
    return true;
}

/* Adds the pairs of one number of workers: none, one or, where both rows matter, two. Periods with
 * packages below the least size give none. */
static bool workers_add(struct pairs *pairs, const struct fed *fed)
{
    double low_s = fed->slowest_s, high_s = HUGE_VAL;
    for (int k = 0; k < PAIR_LINES; k++)
        line_cut(&fed->lines[k], &low_s, &high_s);
    const bool begins = low_s > fed->slowest_s * (1 + NEAR), ends = high_s < HUGE_VAL;
    if (high_s <= low_s * (1 + NEAR) ||
        (ends && pair_of(fed, high_s, false).least < ranking_least(fed->ranking)))
        return gap_add(pairs, fed->workers, false);
    if (!begins && !ends)
        return gap_add(pairs, fed->workers, true);
    return (!begins || pair_add(pairs, pair_of(fed, low_s, true))) &&
           (!ends || pair_add(pairs, pair_of(fed, high_s, false)));
}

/* Do equal workers, of whom there are more and more, have no further pairs? Every further one adds
 * the same to all sums: once some number cannot be fed no larger one can, and where feeding takes
 * no time, all can be. */
static bool ended(const struct pairs *pairs, const struct fed *fed)
{
    const struct pair_gap *last = pairs->gap_count > 0 ? &pairs->gaps[pairs->gap_count - 1] : NULL;
    const bool free_of_cost =
        !(fed->lines[PAIR_MASTER].slope > 0) && !(fed->lines[PAIR_LINKS].slope > 0);
    return fed->ranking->equal && last != NULL && last->last == fed->workers &&
           (!last->any || free_of_cost);
}

/* Is the package of equal workers that the platform does not have larger than the window? It is
 * then for still more workers, too. */
static bool outgrown(const struct pairs *pairs, const struct fed *fed)
{
    const struct pair *last = pairs->count > 0 ? &pairs->items[pairs->count - 1] : NULL;
    return fed->ranking->equal && fed->workers > fed->ranking->count && last != NULL &&
           last->from && last->greatest > fed->ranking->greatest;
}

bool pairs_find(const struct ranking *ranking, struct pairs *pairs)
{
    struct pairs found = {.items = NULL};
    struct fed fed = {.ranking = ranking};
    const int64_t most = ranking->equal ? LIMIT_WORKERS : ranking->count;
    bool good = true;
    while (good && fed.workers < most && !ended(&found, &fed) && !found.more) {
        found.more = found.count >= PAIRS_MOST || outgrown(&found, &fed);
        fed_add(&fed);
        good = found.more || workers_add(&found, &fed);
    }
    if (good && ended(&found, &fed))
        found.gaps[found.gap_count - 1].last = LIMIT_WORKERS;
    if (good)
        *pairs = found;
    else
        pairs_release(&found);
    return good;
}

void pairs_release(struct pairs *pairs)
{
    free(pairs->items);
    free(pairs->gaps);
    *pairs = (struct pairs){.items = NULL};
}
