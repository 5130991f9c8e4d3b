#include "calibrate/rank_fetches.h"

#include <math.h>
#include <stdlib.h>

#include "spmd/transport/fetch.h"

/* More digits would be chance. */
enum { DIGITS = 4 };

static double rounded(double seconds)
{
    const double scale = pow(10, DIGITS - 1 - floor(log10(seconds)));
    return nearbyint(seconds * scale) / scale;
}

static double fetch_mean(const double *workers_s, int64_t count)
{
    double sum_s = 0;
    int64_t known = 0;
    for (int64_t k = 0; k < count; k++) {
        sum_s += workers_s[k];
        known += workers_s[k] > 0;
    }
    return known > 0 ? rounded(sum_s / (double)known) : 0;
}

static void window_put(const double *workers_s, int64_t count, struct profile_window *window)
{
    int64_t first = 0;
    for (size_t k = 0; k < window->worker_count; first += window->workers[k++].count) {
        struct profile_worker *class = &window->workers[k];
        const int64_t left = count > first ? count - first : 0;
        class->fetch_s = fetch_mean(workers_s + (left > 0 ? first : 0),
                                    left < class->count ? left : class->count);
    }
}

void rank_fetches_put(const double *workers_s, int64_t count, struct profile *profile)
{
    for (size_t k = 0; k < profile->setting_count; k++)
        for (size_t w = 0; w < profile->settings[k].window_count; w++)
            window_put(workers_s, count, &profile->settings[k].windows[w]);
}

bool rank_fetches_find(const struct comm *comm, struct profile *profile, struct failure *failure)
{
    double *found_s = calloc((size_t)comm->size, sizeof *found_s);
    if (!found_s)
        failure_memory(failure, "measuring a counter");
    const bool good = comm_agree(comm, failure) && fetch_probe(comm, found_s, failure);
    if (good && comm_leads(comm))
        rank_fetches_put(found_s + 1, comm->size - 1, profile);
    free(found_s);
    return good;
}
