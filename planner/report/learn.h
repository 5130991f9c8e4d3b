/*
 * What a run teaches its profile.
 *
 * Each cost that the run's packages speak of, by window, operation and class of workers, is fitted
 * anew. Where the profile says how sure the old line is, old and new are pooled by their inverse
 * variances, the run's widened by the drift (the fit's own or the history's with this run, the
 * greater), for a run is one sample of it however many packages it had. Where it does not, the
 * run's line takes the old one's place if it has at least 8 packages whose sizes differ by half;
 * else the old line is scaled to the run's mean. Windows, and operations, without a package stay as
 * they are, and so do the spreads of computing. Where workers say what they had of their
 * processors, computing counts as if they had had as much as when the profile was made, and where
 * the plan reckoned with another bandwidth, links count as if it had been that one. The run's
 * drift goes to the end of the history. Of a run that was resumed, all parts that left a trace are
 * read, and their drift is one.
 */
#ifndef PLANNER_REPORT_LEARN_H
#define PLANNER_REPORT_LEARN_H

#include <stdbool.h>

#include "planner/base/failure.h"
#include "planner/report/report.h"

/* Changes record->profile. Fails where the run has no profile, or cannot be replayed. */
bool learn_costs(struct run_record *record, struct failure *failure);

#endif
