/*
 * The state of a campaign, shared by its parts, scouting and passes. Local to the master.
 */
#ifndef CALIBRATE_PROBING_H
#define CALIBRATE_PROBING_H

#include "calibrate/allotment.h"
#include "calibrate/campaign.h"

enum { SCOUT_STEPS_MOST = 24 };

/* Packages of one size, one or two for every worker. */
struct scout_step {
    int64_t tasks;
    double longest_s; /* one on the slowest worker, or the master's part of one for each */
    double *own_s;    /* owned; by rank, on each worker */
};

/* For how much of their work workers waited for the store. */
struct weight {
    double worked_s, stalled_s;
};

struct probing {
    const struct campaign *campaign;
    struct samples *samples;
    struct failure *failure;
    struct campaign_outcome *outcome;
    double begun_s;  /* by the prober's clock */
    double budget_s; /* as it was extended */
    double end_s;    /* when it will probably be over, since it began */
    struct scouting costs;
    struct scout_step steps[SCOUT_STEPS_MOST];
    int step_count;
    struct samples scouted; /* owned: the timings of these steps */
    bool is_started;        /* workers are: a probe has been carried out */
    int64_t held;           /* the largest package since they started anew */
    bool is_scouted, is_scouted_kept, is_measured, said; /* measured: in passes */
    int pass;     /* the next one's number within the campaign */
    int restarts; /* so many passes more may begin with workers that start anew; -1: all */
    struct allotment allotment;
    struct design grid, focus;
    struct design_pass grid_sets[CAMPAIGN_SETS_MOST], focus_sets[CAMPAIGN_SETS_MOST];
    struct weight grid_weight, focus_weight;
    double pass_s, again_s; /* length of the last pass of the first half, and of the second */
};

double probing_spent_s(const struct probing *self);
/* What packages do in one run of the executor. */
struct probing_run {
    const struct design_pass *pass;
    int64_t part; /* of the pass */
    int64_t largest;
    bool ahead, afresh;
    double until_s; /* since the campaign began */
};
/* Carry one out and keep its timings in *samples, as those of that pass. *outcome is to be released
 * also on failure. */
bool probing_run(struct probing *self, const struct probing_run *probe, int pass,
                 struct samples *samples, struct probe_outcome *outcome);
/* Print once the messages for the user. */
void probing_say(struct probing *self, const char *sentence);

#endif
