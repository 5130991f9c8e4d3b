/* Where a master listens. */
#ifndef SPMD_SERVE_ADDRESS_H
#define SPMD_SERVE_ADDRESS_H

#include "planner/base/failure.h"
#include "spmd/transport/access.h"

/* "HOST[:PORT]", a name or a number of this machine's; NULL: in a job of Slurm's or PBS's the
 * node's own name, elsewhere the loopback, which other machines do not reach. Without a port, or
 * with 0, the system chooses one. False with *failure set: it is none. */
bool address_find(const char *listen, char address[ACCESS_ADDRESS_SIZE], struct failure *failure);
/* Is it one that other machines do not reach, though this is a job's node, whose others may be
 * meant to? */
bool address_keeps_out(const char *address);

#endif
