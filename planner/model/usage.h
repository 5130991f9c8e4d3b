/*
 * The resources that the batch system gave to a part of a run, and what the run used of them.
 */
#ifndef PLANNER_MODEL_USAGE_H
#define PLANNER_MODEL_USAGE_H

#include <stdint.h>

/* As the batch system says; 0: it does not. */
struct run_request {
    char by[8];   /* "slurm", "pbs"; "": there was none */
    char job[40]; /* its number */
    double walltime_s;
    double node_bytes;             /* memory on a node */
    int64_t nodes, ranks, threads; /* threads: CPUs of a rank */
};

/* 0: not known. */
struct run_usage {
    double walltime_s;  /* of the master's process, until the output was sealed */
    double processor_s; /* of all ranks that were alive at the end, and of processes that they
                         * started */
    double energy_j;    /* of all nodes while packages were worked on, by their counters */
};

#endif
