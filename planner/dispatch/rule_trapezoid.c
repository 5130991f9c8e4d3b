/*
 * Rules with linearly changing packages.
 *
 * TSS, trapezoid self-scheduling: from F = N / (2 p) down to L = 1 in n = ceil(2 N / (F + L)) steps
 * of D = (F - L) / (n - 1). T. H. Tzen, L. M. Ni, Trapezoid self-scheduling, IEEE Trans. Parallel
 * Distrib. Syst. 4(1), 1993. D is rounded down in J. Herrera, E. Huedo, R. S. Montero, I. M.
 * Llorente, Loosely-coupled loop scheduling in computational grids, 2006, equation (3), and in E.
 * M. R. Rosenvinge, Online task scheduling on heterogeneous clusters, NTNU 2004, figure 3.2. FISS,
 * fixed increase: s stages (sigma) of p equal packages, the first C_0 = N / ((s + 2) p), each stage
 * larger by ceil(2 N (1 - s / (s + 2)) / (p s (s - 1))). T. Philip, C. R. Das, Evaluation of loop
 * scheduling algorithms on distributed memory systems, 1997.
 * DTSS, distributed TSS: worker i counts as A_i = V_i / Q_i processors (integer division; V_i its
 * speed relative to the slowest, Q_i how loaded it is), A = sum A_i, F = N / (2 A), L = 1, and it
 * gets A_i (F - D (S + (A_i - 1) / 2)), S the powers served before; planned anew for what is left
 * when more than half of the A_i have changed. J. Xu, A. T. Chronopoulos, Distributed
 * self-scheduling for heterogeneous workstation clusters, 1999, equations (1)-(9).
 *
 * None of them speaks of limits of a package. Where there are, F and L, C_0 and a virtual
 * processor's share are cut to them first, and number and size of the steps follow from that: a
 * package cut afterwards would leave most of the tasks to packages of the least size.
 */
#include <math.h>
#include <stddef.h>

#include "planner/dispatch/rule.h"

static double clamp(double value, double least, double most)
{
    return fmin(fmax(value, least), most);
}

/* From F down to L in n steps. */
static void trapezoid_start(struct rule_state *state, double first, double last, double steps)
{
    state->chunk = first;
    state->last = last;
    state->step = steps > 1 ? (first - last) / (steps - 1) : 0;
    state->steps_left = steps;
}

const char *tss_wrong(const int64_t *option)
{
    return option[TSS_FIRST] > 0 && option[TSS_FIRST] < option[TSS_LAST]
               ? "first must not be less than last"
               : NULL;
}

/* Over what is left, from no more than `most`. A step below 1 has no whole part: rounded down,
 * nothing would ever change. */
static void tss_restart(struct rule_state *state, double most)
{
    const double n = (double)state->left, wanted = (double)state->option[TSS_LAST];
    const double first = clamp(most, fmax(wanted, state->least), state->most);
    const double last = clamp(wanted, state->least, first);
    trapezoid_start(state, first, last, ceil(2 * n / (first + last)));
    if (state->option[TSS_STEP] == TSS_WHOLE && state->step >= 1)
        state->step = floor(state->step);
}

static double tss_first(const struct rule_state *state)
{
    return (double)state->left / (2 * (double)state->workers);
}

void tss_start(struct rule_state *state)
{
    const double chosen = (double)state->option[TSS_FIRST];
    tss_restart(state, chosen > 0 ? chosen : tss_first(state));
}

/* Whole packages fall short of the steps' sum: what is left after them is a job like the first. */
double tss_chunk(struct rule_state *state, int64_t worker)
{
    (void)worker;
    if (state->steps_left < 1)
        tss_restart(state, tss_first(state));
    const double chunk = floor(state->chunk + 1e-9); /* whole but for rounding is whole */
    state->chunk = fmax(state->chunk - state->step, state->last);
    state->steps_left--;
    return chunk;
}

/* Steps, of those that are left: an eighth of them counts as the same. */
static double same_of(const struct rule_state *state, double steps)
{
    return fmin(fmax(steps, state->steps_left / 8), state->steps_left);
}

double tss_same(const struct rule_state *state)
{
    const double over = state->chunk - floor(state->chunk + 1e-9);
    return state->step > 0 && state->chunk > state->last
               ? same_of(state, fmax(over, 0) / state->step)
               : state->steps_left;
}

void tss_skip(struct rule_state *state, double packages)
{
    state->chunk = fmax(state->chunk - packages * state->step, state->last);
    state->steps_left -= packages;
}

void fiss_start(struct rule_state *state)
{
    const double s = (double)state->option[FISS_SIGMA];
    double n = (double)state->tasks, p = (double)state->workers;
    state->chunk = clamp(floor(n / ((s + 2) * p)), state->least, state->most);
    state->step = s > 1 ? ceil(2 * n * (1 - s / (s + 2)) / (p * s * (s - 1))) : 0;
    state->batch_left = state->workers;
}

double fiss_chunk(struct rule_state *state, int64_t worker)
{
    (void)worker;
    if (state->batch_left == 0) {
        state->chunk += state->step;
        state->batch_left = state->workers;
    }
    state->batch_left--;
    return state->chunk;
}

static double least_weight(const struct rule_state *state)
{
    double least = HUGE_VAL;
    for (int64_t k = 0; k < state->workers; k++)
        least = fmin(least, state->worker[k].weight);
    return least;
}

/* Mean of a load A f that is kept within least and most, f uniform in [low, high]. */
static double mean_within(double power, double low, double high, double least, double most)
{
    if (!(high > low))
        return clamp(power * high, least, most);
    const double from = clamp(least / power, low, high), to = clamp(most / power, low, high);
    const double sum =
        (from - low) * least + power * (to * to - from * from) / 2 + (high - to) * most;
    return sum / (high - low);
}

/* F and L of a virtual processor: where even the weakest worker has the most that may be sent, and
 * the strongest the least, they are cut. Steps are then as many as hand out what is left. */
static void dtss_restart(struct rule_state *state)
{
    double powers = 0, weakest = HUGE_VAL, strongest = 1, tasks = 0;
    for (int64_t k = 0; k < state->workers; k++) {
        struct rule_worker *worker = &state->worker[k];
        worker->power = worker->power_now;
        powers += (double)worker->power;
        weakest = fmin(weakest, (double)worker->power);
        strongest = fmax(strongest, (double)worker->power);
    }
    const double left = (double)state->left;
    const double last = fmax(1, state->least / strongest);
    const double first = fmax(fmin(left / (2 * powers), state->most / weakest), last);
    for (int64_t k = 0; k < state->workers; k++)
        tasks +=
            mean_within((double)state->worker[k].power, last, first, state->least, state->most);
    state->powers = state->served = 0;
    trapezoid_start(state, first, last, ceil(left * powers / tasks));
}

void dtss_start(struct rule_state *state)
{
    double slowest = least_weight(state);
    for (int64_t k = 0; k < state->workers; k++)
        state->worker[k].power_now = (int64_t)fmax(floor(state->worker[k].weight / slowest), 1);
    dtss_restart(state);
}

double dtss_chunk(struct rule_state *state, int64_t worker)
{
    if (state->steps_left < 1)
        dtss_restart(state);
    const double power = (double)state->worker[worker].power;
    const double before = (double)state->powers + (power - 1) / 2;
    state->powers += state->worker[worker].power;
    state->served++;
    state->steps_left -= power;
    return floor(power * fmax(state->chunk - state->step * before, state->last) + 1e-9);
}

/* By how much a virtual processor's share falls before a worker of that power has a smaller
 * package. */
static double dtss_room(const struct rule_state *state, double power, double share)
{
    const double load = power * share;
    if (load <= state->least + 1)
        return HUGE_VAL;
    return (load - fmin(floor(load + 1e-9), state->most)) / power;
}

double dtss_same(const struct rule_state *state)
{
    const double share = state->chunk - state->step * (double)state->powers;
    double room = HUGE_VAL;
    for (int64_t k = 0; share > state->last && k < state->workers; k++)
        room = fmin(room, dtss_room(state, (double)state->worker[k].power, share));
    const double mean = state->served > 0 ? (double)state->powers / (double)state->served : 1;
    const double powers = state->step > 0 ? fmax(room, 0) / state->step : HUGE_VAL;
    return same_of(state, powers) / fmax(mean, 1);
}

void dtss_skip(struct rule_state *state, double packages)
{
    const double mean = state->served > 0 ? (double)state->powers / (double)state->served : 1;
    const double powers = fmin(nearbyint(packages * mean), fmax(state->steps_left, 0));
    state->powers += (int64_t)powers;
    state->served += (int64_t)packages;
    state->steps_left -= powers;
}

/* The load Q_i is not asked of the system: it shows in the time per task over the best one seen. */
void dtss_report(struct rule_state *state, int64_t worker, int64_t tasks, double work_s,
                 double total_s)
{
    struct rule_worker *self = &state->worker[worker];
    int64_t changed = 0;
    (void)tasks;
    (void)work_s;
    (void)total_s;
    self->best_s = self->packages == 1 ? self->last_s : fmin(self->best_s, self->last_s);
    double speed = fmax(floor(self->weight / least_weight(state)), 1);
    double load = self->best_s > 0 ? fmax(round(self->last_s / self->best_s), 1) : 1;
    self->power_now = (int64_t)fmax(floor(speed / load), 1);
    for (int64_t k = 0; k < state->workers; k++)
        changed += state->worker[k].power != state->worker[k].power_now;
    if (2 * changed > state->workers)
        dtss_restart(state);
}
