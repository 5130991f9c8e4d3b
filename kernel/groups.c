#include "kernel/groups.h"

#include <math.h>
#include <stdlib.h>

enum { GROUPS_MOST = 2 };

struct group {
    const struct algorithm *algorithm;
    struct correlator *correlator;
    int filters;
};

struct groups {
    int count;
    double effort;
    struct group group[GROUPS_MOST];
};

/* The bank's filters from the largest to the smallest, and a way to cut that list in two. */
struct split {
    int *order;
    int count;                                   /* of filters */
    int large;                                   /* how many go to the first group; may be 0 */
    const struct algorithm *chosen[GROUPS_MOST]; /* NULL for a group without filters */
    double effort;
};

static int filter_area(const struct bank *bank, int index)
{
    return bank->filters[index].rows * bank->filters[index].columns;
}

/* Insertion: stable, and a bank has few filters. */
static void order_by_area(int *order, const struct bank *bank)
{
    for (int i = 0; i < bank->count; i++) {
        int k = i;
        for (; k > 0 && filter_area(bank, order[k - 1]) < filter_area(bank, i); k--)
            order[k] = order[k - 1];
        order[k] = i;
    }
}

/* The cheapest algorithm for a whole bank, and its effort. */
static const struct algorithm *algorithm_cheapest(const struct bank *bank,
                                                  const struct demand *demand, double *effort)
{
    size_t count;
    const struct algorithm *const *list = algorithm_list(&count);
    const struct algorithm *cheapest = NULL;
    *effort = HUGE_VAL;
    for (size_t i = 0; i < count; i++) {
        if (!list[i]->applies(bank))
            continue;
        double estimate = list[i]->effort(bank, demand);
        if (estimate < *effort) {
            *effort = estimate;
            cheapest = list[i];
        }
    }
    return cheapest;
}

/* The cheapest for the filters order[from] .. order[to - 1]. False: out of memory. */
static bool part_choose(const struct bank *bank, const int *order, int from, int to,
                        const struct demand *demand, const struct algorithm **chosen,
                        double *effort)
{
    *chosen = NULL;
    *effort = 0;
    if (from == to)
        return true;
    struct bank *part = bank_new_subset(bank, order + from, to - from);
    if (!part)
        return false;
    *chosen = algorithm_cheapest(part, demand, effort);
    bank_free(&part);
    return true;
}

/* Try every place between filters of different sizes. False: out of memory. */
static bool split_choose(struct split *split, const struct bank *bank, const struct demand *demand)
{
    split->effort = HUGE_VAL;
    for (int large = 0; large < split->count; large++) {
        const int *order = split->order;
        if (large > 0 && filter_area(bank, order[large - 1]) == filter_area(bank, order[large]))
            continue;
        const struct algorithm *first, *second;
        double effort, more;
        if (!part_choose(bank, order, 0, large, demand, &first, &effort) ||
            !part_choose(bank, order, large, split->count, demand, &second, &more))
            return false;
        const double twice = large > 0 ? 1.05 : 1; /* going over a tile twice must pay */
        double total = (effort + more) * twice;
        if (total >= split->effort)
            continue;
        split->large = large;
        split->effort = total;
        split->chosen[0] = first;
        split->chosen[1] = second;
    }
    return true;
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
    *group = (struct group){.algorithm = algorithm, .filters = count};
    group->correlator = algorithm->new_correlator(part, demand);
    bank_free(&part);
    if (!group->correlator)
        return false;
    groups->count++;
    return true;
}

static bool groups_fill(struct groups *groups, const struct bank *bank, const struct demand *demand,
                        const struct split *split)
{
    groups->effort = split->effort;
    return group_add(groups, bank, split->order, split->large, demand, split->chosen[0]) &&
           group_add(groups, bank, split->order + split->large, split->count - split->large, demand,
                     split->chosen[1]);
}

/* False: out of memory; release it in either case. */
static bool split_init(struct split *split, const struct bank *bank, const struct demand *demand,
                       const struct algorithm *algorithm)
{
    *split = (struct split){.count = bank->count};
    split->order = calloc((size_t)bank->count + 1, sizeof *split->order);
    if (!split->order)
        return false;
    order_by_area(split->order, bank);
    if (!algorithm)
        return split_choose(split, bank, demand);
    split->chosen[1] = algorithm;
    split->effort = algorithm->effort(bank, demand);
    return true;
}

double groups_estimate(const struct bank *bank, const struct demand *demand,
                       const struct algorithm *algorithm)
{
    struct split split;
    const double effort = split_init(&split, bank, demand, algorithm) ? split.effort : (double)NAN;
    free(split.order);
    return effort;
}

struct groups *groups_new(const struct bank *bank, const struct demand *demand,
                          const struct algorithm *algorithm)
{
    struct split split;
    struct groups *groups = calloc(1, sizeof *groups);
    bool done = split_init(&split, bank, demand, algorithm) && groups &&
                groups_fill(groups, bank, demand, &split);
    free(split.order);
    if (!done)
        groups_free(&groups);
    return groups;
}

size_t groups_workspace_bytes(const struct groups *groups)
{
    size_t most = 0;
    for (int i = 0; i < groups->count; i++) {
        const struct group *group = &groups->group[i];
        size_t bytes = group->algorithm->workspace_bytes(group->correlator);
        if (bytes > most)
            most = bytes;
    }
    return most;
}

void groups_run(const struct groups *groups, const struct tile *tile, void *workspace)
{
    struct tile next = *tile;
    for (int i = 0; i < groups->count; i++) {
        const struct group *group = &groups->group[i];
        group->algorithm->run(group->correlator, &next, workspace);
        next.accumulate = true;
    }
}

double groups_effort(const struct groups *groups)
{
    return groups->effort;
}

const struct algorithm *groups_algorithm(const struct groups *groups, int i, int *filters)
{
    if (i < 0 || i >= groups->count)
        return NULL;
    *filters = groups->group[i].filters;
    return groups->group[i].algorithm;
}

void groups_free(struct groups **groups)
{
    if (!*groups)
        return;
    for (int i = 0; i < (*groups)->count; i++)
        (*groups)->group[i].algorithm->free_correlator(&(*groups)->group[i].correlator);
    free(*groups);
    *groups = NULL;
}
