#include "planner/schedulers/scow/scow_exact.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/schedulers/search/period.h"

/* A worker in the knapsack problem. */
struct item {
    int64_t place; /* place in the ranking */
    double full;   /* Y(T) */
    double latency_s, s_per_task;
    double spread; /* s_per_task plus the latency divided by a full load: the least rate that it can
                      have */
};

struct branching {
    const struct ranking *ranking;
    struct item *items; /* owned, by increasing spread: the order in which they are decided */
    int64_t *cheapest;  /* owned, items by increasing s_per_task */
    int64_t *fullest;   /* owned, items by decreasing full load */
    int64_t count;      /* workers whose full load is at least the least package */
    bool *chosen;       /* owned, per item, of the current branch */
    bool *best_chosen;  /* owned */
    double best;
    double period_s;
    int64_t nodes, nodes_most;
};

static int item_compare(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    if (x->spread < y->spread || x->spread > y->spread)
        return x->spread < y->spread ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

static bool branching_alloc(struct branching *branching)
{
    const size_t count = (size_t)branching->ranking->count;
    branching->items = malloc(count * sizeof *branching->items);
    branching->cheapest = malloc(count * sizeof *branching->cheapest);
    branching->fullest = malloc(count * sizeof *branching->fullest);
    branching->chosen = calloc(count, sizeof *branching->chosen);
    branching->best_chosen = calloc(count, sizeof *branching->best_chosen);
    return branching->items != NULL && branching->cheapest != NULL && branching->fullest != NULL &&
           branching->chosen != NULL && branching->best_chosen != NULL;
}

/* Insertion sort suffices: the time is spent in branching. */
static void orders_fill(struct branching *branching)
{
    const struct item *items = branching->items;
    int64_t *cheapest = branching->cheapest, *fullest = branching->fullest;
    for (int64_t k = 0; k < branching->count; k++) {
        int64_t place = k;
        for (; place > 0 && items[cheapest[place - 1]].s_per_task > items[k].s_per_task; place--)
            cheapest[place] = cheapest[place - 1];
        cheapest[place] = k;
        for (place = k; place > 0 && items[fullest[place - 1]].full < items[k].full; place--)
            fullest[place] = fullest[place - 1];
        fullest[place] = k;
    }
}

static bool branching_open(struct branching *branching, const struct ranking *ranking,
                           double period_s)
{
    *branching = (struct branching){.ranking = ranking, .period_s = period_s};
    if (!branching_alloc(branching))
        return false;
    for (int64_t i = 0; i < ranking->count; i++) {
        const struct cost port = ranking_port(ranking, i);
        const double full = period_load(&ranking->workers[i], period_s, ranking->greatest);
        if (full < ranking_least(ranking))
            continue;
        struct item *item = &branching->items[branching->count++];
        *item = (struct item){i, full, port.latency_s, rate_of(port), 0};
        item->spread = item->s_per_task + item->latency_s / full;
    }
    qsort(branching->items, (size_t)branching->count, sizeof *branching->items, item_compare);
    orders_fill(branching);
    return true;
}

static void branching_close(struct branching *branching)
{
    free(branching->items);
    free(branching->cheapest);
    free(branching->fullest);
    free(branching->chosen);
    free(branching->best_chosen);
}

/* Takes as much of an item as fits into what is left of the port's time. */
static double item_take(double full, double s_per_task, double *left_s)
{
    const double room = (*left_s > 0 ? *left_s : 0) / s_per_task, load = full < room ? full : room;
    *left_s -= load * s_per_task;
    return load;
}

/* (4.6), the links' row, as a linear relaxation: items before `depth` are decided, and their
 * latencies `latency_s` paid; the others cost their spread rate. Taking items from both orders by
 * increasing rate solves the fractional knapsack. */
static double bound_of_links(const struct branching *branching, int64_t depth, double latency_s)
{
    double left_s = branching->period_s - latency_s, tasks = 0;
    int64_t next = depth; /* first of the undecided items */
    for (int64_t k = 0; k < branching->count && left_s > 0; k++) {
        const int64_t at = branching->cheapest[k];
        if (at >= depth || !branching->chosen[at])
            continue;
        const struct item *item = &branching->items[at];
        for (; next < branching->count && branching->items[next].spread < item->s_per_task; next++)
            tasks += item_take(branching->items[next].full, branching->items[next].spread, &left_s);
        tasks += item_take(item->full, item->s_per_task, &left_s);
    }
    for (; next < branching->count && left_s > 0; next++)
        tasks += item_take(branching->items[next].full, branching->items[next].spread, &left_s);
    return tasks;
}

/* (4.5), the master's row, likewise. A core task takes the master equally long for every worker:
 * decided items come first, then the largest of the others, which have the least latency per core
 * task. */
static double bound_of_master(const struct branching *branching, int64_t depth)
{
    const struct cost master = ranking_master(branching->ranking);
    double left_s = branching->period_s, room = 0;
    for (int64_t k = 0; k < depth; k++)
        if (branching->chosen[k]) {
            left_s -= master.latency_s;
            room += branching->items[k].full;
        }
    double tasks = left_s > 0 ? item_take(room, rate_of(master), &left_s) : 0;
    for (int64_t k = 0; k < branching->count && left_s > 0 && depth < branching->count; k++) {
        const struct item *item = &branching->items[branching->fullest[k]];
        if (branching->fullest[k] >= depth)
            tasks +=
                item_take(item->full, rate_of(master) + master.latency_s / item->full, &left_s);
    }
    return tasks;
}

static double bound_of(const struct branching *branching, int64_t depth, double latency_s)
{
    const double links = bound_of_links(branching, depth, latency_s);
    return branching->ranking->two_rows ? fmin(links, bound_of_master(branching, depth)) : links;
}

/* Of equal workers, those decided first are chosen first: any other choice has the same value. */
static bool item_waits(const struct branching *branching, int64_t depth)
{
    if (depth == 0 || branching->chosen[depth - 1])
        return false;
    const struct item *item = &branching->items[depth], *before = item - 1;
    return item->full == before->full && item->latency_s == before->latency_s &&
           item->s_per_task == before->s_per_task;
}

static void branch(struct branching *branching, int64_t depth, double latency_s)
{
    if (branching->nodes >= branching->nodes_most || latency_s > branching->period_s)
        return;
    branching->nodes++;
    const double bound = bound_of(branching, depth, latency_s);
    if (bound <= branching->best * (1 + 1e-12))
        return;
    if (depth == branching->count) {
        branching->best = bound; /* nothing is relaxed here: the links' choice, cut to the master's
                                  * total, satisfies both rows */
        memcpy(branching->best_chosen, branching->chosen,
               (size_t)branching->count * sizeof *branching->chosen);
        return;
    }
    if (!item_waits(branching, depth)) {
        branching->chosen[depth] = true;
        branch(branching, depth + 1, latency_s + branching->items[depth].latency_s);
        branching->chosen[depth] = false;
    }
    branch(branching, depth + 1, latency_s);
}

/* Computes the loads of the best set; returns their sum. A package below the least size is left
 * out. */
static double best_loads(const struct branching *branching, double *loads)
{
    const struct cost master = ranking_master(branching->ranking);
    double left_s = branching->period_s, master_s = branching->period_s, tasks = 0;
    memset(loads, 0, (size_t)branching->ranking->count * sizeof *loads);
    for (int64_t k = 0; k < branching->count; k++)
        if (branching->best_chosen[k]) {
            left_s -= branching->items[k].latency_s;
            master_s -= master.latency_s;
        }
    for (int64_t k = 0; k < branching->count && left_s > 0 && master_s > 0; k++) {
        const int64_t at = branching->cheapest[k];
        const struct item *item = &branching->items[at];
        const double full = fmin(item->full, master_s / rate_of(master));
        if (!branching->best_chosen[at] ||
            fmin(full, left_s / item->s_per_task) < ranking_least(branching->ranking))
            continue;
        loads[item->place] = item_take(full, item->s_per_task, &left_s);
        master_s -= loads[item->place] * master.s_per_task;
        tasks += loads[item->place];
    }
    return tasks;
}

double scow_exact_production(const struct ranking *ranking, double period_s,
                             const struct exact_wish *wish, double *loads, bool *proven,
                             bool *out_of_memory)
{
    struct branching branching;
    const double greedy = period_production(ranking, period_s, loads);
    double made = 0;
    *proven = false;
    if (branching_open(&branching, ranking, period_s)) {
        double *tried = malloc((size_t)ranking->count * sizeof *tried);
        branching.nodes_most = wish->nodes;
        branching.best =
            greedy * (1 + wish->gain); /* only sets that may be better than this are searched */
        branch(&branching, 0, 0);
        if (tried == NULL) {
            *out_of_memory = true;
        } else {
            made = best_loads(&branching, tried);
            if (made > greedy)
                memcpy(loads, tried, (size_t)ranking->count * sizeof *tried);
            made = fmax(made, greedy);
        }
        free(tried);
        *proven = branching.nodes < wish->nodes;
    } else {
        *out_of_memory = true;
    }
    branching_close(&branching);
    return made;
}
