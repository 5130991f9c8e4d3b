/* Ranks for who started none: scow go becomes the launcher of itself. */
#ifndef CALIBRATE_GO_LAUNCHER_H
#define CALIBRATE_GO_LAUNCHER_H

#include <stdbool.h>

#include "planner/base/failure.h"

/* Before MPI begins. Where no launcher has started this process as one of several ranks, by what
 * MPICH's, Open MPI's and Slurm's leave in the environment, become one that starts this program:
 * -j N or --workers N among `argv` says with how many ranks more than one, else as many as this
 * process may use cores; SCOW_LAUNCH names the launcher, else it is that of the build. Help and
 * versions need no ranks. Returns true where there is nothing to do; false with *failure set where
 * it fails. */
bool launcher_become(int argc, char **argv, struct failure *failure);

#endif
