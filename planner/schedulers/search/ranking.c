#include "planner/schedulers/search/ranking.h"

#include <math.h>
#include <stdlib.h>

/* The cost that dominates for the largest packages that the window allows. */
static struct cost cost_dominating(struct cost a, struct cost b, double greatest)
{
    return cost_of(a, greatest) > cost_of(b, greatest) ? a : b;
}

static int number_compare(double a, double b)
{
    return (a > b) - (a < b);
}

static int cost_compare(struct cost a, struct cost b)
{
    const int rate = number_compare(a.s_per_task, b.s_per_task);
    return rate != 0 ? rate : number_compare(a.latency_s, b.latency_s);
}

/* Compares h_a / work_a with h_b / work_b without division, because a rate may be 0. */
static int ratio_compare(const struct ranked_worker *a, const struct ranked_worker *b)
{
    return number_compare(a->feed.s_per_task * b->work.s_per_task,
                          b->feed.s_per_task * a->work.s_per_task);
}

/* Ties are decided by costs first and only then by index, so that renumbering equal workers changes
 * nothing. */
static int tie_compare(const struct ranked_worker *a, const struct ranked_worker *b)
{
    int order = cost_compare(a->feed, b->feed);
    if (order == 0)
        order = cost_compare(a->work, b->work);
    if (order == 0)
        order = cost_compare(a->link, b->link);
    if (order == 0)
        order = number_compare(a->start_s, b->start_s);
    return order != 0 ? order : (a->id > b->id) - (a->id < b->id);
}

static int by_feed(const void *a, const void *b)
{
    return tie_compare(a, b);
}

static int by_work(const void *a, const void *b)
{
    const struct ranked_worker *x = a, *y = b;
    const int order = cost_compare(x->work, y->work);
    return order != 0 ? order : tie_compare(x, y);
}

static int by_ratio(const void *a, const void *b)
{
    const int order = ratio_compare(a, b);
    return order != 0 ? order : tie_compare(a, b);
}

static int by_start(const void *a, const void *b)
{
    const struct ranked_worker *x = a, *y = b;
    const int order = number_compare(x->start_s, y->start_s);
    return order != 0 ? order : by_work(a, b);
}

static int (*const order_compare[RANKING_ORDERS])(const void *, const void *) = {
    [RANKING_BY_FEED] = by_feed,
    [RANKING_BY_WORK] = by_work,
    [RANKING_BY_RATIO] = by_ratio,
    [RANKING_BY_START] = by_start,
};

/* What a package takes in rows (4.5) and (4.6), and for how long it occupies its worker, by the
 * operating model. Where the master's processor sends, sending is one operation with what it
 * prepares. Results count where they share a port with packages, or where the longer of both
 * determines the period. */
static struct ranked_worker operated(const struct ranking *ranking, const struct platform *platform,
                                     const struct platform_window *window,
                                     const struct platform_class *class)
{
    const struct operating_traits *traits = operating_traits(platform->operating);
    const struct cost none = {0, 0}, prepared = cost_sum(window->envelope, window->send);
    const struct cost returned = platform->results == RESULTS_PACKAGE ? class->result : none;
    struct ranked_worker worker = {.link = class->link,
                                   .work = platform_class_work(class),
                                   .beside = platform_class_beside(class),
                                   .result = class->result,
                                   .way = class->link,
                                   .start_s = class->start_s};
    if (traits->master_sends)
        worker.link =
            cost_sum(cost_sum(prepared, class->link), traits->master_takes ? returned : none);
    else if (traits->half_duplex)
        worker.link = cost_sum(class->link, returned);
    else if (traits->port_each)
        worker.link = none;
    else
        worker.link = cost_dominating(
            class->link, traits->master_takes ? cost_sum(prepared, returned) : returned,
            ranking->greatest);
    if (traits->worker_takes)
        worker.work = cost_sum(worker.work, class->link);
    if (traits->worker_returns)
        worker.work = cost_sum(worker.work, returned);
    worker.feed = cost_dominating(ranking->master, worker.link, ranking->greatest);
    return worker;
}

static struct ranked_worker ranked(const struct ranking *ranking, const struct platform *platform,
                                   const struct platform_window *window,
                                   const struct platform_class *class)
{
    if (results_return(platform->results) || platform->operating != OPERATING_SINGLE_PORT)
        return operated(ranking, platform, window, class);
    return (struct ranked_worker){
        .feed = cost_dominating(ranking->master, class->link, ranking->greatest),
        .link = class->link,
        .work = platform_class_work(class),
        .beside = platform_class_beside(class),
        .start_s = class->start_s};
}

static void ranking_fill(struct ranking *ranking, const struct platform *platform,
                         const struct platform_window *window)
{
    int64_t place = 0;
    for (int64_t c = 0; c < window->class_count; c++) {
        const struct platform_class *class = &window->classes[c];
        const struct ranked_worker like = ranked(ranking, platform, window, class);
        for (int64_t i = 0; i < class->count && place < ranking->count; i++) {
            ranking->workers[place] = like;
            ranking->workers[place++].id = class->first + i;
        }
    }
}

/* What every package takes in row (4.5), whatever its worker. */
static struct cost master_cost(const struct platform *platform,
                               const struct platform_window *window)
{
    const struct cost none = {0, 0};
    const struct cost collected = platform->results == RESULTS_PACKAGE ? window->collect : none;
    if (operating_traits(platform->operating)->master_sends)
        return collected;
    const struct cost prepared = cost_sum(window->envelope, window->send);
    return results_return(platform->results) ? cost_sum(prepared, collected) : prepared;
}

static bool ranking_equal(const struct ranking *ranking)
{
    const struct ranked_worker *first = &ranking->workers[0];
    for (int64_t i = 1; i < ranking->count; i++)
        if (cost_compare(first->link, ranking->workers[i].link) != 0 ||
            cost_compare(first->work, ranking->workers[i].work) != 0 ||
            cost_compare(first->beside, ranking->workers[i].beside) != 0 ||
            cost_compare(first->result, ranking->workers[i].result) != 0 ||
            cost_compare(first->way, ranking->workers[i].way) != 0 ||
            number_compare(first->start_s, ranking->workers[i].start_s) != 0)
            return false;
    return true;
}

static void ranking_sort(struct ranking *ranking, enum ranking_order order)
{
    if (!ranking->equal)
        qsort(ranking->workers, (size_t)ranking->count, sizeof *ranking->workers,
              order_compare[order]);
}

bool ranking_init(struct ranking *ranking, const struct platform *platform,
                  const struct platform_window *window, bool real_valued, enum ranking_order order)
{
    struct ranking made = {.least = (double)window->least,
                           .greatest = (double)window->greatest,
                           .real_valued = real_valued,
                           .master = master_cost(platform, window),
                           .results = platform->results,
                           .returns = results_return(platform->results) &&
                                      platform->operating == OPERATING_SINGLE_PORT,
                           .count = platform->worker_count};
    made.workers = calloc((size_t)made.count, sizeof *made.workers);
    if (made.workers == NULL)
        return false;
    ranking_fill(&made, platform, window);
    made.equal = ranking_equal(&made);
    ranking_sort(&made, order);
    *ranking = made;
    return true;
}

void ranking_turn(struct ranking *ranking, enum ranking_view view, enum ranking_order order)
{
    for (int64_t i = 0; i < ranking->count; i++) {
        struct ranked_worker *worker = &ranking->workers[i];
        const struct cost dominating =
            cost_dominating(ranking->master, worker->link, ranking->greatest);
        const struct cost feeds[RANKING_VIEWS] = {[RANKING_OF_GREATEST] = dominating,
                                                  [RANKING_OF_MASTER] = ranking->master,
                                                  [RANKING_OF_LINK] = worker->link};
        worker->feed = feeds[view];
    }
    ranking->two_rows = view != RANKING_OF_GREATEST;
    ranking_sort(ranking, order);
}

unsigned ranking_views(const struct ranking *ranking, double tasks)
{
    const double sizes[] = {ranking->least, fmin(ranking->greatest, tasks)};
    bool master = false, link = false;
    for (int64_t i = 0; i < ranking->count; i++)
        for (int k = 0; k < 2; k++) {
            const int larger = number_compare(cost_of(ranking->master, sizes[k]),
                                              cost_of(ranking->workers[i].link, sizes[k]));
            master = master || larger > 0;
            link = link || larger < 0;
        }
    return master && link ? (1u << RANKING_VIEWS) - 1 : 1u << RANKING_OF_GREATEST;
}

void ranking_release(struct ranking *ranking)
{
    free(ranking->workers);
    *ranking = (struct ranking){.workers = NULL};
}

/* The places of a worker's costs, for what is done to all of them alike. */
enum { RANKING_NUMBERS = 11 };

static void worker_numbers(struct ranked_worker *worker, double *number[RANKING_NUMBERS])
{
    number[0] = &worker->feed.latency_s;
    number[1] = &worker->feed.s_per_task;
    number[2] = &worker->link.latency_s;
    number[3] = &worker->link.s_per_task;
    number[4] = &worker->work.latency_s;
    number[5] = &worker->work.s_per_task;
    number[6] = &worker->beside.latency_s;
    number[7] = &worker->beside.s_per_task;
    number[8] = &worker->start_s;
    number[9] = &worker->result.latency_s;
    number[10] = &worker->result.s_per_task;
}

bool ranking_homogeneous(const struct ranking *ranking, double tolerance)
{
    double low[RANKING_NUMBERS] = {0}, high[RANKING_NUMBERS] = {0}, *number[RANKING_NUMBERS];
    for (int64_t i = 0; i < ranking->count; i++) {
        worker_numbers(&ranking->workers[i], number);
        for (int n = 0; n < RANKING_NUMBERS; n++) {
            low[n] = i == 0 ? *number[n] : fmin(low[n], *number[n]);
            high[n] = i == 0 ? *number[n] : fmax(high[n], *number[n]);
        }
    }
    for (int n = 0; n < RANKING_NUMBERS; n++)
        if (high[n] - low[n] > tolerance * fmax(fabs(high[n]), fabs(low[n])))
            return false;
    return true;
}

void ranking_average(struct ranking *ranking)
{
    double sum[RANKING_NUMBERS] = {0}, *number[RANKING_NUMBERS];
    for (int64_t i = 0; i < ranking->count; i++) {
        worker_numbers(&ranking->workers[i], number);
        for (int n = 0; n < RANKING_NUMBERS; n++)
            sum[n] += *number[n];
    }
    for (int64_t i = 0; i < ranking->count; i++) {
        worker_numbers(&ranking->workers[i], number);
        for (int n = 0; n < RANKING_NUMBERS; n++)
            *number[n] = sum[n] / (double)ranking->count;
    }
    ranking->equal = true;
}

double ranking_least(const struct ranking *ranking)
{
    enum { SMALLEST_PART = 1000000000 };
    return ranking->real_valued ? ranking->least - 1.0 + 1.0 / SMALLEST_PART : ranking->least;
}
