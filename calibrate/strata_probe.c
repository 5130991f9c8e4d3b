#include "calibrate/strata_probe.h"

#include <math.h>

#include "calibrate/fit/strata_design.h"
#include "calibrate/fit/strata_fit.h"

/* A package is to take so many times its latency, if the budget bears it: then what it costs is its
 * core tasks. */
static const double LATENCIES = 10;
/* So many strata at least are to fit into the budget before packages grow; fewer than the least
 * tell nothing; and with so many it is clear whether core tasks are equal. */
enum { STRATA_WANTED = 64, STRATA_LEAST = 8, STRATA_CLEAR = 64 };
/* A round of fewer packages for each worker is not worth making the ranks ready. */
enum { EACH_LEAST = 3 };

/* Core tasks of each package: more than one only where that takes little more time. */
static int64_t package_size(const struct strata_probe *probe)
{
    const double each = fmax(1, (double)STRATA_WANTED / probe->workers);
    const double rate_s = fmax(probe->s_per_task, 1e-12);
    const double wanted = ceil((LATENCIES - 1) * probe->latency_s / rate_s);
    const double affordable = (probe->budget_s / 2 / each - probe->latency_s) / rate_s;
    const double room = (double)probe->tasks / STRATA_WANTED;
    return (int64_t)fmax(1, fmin(wanted, fmin(affordable, room)));
}

/* What has been found is told to whoever chooses the sizes of packages. */
static bool outcome_tell(struct strata_probe *probe, struct failure *failure)
{
    struct strata_fit fit;
    double slowest = 0;
    if (!strata_fit_make(probe->samples, probe->setting, probe->workers, 0, &fit, failure))
        return false;
    for (int rank = 1; fit.differ && rank <= probe->workers; rank++) {
        probe->paces[rank] = exp(fit.workers.terms[rank - 1]);
        slowest = fmax(slowest, probe->paces[rank]);
    }
    if (fit.differ)
        probe->s_per_task = slowest * strata_total(fit.strata, fit.count, NULL, 0).mean_s;
    strata_fit_release(&fit);
    return true;
}

/* Is there nothing more to be found? */
static bool is_clear(const struct strata_probe *probe, bool *clear, struct failure *failure)
{
    struct strata_fit fit;
    if (!strata_fit_make(probe->samples, probe->setting, probe->workers, 0, &fit, failure))
        return false;
    *clear = !fit.differ && fit.count >= STRATA_CLEAR;
    strata_fit_release(&fit);
    return true;
}

/* A round of at most so many packages for a worker, which take *each_s each. */
static bool round_run(struct strata_probe *probe, struct strata_design *design, int64_t each_most,
                      double *each_s, bool *over, struct failure *failure)
{
    struct design_pass pass;
    const double begun_s = probe->now(probe->self);
    if (!strata_design_next(design, each_most, &pass, failure))
        return false;
    *over = pass.count == 0;
    const bool good = *over || probe->run(probe->self, &pass, design->package);
    const double each = ceil((double)pass.count / probe->workers);
    const double packages_s = probe->now(probe->self) - begun_s - probe->overhead_s;
    if (!*over)
        *each_s = fmax(packages_s / each, 1e-9);
    design_pass_release(&pass);
    return good;
}

bool strata_probe(struct strata_probe *probe, struct failure *failure)
{
    struct strata_design design = {.samples = probe->samples,
                                   .setting = probe->setting,
                                   .tasks = probe->tasks,
                                   .workers = probe->workers,
                                   .package = package_size(probe),
                                   .seed = probe->seed};
    const double begun_s = probe->now(probe->self);
    double each_s = probe->latency_s + probe->s_per_task * (double)design.package;
    bool over = probe->tasks < STRATA_LEAST;
    for (int round = 0; !over; round++) {
        const double left_s =
            begun_s + probe->budget_s - probe->now(probe->self) - probe->overhead_s;
        const double each = fmin(left_s / each_s, 1e6);
        const double least = round > 0 ? EACH_LEAST : (double)STRATA_LEAST / probe->workers;
        if (!(each >= least))
            break;
        if (!round_run(probe, &design, (int64_t)fmax(1, each), &each_s, &over, failure) ||
            (!over && !is_clear(probe, &over, failure)))
            return false;
    }
    return outcome_tell(probe, failure);
}
