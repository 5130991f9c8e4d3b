/*
 * Arguments and output of scow bench rate, which two programs share: one measures over MPI
 * (command.c), one over ZeroMQ (join_command.c).
 */
#ifndef SPMD_BENCH_RATE_COMMAND_H
#define SPMD_BENCH_RATE_COMMAND_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/base/failure.h"
#include "spmd/bench/rate.h"
#include "spmd/transport/comm.h"
#include "spmd/transport/liveness.h"

struct rate_arguments {
    char *what; /* to be measured */
    const char *output;
    double seconds;
    int64_t ahead, join; /* workers that join; 0: ranks of MPI's */
    bool json, version;
};

enum { RATE_BATCHES_MOST = 64 };

/* What was measured; the master's. */
struct rate_measured {
    const struct rate_arguments *arguments;
    int workers;
    struct rate_batch batches[RATE_BATCHES_MOST];
    int count;
};

/* A rank of which nothing is heard for so long counts as lost. */
extern const double rate_patience_s;

struct rate_arguments rate_arguments_usual(void);
/* Collective. False with *failure set; *over: it was asked for help, or the version. */
bool rate_arguments_parse(const struct comm *comm, int argc, char **argv,
                          struct rate_arguments *arguments, bool *over, struct failure *failure);
struct liveness_words rate_words(const struct rate_arguments *arguments);
/* A series' `told`: keeps the batch in the struct rate_measured `self`, and prints it. */
void rate_told(void *self, const struct rate_batch *batch);
/* Print the outcome. False with *failure set: it could not be written. */
bool rate_print(const struct rate_measured *measured, struct failure *failure);

#endif
