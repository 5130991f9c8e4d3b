/*
 * Who decides in one part of a simulated run, as spmd/run/execute.c makes it of what is left: a
 * rule, a plan, a plan that is watched and made anew, or a survey (scow go) that plans what its
 * probes leave. How plans look is a matter of chance; what is tested is what becomes of them.
 */
#ifndef TESTS_FAULTS_DECIDES_H
#define TESTS_FAULTS_DECIDES_H

#include "planner/dispatch/watch.h"
#include "planner/model/order.h"
#include "spmd/protocol/counting.h"
#include "spmd/resume/remaining.h"

struct decides_setup {
    const char *rule; /* NULL: a plan */
    bool surveyed;    /* the plan or the rule is that of what probes leave */
    bool watched;     /* the plan is */
    /* Of a plan that is neither: this share of what is left, rounded down, the master computes. */
    double master_share;
    int64_t tasks;    /* of the job */
    int64_t largest;  /* of a package */
    double mean_s;    /* of a core task, as planned with */
    bool keeps;       /* workers keep results until they are asked for them */
    bool copies;      /* what is overdue is handed out once more */
    bool counted;     /* workers take the rule's packages by a counter */
    const char *plan; /* JSON: that is run; NULL: one that is drawn */
    int ahead, workers;
    const struct remaining *remaining; /* NULL: nothing is done yet */
};

/* By dice of its own: what else a seed means does not depend on there being orders. */
struct order order_draw(int64_t tasks);
/* How many core tasks of what is left are handed out, and not as suspects. */
int64_t decides_assigned(const struct decides_setup *setup);
/* A rule for so many. */
struct dispatch_setup decides_rule(const struct decides_setup *setup, int64_t tasks);

/* What workers count by, the same on every rank: points to the setup, and into itself. */
struct decides_counted {
    struct counted counted;
    struct dispatch_setup rule;
    struct task_range whole;
    struct link_counter counter;
};

void decides_count(struct decides_counted *counted, const struct decides_setup *setup);

/* Zero before decides_make; must outlive its dispatch, and not be moved. */
struct decides {
    struct decides_setup setup;
    struct plan plan;         /* owned; where it is one */
    struct platform platform; /* owned; where it is watched */
};

/* NULL with *failure set: out of memory. */
struct dispatch *decides_make(struct decides *decides, const struct decides_setup *setup,
                              struct failure *failure);
void decides_release(struct decides *decides);

#endif
