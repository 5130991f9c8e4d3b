/*
 * The star in time, one package after the other: the event semantics that every prediction shares
 * (single port, full overlap; de la Torre, section 3, with receive buffers and output added).
 *
 * Package k, for worker i, number n (from 0) of that worker's packages:
 *   master  m_k = m_(k-1) + e + s; it runs ahead of the port, send buffers are not modelled;
 *   port    begins at t = max(m_k, port free, start of worker i's package n - B), free at t + l_i;
 *   worker  starts at max(port free, worker free), has computed it at start + r_i + w_i and hands
 *           the results over at h = max(computed, results before written); they are written at
 *           h + o_i. The worker is free then or, where results are written behind, at h.
 * Before its first package a worker starts: it is busy in [0, start_i), and free from then on. What
 * is sent to it meanwhile waits in its buffers, as while it works.
 *
 * The port takes packages in the order of sending: one whose worker has no free buffer delays those
 * after it. In a run, others overtake it while the master has a free buffer; this is not simulated,
 * because schedulers hardly ever plan such waits.
 *
 * Where results come back, or the operating model is another one, packages are simulated from event
 * to event (events.h), with this star's clocks and counters.
 *
 * star_step is the only code that says so: the simulation and the evaluation of plans call it, and
 * the rows of the linear program (schedulers/optimal/optimal_lp.c) are tied to it by a test.
 */
#ifndef PLANNER_SIMULATE_STAR_H
#define PLANNER_SIMULATE_STAR_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/simulate/simulate.h"

/* Seconds that one package takes of each operation. */
struct star_cost {
    double envelope_s, send_s, link_s, receive_s, compute_s, output_s;
    double result_s, collect_s; /* of its own results, where these come back */
};

/* The times of one package's operations. */
struct star_times {
    double envelope_s, send_s, sent_s; /* starts of envelope and send, end of send */
    double link_s, arrived_s;          /* start and end on the port */
    double prepared_s; /* for a worker's first package: end of its start-up; else 0 */
    double idle_s;     /* the worker has waited since then */
    double start_s, received_s, computed_s;
    double handed_s, end_s; /* start and end of writing its results */
    /* Where they come back: start and end of that, and of the master's part; else all 0. */
    double result_s, returned_s, collect_s, collected_s;
};

struct star_worker {
    double prepared_s;       /* it starts until then, and could begin its first package */
    double first_s;          /* start of its first package */
    double free_s;           /* it may begin the next one */
    double end_s;            /* the results of its last one are written */
    double busy_s, output_s; /* in which it does something, and in which it only writes */
    int64_t packages;
    int64_t oldest; /* place, in its ring of starts, of package n - B */
};

struct star {
    double master_s, port_s;
    double master_busy_s, port_busy_s;
    double own_s, own_end_s;     /* that the master itself computed core tasks; their end */
    double results_s;            /* the last result was taken in and written; 0: there was none */
    struct star_worker *workers; /* owned */
    double *starts;              /* owned; per worker, a ring of the last B starts */
    int64_t worker_count;
    int buffers; /* B >= 1 */
    bool write_behind;
};

/* `platform` says how many buffers, and whether results are written behind. False: out of memory.
 */
bool star_init(struct star *star, const struct platform *platform, int64_t worker_count);
/* Nothing has been sent yet, and every worker begins with its start. `workers`: the platform's
 * worker of each of the star's, NULL where they are the same. */
void star_restart(struct star *star, const struct platform *platform, const int64_t *workers);
void star_release(struct star *star);
/* Fill in the simulation's results. */
void star_sum(const struct star *star, struct simulation *simulation);
/* What a package of `load` tasks costs a worker of `class`. */
struct star_cost star_cost_of(const struct platform_window *window,
                              const struct platform_class *class, double load);
/* By how much more or less that is for where in the job its core tasks are: computing by what they
 * are worth, the way to the worker by what is sent of them. */
void star_cost_place(struct star_cost *cost, const struct platform *platform,
                     const struct platform_window *window, const struct platform_class *class,
                     double first, double load);
/* The same of any package for the master of a group, which computes nothing itself. */
struct star_cost star_cost_of_group(const struct platform_window *window,
                                    const struct platform_class *class);
/* What one of the operations from envelope to collect takes of it. */
double *star_cost_part(struct star_cost *cost, enum operation operation);
/* Append the package's events, in the order of time; those that take no time are left out. False:
 * out of memory. `event` has the master's rank, round, package, first and tasks; the rest is filled
 * in. */
bool star_trace(const struct star_times *times, int64_t worker, struct trace_event event,
                struct trace *trace);

static inline double star_later(double a, double b)
{
    return a > b ? a : b;
}

/* The arguments of the maxima above: the state before the package. */
struct star_before {
    double sent_s; /* m_k: the master has handed the package over */
    double port_s; /* the port is free */
    double held_s; /* start of the worker's package n - B, 0 if there is none: its buffer is free */
    double free_s; /* the worker is free */
};

struct star_step {
    double link_s, arrived_s; /* the package is on the port */
    double start_s;           /* the worker begins */
};

static inline struct star_step star_step(struct star_before before, double link_s)
{
    struct star_step step;
    step.link_s = star_later(star_later(before.sent_s, before.port_s), before.held_s);
    step.arrived_s = step.link_s + link_s;
    step.start_s = star_later(step.arrived_s, before.free_s);
    return step;
}

/* A worker has computed what it writes for `output_s`. */
struct star_write {
    double handed_s, end_s;
};

static inline struct star_write star_write(double computed_s, double written_s, double output_s)
{
    const double handed_s = star_later(computed_s, written_s);
    return (struct star_write){handed_s, handed_s + output_s};
}

/* Seconds for which writing the previous results, until written_s, overlaps with a package that is
 * worked on from start_s to computed_s. */
static inline double star_hidden(double start_s, double computed_s, double written_s)
{
    const double until_s = written_s < computed_s ? written_s : computed_s;
    return until_s > start_s ? until_s - start_s : 0;
}

/* When `worker` would begin a package of this cost, were it the next one sent. */
static inline double star_start(const struct star *star, int64_t worker,
                                const struct star_cost *cost)
{
    const struct star_worker *to = &star->workers[worker];
    const struct star_before before = {
        star->master_s + cost->envelope_s + cost->send_s, star->port_s,
        star->starts[worker * star->buffers + to->oldest], to->free_s};
    return star_step(before, cost->link_s).start_s;
}

/* Send the next package to `worker`. Inline because the simulation is this and nothing else. */
static inline void star_send(struct star *star, int64_t worker, const struct star_cost *cost,
                             struct star_times *times)
{
    struct star_worker *to = &star->workers[worker];
    double *oldest = &star->starts[worker * star->buffers + to->oldest];
    times->envelope_s = star->master_s;
    times->send_s = times->envelope_s + cost->envelope_s;
    times->sent_s = times->send_s + cost->send_s;
    const struct star_step step = star_step(
        (struct star_before){times->sent_s, star->port_s, *oldest, to->free_s}, cost->link_s);
    times->link_s = step.link_s;
    times->arrived_s = step.arrived_s;
    times->prepared_s = to->packages == 0 ? to->prepared_s : 0;
    times->idle_s = to->free_s;
    times->start_s = step.start_s;
    times->received_s = times->start_s + cost->receive_s;
    times->computed_s = times->received_s + cost->compute_s;
    const struct star_write write = star_write(times->computed_s, to->end_s, cost->output_s);
    const double hidden_s =
        star->write_behind ? star_hidden(times->start_s, times->computed_s, to->end_s) : 0;
    times->handed_s = write.handed_s;
    times->end_s = write.end_s;
    times->result_s = times->returned_s = times->collect_s = times->collected_s = 0;
    star->master_s = times->sent_s;
    star->port_s = times->arrived_s;
    star->master_busy_s += cost->envelope_s + cost->send_s;
    star->port_busy_s += cost->link_s;
    to->free_s = star->write_behind ? write.handed_s : write.end_s;
    to->end_s = write.end_s;
    to->busy_s += cost->receive_s + cost->compute_s + cost->output_s - hidden_s;
    to->output_s += cost->output_s - hidden_s;
    if (to->packages++ == 0)
        to->first_s = times->start_s;
    *oldest = times->start_s;
    if (++to->oldest == star->buffers)
        to->oldest = 0;
}

#endif
