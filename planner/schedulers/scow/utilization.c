#include "planner/schedulers/scow/utilization.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/schedulers/search/period.h"

/* Utilizations this close count as equal, so that rounding of the port's time does not decide. */
static const double ROUNDING = 1e-12;

struct utilization utilization_of(const struct ranking *ranking, double period_s,
                                  const double *loads)
{
    struct utilization sum = {0};
    double master_s = 0, links_s = 0;
    for (int64_t i = 0; i < ranking->count; i++) {
        const struct ranked_worker *worker = &ranking->workers[i];
        if (!(loads[i] > 0))
            continue;
        master_s += cost_of(ranking_master(ranking), loads[i]);
        links_s += cost_of(ranking_port(ranking, i), loads[i]);
        sum.workers += cost_of(worker->work, loads[i]);
        sum.tasks += loads[i];
        sum.used++;
    }
    sum.port = fmax(master_s, links_s) / period_s;
    sum.workers = sum.used > 0 ? sum.workers / ((double)sum.used * period_s) : 0;
    return sum;
}

static double utilization_sum(const struct utilization *utilization)
{
    return utilization->port + utilization->workers;
}

/* ---- the workers that the greedy production fills ------------------------------------------ */

/* The partial worker is the last one with a load; -1: there is none. */
static int64_t partial_find(const struct ranking *ranking, double period_s, const double *loads)
{
    int64_t last = ranking->count - 1;
    while (last > 0 && !(loads[last] > 0))
        last--;
    const double full = period_load(&ranking->workers[last], period_s, ranking->greatest);
    return loads[last] > 0 && loads[last] < full * (1 - ROUNDING) ? last : -1;
}

static void greedy_best(const struct ranking *ranking, double period_s, double least_tasks,
                        double *loads)
{
    period_production(ranking, period_s, loads);
    const struct utilization with = utilization_of(ranking, period_s, loads);
    const int64_t partial = partial_find(ranking, period_s, loads);
    if (partial < 0)
        return;
    const double load = loads[partial];
    loads[partial] = 0;
    const struct utilization without = utilization_of(ranking, period_s, loads);
    if (without.used == 0 || without.tasks < least_tasks ||
        utilization_sum(&without) <= utilization_sum(&with) + ROUNDING)
        loads[partial] = load;
}

/* ---- all sets ------------------------------------------------------------------------------ */

/* A worker that can compute at least the least package in T. */
struct member {
    int64_t place;         /* place in the ranking */
    double room;           /* core tasks beyond the least package */
    double port_s, work_s; /* of the least package */
    double h, rw;          /* of every task more */
};

struct sets {
    const struct ranking *ranking;
    double period_s, least_tasks, least;
    struct member members[UTILIZATION_EXACT]; /* by decreasing rw / h, which for every k is the
                                                 order of gain */
    int count;
    int size; /* k: size of the sets that are being searched */
    bool chosen[UTILIZATION_EXACT];
    double best; /* U times T */
    bool best_chosen[UTILIZATION_EXACT];
    int64_t nodes, nodes_most;
};

/* By how much U T grows for each second of the port that a member uses, and for its least
 * package. */
static double member_gain(const struct sets *sets, const struct member *member)
{
    return 1 + member->rw / (member->h * sets->size);
}

static double member_value(const struct sets *sets, const struct member *member)
{
    return member->port_s + member->work_s / sets->size;
}

static int member_compare(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    const double first = x->rw * y->h, second = y->rw * x->h;
    if (first > second || first < second)
        return first > second ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

static void members_fill(struct sets *sets)
{
    const struct ranking *ranking = sets->ranking;
    for (int64_t i = 0; i < ranking->count; i++) {
        const struct ranked_worker *worker = &ranking->workers[i];
        const double full = period_load(worker, sets->period_s, ranking->greatest);
        const double port_s = cost_of(worker->feed, sets->least);
        if (full < sets->least || port_s > sets->period_s)
            continue;
        sets->members[sets->count++] = (struct member){i,
                                                       full - sets->least,
                                                       port_s,
                                                       cost_of(worker->work, sets->least),
                                                       rate_of(worker->feed),
                                                       rate_of(worker->work)};
    }
    qsort(sets->members, (size_t)sets->count, sizeof *sets->members, member_compare);
}

/* The sum of the `missing` largest values, or of the least seconds of the port, among the members
 * from `depth` on. */
static double extremes_sum(const struct sets *sets, int depth, int missing, bool values)
{
    bool taken[UTILIZATION_EXACT] = {false};
    double sum = 0;
    for (; missing > 0; missing--) {
        int best = -1;
        double best_key = 0;
        for (int k = depth; k < sets->count; k++) {
            const struct member *member = &sets->members[k];
            const double key = values ? member_value(sets, member) : -member->port_s;
            if (!taken[k] && (best < 0 || key > best_key)) {
                best = k;
                best_key = key;
            }
        }
        taken[best] = true;
        sum += values ? best_key : -best_key;
    }
    return sum;
}

/* An upper bound on U T of all sets that continue this one: every undecided member may be filled,
 * and the missing ones take as little of the port, and add as much, as any. It is exact when all
 * are decided. */
static double sets_bound(const struct sets *sets, int depth, int missing)
{
    double left_s = sets->period_s - extremes_sum(sets, depth, missing, false);
    double sum = extremes_sum(sets, depth, missing, true);
    for (int k = 0; k < depth; k++)
        if (sets->chosen[k]) {
            left_s -= sets->members[k].port_s;
            sum += member_value(sets, &sets->members[k]);
        }
    if (left_s < -ROUNDING * sets->period_s)
        return 0;
    for (int k = 0; k < sets->count && left_s > 0; k++) {
        const struct member *member = &sets->members[k];
        if (k < depth ? !sets->chosen[k] : missing == 0)
            continue;
        const double seconds = fmin(member->room * member->h, left_s);
        left_s -= seconds;
        sum += seconds * member_gain(sets, member);
    }
    return sum;
}

/* The loads of a set, by decreasing gain. */
static void chosen_loads(const struct sets *sets, const bool *chosen, double *loads)
{
    double left_s = sets->period_s;
    memset(loads, 0, (size_t)sets->ranking->count * sizeof *loads);
    for (int k = 0; k < sets->count; k++)
        if (chosen[k])
            left_s -= sets->members[k].port_s;
    for (int k = 0; k < sets->count; k++) {
        const struct member *member = &sets->members[k];
        if (!chosen[k])
            continue;
        const double more = fmin(member->room, fmax(left_s, 0) / member->h);
        loads[member->place] = sets->least + more;
        left_s -= more * member->h;
    }
}

static void sets_take(struct sets *sets, double value)
{
    double loads[UTILIZATION_EXACT], tasks = 0;
    chosen_loads(sets, sets->chosen, loads);
    for (int64_t i = 0; i < sets->ranking->count; i++)
        tasks += loads[i];
    if (tasks < sets->least_tasks)
        return;
    sets->best = value;
    memcpy(sets->best_chosen, sets->chosen, sizeof sets->best_chosen);
}

static void sets_search(struct sets *sets, int depth, int missing)
{
    if (sets->count - depth < missing || sets->nodes++ >= sets->nodes_most)
        return;
    const double bound = sets_bound(sets, depth, missing);
    if (bound <= sets->best + ROUNDING * sets->period_s)
        return;
    if (missing == 0) {
        sets_take(sets, bound);
        return;
    }
    sets->chosen[depth] = true;
    sets_search(sets, depth + 1, missing - 1);
    sets->chosen[depth] = false;
    sets_search(sets, depth + 1, missing);
}

/* Searches on from the greedy's choice; true: the search was completed. */
static bool sets_best(const struct ranking *ranking, double period_s,
                      const struct utilization_wish *wish, double least_tasks, double *loads)
{
    const struct utilization greedy = utilization_of(ranking, period_s, loads);
    struct sets sets = {.ranking = ranking,
                        .period_s = period_s,
                        .least_tasks = least_tasks,
                        .least = ranking_least(ranking),
                        .best = utilization_sum(&greedy) * period_s,
                        .nodes_most = wish->nodes};
    const double before = sets.best;
    members_fill(&sets);
    for (sets.size = 1; sets.size <= sets.count; sets.size++)
        sets_search(&sets, 0, sets.size);
    if (sets.best > before)
        chosen_loads(&sets, sets.best_chosen, loads);
    return sets.nodes < sets.nodes_most;
}

struct utilization utilization_best(const struct ranking *ranking, double period_s,
                                    const struct utilization_wish *wish, double *loads,
                                    bool *proven)
{
    const double least_tasks = fmin(wish->tasks, period_production(ranking, period_s, loads));
    greedy_best(ranking, period_s, least_tasks, loads);
    *proven = ranking->equal;
    if (!ranking->equal && !ranking->two_rows && ranking->count <= UTILIZATION_EXACT)
        *proven = sets_best(ranking, period_s, wish, least_tasks, loads);
    return utilization_of(ranking, period_s, loads);
}
