/*
 * Sums over all workers, for rules that ask for them with every package: only what has changed
 * since is looked at anew. The terms are added in the order of the workers, so that the sums are,
 * to the bit, those of a loop over all of them: from the first worker whose term has changed on
 * they are added again, which is a fraction of what it takes to find the terms.
 */
#ifndef PLANNER_DISPATCH_RULE_SUMS_H
#define PLANNER_DISPATCH_RULE_SUMS_H

#include "planner/dispatch/rule.h"

enum { SUMS_MOST = 2 };

/* What is known of a worker. */
enum sums_status {
    SUMS_NEW,   /* it has reported too few packages */
    SUMS_ZERO,  /* its packages took no time */
    SUMS_KNOWN, /* it has terms */
    SUMS_LOST,  /* it is not counted */
    SUMS_STATUSES
};

/* The first member of what such a rule keeps of a worker (rule_worker.own). */
struct sums_worker {
    double term[SUMS_MOST];
    double before[SUMS_MOST]; /* the sums of the workers before */
    enum sums_status status;
    bool changed;
    int64_t next; /* of those that have changed: 1 + the worker; 0: it is the last one */
};

/* What it keeps of all of them. */
struct sums {
    int64_t workers[SUMS_STATUSES]; /* of each status */
    double total[SUMS_MOST];
    int64_t first_changed; /* 1 + the worker; 0: none has */
    int64_t valid;         /* workers whose `before` holds; one more: so do the totals */
};

struct sums_worker *sums_of(const struct rule_state *state, int64_t worker);
/* All workers are new. */
void sums_start(struct sums *sums, int64_t workers);
/* The worker has reported, is lost, or is back: its term will be asked for. */
void sums_change(struct sums *sums, const struct rule_state *state, int64_t worker,
                 enum sums_status status);
/* Of those that have changed, one after the other; -1: there is no other. */
int64_t sums_next(struct sums *sums, const struct rule_state *state);
/* The terms of a worker from now on; NULL: none. */
void sums_set(struct sums *sums, const struct rule_state *state, int64_t worker,
              const double term[SUMS_MOST]);
/* When all that have changed are set: the totals follow. */
void sums_settle(struct sums *sums, const struct rule_state *state);

#endif
