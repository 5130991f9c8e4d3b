#include "planner/schedulers/lineup.h"

#include <math.h>
#include <stdlib.h>

/* The dominating one for the largest packages that the window allows. */
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

/* h_a / work_a against h_b / work_b without dividing by a rate of zero. */
static int ratio_compare(const struct lineup_worker *a, const struct lineup_worker *b)
{
    return number_compare(a->feed.s_per_task * b->work.s_per_task,
                          b->feed.s_per_task * a->work.s_per_task);
}

/* Costs decide every tie before the index does, so that renaming equal workers changes nothing. */
static int tie_compare(const struct lineup_worker *a, const struct lineup_worker *b)
{
    int order = cost_compare(a->feed, b->feed);
    if (order == 0)
        order = cost_compare(a->work, b->work);
    if (order == 0)
        order = cost_compare(a->link, b->link);
    return order != 0 ? order : (a->id > b->id) - (a->id < b->id);
}

static int by_feed(const void *a, const void *b)
{
    return tie_compare(a, b);
}

static int by_work(const void *a, const void *b)
{
    const struct lineup_worker *x = a, *y = b;
    const int order = cost_compare(x->work, y->work);
    return order != 0 ? order : tie_compare(x, y);
}

static int by_ratio(const void *a, const void *b)
{
    const int order = ratio_compare(a, b);
    return order != 0 ? order : tie_compare(a, b);
}

static int (*const order_compare[LINEUP_ORDERS])(const void *, const void *) = {
    [LINEUP_BY_FEED] = by_feed,
    [LINEUP_BY_WORK] = by_work,
    [LINEUP_BY_RATIO] = by_ratio,
};

static void lineup_fill(struct lineup *lineup, const struct platform_window *window)
{
    int64_t place = 0;
    for (int64_t c = 0; c < window->class_count; c++) {
        const struct platform_class *class = &window->classes[c];
        const struct cost work = platform_class_work(class);
        for (int64_t i = 0; i < class->count && place < lineup->count; i++)
            lineup->workers[place++] = (struct lineup_worker){
                .id = class->first + i,
                .feed = cost_dominating(lineup->master, class->link, lineup->greatest),
                .link = class->link,
                .work = work};
    }
}

static bool lineup_equal(const struct lineup *lineup)
{
    const struct lineup_worker *first = &lineup->workers[0];
    for (int64_t i = 1; i < lineup->count; i++)
        if (cost_compare(first->link, lineup->workers[i].link) != 0 ||
            cost_compare(first->work, lineup->workers[i].work) != 0)
            return false;
    return true;
}

bool lineup_init(struct lineup *lineup, const struct platform *platform,
                 const struct platform_window *window, bool real_valued, enum lineup_order order)
{
    struct lineup made = {.least = (double)window->least,
                          .greatest = (double)window->greatest,
                          .real_valued = real_valued,
                          .master = cost_sum(window->envelope, window->send),
                          .count = platform->worker_count};
    made.workers = calloc((size_t)made.count, sizeof *made.workers);
    if (made.workers == NULL)
        return false;
    lineup_fill(&made, window);
    made.equal = lineup_equal(&made);
    if (!made.equal)
        qsort(made.workers, (size_t)made.count, sizeof *made.workers, order_compare[order]);
    *lineup = made;
    return true;
}

void lineup_release(struct lineup *lineup)
{
    free(lineup->workers);
    *lineup = (struct lineup){.workers = NULL};
}

/* Where the parts of a worker's costs lie, for what is done to each of them alike. */
enum { LINEUP_NUMBERS = 6 };

static void worker_numbers(struct lineup_worker *worker, double *number[LINEUP_NUMBERS])
{
    number[0] = &worker->feed.latency_s;
    number[1] = &worker->feed.s_per_task;
    number[2] = &worker->link.latency_s;
    number[3] = &worker->link.s_per_task;
    number[4] = &worker->work.latency_s;
    number[5] = &worker->work.s_per_task;
}

bool lineup_homogeneous(const struct lineup *lineup, double tolerance)
{
    double low[LINEUP_NUMBERS] = {0}, high[LINEUP_NUMBERS] = {0}, *number[LINEUP_NUMBERS];
    for (int64_t i = 0; i < lineup->count; i++) {
        worker_numbers(&lineup->workers[i], number);
        for (int n = 0; n < LINEUP_NUMBERS; n++) {
            low[n] = i == 0 ? *number[n] : fmin(low[n], *number[n]);
            high[n] = i == 0 ? *number[n] : fmax(high[n], *number[n]);
        }
    }
    for (int n = 0; n < LINEUP_NUMBERS; n++)
        if (high[n] - low[n] > tolerance * high[n])
            return false;
    return true;
}

void lineup_average(struct lineup *lineup)
{
    double sum[LINEUP_NUMBERS] = {0}, *number[LINEUP_NUMBERS];
    for (int64_t i = 0; i < lineup->count; i++) {
        worker_numbers(&lineup->workers[i], number);
        for (int n = 0; n < LINEUP_NUMBERS; n++)
            sum[n] += *number[n];
    }
    for (int64_t i = 0; i < lineup->count; i++) {
        worker_numbers(&lineup->workers[i], number);
        for (int n = 0; n < LINEUP_NUMBERS; n++)
            *number[n] = sum[n] / (double)lineup->count;
    }
    lineup->equal = true;
}

double lineup_least(const struct lineup *lineup)
{
    enum { SMALLEST_PART = 1000000000 };
    return lineup->real_valued ? lineup->least - 1.0 + 1.0 / SMALLEST_PART : lineup->least;
}
