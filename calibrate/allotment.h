/*
 * Plans the time of a campaign: package sizes and sets of places for its passes. No clock, no I/O.
 */
#ifndef CALIBRATE_ALLOTMENT_H
#define CALIBRATE_ALLOTMENT_H

#include "calibrate/campaign.h"

/* A latency is told from a rate where the largest of at least three sizes takes so many times as
 * long. */
#define ALLOTMENT_LATENCIES 10

struct allotment {
    int sets;        /* of places; 0: there is no time for a pass over several sizes */
    int64_t largest; /* core tasks in a package */
    double growth;   /* from one size to the next */
    double pass_s;   /* that the packages of a pass may take */
};

/* The smallest size that must be timed: ten times the latency, but at most `most` core tasks. */
int64_t allotment_need(const struct scouting *costs, int64_t most);
/* So many core tasks are computed at most, whatever they cost. */
double allotment_tasks_most(const struct campaign_effort *effort, int64_t tasks, int workers);
/* The most sets of places whose passes, over sizes up to one that is large enough, fit into left_s
 * seconds: twice each, the second time with as many packages of a plan's sizes. */
struct allotment allotment_make(const struct scouting *costs, const struct campaign_effort *effort,
                                int64_t most, double left_s);
/* No plan for all workers gives one of them much more than its even share of the tasks, or, if it
 * is faster than the others by `lead`, its share by speed. */
int64_t allotment_size_most(const struct campaign *campaign, double lead);

#endif
