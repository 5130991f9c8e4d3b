/*
 * The machine of a calibration: the origin that its profile records, and what must be equal for a
 * profile to be valid.
 */
#ifndef CALIBRATE_PLACE_H
#define CALIBRATE_PLACE_H

#include "planner/model/profile.h"
#include "spmd/transport/comm.h"

struct place {
    char *machine; /* owned; the master's */
    char *isa;     /* owned: which rank computes with which instruction set */
    char node[LINK_NAME_SIZE];
    char mpi[LINK_VERSION_SIZE];
    int workers, nodes;
    struct topology topology;    /* of this rank's node; known to the first one there */
    struct topology_kinds kinds; /* the master's: of all nodes; none where all are alike */
    int workers_per_node;        /* on this rank's */
    int threads;                 /* of a rank, where a setting does not say */
};

/* Collective. To be released also on failure. */
bool place_find(struct place *place, const struct comm *comm, int threads, struct failure *failure);
void place_release(struct place *place);

/* Local to the master. Strings that cannot be determined are left out: they are for information
 * only. */
void place_sign(const struct place *place, struct profile_origin *origin);
/* Local to the master. Was the profile measured at this place? If not, FAILURE_MISMATCH with the
 * difference and what to do; `path` is the profile's. */
bool place_fits(const struct place *place, const struct profile *profile, const char *path,
                struct failure *failure);

#endif
