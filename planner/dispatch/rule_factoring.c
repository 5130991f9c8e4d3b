/*
 * Factoring: batches of half of what is left.
 *
 * FAC: ceil(R / (x p)) for p packages, then anew, x = 2 or more where times differ. S. Flynn
 * Hummel, E. Schonberg, L. E. Flynn, Factoring: a method for scheduling parallel loops, Commun. ACM
 * 35(8), 1992. WF: the same times the worker's weight (mean 1). S. Flynn Hummel, J. Schmidt, R. N.
 * Uma, J. Wein, Load-sharing in heterogeneous systems via weighted factoring, SPAA 1996. AWF_SIZES:
 * the weights follow from the measured times, pi_i = sum_k k t_ik / sum_k k n_ik over worker i's
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

/* ---- sums over all workers ----------------------------------------------------------------- */

/* Sums over all workers, for rules that need them for every package: only the terms of workers that
 * have changed are found again. The terms are added in the order of the workers, from the first
 * changed one on, so that the sums are equal, to the bit, to those of a loop over all workers;
 * adding takes a fraction of the time of finding terms. */

enum { SUMS_MOST = 2 };

/* What is known of a worker. */
enum sums_status {
    SUMS_NEW,   /* it has reported too few packages */
    SUMS_ZERO,  /* its packages took no time */
    SUMS_KNOWN, /* it has terms */
    SUMS_LOST,  /* it is not counted */
    SUMS_STATUSES
};

/* The first member of what such a rule keeps of a worker (rule_worker.own). */
struct sums_worker {
    double term[SUMS_MOST];
    double before[SUMS_MOST]; /* the sums over the workers before it */
    enum sums_status status;
    bool changed;
    int64_t next; /* the next worker that has changed, plus 1; 0: there is no other */
};

/* What such a rule keeps of all workers. */
struct sums {
    int64_t workers[SUMS_STATUSES]; /* of each status */
    double total[SUMS_MOST];
    int64_t first_changed; /* the first worker that has changed, plus 1; 0: none */
    int64_t valid;         /* for so many workers `before` is valid; one more: so are the totals */
};

static struct sums_worker *sums_of(const struct rule_state *state, int64_t worker)
{
    return state->worker[worker].own;
}

/* At the beginning all workers are new. */
static void sums_start(struct sums *sums, int64_t workers)
{
    sums->workers[SUMS_NEW] = workers;
}

/* The worker has reported, is lost, or is back: its terms must be found again. */
static void sums_change(struct sums *sums, const struct rule_state *state, int64_t worker,
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

/* The next of the workers that have changed; -1: there is no other. */
static int64_t sums_next(struct sums *sums, const struct rule_state *state)
{
    const int64_t worker = sums->first_changed - 1;
    if (worker < 0)
        return -1;
    struct sums_worker *own = sums_of(state, worker);
    sums->first_changed = own->next;
    own->changed = false;
    return worker;
}

/* Sets the terms of a worker; NULL: it has none. */
static void sums_set(struct sums *sums, const struct rule_state *state, int64_t worker,
                     const double term[SUMS_MOST])
{
    struct sums_worker *own = sums_of(state, worker);
    for (int k = 0; k < SUMS_MOST; k++)
        own->term[k] = term ? term[k] : 0;
    sums->valid = worker + 1 < sums->valid ? worker + 1 : sums->valid;
}

/* Updates the totals, after the terms of all changed workers are set. */
static void sums_settle(struct sums *sums, const struct rule_state *state)
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

/* Packages of one size for all workers. */
struct batch {
    double chunk; /* their size, before weights */
    int64_t left; /* packages left in it */
};

enum { FAC_PART = 0 };

bool rule_all_reported(const struct rule_state *state, int64_t packages)
{
    for (int64_t k = 0; k < state->workers; k++)
        if (!state->worker[k].lost && state->worker[k].packages < packages)
            return false;
    return true;
}

/* Begins a batch of 1 / part of what is left if the last one is used up; true when one was
 * begun. */
static bool batch_start(struct rule_state *state, double part)
{
    struct batch *batch = state->own;
    if (batch->left > 0)
        return false;
    batch->chunk = ceil((double)state->left / (part * (double)state->workers));
    batch->left = state->workers;
    return true;
}

/* The size of a package in the current batch. */
static double batch_take(struct rule_state *state)
{
    struct batch *batch = state->own;
    batch->left--;
    return batch->chunk;
}

static double fac_chunk(struct rule_state *state, int64_t worker)
{
    (void)worker;
    batch_start(state, (double)state->option[FAC_PART]);
    return batch_take(state);
}

/* Each batch leaves 1 - 1/x of what was left, without rounding. */
static double fac_closed(const struct rule_state *state, int64_t step)
{
    const double part = (double)state->option[FAC_PART], p = (double)state->workers;
    const int64_t batch = step / state->workers;
    const double left = (double)state->tasks * pow(1 - 1 / part, (double)batch);
    return fmax(1, ceil(left / (part * p)));
}

const struct rule rule_fac = {
    .name = "fac",
    .summary = "factoring: batches of half of what is left",
    .state_size = sizeof(struct batch),
    .chunk = fac_chunk,
    .closed = fac_closed,
    .options = {{"part", "a batch is what is left, divided by so many", NULL, 2, 1000000, {NULL}}}};

static double wf_chunk(struct rule_state *state, int64_t worker)
{
    batch_start(state, 2);
    return fmax(round(batch_take(state) * state->worker[worker].weight), 1);
}

const struct rule rule_wf = {.name = "wf",
                             .summary = "factoring weighted by speed",
                             .state_size = sizeof(struct batch),
                             .chunk = wf_chunk};

/* Sums over a worker's packages k = 1, 2, ...: of k times their seconds, and of k times their core
 * tasks. */
struct awf_worker {
    struct sums_worker sums; /* for -C and -E: its speed */
    double weighted_s, weighted_tasks;
};

struct awf {
    struct batch batch; /* for -B and -D; must be the first member */
    struct sums sums;   /* for -C and -E: of the speeds */
    bool measured;      /* weights follow from the speeds in `sums`, and not from rule_worker */
};

static size_t awf_worker_size(const int64_t *option)
{
    (void)option;
    return sizeof(struct awf_worker);
}

/* The weights that were given are used until every worker has been measured. */
static void weights_update(struct rule_state *state)
{
    double speeds = 0;
    if (!rule_all_reported(state, 1))
        return;
    for (int64_t k = 0; k < state->workers; k++) {
        const struct rule_worker *worker = &state->worker[k];
        const struct awf_worker *measured = worker->own;
        if (worker->lost)
            continue;
        if (!(measured->weighted_s > 0))
            return;
        speeds += measured->weighted_tasks / measured->weighted_s;
    }
    for (int64_t k = 0; k < state->workers; k++) {
        struct rule_worker *worker = &state->worker[k];
        const struct awf_worker *measured = worker->own;
        if (worker->lost)
            continue;
        double speed = measured->weighted_tasks / measured->weighted_s;
        worker->weight = (double)state->workers * speed / speeds;
    }
}

static double awf_batch_chunk(struct rule_state *state, int64_t worker)
{
    if (batch_start(state, 2))
        weights_update(state);
    return fmax(round(batch_take(state) * state->worker[worker].weight), 1);
}

static double awf_weight(const struct rule_state *state, int64_t worker)
{
    const struct awf *own = state->own;
    return (double)state->workers * sums_of(state, worker)->term[0] / own->sums.total[0];
}

/* While a worker is not measured, the weights measured last are kept. */
static void awf_weights_keep(struct rule_state *state)
{
    struct awf *own = state->own;
    for (int64_t k = 0; own->measured && k < state->workers; k++)
        if (sums_of(state, k)->term[0] > 0)
            state->worker[k].weight = awf_weight(state, k);
    own->measured = false;
}

static void awf_speeds_settle(struct rule_state *state)
{
    struct awf *own = state->own;
    for (int64_t k; (k = sums_next(&own->sums, state)) >= 0;) {
        struct rule_worker *worker = &state->worker[k];
        const struct awf_worker *measured = worker->own;
        const double speed[SUMS_MOST] = {measured->weighted_tasks / measured->weighted_s};
        if (worker->lost && own->measured && measured->sums.term[0] > 0)
            worker->weight = awf_weight(state, k); /* needed if it comes back */
        sums_set(&own->sums, state, k, worker->lost ? NULL : speed);
    }
    sums_settle(&own->sums, state);
    own->measured = true;
}

/* Does what weights_update does, at every package. */
static double awf_chunk_chunk(struct rule_state *state, int64_t worker)
{
    struct awf *own = state->own;
    const double equal = (double)state->left / (2 * (double)state->workers);
    if (own->sums.workers[SUMS_NEW] + own->sums.workers[SUMS_ZERO] > 0)
        awf_weights_keep(state);
    else
        awf_speeds_settle(state);
    const double weight = own->measured ? awf_weight(state, worker) : state->worker[worker].weight;
    return fmax(round(equal * weight), 1);
}

static void weighted_add(struct rule_worker *worker, double tasks, double seconds)
{
    const double k = (double)worker->packages;
    struct awf_worker *measured = worker->own;
    measured->weighted_s += k * seconds;
    measured->weighted_tasks += k * tasks;
}

static void awf_work_report(struct rule_state *state, int64_t worker, double tasks, double work_s,
                            double total_s)
{
    (void)total_s;
    weighted_add(&state->worker[worker], tasks, work_s);
}

static void awf_total_report(struct rule_state *state, int64_t worker, double tasks, double work_s,
                             double total_s)
{
    (void)work_s;
    weighted_add(&state->worker[worker], tasks, total_s);
}

static void awf_start(struct rule_state *state)
{
    struct awf *own = state->own;
    sums_start(&own->sums, state->workers);
}

static void awf_change(struct rule_state *state, int64_t worker)
{
    struct awf *own = state->own;
    const struct rule_worker *self = &state->worker[worker];
    const struct awf_worker *measured = self->own;
    const enum sums_status known = measured->weighted_s > 0 ? SUMS_KNOWN : SUMS_ZERO;
    sums_change(&own->sums, state, worker,
                self->lost            ? SUMS_LOST
                : self->packages == 0 ? SUMS_NEW
                                      : known);
}

static void awf_work_change(struct rule_state *state, int64_t worker, double tasks, double work_s,
                            double total_s)
{
    awf_work_report(state, worker, tasks, work_s, total_s);
    awf_change(state, worker);
}

static void awf_total_change(struct rule_state *state, int64_t worker, double tasks, double work_s,
                             double total_s)
{
    awf_total_report(state, worker, tasks, work_s, total_s);
    awf_change(state, worker);
}

#define AWF_SIZES .state_size = sizeof(struct awf), .worker_size = awf_worker_size
#define AWF_CHANGES .start = awf_start, .lost = awf_change, .joined = awf_change

const struct rule rule_awf_b = {.name = "awf-b",
                                .summary = "weighted factoring, weights measured per batch",
                                AWF_SIZES,
                                .chunk = awf_batch_chunk,
                                .report = awf_work_report};

const struct rule rule_awf_c = {.name = "awf-c",
                                .summary = "weighted factoring, weights measured per package",
                                AWF_SIZES,
                                AWF_CHANGES,
                                .chunk = awf_chunk_chunk,
                                .report = awf_work_change};

const struct rule rule_awf_d = {.name = "awf-d",
                                .summary = "awf-b with overheads in the weights",
                                AWF_SIZES,
                                .chunk = awf_batch_chunk,
                                .report = awf_total_report};

const struct rule rule_awf_e = {.name = "awf-e",
                                .summary = "awf-c with overheads in the weights",
                                AWF_SIZES,
                                AWF_CHANGES,
                                .chunk = awf_chunk_chunk,
                                .report = awf_total_change};

#undef AWF_SIZES
#undef AWF_CHANGES

struct af {
    struct sums sums; /* of sigma^2 / mu, and of 1 / mu */
};

static size_t af_worker_size(const int64_t *option)
{
    (void)option;
    return sizeof(struct sums_worker);
}

static void af_start(struct rule_state *state)
{
    struct af *own = state->own;
    sums_start(&own->sums, state->workers);
}

static void af_change(struct rule_state *state, int64_t worker)
{
    struct af *own = state->own;
    const struct rule_worker *self = &state->worker[worker];
    const enum sums_status known = self->mean_s > 0 ? SUMS_KNOWN : SUMS_ZERO;
    sums_change(&own->sums, state, worker,
                self->lost           ? SUMS_LOST
                : self->packages < 2 ? SUMS_NEW
                                     : known);
}

static void af_report(struct rule_state *state, int64_t worker, double tasks, double work_s,
                      double total_s)
{
    (void)tasks;
    (void)work_s;
    (void)total_s;
    af_change(state, worker);
}

static void af_settle(struct rule_state *state)
{
    struct af *own = state->own;
    for (int64_t k; (k = sums_next(&own->sums, state)) >= 0;) {
        const struct rule_worker *worker = &state->worker[k];
        const double terms[SUMS_MOST] = {worker->squares_s2 / (double)(worker->packages - 1) /
                                             worker->mean_s,
                                         1 / worker->mean_s};
        sums_set(&own->sums, state, k, worker->lost ? NULL : terms);
    }
    sums_settle(&own->sums, state);
}

/* A variance needs two packages of every worker; until then an eighth of what is left is divided
 * equally. */
static double af_chunk(struct rule_state *state, int64_t worker)
{
    struct af *own = state->own;
    const double r = (double)state->left;
    if (own->sums.workers[SUMS_NEW] > 0)
        return ceil(r / (8 * (double)state->workers));
    if (own->sums.workers[SUMS_ZERO] > 0)
        return ceil(r / (2 * (double)state->workers));
    af_settle(state);
    const double d = own->sums.total[0], e = 1 / own->sums.total[1];
    const double share_s = (d + 2 * e * r - sqrt(d * d + 4 * d * e * r)) / 2;
    return fmax(round(share_s / state->worker[worker].mean_s), 1);
}

const struct rule rule_af = {.name = "af",
                             .summary = "adaptive factoring: mean and variance measured",
                             .state_size = sizeof(struct af),
                             .worker_size = af_worker_size,
                             .start = af_start,
                             .chunk = af_chunk,
                             .report = af_report,
                             .lost = af_change,
                             .joined = af_change};
