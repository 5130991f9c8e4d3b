#include "calibrate/rank_watts.h"

#include <stdlib.h>
#include <string.h>

static int power_compare(const void *a, const void *b)
{
    const struct rank_power *x = a, *y = b;
    const int order = strncmp(x->node, y->node, sizeof x->node);
    return order != 0 ? order : x->rank - y->rank;
}

void rank_watts_share(struct rank_power *ranks, int count, double *watts)
{
    qsort(ranks, (size_t)count, sizeof *ranks, power_compare);
    for (int first = 0, end = 0; first < count; first = end) {
        double node_watts = 0;
        for (; end < count && strncmp(ranks[end].node, ranks[first].node, LINK_NAME_SIZE) == 0;
             end++)
            node_watts += ranks[end].watts;
        for (int k = first; k < end; k++)
            watts[ranks[k].rank] = node_watts / (end - first);
    }
}

/* Of `count` workers from `first` on; 0: not all are known. */
static double watts_mean(const double *watts, int64_t first, int64_t count)
{
    double sum = 0;
    for (int64_t worker = first; worker < first + count; worker++) {
        const double own = watts[worker + 1]; /* rank 0 is the master */
        if (!(own > 0))
            return 0;
        sum += own;
    }
    return sum / (double)count;
}

static void window_put(const double *watts, struct profile_window *window)
{
    int64_t first = 0;
    for (size_t k = 0; k < window->worker_count; k++) {
        struct profile_worker *class = &window->workers[k];
        class->price.watts = watts_mean(watts, first, class->count);
        first += class->count;
    }
}

void rank_watts_put(const double *watts, struct profile *profile)
{
    profile->master.watts = watts[0];
    for (size_t k = 0; k < profile->setting_count; k++)
        for (size_t w = 0; w < profile->settings[k].window_count; w++)
            window_put(watts, &profile->settings[k].windows[w]);
}

bool rank_watts_gather(const struct comm *comm, double energy_j, double seconds,
                       struct profile *profile, struct failure *failure)
{
    struct rank_power mine = {.watts = energy_j > 0 && seconds > 0 ? energy_j / seconds : 0,
                              .rank = comm->rank};
    struct rank_power *all = NULL;
    double *watts = NULL;
    link_machine(mine.node);
    if (comm->rank == 0) {
        all = calloc((size_t)comm->size, sizeof *all);
        watts = calloc((size_t)comm->size, sizeof *watts);
        if (!all || !watts)
            failure_memory(failure, "measuring energy");
    }
    const bool good = comm_agree(comm, failure);
    if (good)
        comm_gather(comm, &mine, sizeof mine, all);
    if (good && all && watts) {
        rank_watts_share(all, comm->size, watts);
        rank_watts_put(watts, profile);
    }
    free(all);
    free(watts);
    return good;
}
