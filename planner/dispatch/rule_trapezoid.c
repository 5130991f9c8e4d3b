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
 */
#include <math.h>
#include <stddef.h>

#include "planner/dispatch/rule.h"

/* A trapezoid over n tasks, from F down to L. */
static void trapezoid_start(struct rule_state *state, double tasks, double first, double last)
{
    const double steps = ceil(2 * tasks / (first + last));
    state->chunk = first;
    state->step = steps > 1 ? (first - last) / (steps - 1) : 0;
}

/* F = n / (2 p), for p processors. */
static double trapezoid_first(double tasks, double processors, double last)
{
    return fmax(tasks / (2 * processors), last);
}

const char *tss_wrong(const int64_t *option)
{
    return option[TSS_FIRST] > 0 && option[TSS_FIRST] < option[TSS_LAST]
               ? "first must not be less than last"
               : NULL;
}

/* A step below 1 has no whole part: rounded down, nothing would ever change. */
void tss_start(struct rule_state *state)
{
    const double n = (double)state->tasks, last = (double)state->option[TSS_LAST];
    double first = trapezoid_first(n, (double)state->workers, last);
    if (state->option[TSS_FIRST] > 0)
        first = (double)state->option[TSS_FIRST];
    trapezoid_start(state, n, first, last);
    if (state->option[TSS_STEP] == TSS_WHOLE && state->step >= 1)
        state->step = floor(state->step);
}

double tss_chunk(struct rule_state *state, int64_t worker)
{
    (void)worker;
    const double chunk = floor(state->chunk + 1e-9); /* whole but for rounding is whole */
    state->chunk = fmax(state->chunk - state->step, (double)state->option[TSS_LAST]);
    return chunk;
}

void fiss_start(struct rule_state *state)
{
    const double s = (double)state->option[FISS_SIGMA];
    double n = (double)state->tasks, p = (double)state->workers;
    state->chunk = fmax(floor(n / ((s + 2) * p)), 1);
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

static void dtss_restart(struct rule_state *state)
{
    int64_t powers = 0;
    for (int64_t k = 0; k < state->workers; k++) {
        state->worker[k].power = state->worker[k].power_now;
        powers += state->worker[k].power;
    }
    state->powers = 0;
    const double left = (double)state->left;
    trapezoid_start(state, left, trapezoid_first(left, (double)powers, 1), 1);
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
