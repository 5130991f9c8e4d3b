#include "planner/simulate/dependable.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/array.h"

/* Rounding may leave a sum of rounded shares below a whole number by so much, of core tasks. */
static const double whole_within = 1e-9;

void dependable_shares(const struct dependable_worker *workers, int64_t count, double errors,
                       double tasks, double *shares)
{
    double rate = 0;
    for (int64_t k = 0; k < count; k++)
        rate += workers[k].rate;
    for (int64_t k = 0; k < count; k++) {
        const double relied = fmax(0, 1 - errors * workers[k].deviation) * workers[k].rate;
        shares[k] = floor(relied * tasks / rate + whole_within);
    }
}

/* ---- the head ------------------------------------------------------------------------------ */

/* The head of a plan while it is built. */
struct growing {
    const struct plan *plan;         /* borrowed */
    const struct platform *platform; /* borrowed */
    double *left;                    /* owned: core tasks that each slot may still be given */
    struct plan *head;
    size_t capacity; /* of the head's rounds */
};

/* The next package of that slot, in rounds like this one. */
static double load_now(const struct growing *growing, const struct plan_round *round, int64_t slot)
{
    const double load = fmin(round->loads[slot], growing->left[slot]);
    return load > 0 && platform_find(growing->platform, load) ? load : 0;
}

/* In how many rounds like this one, at most `most`, every worker gets its whole package or none. At
 * least 1. */
static int64_t alike(const struct growing *growing, const struct plan_round *round, int64_t most)
{
    double fit = (double)most;
    for (int64_t k = 0; k < growing->plan->worker_count; k++)
        if (load_now(growing, round, k) > 0)
            fit = fmin(fit, floor(growing->left[k] / round->loads[k]));
    return fit > 1 ? (int64_t)fit : 1;
}

/* Adds `repeat` rounds. A worker to whom its whole package cannot be given gets no package after
 * it. */
static bool rounds_add(struct growing *growing, const struct plan_round *round, int64_t repeat)
{
    struct plan *head = growing->head;
    const int64_t workers = growing->plan->worker_count;
    double sum = 0, *loads = calloc((size_t)workers, sizeof *loads);
    struct plan_round *rounds = loads ? array_reserve(head->rounds, &growing->capacity,
                                                      head->round_count + 1, sizeof *rounds)
                                      : NULL;
    if (!rounds) {
        free(loads);
        return false;
    }
    head->rounds = rounds;
    for (int64_t k = 0; k < workers; k++) {
        loads[k] = load_now(growing, round, k);
        sum += loads[k];
        growing->left[k] -= (double)repeat * loads[k];
        if (loads[k] < round->loads[k])
            growing->left[k] = 0;
    }
    rounds[head->round_count++] = (struct plan_round){repeat, loads};
    head->tasks += (double)repeat * sum;
    return true;
}

static bool any_left(const struct growing *growing)
{
    for (int64_t k = 0; k < growing->plan->worker_count; k++)
        if (growing->left[k] > 0)
            return true;
    return false;
}

static bool head_fill(struct growing *growing)
{
    const struct plan *plan = growing->plan;
    for (size_t r = 0; r < plan->round_count; r++)
        for (int64_t done = 0, next; done < plan->rounds[r].repeat; done += next) {
            if (growing->head->round_count > 0 && !any_left(growing))
                return true;
            next = alike(growing, &plan->rounds[r], plan->rounds[r].repeat - done);
            if (!rounds_add(growing, &plan->rounds[r], next))
                return false;
        }
    return true;
}

bool dependable_head(const struct plan *plan, const struct platform *platform, const double *shares,
                     struct plan *head)
{
    const size_t workers = (size_t)plan->worker_count;
    struct growing growing = {.plan = plan, .platform = platform, .head = head};
    *head = (struct plan){.worker_count = plan->worker_count};
    head->workers = malloc(workers * sizeof *head->workers);
    growing.left = malloc(workers * sizeof *growing.left);
    bool good = head->workers && growing.left;
    if (good) {
        memcpy(head->workers, plan->workers, workers * sizeof *head->workers);
        memcpy(growing.left, shares, workers * sizeof *growing.left);
        good = head_fill(&growing);
    }
    free(growing.left);
    if (!good)
        plan_release(head);
    return good;
}
