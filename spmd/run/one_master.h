/*
 * Plans of several masters, where something is asked for that only one master can do: it sends all
 * packages, and the master says so, and what that is expected to take. A plan may have several
 * masters without anybody having asked for them, so that no run fails by that. Likewise plans whose
 * master computes, where it has others to look after.
 */
#ifndef SPMD_RUN_ONE_MASTER_H
#define SPMD_RUN_ONE_MASTER_H

#include <stdbool.h>

#include "planner/base/failure.h"
#include "spmd/launch/documents.h"

struct one_master {
    const char *command, *plan_name;
    const char *what; /* is for one master, or takes all of it; NULL: nothing does, and the plan
                       * stays as it is */
    bool by_rule;     /* packages are assigned on request, in place of the plan's */
    bool says;        /* this process is the one that says so */
};

/* Local, the same on every rank. The documents' plan becomes one of a single master, with the
 * prediction of its profile where there is one. */
bool one_master_take(struct documents *documents, const struct one_master *one,
                     struct failure *failure);
/* The same of a master that computes, whose core tasks its workers get. */
bool one_master_rest(struct documents *documents, const struct one_master *one,
                     struct failure *failure);

#endif
