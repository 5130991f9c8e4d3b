/*
 * Uniform multi-round (Yang and Casanova): rounds in which every worker computes for the same time,
 * each just long enough to send the next one.
 *
 * Y. Yang, H. Casanova, UMR: a multi-round algorithm for scheduling divisible workloads, IPDPS
 * 2003. With S_i = 1 / (r + w)_i, cLat_i = R_i + W_i, nLat_i = H_i, B_i = 1 / h_i and R_j the tasks
 * of round j: c_{j,i} = alpha_i R_j + beta_i and R_{j+1} = theta R_j + mu. Equal workers are the
 * special case alpha_i = 1 / N, beta_i = 0.
 */
#ifndef PLANNER_SCHEDULERS_ROUNDS_UMR_H
#define PLANNER_SCHEDULERS_ROUNDS_UMR_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/schedulers/search/ranking.h"

struct umr {
    const struct ranking *ranking;
    int64_t count;
    double speed;     /* sum S_i */
    double latency;   /* sum S_i cLat_i */
    double feed_s;    /* sum nLat_i + beta_i / B_i */
    double feed_rate; /* sum alpha_i / B_i */
    double theta, mu; /* R_{j+1} = theta R_j + mu */
};

void umr_init(struct umr *umr, const struct ranking *ranking, int64_t count);
/* R_0 such that M rounds hold `tasks`. */
double umr_first(const struct umr *umr, double rounds, double tasks);
/* The worker's load in a round of that many tasks; may be negative. */
double umr_load(const struct umr *umr, int64_t worker, double round_tasks);
/* The Lagrange condition: the real M at which F(M) = X / sum S + M sum S cLat / sum S + sum(nLat_i
 * + c_{0,i} / B_i) is stationary; 1 where F only grows. */
double umr_rounds(const struct umr *umr, double tasks);

#endif
