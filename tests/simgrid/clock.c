/* Simulated time passes only in naps, messages and simulated computation. A rank that waits sleeps
 * until what it awaits has arrived, so that nothing is late and no event is spent on looking. */
#include "spmd/transport/clock.h"

#include <math.h>
#include <mpi.h>
#include <string.h>
#include <time.h>

#include "spmd/transport/link_mpi.h"

const double clock_late_s = 0;

/* The nap where nothing is awaited that MPI knows; and the shortest one, well above the precision
 * of simulated time, below which time would stand still. */
static const double nap_s = 1e-4, nap_least_s = 1e-7;

/* How often a rank that waits until something is due looks for what else it awaits: of things that
 * arrive between two looks, the order is not known. */
enum { LOOKS = 32 };
static const double blind_most_s = 1e-3;

double clock_now(void)
{
    return MPI_Wtime();
}

void clock_nap(double seconds)
{
    seconds = fmax(seconds, nap_least_s);
    const time_t whole = (time_t)seconds;
    const struct timespec nap = {whole, (long)(1e9 * (seconds - (double)whole))};
    smpi_nanosleep(&nap, NULL);
}

/* Finds the requests that are under way. */
static int requests_find(const struct awaited *awaited, struct link_request **found)
{
    int count = 0;
    for (int k = 0; k < AWAITED_MOST; k++)
        if (awaited->requests[k] && awaited->requests[k]->pending)
            found[count++] = awaited->requests[k];
    return count;
}

static void one_wait(struct link_request **requests, int count)
{
    MPI_Request all[AWAITED_MOST];
    MPI_Status status;
    int done = 0;
    for (int k = 0; k < count; k++)
        all[k] = link_mpi_request(requests[k]);
    memset(&status, 0, sizeof status);
    MPI_Waitany(count, all, &done, &status);
    link_mpi_complete(requests[done], &status);
}

static double nap_of(double left_s)
{
    return fmin(left_s / LOOKS, blind_most_s);
}

void clock_pause(struct pause *pause, const struct awaited *awaited)
{
    struct link_request *requests[AWAITED_MOST];
    const int count = requests_find(awaited, requests);
    if (pause->count++ == 0)
        pause->nap_s = nap_of(awaited->left_s);
    if (awaited->left_s > 0)
        clock_nap(fmin(awaited->left_s, fmax(pause->nap_s, nap_of(awaited->left_s))));
    else if (count > 0)
        one_wait(requests, count);
    else
        clock_nap(nap_s);
}
