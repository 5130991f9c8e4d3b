#include "calibrate/exchange.h"

#include <math.h>

#include "calibrate/fit/costs.h"
#include "kernel/jacobi/jacobi.h"

/* Plans may have other grids than the one at hand. */
static const size_t bytes_least = 1 << 13;

bool exchange_fit(const struct exchange_sample *samples, int count, struct exchange *exchange)
{
    struct point points[EXCHANGE_SIZES];
    struct line line;
    for (int k = 0; k < count; k++)
        points[k] = (struct point){.tasks = (double)samples[k].bytes,
                                   .mean_s = samples[k].seconds,
                                   .error_s = samples[k].deviation_s,
                                   .timings = 1,
                                   .places = 1};
    if (!line_fit(points, count, &line))
        return false;
    if (line.latency_s < 0)
        line = line_proportional(points, count);
    else if (line.s_per_task < 0)
        line = line_constant(points, count);
    *exchange = (struct exchange){line.latency_s, line.s_per_task, sqrt(line.latency_variance),
                                  sqrt(line.rate_variance)};
    return true;
}

bool exchange_find(const struct comm *comm, const struct job *job, struct exchange *exchange,
                   struct failure *failure)
{
    struct exchange_sample samples[EXCHANGE_SIZES];
    int count = 0;
    if (job->task != &jacobi_task)
        return true;
    const size_t border = (size_t)jacobi_rows(job->values.items) * sizeof(double);
    const size_t most = border > bytes_least ? border : bytes_least;
    if (!exchange_probe(comm, most, samples, &count, failure))
        return false;
    if (comm->rank == 0 && count > 0 && !exchange_fit(samples, count, exchange))
        failure_memory(failure, "fitting what exchanges cost");
    return comm_agree(comm, failure);
}
