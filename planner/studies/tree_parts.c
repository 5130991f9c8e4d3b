#include "planner/studies/tree_parts.h"

#include "planner/simulate/simulate.h"

/* The worker with that number among the selected ones, as numbered in the whole profile. */
static int64_t chosen_worker(const struct plan_selection *selection, int64_t number)
{
    for (size_t k = 0; k < selection->count; k++) {
        const struct plan_run *run = &selection->runs[k];
        if (number <= run->last - run->first)
            return run->first + number;
        number -= run->last - run->first + 1;
    }
    return -1; /* there is no such worker */
}

void tree_places_name(const struct node *node, struct plan *plan)
{
    for (int64_t slot = 0; slot < plan->worker_count; slot++) {
        const int64_t place = plan->workers[slot];
        plan->workers[slot] = node->count > 0 ? node->below[place].group->master - 1
                                              : chosen_worker(&node->group->workers, place);
    }
}

/* Simulating a package costs as much as evaluating several. */
static double keep_effort(const struct plan *plan)
{
    static const double UNITS = 8;
    return UNITS * (double)plan_packages(plan);
}

bool tree_keep(struct tree *tree, struct plan *plan, struct failure *failure)
{
    struct simulation simulation;
    effort_use(&tree->effort, keep_effort(plan));
    if (!simulate_plan(tree->whole, plan, NULL, &simulation, failure)) {
        plan_release(plan);
        return false;
    }
    if (simulation.makespan_s < tree->best_s) {
        plan_release(&tree->best);
        tree->best = *plan;
        tree->best_s = simulation.makespan_s;
        tree->best.predicted = (struct plan_prediction){.known = true};
        planning_predict(&simulation, &tree->best.predicted);
        return true;
    }
    plan_release(plan);
    return true;
}
