#include "planner/studies/feeding.h"

#include <math.h>
#include <stdlib.h>

#include "planner/model/platform.h"

/* Workers that are alike, and the share of the port's time that keeping one of them busy takes. */
struct demand {
    int64_t count;
    double share;
};

static int demand_compare(const void *a, const void *b)
{
    const double x = ((const struct demand *)a)->share, y = ((const struct demand *)b)->share;
    return (x > y) - (x < y);
}

static struct demand demand_of(const struct platform_window *window,
                               const struct platform_class *class, double load)
{
    const double master_s = cost_of(cost_sum(window->envelope, window->send), load);
    const double link_s = cost_of(class->link, load);
    const double work_s = cost_of(platform_class_work(class), load);
    return (struct demand){class->count, fmax(master_s, link_s) / work_s};
}

static int64_t demands_fed(struct demand *demands, int64_t count)
{
    double left = 1;
    int64_t fed = 0;
    qsort(demands, (size_t)count, sizeof *demands, demand_compare);
    for (int64_t k = 0; k < count; k++) {
        const double most = demands[k].share > 0 ? floor(left / demands[k].share) : HUGE_VAL;
        const int64_t some = most < (double)demands[k].count ? (int64_t)most : demands[k].count;
        fed += some;
        left -= (double)some * demands[k].share;
        if (some < demands[k].count)
            break;
    }
    return fed;
}

bool feeding_find(const struct profile_setting *setting, int64_t worker_most, double load,
                  int64_t *fed, int64_t *there, struct failure *failure)
{
    struct platform platform;
    if (!platform_init(&platform, setting, worker_most, failure))
        return false;
    const struct platform_window *window = platform_nearest(&platform, load);
    struct demand *demands = calloc((size_t)window->class_count, sizeof *demands);
    for (int64_t k = 0; demands && k < window->class_count; k++)
        demands[k] = demand_of(window, &window->classes[k], load);
    if (demands)
        *fed = demands_fed(demands, window->class_count);
    *there = platform.worker_count;
    const bool good = demands != NULL;
    free(demands);
    platform_release(&platform);
    return good || failure_memory(failure, "counting workers");
}

static bool window_feeds(const struct platform_window *window, double load)
{
    static const double ALL = 1 + 1e-12; /* 1, with room for rounding */
    const double master_s = cost_of(cost_sum(window->envelope, window->send), load);
    double master = 0, links = 0;
    for (int64_t k = 0; k < window->class_count; k++) {
        const struct platform_class *class = &window->classes[k];
        const double work_s = cost_of(platform_class_work(class), load);
        master += (double)class->count * master_s / work_s;
        links += (double)class->count * cost_of(class->link, load) / work_s;
    }
    return master <= ALL && links <= ALL;
}

bool feeding_suffices(const struct profile_setting *setting, int64_t workers, double tasks,
                      bool *suffices, struct failure *failure)
{
    const double share = floor(tasks / (double)workers);
    struct platform platform;
    if (!platform_init(&platform, setting, workers, failure))
        return false;
    *suffices = false;
    for (int64_t w = 0; w < platform.window_count; w++) {
        const struct platform_window *window = &platform.windows[w];
        const double least = (double)window->least;
        if (share >= least)
            *suffices = *suffices || window_feeds(window, least) ||
                        window_feeds(window, fmin((double)window->greatest, share));
    }
    platform_release(&platform);
    return true;
}
