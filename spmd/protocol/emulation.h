/*
 * Operations that also sleep what a profile says they cost, where the executor does them: master,
 * port and workers with known costs on any machine, for a job whose task asks for it (SCOW_SLEEP).
 */
#ifndef SPMD_PROTOCOL_EMULATION_H
#define SPMD_PROTOCOL_EMULATION_H

#include <stdint.h>

#include "planner/base/failure.h"
#include "planner/model/operating.h"
#include "planner/model/plan.h"
#include "planner/model/profile.h"
#include "planner/model/trace.h"
#include "spmd/job/engine.h"
#include "spmd/transport/comm.h"

/* To try what a run does when a worker becomes slow: an environment variable "WORKER,TASKS,FACTOR".
 * That worker (from 1), once it has slept so many core tasks, takes FACTOR times as long for each
 * package that it begins. */
#define EMULATION_SLOW "SCOW_SLEEP_SLOW"

struct emulation;

/* Local. Costs for that plan's settings from its profile (NULL: refused with a sentence), for
 * workers of whom the first one has so many of the profile's before it. NULL with *failure set. */
struct emulation *emulation_new(const struct profile *profile, const struct plan *plan,
                                int64_t before, struct failure *failure);
/* The workers are masters of groups, and not neighbours: worker k is rank ranks[k + 1] of the job,
 * of so many ranks (borrowed), whose master is the first one. */
void emulation_ranks(struct emulation *emulation, const int *ranks, int count);
/* What goes on side by side, by the plan; where nothing is emulated (NULL), as with a single port.
 */
const struct operating_traits *emulation_traits(const struct emulation *emulation);
enum operating emulation_operating(const struct emulation *emulation);
/* Seconds that an operation takes, by the window nearest to the package; `worker` as in the
 * profile, but for those before the first one. */
double emulation_cost(const struct emulation *emulation, enum operation operation, int64_t worker,
                      int64_t tasks);
/* What a package's number from the shared counter takes, after a package of so many core tasks. */
double emulation_fetch_s(const struct emulation *emulation, int64_t worker, int64_t tasks);
/* Local. When an operation that began then is over, on the communicator's clock. Once for each
 * operation: what is computed is counted. */
double emulation_end(const struct emulation *emulation, enum operation operation, int64_t worker,
                     int64_t tasks, double start_s);
/* Local. Return at that time, or when the pulse says stop; pulsing meanwhile. */
void emulation_await(const struct comm *comm, double end_s, struct engine_pulse pulse);
/* Local. Both, for these core tasks of the job: where the plan or its profile says what they are
 * worth, computing takes as much more or less. */
void emulation_sleep(const struct emulation *emulation, const struct comm *comm,
                     enum operation operation, int64_t worker, struct task_range range,
                     double start_s, struct engine_pulse pulse);
void emulation_free(struct emulation **emulation); /* sets *emulation NULL */

#endif
