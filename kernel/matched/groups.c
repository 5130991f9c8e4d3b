#include "kernel/matched/groups.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

struct group {
    struct correlator *correlator; /* owned */
    int filters;
};

struct groups {
    int count;
    struct group group[GROUPS_MOST];
};

/* An algorithm for a part of a bank, by its place in the list. */
struct selection {
    int32_t algorithm; /* negative: none yet, or of a part without filters */
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
        selections[d] = (struct selection){-1, HUGE_VAL};
    for (size_t i = 0; i < algorithms; i++) {
        double efforts[DEMANDS_MOST];
        if (!list[i]->estimate(bank, demands, count, efforts))
            return false;
        for (int d = 0; d < count; d++)
            if (efforts[d] < selections[d].effort)
                selections[d] = (struct selection){(int32_t)i, efforts[d]};
    }
    return true;
}

/* The same for the `filters` filters at `indices`. False: out of memory. */
static bool part_select(const struct bank *bank, const int *indices, int filters,
                        const struct demand *demands, int count, struct selection *selections)
{
    for (int d = 0; d < count; d++)
        selections[d] = (struct selection){-1, 0};
    if (filters == 0)
        return true;
    struct bank *part = bank_new_subset(bank, indices, filters);
    const bool done = part && bank_select(part, demands, count, selections);
    bank_free(&part);
    return done;
}

static void choice_improve(struct groups_choice *choice, int large, struct selection first,
                           struct selection second)
{
    const double twice = large > 0 ? 1.05 : 1; /* going over a tile twice must pay */
    const double effort = (first.effort + second.effort) * twice;
    if (effort < choice->effort)
        *choice = (struct groups_choice){large, {first.algorithm, second.algorithm}, effort};
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

/* Of all ways to cut the bank. False: out of memory. */
static bool cuts_try(struct groups_choice *choices, const struct bank *bank, const int *order,
                     const struct demand *demands, int count)
{
    for (int d = 0; d < count; d++)
        choices[d] = (struct groups_choice){0, {-1, -1}, HUGE_VAL};
    for (int large = 0; large < bank->count; large = cut_next(bank, order, large)) {
        struct selection first[DEMANDS_MOST], second[DEMANDS_MOST];
        if (!part_select(bank, order, large, demands, count, first) ||
            !part_select(bank, order + large, bank->count - large, demands, count, second))
            return false;
        for (int d = 0; d < count; d++)
            choice_improve(&choices[d], large, first[d], second[d]);
    }
    return true;
}

static int32_t algorithm_index(const struct algorithm *algorithm)
{
    size_t count;
    const struct algorithm *const *list = algorithm_list(&count);
    int32_t index = 0;
    while (list[index] != algorithm)
        index++;
    return index;
}

/* The whole bank by that algorithm. False: out of memory. */
static bool whole_take(struct groups_choice *choices, const struct bank *bank,
                       const struct demand *demands, int count, const struct algorithm *algorithm)
{
    double efforts[DEMANDS_MOST];
    if (!algorithm->estimate(bank, demands, count, efforts))
        return false;
    for (int d = 0; d < count; d++)
        choices[d] = (struct groups_choice){0, {-1, algorithm_index(algorithm)}, efforts[d]};
    return true;
}

bool groups_choose(const struct bank *bank, const struct demand *demands, int count,
                   const struct algorithm *algorithm, struct groups_choice *choices)
{
    assert(count <= DEMANDS_MOST);
    if (algorithm)
        return whole_take(choices, bank, demands, count, algorithm);
    int *order = order_new(bank);
    const bool done = order && cuts_try(choices, bank, order, demands, count);
    free(order);
    return done;
}

static bool group_add(struct groups *groups, const struct bank *bank, const int *indices, int count,
                      const struct demand *demand, int32_t algorithm)
{
    size_t algorithms;
    if (algorithm < 0)
        return true;
    struct bank *part = bank_new_subset(bank, indices, count);
    if (!part)
        return false;
    struct group *group = &groups->group[groups->count];
    group->correlator = algorithm_list(&algorithms)[algorithm]->new_correlator(part, demand);
    group->filters = count;
    bank_free(&part);
    if (!group->correlator)
        return false;
    groups->count++;
    return true;
}

struct groups *groups_new(const struct bank *bank, const struct demand *demand,
                          const struct groups_choice *choice)
{
    const int large = choice->large;
    int *order = order_new(bank);
    struct groups *groups = calloc(1, sizeof *groups);
    const bool done =
        order && groups && group_add(groups, bank, order, large, demand, choice->algorithms[0]) &&
        group_add(groups, bank, order + large, bank->count - large, demand, choice->algorithms[1]);
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
