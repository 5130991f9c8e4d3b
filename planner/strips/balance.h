/*
 * Widths of strips of a grid, one for each worker, with which all take equally long for one
 * iteration: T_i = a_i p_i + C_i, T_i = T_j, sum p_i = M columns, so that
 *     tau = (M + sum C_i / a_i) / (sum 1 / a_i),  p_i = (tau - C_i) / a_i
 * (Berman, Wolski, Figueira, Schopf, Shao, Application-level scheduling on distributed
 * heterogeneous networks, 1996: the partition of AppLeS for Jacobi's iteration).
 */
#ifndef PLANNER_STRIPS_BALANCE_H
#define PLANNER_STRIPS_BALANCE_H

#include <stdbool.h>
#include <stdint.h>

/* A worker's part of an iteration. */
struct strip_cost {
    double s_per_column; /* a_i > 0 */
    double fixed_s;      /* C_i: exchanging borders, and what does not depend on the width */
};

/* widths[k] of `count` >= 1 workers, together `columns`. A worker that would get less than
 * `least` >= 0 columns gets 0, the one with the least first; one always stays. Returns tau. */
double strips_balance(const struct strip_cost *costs, int64_t count, int64_t columns, double least,
                      double *widths);
/* Whole widths by largest remainder, ties to the first; widths are 0 or at least 1. */
void strips_round(const double *widths, int64_t count, int64_t columns, int64_t *whole);
/* The longest part of an iteration with these widths; those of 0 take none. */
double strips_step_s(const struct strip_cost *costs, int64_t count, const int64_t *whole);

/* How many columns change their worker. */
int64_t strips_moved(const int64_t *now, const int64_t *later, int64_t count);
/* Does it pay to change the widths from `now` to `later`, if `left` iterations remain and moving a
 * column takes transfer_s? An iteration must become shorter by more than measured times vary
 * anyway, and all of them together by more than moving the columns and a fixed time for the change
 * take. */
bool strips_pay(const struct strip_cost *costs, int64_t count, const int64_t *now,
                const int64_t *later, double left, double transfer_s);

#endif
