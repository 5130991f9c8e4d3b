/*
 * Separates slow workers from expensive places: the logarithm of every timing is a worker's term
 * plus a place's term plus an error, by least squares (the two-way layout without interaction;
 * Scheffé, The Analysis of Variance, 1959, 4.1, of any design that connects the workers by places
 * that several of them timed). Places are eliminated first, because their block is diagonal; the
 * remaining system has one row per worker (LAPACK's Cholesky).
 */
#ifndef CALIBRATE_FIT_TWO_WAY_H
#define CALIBRATE_FIT_TWO_WAY_H

#include <stdbool.h>
#include <stdint.h>

struct two_way_timing {
    int worker; /* from 0 */
    int64_t place;
    double log; /* of the seconds */
};

struct two_way {
    double *terms;  /* owned; by worker, of mean 0 */
    double *errors; /* owned; standard errors of two such terms' difference are the roots of the sum
                     * of two squares; huge for a worker that nothing connects with the others */
    int workers;
    double noise;    /* standard deviation of a timing */
    int64_t freedom; /* degrees that it is known from; 0: it is not known */
};

/* Of `workers` workers and `places` places, each of which was timed at least once. To be released,
 * also on failure. False: out of memory. */
bool two_way_fit(const struct two_way_timing *timings, int64_t count, int workers, int64_t places,
                 struct two_way *fit);
void two_way_release(struct two_way *fit);

#endif
