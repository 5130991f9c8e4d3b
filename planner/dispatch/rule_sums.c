#include "planner/dispatch/rule_sums.h"

struct sums_worker *sums_of(const struct rule_state *state, int64_t worker)
{
    return state->worker[worker].own;
}

void sums_start(struct sums *sums, int64_t workers)
{
    sums->workers[SUMS_NEW] = workers;
}

void sums_change(struct sums *sums, const struct rule_state *state, int64_t worker,
                 enum sums_status status)
{
    struct sums_worker *own = sums_of(state, worker);
    sums->workers[own->status]--;
    sums->workers[status]++;
    own->status = status;
    if (own->changed)
        return;
    own->changed = true;
    own->next = sums->first_changed;
    sums->first_changed = 1 + worker;
}

int64_t sums_next(struct sums *sums, const struct rule_state *state)
{
    const int64_t worker = sums->first_changed - 1;
    if (worker < 0)
        return -1;
    struct sums_worker *own = sums_of(state, worker);
    sums->first_changed = own->next;
    own->changed = false;
    return worker;
}

void sums_set(struct sums *sums, const struct rule_state *state, int64_t worker,
              const double term[SUMS_MOST])
{
    struct sums_worker *own = sums_of(state, worker);
    for (int k = 0; k < SUMS_MOST; k++)
        own->term[k] = term ? term[k] : 0;
    sums->valid = worker + 1 < sums->valid ? worker + 1 : sums->valid;
}

void sums_settle(struct sums *sums, const struct rule_state *state)
{
    double sum[SUMS_MOST] = {0};
    int64_t at = sums->valid > 0 ? sums->valid - 1 : 0;
    if (sums->valid > state->workers)
        return;
    for (int k = 0; at > 0 && k < SUMS_MOST; k++)
        sum[k] = sums_of(state, at)->before[k];
    for (; at < state->workers; at++) {
        struct sums_worker *own = sums_of(state, at);
        for (int k = 0; k < SUMS_MOST; k++) {
            own->before[k] = sum[k];
            sum[k] += own->term[k];
        }
    }
    for (int k = 0; k < SUMS_MOST; k++)
        sums->total[k] = sum[k];
    sums->valid = state->workers + 1;
}
