/*
 * Weights of core tasks that are given to a run beside its plan: they must be those that the plan
 * was made with, or what packages on request go by.
 */
#ifndef SPMD_RUN_PLAN_WEIGHTS_H
#define SPMD_RUN_PLAN_WEIGHTS_H

#include <stdbool.h>

#include "planner/base/failure.h"
#include "planner/command/weights_options.h"
#include "spmd/launch/documents.h"
#include "spmd/transport/comm.h"

/* What they are given to; borrowed. */
struct plan_weights {
    const struct weights_options *options;
    const char *plan_name;
    const char *kernel; /* the plug-in in place of the plan's; NULL: none */
    bool by_rule; /* packages are assigned on request, so that a plan without any takes them */
};

/* Collective, of documents that have been read; nothing where no option asks for weights. The
 * master alone reads them. False with *failure set: they cannot be read, or do not belong to the
 * plan. */
bool plan_weights_take(struct documents *documents, const struct comm *comm,
                       const struct plan_weights *given, struct failure *failure);

#endif
