/*
 * Powers of workers, for rules that count a worker as so many processors: A_i = V_i / Q_i, V_i its
 * speed, where the slowest worker's is 1 or as many as the rule is told, Q_i the length of its
 * processor's queue (J. Xu, A. T. Chronopoulos, Distributed self-scheduling for heterogeneous
 * workstation clusters, 1999). Workers report Q_i = 1 / a, a the share that they had of their
 * processors while they worked on the last package. Where nobody has measured it, Q_i is how many
 * times longer its core tasks last took than at best: than the least mean of recent packages, for
 * of thousands that differ by chance the quickest one says little.
 *
 * Their A_i are whole numbers: floor(V_i / Q_i); scaled: of ten times that, so that a tenth counts;
 * real: not rounded, which is the preset, for half a processor is not the same as none. In all
 * three Q_i is rounded to a whole number, as a queue is; measured: not. Nobody has less than what
 * still counts: who had to wait at power 0 would tell nothing of its processor meanwhile, for
 * workers measure it where they compute, and the part that it could do would be lost. So it gets
 * the smallest share, and with the end of that package the next look.
 */
#ifndef PLANNER_DISPATCH_RULE_POWER_H
#define PLANNER_DISPATCH_RULE_POWER_H

#include "planner/dispatch/rule.h"

enum rule_power { POWER_INTEGER, POWER_SCALED, POWER_REAL, POWER_MEASURED };

/* What such a rule keeps of a worker (rule_worker.own). */
struct power_worker {
    double planned;          /* A_i, when sizes were planned last */
    double now;              /* as last reported */
    double recent_s, best_s; /* mean of recent times per task, and the least of these so far */
};

/* What such a rule keeps of all workers together: no answer looks at each of them. */
struct powers {
    enum rule_power kind;
    double sum;      /* A, of those that are planned with */
    double one;      /* the relative speed that is one processor's */
    int64_t changed; /* workers whose power is another one now */
};

/* The first two options of such a rule. */
#define RULE_POWER_OPTIONS                                                                         \
    {"power", "processors that a worker counts as",     NULL, POWER_REAL,                          \
     0,       {"integer", "scaled", "real", "measured"}},                                          \
    {                                                                                              \
        "slowest", "processors that the slowest worker counts as", NULL, 1, 1000,                  \
        {                                                                                          \
            NULL                                                                                   \
        }                                                                                          \
    }
enum { POWER_KIND, POWER_SLOWEST, POWER_OPTIONS };

/* Are they whole numbers? */
static inline bool power_is_whole(enum rule_power kind)
{
    return kind == POWER_INTEGER || kind == POWER_SCALED;
}
size_t power_worker_size(const int64_t *option);
struct power_worker *power_of(const struct rule_state *state, int64_t worker);
/* Nobody has reported yet; power_plan follows. By the rule's first two options. */
void power_start(struct rule_state *state, struct powers *powers);
/* Those of now are what is planned with. */
void power_plan(struct rule_state *state, struct powers *powers);
/* After a report: have more than half of the powers changed since they were planned with (real ones
 * by more than a tenth)? */
bool power_changed(struct rule_state *state, int64_t worker, struct powers *powers);
/* A rule's `first`: the most powerful workers are answered first. */
double power_first(const struct rule_state *state, int64_t worker);

#endif
