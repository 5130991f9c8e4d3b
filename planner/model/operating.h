/*
 * Operating models of a star: what master, links and workers may do at the same time.
 *
 * L. F. de la Torre, Scheduling Divisible Tasks under Production or Utilization Constraints,
 * appendix B, after C. Banino, O. Beaumont, L. Carter, J. Ferrante, A. Legrand and Y. Robert,
 * Scheduling Strategies for Master-Slave Tasking on Heterogeneous Processor Platforms, IEEE
 * Transactions on Parallel and Distributed Systems 15, 2004.
 */
#ifndef PLANNER_MODEL_OPERATING_H
#define PLANNER_MODEL_OPERATING_H

#include <stdbool.h>
#include <stddef.h>

enum operating {
    OPERATING_SINGLE_PORT, /* of every platform where nobody says */
    OPERATING_MULTI_PORT,
    OPERATING_RECEIVE,
    OPERATING_SEND,
    OPERATING_WORK,
    OPERATING_NONE,
    OPERATING_COUNT
};

/* What distinguishes a model from single-port, where the master sends one package and takes in one
 * result at a time, beside its own work, and a worker does everything at once. */
struct operating_traits {
    const char *name;    /* "single-port" */
    const char *summary; /* one line */
    bool port_each;      /* the master has a port for every link, in both directions */
    bool master_sends;   /* the master's processor sends: meanwhile it prepares no package */
    bool master_takes;   /* the master's processor takes results in */
    bool half_duplex;    /* one message at a time, in or out */
    bool worker_takes;   /* the worker's processor receives, one package at a time and none ahead */
    bool worker_returns; /* the worker's processor sends results, before it goes on */
};

const struct operating_traits *operating_traits(enum operating operating);
/* False: no model has that name, *operating unchanged. */
bool operating_find(const char *name, enum operating *operating);

#endif
