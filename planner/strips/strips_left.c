#include "planner/strips/strips_left.h"

#include <math.h>
#include <stdlib.h>

#include "planner/strips/balance.h"

/* The workers that are left, in the order of their strips. */
struct left {
    int64_t *places; /* slots in the plan */
    struct strip_cost *costs;
    double *widths;
    int64_t *whole;
    int64_t count;
};

static bool left_make(struct left *left, size_t count)
{
    left->places = calloc(count, sizeof *left->places);
    left->costs = calloc(count, sizeof *left->costs);
    left->widths = calloc(count, sizeof *left->widths);
    left->whole = calloc(count, sizeof *left->whole);
    return left->places && left->costs && left->widths && left->whole;
}

static void left_release(struct left *left)
{
    free(left->places);
    free(left->costs);
    free(left->widths);
    free(left->whole);
}

static double planned_s(const struct strip *strip)
{
    return strip->compute_s / (double)strip->columns;
}

/* The mean seconds of a column, over workers for which these are known. */
static double mean_s(const struct strips_plan *plan, const double *s_per_column)
{
    static const double any_s = 1e-6;
    double sum_s = 0, known = 0;
    for (size_t k = 0; k < plan->strip_count; k++) {
        const double one_s = s_per_column[k] > 0 ? s_per_column[k] : planned_s(&plan->strips[k]);
        sum_s += one_s > 0 ? one_s : 0;
        known += one_s > 0;
    }
    return known > 0 ? sum_s / known : any_s;
}

/* The time of one exchange: the first strip has only one neighbour, if any. */
static double border_s(const struct strips_plan *plan)
{
    return plan->strip_count > 1 ? plan->strips[0].exchange_s : 0;
}

static void left_fill(const struct strips_plan *plan, const double *s_per_column, const bool *there,
                      struct left *left)
{
    const double usual_s = mean_s(plan, s_per_column);
    for (size_t k = 0; k < plan->strip_count; k++) {
        const double by_plan_s = planned_s(&plan->strips[k]);
        const double known_s = s_per_column[k] > 0 ? s_per_column[k] : by_plan_s;
        if (!there[k])
            continue;
        left->places[left->count] = (int64_t)k;
        left->costs[left->count++].s_per_column = known_s > 0 ? known_s : usual_s;
    }
    for (int64_t k = 0; k < left->count; k++)
        left->costs[k].fixed_s = ((k > 0) + (k + 1 < left->count)) * border_s(plan);
}

int64_t strips_left_plan(const struct strips_plan *plan, const double *s_per_column,
                         const bool *there, int64_t *widths)
{
    struct left left = {.count = 0};
    int64_t having = -1;
    if (left_make(&left, plan->strip_count)) {
        left_fill(plan, s_per_column, there, &left);
        having = 0;
        for (size_t k = 0; k < plan->strip_count; k++)
            widths[k] = 0;
        if (left.count > 0) {
            strips_balance(left.costs, left.count, plan->job.columns, 1, left.widths);
            strips_round(left.widths, left.count, plan->job.columns, left.whole);
        }
        for (int64_t k = 0; k < left.count; k++) {
            widths[left.places[k]] = left.whole[k];
            having += left.whole[k] > 0;
        }
    }
    left_release(&left);
    return having;
}
