#include "planner/schedulers/optimal/optimal_priced.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/schedulers/optimal/optimal_lp.h"
#include "planner/schedulers/search/discretise.h"

enum { PACKAGES_MOST = 600 };

/* One package: its worker, and when at the latest it would be sent, in seconds before the end. */
struct slot {
    int64_t place;
    double to_go_s;
    int64_t like; /* the slot that it was in the sequence of the present basis; -1: none */
};

struct sequence {
    struct slot slots[PACKAGES_MOST];
    int64_t count;
    double makespan_s; /* of its program; HUGE_VAL: it has none */
    double loads[PACKAGES_MOST];
};

struct priced_walk {
    struct search *search;
    const struct ranking *ranking;
    double effort;
    int64_t places[PACKAGES_MOST], like[PACKAGES_MOST];
    struct sequence best, tried;
    struct optimal_basis best_basis, tried_basis; /* owned; of their programs */
};

static int slot_compare(const void *a, const void *b)
{
    const struct slot *x = a, *y = b;
    if (x->to_go_s > y->to_go_s || x->to_go_s < y->to_go_s)
        return x->to_go_s > y->to_go_s ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

/* Lists what every worker would choose, in the order of departure; false: that is too much. */
static bool sequence_choose(struct sequence *sequence, const struct ranking *ranking,
                            const struct prices *prices, double makespan_s)
{
    sequence->count = 0;
    for (int64_t i = 0; i < ranking->count; i++) {
        const struct ranked_worker *worker = &ranking->workers[i];
        struct chain chain;
        chain_choose(ranking->master, worker->link, worker->work, makespan_s, prices, &chain);
        for (int64_t k = 0; k < chain.packages; k++) {
            const double until_s = k + 1 < chain.packages ? chain.to_go[k + 1] : 0;
            const double tasks =
                (chain.to_go[k] - until_s - worker->work.latency_s) / rate_of(worker->work);
            if (sequence->count == PACKAGES_MOST)
                return false;
            sequence->slots[sequence->count++] =
                (struct slot){i, chain.to_go[k] + cost_of(worker->link, fmax(tasks, 1)), -1};
        }
    }
    qsort(sequence->slots, (size_t)sequence->count, sizeof *sequence->slots, slot_compare);
    return sequence->count > 0;
}

/* The order of activation of a sequence: workers by their first packages. order[place] becomes a
 * number from 0, or -1 for a worker without packages; returns how many have some. */
static int64_t order_make(const struct sequence *sequence, int64_t *order, int64_t count)
{
    int64_t used = 0;
    for (int64_t i = 0; i < count; i++)
        order[i] = -1;
    for (int64_t k = 0; k < sequence->count; k++)
        if (order[sequence->slots[k].place] < 0)
            order[sequence->slots[k].place] = used++;
    return used;
}

/* Divides a sequence into rounds: a new one begins where the order does not continue. */
static void sequence_rounds(struct priced_walk *walk, struct plan *candidate, const int64_t *order,
                            double *round)
{
    const struct sequence *sequence = &walk->tried;
    const size_t size = (size_t)candidate->worker_count * sizeof *round;
    int64_t at = -1;
    memset(round, 0, size);
    for (int64_t k = 0; k < sequence->count; k++) {
        const int64_t place = order[sequence->slots[k].place];
        if (place <= at) {
            candidate_round(walk->search, candidate, 1, round);
            memset(round, 0, size);
        }
        round[place] = sequence->loads[k];
        at = place;
    }
    candidate_round(walk->search, candidate, 1, round);
}

static void sequence_offer(struct priced_walk *walk)
{
    struct sequence *sequence = &walk->tried;
    const int64_t count = walk->ranking->count;
    int64_t *order = malloc((size_t)count * sizeof *order);
    double *round = malloc((size_t)count * sizeof *round);
    double whole[PACKAGES_MOST];
    struct plan candidate;
    memcpy(whole, sequence->loads, sizeof whole);
    if (order == NULL || round == NULL)
        walk->search->out_of_memory = true;
    else if (discretise(walk->ranking, sequence->loads, sequence->count,
                        walk->search->request->tasks, &walk->search->out_of_memory)) {
        const int64_t used = order_make(sequence, order, count);
        candidate_open(walk->search, &candidate, walk->ranking, used);
        if (!walk->search->out_of_memory)
            for (int64_t i = 0; i < count; i++)
                if (order[i] >= 0)
                    candidate.workers[order[i]] = walk->ranking->workers[i].id;
        sequence_rounds(walk, &candidate, order, round);
        search_offer(walk->search, &candidate);
    }
    memcpy(sequence->loads, whole, sizeof whole);
    free(order);
    free(round);
}

/* Removes packages that the program leaves nearly empty, because their latencies gain nothing. */
static bool sequence_prune(struct sequence *sequence, double least)
{
    int64_t kept = 0;
    for (int64_t k = 0; k < sequence->count; k++)
        if (sequence->loads[k] >= 0.5 * least)
            sequence->slots[kept++] = sequence->slots[k];
    const bool pruned = kept < sequence->count && kept > 0;
    sequence->count = kept > 0 ? kept : sequence->count;
    return pruned;
}

/* Solves the sequence's program from that basis; slots say which package in it they are like. */
static bool sequence_solve(struct priced_walk *walk, const struct optimal_basis *from)
{
    struct sequence *sequence = &walk->tried;
    const struct schedule_request *request = walk->search->request;
    struct optimal_basis ended = {NULL, 0};
    const struct optimal_lp lp = {.ranking = walk->ranking,
                                  .count = walk->ranking->count,
                                  .buffers = request->platform->buffers,
                                  .tasks = request->tasks,
                                  .places = walk->places,
                                  .packages = sequence->count,
                                  .from = from,
                                  .like = walk->like,
                                  .to = &ended,
                                  .effort = request->effort};
    const double cost = (double)(sequence->count * sequence->count) + 1000;
    sequence->makespan_s = HUGE_VAL;
    if (cost > walk->effort || search_exhausted(walk->search) ||
        (double)sequence->count * walk->ranking->greatest < request->tasks)
        return false;
    walk->effort -= cost;
    for (int64_t k = 0; k < sequence->count; k++) {
        walk->places[k] = sequence->slots[k].place;
        walk->like[k] = sequence->slots[k].like;
    }
    if (!optimal_lp_solve(&lp, sequence->loads, &sequence->makespan_s,
                          &walk->search->out_of_memory))
        return false;
    optimal_basis_release(&walk->tried_basis);
    walk->tried_basis = ended;
    for (int64_t k = 0; k < sequence->count; k++)
        sequence->slots[k].like = k;
    return true;
}

/* Makes the tried sequence the best one. */
static bool sequence_keep(struct priced_walk *walk)
{
    walk->best = walk->tried;
    if (!optimal_basis_copy(&walk->best_basis, &walk->tried_basis))
        walk->search->out_of_memory = true;
    return !walk->search->out_of_memory;
}

/* Solves the tried sequence without the packages that it does not use; true: it is the best so
 * far. */
static bool sequence_try(struct priced_walk *walk)
{
    const struct optimal_basis *from = &walk->best_basis;
    bool better = false;
    while (sequence_solve(walk, from)) {
        from = &walk->tried_basis;
        if (walk->tried.makespan_s < walk->best.makespan_s * (1 - 1e-9)) {
            sequence_offer(walk);
            better = sequence_keep(walk) || better;
        }
        if (!sequence_prune(&walk->tried, ranking_least(walk->ranking)))
            break;
    }
    return better;
}

/* Leaves out a package that is neither the first nor the last one of its worker. */
static void slot_remove(struct sequence *sequence, int64_t at)
{
    memmove(&sequence->slots[at], &sequence->slots[at + 1],
            (size_t)(sequence->count - at - 1) * sizeof *sequence->slots);
    sequence->count--;
}

static void slot_insert(struct sequence *sequence, int64_t at, struct slot slot)
{
    memmove(&sequence->slots[at + 1], &sequence->slots[at],
            (size_t)(sequence->count - at) * sizeof *sequence->slots);
    sequence->slots[at] = slot;
    sequence->count++;
}

/* Makes a neighbour of the best sequence: one package less, one more, or two exchanged. */
static bool neighbour_make(struct priced_walk *walk, int kind, int64_t at)
{
    struct sequence *sequence = &walk->tried;
    *sequence = walk->best;
    if (kind == 0) {
        slot_remove(sequence, at);
        return sequence->count > 0;
    }
    if (kind == 1 && at + 1 < sequence->count &&
        sequence->slots[at].place != sequence->slots[at + 1].place) {
        const struct slot slot = sequence->slots[at];
        sequence->slots[at] = sequence->slots[at + 1];
        sequence->slots[at + 1] = slot;
        return true;
    }
    if (kind == 2 && sequence->count < PACKAGES_MOST) {
        /* Adds a copy of the package half of the remaining sequence later. */
        const int64_t later = at + (sequence->count - at) / 2;
        slot_insert(sequence, later, sequence->slots[at]);
        sequence->slots[later].like = -1;
        return true;
    }
    return false;
}

static void neighbours_try(struct priced_walk *walk)
{
    enum { KINDS = 3 };
    bool better = true;
    while (better && !walk->search->out_of_memory) {
        better = false;
        for (int kind = 0; kind < KINDS; kind++)
            for (int64_t at = 0; at < walk->best.count; at++) {
                const double each = (double)(walk->best.count * walk->best.count) + 1000;
                if (walk->effort < each || search_exhausted(walk->search))
                    return;
                if (neighbour_make(walk, kind, at) && sequence_try(walk))
                    better = true;
            }
    }
}

/* Notes which package of the best sequence each package of the tried one is like: the same
 * worker's, counted from its last. */
static void sequence_liken(struct priced_walk *walk)
{
    struct sequence *tried = &walk->tried;
    const struct sequence *best = &walk->best;
    for (int64_t i = 0; i < walk->ranking->count; i++) {
        int64_t at = best->count - 1;
        for (int64_t k = tried->count - 1; k >= 0; k--) {
            if (tried->slots[k].place != i)
                continue;
            while (at >= 0 && best->slots[at].place != i)
                at--;
            tried->slots[k].like = at;
            at -= at >= 0;
        }
    }
}

double optimal_priced(struct search *search, const struct ranking *ranking,
                      const struct prices *prices, double makespan_s, double effort)
{
    static const double factors[] = {1, 1.03, 0.97, 1.08, 0.9};
    struct priced_walk *walk = malloc(sizeof *walk);
    if (walk == NULL) {
        search->out_of_memory = true;
        return effort;
    }
    walk->search = search;
    walk->ranking = ranking;
    walk->effort = effort;
    walk->best.count = 0;
    walk->best.makespan_s = HUGE_VAL;
    walk->best_basis = walk->tried_basis = (struct optimal_basis){NULL, 0};
    for (size_t k = 0; k < sizeof factors / sizeof factors[0]; k++) {
        const double unit = factors[k];
        const struct prices scaled = {prices->port * unit, prices->port_slope * unit,
                                      prices->master * unit, prices->master_slope * unit};
        if (sequence_choose(&walk->tried, ranking, &scaled, makespan_s)) {
            sequence_liken(walk);
            sequence_try(walk);
        }
    }
    if (walk->best.count > 0)
        neighbours_try(walk);
    effort = walk->effort;
    optimal_basis_release(&walk->best_basis);
    optimal_basis_release(&walk->tried_basis);
    free(walk);
    return effort;
}
