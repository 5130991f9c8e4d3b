/*
 * Estimates from timings in strata of the job: factors of slow workers, independent of places;
 * expensive regions, independent of workers; and the time of the whole job
 * (planner/model/strata.h).
 */
#ifndef CALIBRATE_FIT_STRATA_FIT_H
#define CALIBRATE_FIT_STRATA_FIT_H

#include "calibrate/fit/sample.h"
#include "calibrate/fit/two_way.h"
#include "planner/base/failure.h"
#include "planner/model/cost.h"
#include "planner/model/cost_map.h"
#include "planner/model/strata.h"

struct strata_fit {
    struct stratum *strata; /* owned; of the mean worker; NULL where nothing was timed in strata */
    size_t count;
    struct two_way workers; /* owned; logarithms, ranks from 1 on are workers from 0 on */
    bool differ;            /* core tasks differ by more than timings of one and the same do */
    bool weighed;           /* the map is not from timings, but from weights that are known */
    struct cost_map map;    /* owned; without core tasks unless they differ */
};

/* Of the setting's timings of computing by ranks 1 to `workers`; a package that costs `latency_s`
 * whatever is in it is that much less of its place. To be released. False: out of memory. */
bool strata_fit_make(const struct samples *samples, int setting, int workers, double latency_s,
                     struct strata_fit *fit, struct failure *failure);
/* What differs is what weights say: `work`, of which a copy takes the place of the map's regions.
 * False: out of memory. */
bool strata_fit_weigh(struct strata_fit *fit, const struct work *work, struct failure *failure);
void strata_fit_release(struct strata_fit *fit);
/* The strata alone, each with its place, for whoever wants to time more of them: costs are those
 * of the timings as they are. Owned, *count of them, 0 where nothing was timed in strata; NULL: out
 * of memory. */
struct stratum *strata_of(const struct samples *samples, int setting, size_t *count);

/* What a package takes in the mean over the job, by the strata's totals: seconds of the mean
 * worker, `latency_s` included, and of how many core tasks such a package is. */
double strata_package_s(const struct strata_fit *fit, double latency_s, double *tasks);
/* The same of all packages together, whatever their size and wherever they lie, of levelled
 * samples: what they took beyond `latency_s` by their core tasks (the ratio estimator;
 * Cochran, 6.2). Where the order of core tasks tells nothing, many places tell more than few in
 * strata. Only the mean and its error are filled in; no mean: there are none. False: out of memory.
 */
bool strata_pool(const struct samples *level, int setting, int workers, double latency_s,
                 const struct strata_fit *fit, struct strata_total *total);
/* The samples as if all workers were the mean one and all core tasks cost the mean: timings of
 * computing without the workers' terms and, where the map has regions, without what these make of a
 * package. There, packages that may lie in either of two regions are left out, if enough of their
 * size are left, and so are those that the map comes from. To be released. False: out of memory. */
bool strata_level(const struct samples *samples, int setting, const struct strata_fit *fit,
                  const struct cost *compute, struct samples *level);

#endif
