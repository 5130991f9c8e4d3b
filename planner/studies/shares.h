/*
 * Which share of their processors, and of the bandwidth to them, a profile's workers will have, by
 * what has been seen of their nodes: a class by the node of its name, or of its worker's ("n1:3"),
 * or, where it spans several ("n1:1 to n4:8"), by the first and the last of them; every class by
 * the only node that was seen. Shares are of what there was when they were measured: of processors
 * where the profile says that, or of all; of bandwidth only where it says that.
 */
#ifndef PLANNER_STUDIES_SHARES_H
#define PLANNER_STUDIES_SHARES_H

#include "planner/forecast/observations.h"
#include "planner/model/plan.h"
#include "planner/model/profile.h"

/* While a job of `tasks` core tasks takes as long as it does at best (platform_ideal) with what is
 * forecast. *shared is owned by the caller. FAILURE_MISMATCH: a class's node was not seen; `path`
 * is what failures call the observations. */
bool shares_forecast(const struct observations *observations, const char *path,
                     const struct profile *profile, double tasks, struct plan_shared **shared,
                     size_t *count, struct failure *failure);
/* A name within a longer one. */
struct node_name {
    const char *at; /* borrowed */
    size_t length;
};

/* The nodes of a class of that name, the first and the last one, or one: "n1" and "n4" of "n1:1 to
 * n4:8", "n1" of "n1:1 to n1:8" and of "n1:3". Returns how many. */
int shares_nodes(const char *name, struct node_name nodes[2]);
/* Was a network looked at of which the profile does not say, of all its workers, what it was? */
bool shares_network_unknown(const struct observations *observations, const struct profile *profile);

#endif
