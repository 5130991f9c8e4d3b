/*
 * A cluster profile: what calibration measured, or what a user wrote by hand.
 * One setting per block size; per setting, affine windows: intervals of package sizes in which
 * one affine mapping per operation holds.
 */
#ifndef PLANNER_MODEL_PROFILE_H
#define PLANNER_MODEL_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "planner/base/failure.h"
#include "planner/base/parameter.h"
#include "planner/model/cost.h"

/* `count` equal workers. */
struct profile_worker {
    char *name;    /* owned; NULL when not given */
    int64_t count; /* >= 1 */
    struct measured_cost link, receive, compute, output;
};

struct profile_window {
    int64_t least, greatest; /* package sizes, core tasks, 1 <= least <= greatest */
    struct measured_cost envelope, send;
    struct profile_worker *workers; /* owned */
    size_t worker_count;            /* classes, not workers */
};

struct profile_setting {
    int block;                      /* edge of a core task; 0 when not given */
    char *method;                   /* owned: how tasks were computed, NULL when not given */
    struct profile_window *windows; /* owned, ascending, disjoint */
    size_t window_count;
};

/* Where and when it was measured; every string owned and NULL when not given. */
struct profile_origin {
    char *host_name, *processor, *isa; /* keys "name", "processor", "isa" of "host" */
    int threads;                       /* key "threads" of "host"; 0 when not given */
    char *mpi, *created, *version;
};

struct profile {
    char *kernel; /* owned */
    struct parameter_list parameters;
    struct profile_origin origin;
    struct profile_setting *settings; /* owned */
    size_t setting_count;
};

/* The setting of that block size, borrowed; NULL when there is none. */
const struct profile_setting *profile_find(const struct profile *profile, int block);
/* Workers with counts expanded. */
int64_t profile_workers(const struct profile_window *window);
void profile_setting_release(struct profile_setting *setting);
void profile_release(struct profile *profile);

#endif
