#include "calibrate/rank_bandwidths.h"

#include <math.h>
#include <stdlib.h>

/* All nodes together take no longer. */
static const double most_s = 5;
/* More digits would be chance. */
enum { DIGITS = 4 };

static double rounded(double bytes_s)
{
    const double step = pow(10, floor(log10(bytes_s)) + 1 - DIGITS);
    return nearbyint(bytes_s / step) * step;
}

static double bandwidth_mean(const struct bandwidth *workers, int64_t count)
{
    double sum = 0;
    int64_t known = 0;
    for (int64_t k = 0; k < count; k++) {
        sum += workers[k].bytes_s;
        known += workers[k].bytes_s > 0;
    }
    return known > 0 ? rounded(sum / (double)known) : 0;
}

static void window_put(const struct bandwidth *workers, int64_t count,
                       struct profile_window *window)
{
    int64_t first = 0;
    for (size_t k = 0; k < window->worker_count; first += window->workers[k++].count) {
        struct profile_worker *class = &window->workers[k];
        const int64_t left = count > first ? count - first : 0;
        class->bandwidth = bandwidth_mean(workers + (left > 0 ? first : 0),
                                          left < class->count ? left : class->count);
    }
}

void rank_bandwidths_put(const struct bandwidth *workers, int64_t count, struct profile *profile)
{
    for (size_t k = 0; k < profile->setting_count; k++)
        for (size_t w = 0; w < profile->settings[k].window_count; w++)
            window_put(workers, count, &profile->settings[k].windows[w]);
}

bool rank_bandwidths_probe(const struct comm *comm, double longest_s, struct bandwidth **found,
                           struct failure *failure)
{
    struct bandwidth *made = comm_leads(comm) ? calloc((size_t)comm->size, sizeof *made) : NULL;
    *found = NULL;
    if (comm_leads(comm) && !made)
        failure_memory(failure, "looking at the network");
    const bool good = comm_agree(comm, failure) && bandwidth_probe(comm, longest_s, made, failure);
    if (good)
        *found = made;
    else
        free(made);
    return good;
}

bool rank_bandwidths_find(const struct comm *comm, struct profile *profile, struct failure *failure)
{
    struct bandwidth *found;
    const bool good = rank_bandwidths_probe(comm, most_s, &found, failure);
    if (found)
        rank_bandwidths_put(found + 1, comm->size - 1, profile);
    free(found);
    return good;
}
