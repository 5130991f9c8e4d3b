#include "planner/model/plan_rest_master.h"

#include <math.h>
#include <stdlib.h>

static double largest_load(const struct plan *plan)
{
    double largest = 1;
    for (size_t r = 0; r < plan->round_count; r++)
        for (int64_t slot = 0; slot < plan->worker_count; slot++)
            largest = fmax(largest, plan->rounds[r].loads[slot]);
    return largest;
}

/* Adds an entry, for which there is room. Its rounds assign so many core tasks each; where these
 * cannot be divided equally, the first workers get one more. */
static bool round_add(struct plan *plan, double tasks, int64_t repeat)
{
    const double workers = (double)plan->worker_count;
    const double each = floor(tasks / workers), more = tasks - each * workers;
    double *loads = calloc((size_t)plan->worker_count, sizeof *loads);
    if (!loads)
        return false;
    for (int64_t slot = 0; slot < plan->worker_count; slot++)
        loads[slot] = each + ((double)slot < more);
    plan->rounds[plan->round_count++] = (struct plan_round){repeat, loads};
    return true;
}

static bool room_make(struct plan *plan)
{
    enum { MORE = 2 };
    struct plan_round *rounds = realloc(plan->rounds, (plan->round_count + MORE) * sizeof *rounds);
    if (rounds)
        plan->rounds = rounds;
    return rounds != NULL;
}

bool plan_rest_master(struct plan *plan)
{
    const size_t entries = plan->round_count;
    const double tasks = plan->own.tasks, most = largest_load(plan) * (double)plan->worker_count;
    const double whole = floor(tasks / most), rest = tasks - whole * most;
    if (!(tasks > 0))
        return true;
    if (!room_make(plan) || (whole > 0 && !round_add(plan, most, (int64_t)whole)) ||
        (rest > 0 && !round_add(plan, rest, 1))) {
        while (plan->round_count > entries)
            free(plan->rounds[--plan->round_count].loads);
        return false;
    }
    plan->own = (struct plan_master){.tasks = 0};
    plan->predicted = (struct plan_prediction){.known = false};
    return true;
}
