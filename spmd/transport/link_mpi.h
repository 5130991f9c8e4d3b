/*
 * Links over MPI, for what must reach MPI beside a link.
 */
#ifndef SPMD_TRANSPORT_LINK_MPI_H
#define SPMD_TRANSPORT_LINK_MPI_H

#include <mpi.h>

#include "spmd/transport/link.h"

/* Local. The communicator is borrowed; from now on its errors return, which links see to. */
struct link link_mpi(MPI_Comm mpi);
/* Local. MPI's own request of one that is pending, MPI_REQUEST_NULL of another. */
MPI_Request link_mpi_request(const struct link_request *request);
/* Local. Somebody else has completed it. */
void link_mpi_complete(struct link_request *request, const MPI_Status *status);

#endif
