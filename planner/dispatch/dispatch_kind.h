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
    /* As dispatch_busy; may be NULL: it does not matter. */
    void (*busy)(struct dispatch *dispatch, int64_t worker, double until_s, bool over);
    struct dispatch_blame (*blame)(struct dispatch *dispatch,
                                   const struct package *package); /* may be NULL */
    /* As dispatch_run and dispatch_skip; both may be NULL: nothing repeats itself. */
    struct dispatch_run (*run)(const struct dispatch *dispatch);
    void (*skip)(struct dispatch *dispatch, const struct dispatch_skip *skip);
};

/* First member of every kind's own struct. */
struct dispatch {
    const struct dispatch_kind *kind;
};

/* The worker has something from elsewhere, which it does before what this hands out: until then,
 * or, as long as that is not over, about until then, and nothing of its is late before it is. */
void dispatch_busy(struct dispatch *dispatch, int64_t worker, double until_s, bool over);

/* Of a rule that comes after something else: nobody asks until told, */
void dispatch_rule_hold(struct dispatch *dispatch);
/* this worker can take a package more, */
void dispatch_rule_ask(struct dispatch *dispatch, int64_t worker);
/* and this one, which the rule had not handed out, was worked on: rules learn from it. */
void dispatch_rule_learn(struct dispatch *dispatch, const struct package *package, double start_s,
                         double end_s);
/* And all that it knows of happened so much later, worker by worker. */
void dispatch_rule_later(struct dispatch *dispatch, const double *later_s);

#endif
