/* What every kind of dispatch provides; only the dispatch files include this. */
#ifndef PLANNER_DISPATCH_DISPATCH_KIND_H
#define PLANNER_DISPATCH_DISPATCH_KIND_H

#include "planner/dispatch/dispatch.h"

struct dispatch_kind {
    enum dispatch_answer (*next)(struct dispatch *dispatch, double now_s, struct package *package);
    /* As dispatch_report; may be NULL: reports change nothing. */
    void (*done)(struct dispatch *dispatch, const struct package *package,
                 struct dispatch_times times);
    void (*unsent)(struct dispatch *dispatch, const struct package *package);   /* may be NULL */
    void (*returned)(struct dispatch *dispatch, const struct package *package); /* may be NULL */
    void (*lost)(struct dispatch *dispatch, int64_t worker);                    /* may be NULL */
    bool (*claim)(struct dispatch *dispatch, const struct package *package); /* may be NULL: true */
    /* May be NULL. */
    void (*joined)(struct dispatch *dispatch, int64_t worker, int64_t like, double now_s);
    void (*free)(struct dispatch *dispatch);
    /* For a dispatch that wraps another one: the inner one, whose answers other functions pass on;
     * NULL: there is none. */
    const struct dispatch *(*inner)(const struct dispatch *dispatch);
    /* As dispatch_due_s; may be NULL: that of the inner one, or HUGE_VAL. */
    double (*due)(const struct dispatch *dispatch);
    /* As dispatch_gives_more; may be NULL: that of the inner one, or nobody knows. */
    bool (*gives_more)(const struct dispatch *dispatch, int64_t worker);
    /* As dispatch_hears; may be NULL: that of the inner one, or dispatch_listens. */
    bool (*hears)(const struct dispatch *dispatch);
    /* As dispatch_late; may be NULL: ignored. */
    void (*late)(struct dispatch *dispatch, int64_t worker, bool late);
    /* As dispatch_busy; may be NULL: ignored. */
    void (*busy)(struct dispatch *dispatch, int64_t worker, double until_s, bool over);
    /* As dispatch_worth; may be NULL: ignored. */
    void (*worth)(struct dispatch *dispatch, int64_t worker, double units);
    struct dispatch_blame (*blame)(struct dispatch *dispatch,
                                   const struct package *package); /* may be NULL */
    /* As dispatch_run and dispatch_skip; both may be NULL: nothing repeats itself. */
    struct dispatch_run (*run)(const struct dispatch *dispatch);
    void (*skip)(struct dispatch *dispatch, const struct dispatch_skip *skip);
    /* As dispatch_own; may be NULL: the master computes nothing. */
    bool (*own)(struct dispatch *dispatch, double now_s, int64_t most, struct package *package);
    /* As dispatch_master; may be NULL: that of the inner one, or nothing. */
    struct plan_master (*master)(const struct dispatch *dispatch);
    /* As dispatch_left and dispatch_cut; both may be NULL: nothing can be taken away. */
    int64_t (*left)(const struct dispatch *dispatch);
    bool (*cut)(struct dispatch *dispatch, int64_t tasks, struct dispatch_given *given);
};

/* First member of every kind's own struct. */
struct dispatch {
    const struct dispatch_kind *kind;
};

/* The worker does other work before the packages of this dispatch: until until_s or, as long as
 * `over` is false, about until then; before it is over, none of its packages count as late. */
void dispatch_busy(struct dispatch *dispatch, int64_t worker, double until_s, bool over);

/* The worker's package that was handed out last takes as long as one of so many, for what it has is
 * not cut where it was to be. False: the dispatch takes no notice, and is to be told of times as if
 * they were for what the package counts as. */
bool dispatch_worth(struct dispatch *dispatch, int64_t worker, double units);

/* After DISPATCH_WAIT: may what is handed out next depend on reports? */
bool dispatch_hears(const struct dispatch *dispatch);

/* Nothing is to be expected of that worker for now, or it is again: what is held back until it
 * reports is handed out, and whoever asked gives it to others. */
void dispatch_late(struct dispatch *dispatch, int64_t worker, bool late);

/* Core tasks that have not been handed out, as far as they can be taken away. */
int64_t dispatch_left(const struct dispatch *dispatch);
/* Can they be taken away? */
bool dispatch_cuts(const struct dispatch *dispatch);
/* About so many of these, the last ones, are not handed out any more: to be done elsewhere. False:
 * out of memory. */
bool dispatch_cut(struct dispatch *dispatch, int64_t tasks, struct dispatch_given *given);

/* For a rule that follows another dispatch. No worker requests packages until dispatch_rule_ask. */
void dispatch_rule_hold(struct dispatch *dispatch);
/* This worker requests one more package. */
void dispatch_rule_ask(struct dispatch *dispatch, int64_t worker);
/* The rule learns from this package, which it did not hand out itself. */
void dispatch_rule_learn(struct dispatch *dispatch, const struct package *package,
                         struct dispatch_times times);
/* Move all times that the rule has recorded, by worker. */
void dispatch_rule_later(struct dispatch *dispatch, const double *later_s);

#endif
