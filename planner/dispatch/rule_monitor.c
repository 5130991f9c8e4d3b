/*
 * Monitor: after a benchmark phase in which tasks are handed out one by one until every worker has
 * reported, phases of half of what is left, shared so that all would end together: (y_i + x_i) t_i
 * equal for all i, y_i the tasks that worker i still has, t_i the mean of its last eta task times,
 * no x_i negative (E. M. R. Rosenvinge, Online task scheduling on heterogeneous clusters, NTNU
 * 2004, section 3.2). A worker that asks and has no share left begins the next phase.
 */
#include <math.h>

#include "planner/dispatch/rule.h"

static double recent_mean(const struct rule_worker *worker)
{
    int64_t count = worker->packages < RULE_RECENT ? worker->packages : RULE_RECENT;
    double sum_s = 0;
    for (int64_t k = 0; k < count; k++)
        sum_s += worker->recent_s[k];
    return sum_s / (double)count;
}

static double share_of(const struct rule_worker *worker, double level_s)
{
    return level_s / recent_mean(worker) - (double)(worker->queued + worker->share);
}

/* The time at which all who take part would end: they are those for whom it leaves a share. Every
 * turn drops workers, so there are at most p turns. */
static double level_find(const struct rule_state *state, double batch)
{
    double level_s = HUGE_VAL;
    for (;;) {
        double tasks = batch, speeds = 0;
        for (int64_t k = 0; k < state->workers; k++) {
            const struct rule_worker *worker = &state->worker[k];
            if (share_of(worker, level_s) <= 0)
                continue;
            tasks += (double)(worker->queued + worker->share);
            speeds += 1 / recent_mean(worker);
        }
        double lower_s = tasks / speeds;
        if (!(lower_s < level_s))
            return level_s;
        level_s = lower_s;
    }
}

/* Whole shares: what rounding leaves is carried on to the next worker. */
static void phase_start(struct rule_state *state)
{
    int64_t batch = (state->left - state->shared + 1) / 2;
    double level_s = level_find(state, (double)batch);
    double carried = 0;
    for (int64_t k = 0; k < state->workers && batch > 0; k++) {
        struct rule_worker *worker = &state->worker[k];
        carried += fmax(share_of(worker, level_s), 0);
        int64_t share = (int64_t)fmin(floor(carried + 0.5), (double)batch);
        worker->share += share;
        state->shared += share;
        carried -= (double)share;
        batch -= share;
    }
}

double monitor_chunk(struct rule_state *state, int64_t worker)
{
    struct rule_worker *self = &state->worker[worker];
    if (!rule_all_reported(state, 1))
        return 1;
    if (self->share == 0 && state->left > state->shared)
        phase_start(state);
    int64_t share = self->share;
    state->shared -= share;
    self->share = 0;
    return (double)share;
}

void monitor_report(struct rule_state *state, int64_t worker, int64_t tasks, double work_s,
                    double total_s)
{
    struct rule_worker *self = &state->worker[worker];
    (void)total_s;
    self->recent_s[(self->packages - 1) % RULE_RECENT] = fmax(work_s / (double)tasks, 1e-12);
}
