#include "planner/dispatch/rule_power.h"

#include <math.h>

/* Quotients this close to a whole number are taken as whole: the difference is rounding. */
static const double WHOLE = 1e-9;
/* Real powers whose relative difference is less than this count as equal. */
static const double CHANGE = 0.1;
/* The weight of the last package in the mean of recent ones. */
static const double RECENT = 0.25;

size_t power_worker_size(const int64_t *option)
{
    (void)option;
    return sizeof(struct power_worker);
}

struct power_worker *power_of(const struct rule_state *state, int64_t worker)
{
    return state->worker[worker].own;
}

static double least_weight(const struct rule_state *state)
{
    double least = HUGE_VAL;
    for (int64_t k = 0; k < state->workers; k++)
        least = fmin(least, state->worker[k].weight);
    return least;
}

static double power_with(double speed, double queue, enum rule_power kind)
{
    const double power = speed / (kind == POWER_MEASURED ? queue : fmax(round(queue), 1));
    if (kind == POWER_INTEGER)
        return fmax(floor(power + WHOLE), 1);
    return kind == POWER_SCALED ? fmax(floor(10 * power + WHOLE), 1) : power;
}

void power_start(struct rule_state *state, struct powers *powers)
{
    *powers =
        (struct powers){.kind = (enum rule_power)state->option[POWER_KIND],
                        .one = least_weight(state) / fmax((double)state->option[POWER_SLOWEST], 1)};
    for (int64_t k = 0; k < state->workers; k++)
        power_of(state, k)->now =
            power_with(state->worker[k].weight / powers->one, 1, powers->kind);
}

void power_plan(struct rule_state *state, struct powers *powers)
{
    powers->sum = 0;
    powers->changed = 0;
    for (int64_t k = 0; k < state->workers; k++) {
        struct power_worker *own = power_of(state, k);
        own->planned = own->now;
        powers->sum += own->planned;
    }
}

static bool differs(const struct power_worker *own, enum rule_power kind)
{
    return fabs(own->now - own->planned) > (power_is_whole(kind) ? 0 : CHANGE * own->planned);
}

/* Q_i, the run queue: as measured, or as follows from the worker's times. */
static double queue_of(const struct rule_worker *self)
{
    const struct power_worker *own = self->own;
    if (self->last_share > 0)
        return 1 / self->last_share;
    return own->best_s > 0 ? self->last_s / own->best_s : 1;
}

bool power_changed(struct rule_state *state, int64_t worker, struct powers *powers)
{
    const struct rule_worker *self = &state->worker[worker];
    struct power_worker *own = self->own;
    const bool before = differs(own, powers->kind);
    if (self->packages == 1)
        own->recent_s = own->best_s = self->last_s;
    own->recent_s += RECENT * (self->last_s - own->recent_s);
    own->best_s = fmin(own->best_s, own->recent_s);
    own->now = power_with(self->weight / powers->one, queue_of(self), powers->kind);
    powers->changed += differs(own, powers->kind) - before;
    return 2 * powers->changed > state->workers;
}

double power_first(const struct rule_state *state, int64_t worker)
{
    return power_of(state, worker)->now;
}
