/*
 * Tree scheduling: worker i owns a part of the job in proportion to its speed, floor(N V_i / V),
 * the last one what is left, and computes it in packages of `grain`. A worker i > 0 that has
 * nothing left takes half of what its partner i & (i - 1) still owns, where that is more than one
 * core task, or else of that one's partner, and so on up to worker 0; who finds nothing is done. So
 * nobody ever takes from a worker of an odd number (counted from 0). C. Kim, J. M. Purtilo, Load
 * balancing for parallel loops in workstation clusters, ICPP 1996, as J. Xu, A. T. Chronopoulos,
 * Distributed self-scheduling for heterogeneous workstation clusters, 1999, section 3.3, has it.
 *
 * The master keeps the parts as numbers of core tasks; which ones they are is decided as they are
 * sent. The order is the profile's, or by speed.
 */
#include <math.h>
#include <stddef.h>

#include "planner/base/limits.h"
#include "planner/dispatch/rule.h"

enum { TREE_GRAIN, TREE_ORDER };
enum { ORDER_PROFILE, ORDER_ASCENDING, ORDER_DESCENDING };

/* A share is divided into so many packages, where no grain is given. */
static const double PIECES = 100;

struct tree_worker {
    int64_t place;  /* the worker's place in the order */
    int64_t member; /* the worker whose place is this one's number */
    int64_t owned;  /* core tasks not yet sent */
    double grain;   /* core tasks of a package */
    bool done;
};

static size_t tree_worker_size(const int64_t *option)
{
    (void)option;
    return sizeof(struct tree_worker);
}

static struct tree_worker *tree_of(const struct rule_state *state, int64_t worker)
{
    return state->worker[worker].own;
}

static int64_t member_at(const struct rule_state *state, int64_t place)
{
    return tree_of(state, place)->member;
}

/* Does worker a come before worker b, by speed? */
static bool comes_before(const struct rule_state *state, int64_t a, int64_t b)
{
    const double first = state->worker[a].weight, second = state->worker[b].weight;
    if (first == second)
        return a < b;
    return state->option[TREE_ORDER] == ORDER_ASCENDING ? first < second : first > second;
}

/* Moves an entry down a heap of the first `count` places, whose root is the worker that comes
 * last. */
static void order_sink(struct rule_state *state, int64_t at, int64_t count)
{
    const int64_t sunk = member_at(state, at);
    for (int64_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count &&
            comes_before(state, member_at(state, child), member_at(state, child + 1)))
            child++;
        if (!comes_before(state, sunk, member_at(state, child)))
            break;
        tree_of(state, at)->member = member_at(state, child);
    }
    tree_of(state, at)->member = sunk;
}

/* A heap sort needs no memory. */
static void order_sort(struct rule_state *state)
{
    for (int64_t at = state->workers / 2; at-- > 0;)
        order_sink(state, at, state->workers);
    for (int64_t count = state->workers; count-- > 1;) {
        const int64_t last = member_at(state, 0);
        tree_of(state, 0)->member = member_at(state, count);
        tree_of(state, count)->member = last;
        order_sink(state, 0, count);
    }
}

static void order_find(struct rule_state *state)
{
    for (int64_t k = 0; k < state->workers; k++)
        tree_of(state, k)->member = k;
    if (state->option[TREE_ORDER] != ORDER_PROFILE)
        order_sort(state);
    for (int64_t place = 0; place < state->workers; place++)
        tree_of(state, member_at(state, place))->place = place;
}

static void tree_start(struct rule_state *state)
{
    const double workers = (double)state->workers; /* the weights add up to it */
    const double asked = (double)state->option[TREE_GRAIN];
    int64_t left = state->tasks;
    order_find(state);
    for (int64_t place = 0; place < state->workers; place++) {
        const int64_t worker = member_at(state, place);
        struct tree_worker *own = tree_of(state, worker);
        const double share = (double)state->tasks * state->worker[worker].weight / workers;
        const int64_t whole = (int64_t)floor(share + 1e-9);
        own->owned = place + 1 < state->workers && whole < left ? whole : left;
        left -= own->owned;
        own->grain =
            fmin(fmax(asked > 0 ? asked : floor(share / PIECES), state->least), state->most);
    }
}

/* Takes half of what the next worker up the tree owns, among those that own more than one core
 * task. */
static int64_t half_take(struct rule_state *state, int64_t place)
{
    while (place > 0) {
        place &= place - 1;
        struct tree_worker *partner = tree_of(state, member_at(state, place));
        const int64_t half = partner->owned / 2;
        if (half > 0) {
            partner->owned -= half;
            return half;
        }
    }
    return 0;
}

static double tree_chunk(struct rule_state *state, int64_t worker)
{
    struct tree_worker *own = tree_of(state, worker);
    if (own->owned == 0 && !own->done)
        own->owned = half_take(state, own->place);
    own->done = own->owned == 0;
    const int64_t grain = (int64_t)own->grain;
    const int64_t tasks = own->owned < grain ? own->owned : grain;
    own->owned -= tasks;
    return (double)tasks;
}

/* The next living worker in the order, cyclically, takes all that the lost one owned. */
static void tree_lost(struct rule_state *state, int64_t worker)
{
    struct tree_worker *own = tree_of(state, worker);
    for (int64_t step = 1; own->owned > 0 && step < state->workers; step++) {
        const int64_t other = member_at(state, (own->place + step) % state->workers);
        if (state->worker[other].lost)
            continue;
        tree_of(state, other)->owned += own->owned;
        own->owned = 0;
    }
}

/* Which worker takes from which cannot be summed up: nothing is skipped. */
static double tree_same(const struct rule_state *state)
{
    (void)state;
    return 0;
}

const struct rule rule_tree = {
    .name = "tree",
    .summary = "a share for each by speed; others take half of what is left of one",
    .sizes = RULE_SIZES_STEP,
    .same = tree_same,
    .worker_size = tree_worker_size,
    .start = tree_start,
    .chunk = tree_chunk,
    .lost = tree_lost,
    .options = {
        {"grain", "core tasks of a package", "a hundredth of a share", 0, LIMIT_TASKS, {NULL}},
        {"order",
         "order of the workers, by speed",
         NULL,
         ORDER_PROFILE,
         0,
         {"profile", "ascending", "descending"}}}};
