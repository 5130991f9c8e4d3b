#include "planner/simulate/unequal.h"

#include <math.h>

#include "planner/base/random.h"
#include "planner/simulate/star.h"

/* A region is no smaller than the largest package that was timed, and than the job divided by
 * this. */
static const double REGIONS_MOST = 100;
/* If a package has more regions than this, their sum is drawn at once. */
static const double REGIONS_SUMMED = 128;

enum kind { KIND_PACKAGE, KIND_REGION, KIND_WORKER, KIND_UNSEEN };

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

/* The mean of so many regions that only their number matters: normal, by the central limit
 * theorem. */
static double regions_many(const struct unequal *unequal, double first, double regions)
{
    uint64_t random = unequal->seed + (uint64_t)first;
    random_bits(&random);
    return fmax(0, 1 + unequal->region * random_normal(&random) / sqrt(regions));
}

/* The mean of the factors of the regions in which these core tasks lie. */
static double regions_mean(const struct unequal *unequal, double first, double count)
{
    const double end = first + count;
    double at = first, sum = 0;
    if (!(unequal->region > 0))
        return 1;
    if (count > REGIONS_SUMMED * unequal->region_tasks)
        return regions_many(unequal, first, count / unequal->region_tasks);
    for (int64_t region = (int64_t)(at / unequal->region_tasks); at < end; region++) {
        const double next = fmin(end, (double)(region + 1) * unequal->region_tasks);
        sum += fmax(0, next - at) * factor_of(unequal, KIND_REGION, region, unequal->region);
        at = fmax(at, next);
    }
    return sum / count;
}

/* Draws a region that no timing has seen: as wide as the gap between two timed core tasks, and as
 * heavy as it may be at most. */
static void unseen_draw(struct unequal *unequal, double tasks)
{
    const struct cost_map *map = &unequal->setting->map;
    const double unseen = profile_setting_unseen(unequal->setting);
    uint64_t random = unequal->seed + KIND_UNSEEN;
    if (map->work.tasks == 0 || !(unseen > 0))
        return;
    unequal->unseen_tasks = fmax(1, tasks / (double)map->sampled);
    unequal->unseen_first = random_uniform(&random) * fmax(0, tasks - unequal->unseen_tasks);
    unequal->unseen_more = random_uniform(&random) * unseen * tasks / unequal->unseen_tasks;
}

/* How many times longer a package takes because of that region. */
static double unseen_factor(const struct unequal *unequal, double first, double count)
{
    const double begin = fmax(first, unequal->unseen_first);
    const double end = fmin(first + count, unequal->unseen_first + unequal->unseen_tasks);
    return 1 + unequal->unseen_more * fmax(0, end - begin) / count;
}

struct unequal unequal_draw(const struct profile_setting *setting, double speed, double tasks,
                            int64_t draw, int64_t draws)
{
    const double known =
        setting->spread_count > 0 ? (double)setting->spreads[setting->spread_count - 1].tasks : 1;
    const double least = fmax(1, fmin(known, tasks / REGIONS_MOST));
    const double share = ((double)draw + 0.5) / (double)draws;
    struct unequal unequal = {.setting = setting,
                              .speed = speed,
                              .tasks = tasks,
                              .draws = draws,
                              .region = profile_setting_region(setting),
                              .seed = 0xd1b54a32d192ed03u * (uint64_t)(draw + 1),
                              .region_tasks = least * pow(fmax(1, tasks / least), share)};
    unseen_draw(&unequal, tasks);
    return unequal;
}

static double weight(void *unequal, double first, double tasks)
{
    return regions_mean(unequal, first, tasks) * unseen_factor(unequal, first, tasks);
}

static void mean(void *unequal, const struct package *package, struct star_cost *cost)
{
    const struct unequal *self = unequal;
    cost->compute_s *= factor_of(self, KIND_WORKER, package->worker, self->speed) *
                       weight(unequal, (double)package->first, (double)package->count);
}

static void price(void *unequal, const struct package *package, struct star_cost *cost)
{
    const struct unequal *self = unequal;
    const double first = (double)package->first, count = (double)package->count;
    const double all = profile_setting_deviation(self->setting, count);
    const double own = sqrt(fmax(0, all * all - self->region * self->region));
    cost->compute_s *= factor_of(self, KIND_PACKAGE, package->first, own) *
                       factor_of(self, KIND_WORKER, package->worker, self->speed) *
                       regions_mean(self, first, count) * unseen_factor(self, first, count);
}

static void run_begin(void *self, int64_t run)
{
    struct unequal *unequal = self;
    *unequal = unequal_draw(unequal->setting, unequal->speed, unequal->tasks, run, unequal->draws);
}

struct variation unequal_variation(struct unequal *unequal)
{
    return (struct variation){
        .begin = run_begin, .price = price, .mean = mean, .weight = weight, .self = unequal};
}
