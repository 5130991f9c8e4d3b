/*
 * All probes of one setting, within a budget of time.
 *
 * First the ranks are scouted: ever larger packages until one takes a good part of the budget. Then
 * come passes over all sizes, each at places of its own; then the same packages again, so that
 * noise, places and the machine's drift can be told apart, together with packages of the sizes that
 * a plan for this job would use, where the prediction is most sensitive, and of sizes between which
 * a cost breaks.
 */
#ifndef CALIBRATE_CAMPAIGN_H
#define CALIBRATE_CAMPAIGN_H

#include "calibrate/fit/design.h"
#include "calibrate/fit/sample.h"
#include "calibrate/probe.h"
#include "planner/base/failure.h"

/* How thoroughly. */
struct campaign_effort {
    double budget_s;
    double growth;   /* from one package size to the next */
    int sets;        /* of places; two passes each */
    int copies_most; /* packages of one size for a worker in a pass */
};

/* Says how far it is; may be called often. Pass -1: it is still finding out what can be probed. */
struct campaign_watch {
    void (*tell)(void *self, int pass, int passes, double left_s);
    void *self;
};

struct campaign {
    const struct probe_setup *setup;
    struct campaign_effort effort;
    struct campaign_watch watch;
    int setting;    /* for the samples */
    int first_pass; /* numbers its passes from here */
    uint64_t seed;  /* of places and orders */
};

enum { CAMPAIGN_SETS_MOST = 8 };

struct campaign_outcome {
    int64_t largest; /* package size probed */
    /* Of workers' time in packages of a plan's sizes: waiting for the store (0: nobody asked). */
    double stalled_share;
};

/* Local to the master, the workers being in probe_serve. Adds to *samples. At least two passes are
 * made, however short the budget. */
bool campaign_run(const struct campaign *campaign, struct samples *samples,
                  struct campaign_outcome *outcome, struct failure *failure);

#endif
