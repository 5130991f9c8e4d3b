/* What every kind of dispatch provides; only the dispatch files include this. */
#ifndef PLANNER_DISPATCH_DISPATCH_KIND_H
#define PLANNER_DISPATCH_DISPATCH_KIND_H

#include "planner/dispatch/dispatch.h"

struct dispatch_kind {
    enum dispatch_answer (*next)(struct dispatch *dispatch, double now_s, struct package *package);
    /* May be NULL: reports change nothing. */
    void (*done)(struct dispatch *dispatch, const struct package *package, double start_s,
                 double end_s);
    void (*lost)(struct dispatch *dispatch, int64_t worker); /* may be NULL */
    void (*free)(struct dispatch *dispatch);
    /* Of those around another one, which alone decides; NULL: it decides itself. */
    const struct dispatch *(*inner)(const struct dispatch *dispatch);
    /* May be NULL: what the inner one says; without one, time alone changes nothing. */
    double (*due)(const struct dispatch *dispatch);
};

/* First member of every kind's own struct. */
struct dispatch {
    const struct dispatch_kind *kind;
};

/* Of a rule that comes after something else: nobody asks until told, */
void dispatch_rule_hold(struct dispatch *dispatch);
/* this worker can take a package more, */
void dispatch_rule_ask(struct dispatch *dispatch, int64_t worker);
/* and this one, which the rule had not handed out, was worked on: rules learn from it. */
void dispatch_rule_learn(struct dispatch *dispatch, const struct package *package, double start_s,
                         double end_s);

#endif
