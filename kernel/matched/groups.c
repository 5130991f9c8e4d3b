#include "kernel/matched/groups.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GROUPS_MOST = 2 };

struct group {
    struct correlator *correlator; /* owned */
    int filters;
};

struct groups {
    int count;
    struct group group[GROUPS_MOST];
};

/* An algorithm for a part of a bank; NULL for a part without filters. */
struct selection {
    const struct algorithm *algorithm;
    double effort;
};

/* The bank's filters from the largest to the smallest, cut in two for one demand. */
struct split {
    int large; /* how many go to the first group; may be 0 */
    struct selection parts[GROUPS_MOST];
    double effort;
};

static int filter_area(const struct bank *bank, int index)
{
    return bank->filters[index].rows * bank->filters[index].columns;
}

/* Insertion: stable, and a bank has few filters. NULL: out of memory. */
static int *order_new(const struct bank *bank)
{
    int *order = calloc((size_t)bank->count, sizeof *order);
    for (int i = 0; order && i < bank->count; i++) {
        int k = i;
        for (; k > 0 && filter_area(bank, order[k - 1]) < filter_area(bank, i); k--)
            order[k] = order[k - 1];
        order[k] = i;
    }
    return order;
}

/* The cheapest algorithm for a whole bank, for each of some demands. False: out of memory. */
static bool bank_select(const struct bank *bank, const struct demand *demands, int count,
                        struct selection *selections)
{
    size_t algorithms;
    const struct algorithm *const *list = algorithm_list(&algorithms);
    for (int d = 0; d < count; d++)
        selections[d] = (struct selection){NULL, HUGE_VAL};
    for (size_t i = 0; i < algorithms; i++) {
        double efforts[DEMANDS_MOST];
        if (!list[i]->estimate(bank, demands, count, efforts))
            return false;
        for (int d = 0; d < count; d++)
            if (efforts[d] < selections[d].effort)
                selections[d] = (struct selection){list[i], efforts[d]};
    }
    return true;
}

/* The same for the `filters` filters at `indices`. False: out of memory. */
static bool part_select(const struct bank *bank, const int *indices, int filters,
                        const struct demand *demands, int count, struct selection *selections)
{
    memset(selections, 0, (size_t)count * sizeof *selections);
    if (filters == 0)
        return true;
    struct bank *part = bank_new_subset(bank, indices, filters);
    const bool done = part && bank_select(part, demands, count, selections);
    bank_free(&part);
    return done;
}

static void split_improve(struct split *split, int large, struct selection first,
                          struct selection second)
{
    const double twice = large > 0 ? 1.05 : 1; /* going over a tile twice must pay */
    const double effort = (first.effort + second.effort) * twice;
    if (effort < split->effort)
        *split = (struct split){large, {first, second}, effort};
}

/* The next place after `large` to cut: where filters are smaller by a fifth than after the last
 * cut, because those of nearly one size go together. */
static int cut_next(const struct bank *bank, const int *order, int large)
{
    const double alike = 0.8; /* of the area */
    const double area = filter_area(bank, order[large]);
    do
        large++;
    while (large < bank->count && filter_area(bank, order[large]) > alike * area);
    return large;
}

/* Try all cuts for all demands. False: out of memory. */
static bool splits_try(struct split *splits, const struct bank *bank, const int *order,
                       const struct demand *demands, int count)
{
    for (int d = 0; d < count; d++)
        splits[d] = (struct split){.effort = HUGE_VAL};
    for (int large = 0; large < bank->count; large = cut_next(bank, order, large)) {
        struct selection first[DEMANDS_MOST], second[DEMANDS_MOST];
        if (!part_select(bank, order, large, demands, count, first) ||
            !part_select(bank, order + large, bank->count - large, demands, count, second))
            return false;
        for (int d = 0; d < count; d++)
            split_improve(&splits[d], large, first[d], second[d]);
    }
    return true;
}

/* The whole bank by that algorithm. False: out of memory. */
static bool splits_whole(struct split *splits, const struct bank *bank,
                         const struct demand *demands, int count, const struct algorithm *algorithm)
{
    double efforts[DEMANDS_MOST];
    if (!algorithm->estimate(bank, demands, count, efforts))
        return false;
    for (int d = 0; d < count; d++)
        splits[d] = (struct split){.parts[1] = {algorithm, efforts[d]}, .effort = efforts[d]};
    return true;
}

/* False: out of memory. */
static bool splits_make(struct split *splits, const struct bank *bank, const int *order,
                        const struct demand *demands, int count, const struct algorithm *algorithm)
{
    return algorithm ? splits_whole(splits, bank, demands, count, algorithm)
                     : splits_try(splits, bank, order, demands, count);
}

static bool group_add(struct groups *groups, const struct bank *bank, const int *indices, int count,
                      const struct demand *demand, const struct algorithm *algorithm)
{
    if (!algorithm)
        return true;
    struct bank *part = bank_new_subset(bank, indices, count);
    if (!part)
        return false;
    struct group *group = &groups->group[groups->count];
    *group = (struct group){algorithm->new_correlator(part, demand), count};
    bank_free(&part);
    if (!group->correlator)
        return false;
    groups->count++;
    return true;
}

static bool groups_fill(struct groups *groups, const struct bank *bank, const int *order,
                        const struct demand *demand, const struct algorithm *algorithm)
{
    struct split split;
    if (!splits_make(&split, bank, order, demand, 1, algorithm))
        return false;
    return group_add(groups, bank, order, split.large, demand, split.parts[0].algorithm) &&
           group_add(groups, bank, order + split.large, bank->count - split.large, demand,
                     split.parts[1].algorithm);
}

bool groups_estimate(const struct bank *bank, const struct demand *demands, int count,
                     const struct algorithm *algorithm, double *efforts)
{
    struct split splits[DEMANDS_MOST];
    assert(count <= DEMANDS_MOST);
    int *order = order_new(bank);
    const bool done = order && splits_make(splits, bank, order, demands, count, algorithm);
    for (int d = 0; done && d < count; d++)
        efforts[d] = splits[d].effort;
    free(order);
    return done;
}

struct groups *groups_new(const struct bank *bank, const struct demand *demand,
                          const struct algorithm *algorithm)
{
    int *order = order_new(bank);
    struct groups *groups = calloc(1, sizeof *groups);
    const bool done = order && groups && groups_fill(groups, bank, order, demand, algorithm);
    free(order);
    if (!done)
        groups_free(&groups);
    return groups;
}

size_t groups_workspace_bytes(const struct groups *groups)
{
    size_t most = 0;
    for (int i = 0; i < groups->count; i++) {
        const struct correlator *correlator = groups->group[i].correlator;
        size_t bytes = correlator->algorithm->workspace_bytes(correlator);
        if (bytes > most)
            most = bytes;
    }
    return most;
}

void groups_run(const struct groups *groups, const struct tile *tile, void *workspace)
{
    struct tile next = *tile;
    for (int i = 0; i < groups->count; i++) {
        const struct correlator *correlator = groups->group[i].correlator;
        correlator->algorithm->run(correlator, &next, workspace);
        next.accumulate = true;
    }
}

const struct algorithm *groups_algorithm(const struct groups *groups, int i, int *filters)
{
    if (i < 0 || i >= groups->count)
        return NULL;
    *filters = groups->group[i].filters;
    return groups->group[i].correlator->algorithm;
}

void groups_free(struct groups **groups)
{
    if (!*groups)
        return;
    for (int i = 0; i < (*groups)->count; i++) {
        struct correlator **correlator = &(*groups)->group[i].correlator;
        (*correlator)->algorithm->free_correlator(correlator);
    }
    free(*groups);
    *groups = NULL;
}
