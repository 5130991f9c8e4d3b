/*
 * What a run reads, parsed once: its plan, and the profile that the plan was made from.
 */
#ifndef SPMD_LAUNCH_DOCUMENTS_H
#define SPMD_LAUNCH_DOCUMENTS_H

#include <stdbool.h>

#include "planner/base/failure.h"
#include "planner/model/plan.h"
#include "planner/model/profile.h"
#include "planner/strips/strips_plan.h"
#include "spmd/transport/comm.h"

struct documents {
    bool masters; /* set before they are read: the plan may have several masters side by side */
    char *plan_text, *profile_text; /* owned, as they are kept in the output; profile NULL: none */
    struct plan plan;
    struct strips_plan strips; /* in place of the plan, where strip_count is not 0 */
    struct profile profile;    /* empty where there is none */
};

/* Collective: the master reads, everybody parses. `profile` may be NULL: then the plan's own is
 * looked for, where it was when the plan was made and beside the plan; without it there is none. A
 * profile that the plan was not made from is refused. To be released on failure, too. */
bool documents_read(struct documents *documents, const struct comm *comm, const char *plan,
                    const char *profile, struct failure *failure);
/* Local. This text (owned) takes the plan's place. */
bool documents_replace_plan(struct documents *documents, char *text, size_t length,
                            const char *plan, struct failure *failure);
/* Local. The plan has been changed, and its text follows. */
bool documents_renew(struct documents *documents, struct failure *failure);
/* The profile; NULL: there is none. */
const struct profile *documents_profile(const struct documents *documents);
void documents_release(struct documents *documents);

#endif
