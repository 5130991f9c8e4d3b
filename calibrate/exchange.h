/*
 * What exchanging borders costs neighbouring workers, for core tasks that are parts of strips.
 */
#ifndef CALIBRATE_EXCHANGE_H
#define CALIBRATE_EXCHANGE_H

#include <stdbool.h>

#include "planner/base/failure.h"
#include "planner/model/profile.h"
#include "spmd/job/job.h"
#include "spmd/strips/exchange_probe.h"
#include "spmd/transport/comm.h"

/* Latency and seconds a byte of `count` >= 2 samples, none below 0, with their errors. False: out
 * of memory. */
bool exchange_fit(const struct exchange_sample *samples, int count, struct exchange *exchange);
/* Collective. Measured where the job is of such a core task and there are two workers; of others
 * nothing changes. The exchange is the master's. */
bool exchange_find(const struct comm *comm, const struct job *job, struct exchange *exchange,
                   struct failure *failure);

#endif
