/*
 * The ports of a master that sleeps: which message is on which of them, and when, by an operating
 * model (planner/model/operating.h). Nothing is sent here, and nobody waits; times are those of one
 * clock. Packages go in the order of queueing: one that waits for its worker holds up those behind
 * it. With a single port only the port is waited for: there real messages wait for a worker's
 * buffers, and let others pass.
 */
#ifndef SPMD_MASTER_PORTS_H
#define SPMD_MASTER_PORTS_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/dispatch/dispatch.h"

struct ports;

struct port_phase {
    double start_s, end_s;
};

void ports_free(struct ports **ports); /* sets *ports NULL */

/* Queues a package that is ready to be sent, and takes link_s seconds on its way. False: out of
 * memory. */
bool ports_queue(struct ports *ports, const struct package *package, double ready_s, double link_s);
/* When the first that is queued can begin its way; HUGE_VAL: there is none, or nobody knows yet. */
double ports_out_s(const struct ports *ports);
/* The package begins its way at start_s. */
struct port_phase ports_send(struct ports *ports, double start_s, struct package *package);

/* When results of that worker, ready then, can begin theirs. */
double ports_in_s(const struct ports *ports, int64_t worker, double ready_s);
/* They begin then, and take so long; `through`: the worker had this to do yet for its oldest
 * package. */
struct port_phase ports_return(struct ports *ports, int64_t worker, double start_s, double result_s,
                               bool through);

#endif
