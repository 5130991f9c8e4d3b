#include "planner/model/task_costs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/gallop.h"

enum { BLOCK = 64 };

static int64_t blocks_of(const struct task_costs *costs)
{
    return (costs->tasks + BLOCK - 1) / BLOCK;
}

static size_t before_bytes(const struct task_costs *costs)
{
    return ((size_t)blocks_of(costs) + 1) * sizeof *costs->before;
}

static void before_sum(struct task_costs *costs)
{
    double sum = 0;
    for (int64_t k = 0; k < costs->tasks; k++) {
        if (k % BLOCK == 0)
            costs->before[k / BLOCK] = sum;
        sum += task_costs_of(costs, k);
    }
    costs->before[blocks_of(costs)] = sum;
}

bool task_costs_init(struct task_costs *costs, const double *weights, int64_t tasks)
{
    *costs = (struct task_costs){.weights = weights, .tasks = tasks, .scale = 1};
    costs->before = malloc(before_bytes(costs));
    if (costs->before)
        before_sum(costs);
    return costs->before != NULL;
}

bool task_costs_copy(struct task_costs *costs, const struct task_costs *from)
{
    *costs = *from;
    costs->before = malloc(before_bytes(from));
    if (costs->before)
        memcpy(costs->before, from->before, before_bytes(from));
    return costs->before != NULL;
}

void task_costs_change(struct task_costs *costs, double constant, double scale)
{
    costs->constant = constant + scale * costs->constant;
    costs->scale *= scale;
    before_sum(costs);
}

void task_costs_release(struct task_costs *costs)
{
    free(costs->before);
    *costs = (struct task_costs){.weights = NULL};
}

double task_costs_until(const struct task_costs *costs, int64_t task)
{
    double sum = costs->before[task / BLOCK];
    for (int64_t k = task / BLOCK * BLOCK; k <= task; k++)
        sum += task_costs_of(costs, k);
    return sum;
}

double task_costs_all(const struct task_costs *costs)
{
    return costs->before[blocks_of(costs)];
}

static double block_until(const void *costs, size_t block)
{
    return ((const struct task_costs *)costs)->before[block + 1];
}

int64_t task_costs_find(const struct task_costs *costs, double cost)
{
    const struct gallop blocks = {(size_t)blocks_of(costs), costs, block_until};
    int64_t task = (int64_t)gallop_find(&blocks, cost) * BLOCK;
    double sum = costs->before[task / BLOCK];
    for (; task + 1 < costs->tasks; task++) {
        sum += task_costs_of(costs, task);
        if (sum >= cost)
            break;
    }
    return task;
}
