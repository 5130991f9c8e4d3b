#include "planner/simulate/unequal.h"

#include <math.h>

#include "planner/base/random.h"
#include "planner/simulate/star.h"

/* A region is no smaller than the largest package that was timed, or than such a part of the job.
 */
static const double REGIONS_MOST = 100;

enum kind { KIND_PACKAGE, KIND_REGION, KIND_WORKER };

static double factor_of(const struct unequal *unequal, enum kind kind, int64_t which,
                        double deviation)
{
    uint64_t random = unequal->seed + 0x9e3779b97f4a7c15u * (uint64_t)kind;
    random = random_bits(&random) + 0xd1b54a32d192ed03u * (uint64_t)which;
    if (!(deviation > 0))
        return 1;
    const double variance = log1p(deviation * deviation);
    return exp(sqrt(variance) * random_normal(&random) - variance / 2);
}

/* The mean over the regions that the package lies in. */
static double regions_mean(const struct unequal *unequal, const struct package *package)
{
    const double end = (double)(package->first + package->count);
    double at = (double)package->first, sum = 0;
    if (!(unequal->region > 0))
        return 1;
    for (int64_t region = (int64_t)(at / unequal->region_tasks); at < end; region++) {
        const double next = fmin(end, (double)(region + 1) * unequal->region_tasks);
        sum += fmax(0, next - at) * factor_of(unequal, KIND_REGION, region, unequal->region);
        at = fmax(at, next);
    }
    return sum / (double)package->count;
}

struct unequal unequal_draw(const struct profile_setting *setting, double speed, double tasks,
                            int64_t draw, int64_t draws)
{
    const double known =
        setting->spread_count > 0 ? (double)setting->spreads[setting->spread_count - 1].tasks : 1;
    const double least = fmax(1, fmin(known, tasks / REGIONS_MOST));
    const double share = ((double)draw + 0.5) / (double)draws;
    return (struct unequal){.setting = setting,
                            .speed = speed,
                            .region = profile_setting_region(setting),
                            .seed = 0xd1b54a32d192ed03u * (uint64_t)(draw + 1),
                            .region_tasks = least * pow(fmax(1, tasks / least), share)};
}

void unequal_price(void *unequal, const struct package *package, struct star_cost *cost)
{
    const struct unequal *self = unequal;
    const double all = profile_setting_deviation(self->setting, (double)package->count);
    const double own = sqrt(fmax(0, all * all - self->region * self->region));
    cost->compute_s *= factor_of(self, KIND_PACKAGE, package->first, own) *
                       factor_of(self, KIND_WORKER, package->worker, self->speed) *
                       regions_mean(self, package);
}
