/*
 * Rules with linearly changing packages.
 *
 * TSS, trapezoid self-scheduling: from F = N / (2 p) down to L = 1 in n = ceil(2 N / (F + L)) steps
 * of (F - L) / (n - 1). T. H. Tzen, L. M. Ni, Trapezoid self-scheduling, IEEE Trans. Parallel
 * Distrib. Syst. 4(1), 1993.
 * FISS, fixed increase: s stages of p equal packages, the first C_0 = N / ((s + 2) p), each stage
 * larger by ceil(2 N (1 - s / (s + 2)) / (p s (s - 1))). T. Philip, C. R. Das, Evaluation of loop
 * scheduling algorithms on distributed memory systems, 1997.
 * DTSS, distributed TSS: worker i counts as A_i = V_i / Q_i processors (integer division; V_i its
 * speed relative to the slowest, Q_i how loaded it is), A = sum A_i, F = N / (2 A), L = 1, and it
 * gets A_i (F - D (S + (A_i - 1) / 2)), S the powers served before; planned anew for what is left
 * when more than half of the A_i have changed. J. Xu, A. T. Chronopoulos, Distributed
 * self-scheduling for heterogeneous workstation clusters, 1999, equations (1)-(9).
 */
#include <math.h>

#include "planner/dispatch/rule.h"

enum { FISS_STAGES = 4 };

/* F and the step of a trapezoid over n tasks and p processors. */
static void trapezoid_start(struct rule_state *state, double tasks, double processors)
{
    const double last = 1;
    double first = fmax(tasks / (2 * processors), last);
    double steps = ceil(2 * tasks / (first + last));
    state->chunk = first;
    state->step = steps > 1 ? (first - last) / (steps - 1) : 0;
}

void tss_start(struct rule_state *state)
{
    trapezoid_start(state, (double)state->tasks, (double)state->workers);
}

double tss_chunk(struct rule_state *state, int64_t worker)
{
    (void)worker;
    double chunk = fmax(floor(state->chunk), 1);
    state->chunk = fmax(state->chunk - state->step, 1);
    return chunk;
}

void fiss_start(struct rule_state *state)
{
    const double s = FISS_STAGES;
    double n = (double)state->tasks, p = (double)state->workers;
    state->chunk = fmax(floor(n / ((s + 2) * p)), 1);
    state->step = ceil(2 * n * (1 - s / (s + 2)) / (p * s * (s - 1)));
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

static void dtss_restart(struct rule_state *state)
{
    int64_t powers = 0;
    for (int64_t k = 0; k < state->workers; k++) {
        state->worker[k].power = state->worker[k].power_now;
        powers += state->worker[k].power;
    }
    state->powers = 0;
    trapezoid_start(state, (double)state->left, (double)powers);
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
    double power = (double)state->worker[worker].power;
    double before = (double)state->powers + (power - 1) / 2;
    state->powers += state->worker[worker].power;
    return fmax(floor(power * (state->chunk - state->step * before)), 1);
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
