/*
 * What each of very many core tasks costs that are all unlike, in little more than eight bytes
 * each: their weights as somebody gave them, and the sum before every 64th, from which the others
 * follow.
 */
#ifndef PLANNER_MODEL_TASK_COSTS_H
#define PLANNER_MODEL_TASK_COSTS_H

#include <stdbool.h>
#include <stdint.h>

struct task_costs {
    const double *weights;  /* of each core task; whoever made these costs owns them */
    int64_t tasks;          /* at least 1 */
    double constant, scale; /* one of weight w costs constant + scale w */
    double *before;         /* owned: what those before each block cost, and all of them */
};

/* Each costs its weight; to be released. False: out of memory. */
bool task_costs_init(struct task_costs *costs, const double *weights, int64_t tasks);
/* Of the same weights; to be released. False: out of memory. */
bool task_costs_copy(struct task_costs *costs, const struct task_costs *from);
/* Each costs constant + scale x what it did. */
void task_costs_change(struct task_costs *costs, double constant, double scale);
/* The weights are not released. */
void task_costs_release(struct task_costs *costs);

static inline double task_costs_of(const struct task_costs *costs, int64_t task)
{
    return costs->constant + costs->scale * costs->weights[task];
}

/* Of the core tasks up to this one, itself included. */
double task_costs_until(const struct task_costs *costs, int64_t task);
double task_costs_all(const struct task_costs *costs);
/* The first core task up to which they cost so much, or the last. */
int64_t task_costs_find(const struct task_costs *costs, double cost);

#endif
