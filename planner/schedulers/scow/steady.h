/*
 * Rounds that repeat, then an adjusted last one: from the real loads of one period to candidate
 * plans (de la Torre, sections 5.1 and 5.3).
 */
#ifndef PLANNER_SCHEDULERS_SCOW_STEADY_H
#define PLANNER_SCHEDULERS_SCOW_STEADY_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/schedulers/search/search.h"

struct steady {
    struct search *search;
    const struct ranking *ranking;
    double tasks;  /* to be done by the repeating rounds and the last one */
    double *loads; /* of one period, real; one per worker, as the arrays below */
    double *plain; /* of one period as it is sent */
    double *delays, *round, *auxiliary; /* scratch */
    const double *ramp; /* borrowed; ramp_rounds x ranking->count loads sent before; may be NULL */
    int64_t ramp_rounds;
    struct steady_won {
        double makespan_s;      /* of the last plan that became the incumbent; 0: none has */
        double *plain, *delays; /* its own */
        double total, rounds;   /* core tasks of its last round, rounds of `plain` before it */
        int steps;              /* that its last round was made with */
        size_t before;          /* entries of its rounds before that */
        int64_t twice;          /* workers with an auxiliary package */
    } won;
};

/* For all of the request's tasks. False: memory ended (the search knows). */
bool steady_open(struct steady *steady, struct search *search, const struct ranking *ranking);
void steady_close(struct steady *steady);
/* Offer plans of about `rounds` rounds of steady->loads, discretised; period_s is their T. */
void steady_offer(struct steady *steady, double period_s, double rounds);
/* The same for the whole loads in steady->plain: as many rounds as fit, and one fewer. */
void steady_offer_whole(struct steady *steady, double period_s);
/* Where the incumbent is one of these plans: offer it with auxiliary packages for fewer workers,
 * every number of them where they are few. */
void steady_offer_last_rounds(struct steady *steady);

#endif
