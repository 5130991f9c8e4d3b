#include "spmd/strips/exchange_probe.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "spmd/transport/clock.h"
#include "spmd/transport/wire.h"

enum { NEIGHBOURS = 2, REPEATS = 41, WARM = 4 };
/* Less is not told from nothing. */
static const double clock_step_s = 1e-8;

struct prober {
    const struct comm *comm;
    int ranks[NEIGHBOURS], count; /* neighbours of this one */
    char *out, *in[NEIGHBOURS];   /* owned; borders */
};

static void prober_release(struct prober *prober)
{
    free(prober->out);
    free(prober->in[0]);
    free(prober->in[1]);
}

static bool prober_make(const struct comm *comm, size_t bytes, struct prober *prober)
{
    *prober = (struct prober){.comm = comm};
    if (comm_leads(comm))
        return true;
    if (comm->rank > 1)
        prober->ranks[prober->count++] = comm->rank - 1;
    if (comm->rank + 1 < comm->size)
        prober->ranks[prober->count++] = comm->rank + 1;
    prober->out = calloc(bytes, 1);
    for (int k = 0; k < NEIGHBOURS; k++)
        prober->in[k] = calloc(bytes, 1);
    return prober->out && prober->in[0] && prober->in[1];
}

/* Seconds of one exchange with all neighbours. */
static double exchange_once(const struct prober *prober, size_t bytes)
{
    struct link_request in[NEIGHBOURS] = {{0}}, out[NEIGHBOURS] = {{0}};
    const struct comm *comm = prober->comm;
    const int tag = wire_strip_tag(WIRE_STRIP_BORDER, 0);
    const double start_s = clock_now();
    for (int k = 0; k < prober->count; k++) {
        link_receive(comm->link, prober->in[k], bytes, prober->ranks[k], tag, &in[k]);
        link_send(comm->link, prober->out, bytes, prober->ranks[k], tag, &out[k]);
    }
    for (int k = 0; k < prober->count; k++) {
        comm_wait(comm, &in[k]);
        comm_wait(comm, &out[k]);
    }
    return clock_now() - start_s;
}

static int ascending(const void *a, const void *b)
{
    const double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

/* Of one neighbour: the median; 0 of the master. */
static double exchange_median(const struct prober *prober, size_t bytes)
{
    double seconds[REPEATS];
    if (prober->count == 0)
        return 0;
    for (int k = 0; k < WARM; k++)
        exchange_once(prober, bytes);
    for (int k = 0; k < REPEATS; k++)
        seconds[k] = exchange_once(prober, bytes) / prober->count;
    qsort(seconds, REPEATS, sizeof *seconds, ascending);
    return seconds[REPEATS / 2];
}

static struct exchange_sample sample_of(size_t bytes, const double *medians, int workers)
{
    struct exchange_sample sample = {.bytes = bytes};
    double squares = 0;
    for (int k = 0; k < workers; k++)
        sample.seconds += medians[k] / workers;
    for (int k = 0; k < workers; k++)
        squares += (medians[k] - sample.seconds) * (medians[k] - sample.seconds);
    /* A twentieth where workers agree by chance: medians of so many are not better known. */
    sample.deviation_s = fmax(clock_step_s, fmax(sample.seconds / 20, sqrt(squares) / workers));
    return sample;
}

/* From one number to the most, each the same factor larger. */
static size_t bytes_at(int k, size_t most)
{
    const double least = sizeof(double);
    return (size_t)(least * pow((double)most / least, (double)k / (EXCHANGE_SIZES - 1)));
}

bool exchange_probe(const struct comm *comm, size_t bytes_most,
                    struct exchange_sample samples[EXCHANGE_SIZES], int *count,
                    struct failure *failure)
{
    struct prober prober;
    const size_t most = bytes_most > sizeof(double) ? bytes_most : sizeof(double);
    double *medians = calloc((size_t)comm->size, sizeof *medians);
    *count = 0;
    if (!prober_make(comm, most, &prober) || !medians)
        failure_memory(failure, "measuring exchanges");
    const bool good = comm_agree(comm, failure);
    for (int k = 0; good && comm->size > 2 && k < EXCHANGE_SIZES; k++) {
        const size_t bytes = bytes_at(k, most);
        const double own = exchange_median(&prober, bytes);
        comm_gather(comm, &own, sizeof own, medians);
        if (comm_leads(comm))
            samples[k] = sample_of(bytes, medians + 1, comm->size - 1);
        *count = k + 1;
    }
    prober_release(&prober);
    free(medians);
    return good;
}
