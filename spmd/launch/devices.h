/*
 * Which of a node's GPUs a worker computes on: so that no two workers take the same one.
 */
#ifndef SPMD_LAUNCH_DEVICES_H
#define SPMD_LAUNCH_DEVICES_H

#include <stddef.h>
#include <stdint.h>

#include "planner/base/failure.h"
#include "spmd/transport/comm.h"

/* Local. What worker 0, 1, ... of a node may see, `per_worker` devices each, as a list between
 * commas. Of `given` (NULL: nothing was), a list that a batch system made, its part; a list of no
 * more than `per_worker` is the worker's own already and stays. Where nothing was given, numbers
 * below `gpus` (0: how many there are is not known). */
bool devices_choose(const char *given, int64_t worker, int64_t per_worker, int gpus, char *list,
                    size_t size, struct failure *failure);

struct devices_wish {
    int64_t per_worker;   /* 0: nothing is to be shared out */
    bool master_computes; /* it gets as many, as the first one of its node */
};

/* Collective; before anything computes. Sets CUDA_VISIBLE_DEVICES and ROCR_VISIBLE_DEVICES on
 * workers, and SCOW_GPUS, the devices' numbers on the node, for what neither of them reaches
 * (OpenCL). */
bool devices_share(const struct comm *comm, const struct devices_wish *wish,
                   struct failure *failure);

#endif
