/*
 * Factoring: batches of half of what is left.
 *
 * FAC: ceil(R / (x p)) for p packages, then anew, x = 2 or more where times differ. S. Flynn
 * Hummel, E. Schonberg, L. E. Flynn, Factoring: a method for scheduling parallel loops, Commun. ACM
 * 35(8), 1992. WF: the same times the worker's weight (mean 1). S. Flynn Hummel, J. Schmidt, R. N.
 * Uma, J. Wein, Load-sharing in heterogeneous systems via weighted factoring, SPAA 1996. AWF: the
 * weights follow from the measured times, pi_i = sum_k k t_ik / sum_k k n_ik over worker i's
 * packages k = 1, 2, ..., weight_i = p (1 / pi_i) / sum_j (1 / pi_j): -B at every batch, -C at
 * every package, whose batch then is half of what is left at that time; -D and -E like -B and -C,
 * but t_ik counts overheads too. R. L. Carino, I. Banicescu, Dynamic load balancing with adaptive
 * factoring methods in scientific applications, J. Supercomput. 44, 2008.
 * AF: with mean mu_i and variance sigma_i^2 of a task's time, D = sum_j sigma_j^2 / mu_j and
 * E = 1 / sum_j (1 / mu_j): (D + 2 E R - sqrt(D^2 + 4 D E R)) / (2 mu_i). I. Banicescu, Z. Liu,
 * Adaptive factoring: a dynamic scheduling method tuned to the rate of weight changes, HPC 2000.
 * A task's time is without the package's latency, which is known and would pass for variance:
 * packages would get smaller, and times differ the more.
 */
#include <math.h>

#include "planner/dispatch/rule.h"

bool rule_all_reported(const struct rule_state *state, int64_t packages)
{
    for (int64_t k = 0; k < state->workers; k++)
        if (!state->worker[k].lost && state->worker[k].packages < packages)
            return false;
    return true;
}

/* Start a batch of 1 / part of what is left when the last is used up; true when one was started. */
static bool batch_start(struct rule_state *state, double part)
{
    if (state->batch_left > 0)
        return false;
    state->chunk = ceil((double)state->left / (part * (double)state->workers));
    state->batch_left = state->workers;
    return true;
}

double fac_chunk(struct rule_state *state, int64_t worker)
{
    (void)worker;
    batch_start(state, (double)state->option[FAC_PART]);
    state->batch_left--;
    return state->chunk;
}

double wf_chunk(struct rule_state *state, int64_t worker)
{
    batch_start(state, 2);
    state->batch_left--;
    return fmax(round(state->chunk * state->worker[worker].weight), 1);
}

/* The weights given stand until every worker has been measured. */
static void weights_update(struct rule_state *state)
{
    double speeds = 0;
    if (!rule_all_reported(state, 1))
        return;
    for (int64_t k = 0; k < state->workers; k++) {
        const struct rule_worker *worker = &state->worker[k];
        if (worker->lost)
            continue;
        if (!(worker->weighted_s > 0))
            return;
        speeds += worker->weighted_tasks / worker->weighted_s;
    }
    for (int64_t k = 0; k < state->workers; k++) {
        struct rule_worker *worker = &state->worker[k];
        if (worker->lost)
            continue;
        double speed = worker->weighted_tasks / worker->weighted_s;
        worker->weight = (double)state->workers * speed / speeds;
    }
}

double awf_batch_chunk(struct rule_state *state, int64_t worker)
{
    if (batch_start(state, 2))
        weights_update(state);
    state->batch_left--;
    return fmax(round(state->chunk * state->worker[worker].weight), 1);
}

double awf_chunk_chunk(struct rule_state *state, int64_t worker)
{
    weights_update(state);
    double equal = (double)state->left / (2 * (double)state->workers);
    return fmax(round(equal * state->worker[worker].weight), 1);
}

static void weighted_add(struct rule_worker *worker, int64_t tasks, double seconds)
{
    double k = (double)worker->packages;
    worker->weighted_s += k * seconds;
    worker->weighted_tasks += k * (double)tasks;
}

void awf_work_report(struct rule_state *state, int64_t worker, int64_t tasks, double work_s,
                     double total_s)
{
    (void)total_s;
    weighted_add(&state->worker[worker], tasks, work_s);
}

void awf_total_report(struct rule_state *state, int64_t worker, int64_t tasks, double work_s,
                      double total_s)
{
    (void)work_s;
    weighted_add(&state->worker[worker], tasks, total_s);
}

/* A variance needs two packages of every worker; until then an eighth of what is left is spread. */
double af_chunk(struct rule_state *state, int64_t worker)
{
    double r = (double)state->left, d = 0, speeds = 0;
    if (!rule_all_reported(state, 2))
        return ceil(r / (8 * (double)state->workers));
    for (int64_t k = 0; k < state->workers; k++) {
        const struct rule_worker *other = &state->worker[k];
        if (other->lost)
            continue;
        if (!(other->mean_s > 0))
            return ceil(r / (2 * (double)state->workers));
        d += other->squares_s2 / (double)(other->packages - 1) / other->mean_s;
        speeds += 1 / other->mean_s;
    }
    double e = 1 / speeds;
    double share_s = (d + 2 * e * r - sqrt(d * d + 4 * d * e * r)) / 2;
    return fmax(round(share_s / state->worker[worker].mean_s), 1);
}
