#include "calibrate/go/pilot_workers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calibrate/go/pilot_fit.h"

/* The second round has the regions that the first one's factors make seen; few move once more. */
enum { ROUNDS_MOST = 4 };

/* Of strata levelled by these factors, if any. Owned; *count 0: nothing was timed. False: out of
 * memory. */
static bool regions_find(const struct survey_timings *timings, const double *factors,
                         struct region **regions, size_t *count)
{
    struct survey_timings level = *timings;
    struct stratum strata[SURVEY_STRATA_MOST];
    if (factors)
        survey_timings_level(&level, factors);
    const size_t strata_count = survey_timings_strata(&level, strata);
    *regions = NULL;
    *count = 0;
    if (strata_count > 0)
        *regions = strata_regions(strata, strata_count, count);
    return strata_count == 0 || *regions;
}

static bool factors_equal(const struct worker_factors *a, const struct worker_factors *b)
{
    return a->factors && memcmp(a->factors, b->factors, (size_t)a->workers * sizeof(double)) == 0;
}

static bool round_make(const struct worker_timings *all, const struct survey_timings *timings,
                       struct worker_factors *found, bool *settled)
{
    struct worker_timings own = *all;
    struct worker_factors next = {.factors = NULL};
    struct region *regions = NULL;
    const bool good = regions_find(timings, found->factors, &regions, &own.region_count);
    own.regions = regions;
    const bool made = good && worker_factors_find(&own, &next);
    *settled = made && factors_equal(found, &next);
    worker_factors_release(found);
    *found = next;
    free(regions);
    return made;
}

bool pilot_workers_find(const struct pilot_sight *sight, const struct survey_timings *timings,
                        struct worker_factors *found)
{
    struct failure none = FAILURE_INIT;
    struct samples samples;
    *found = (struct worker_factors){.factors = NULL};
    bool good = pilot_samples(sight, timings, &samples, &none) || samples.count == 0;
    const struct worker_timings all = {.samples = &samples, .workers = sight->workers};
    bool settled = false;
    for (int round = 0; good && !settled && round < ROUNDS_MOST; round++)
        good = round_make(&all, timings, found, &settled);
    samples_release(&samples);
    return good;
}
