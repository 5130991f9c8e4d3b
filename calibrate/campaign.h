/*
 * All probes of one setting, within a budget of time.
 *
 * First the ranks are scouted (scout.h): ever larger packages, until it is known what a package
 * costs. Then come passes over all sizes, each at places of its own; then the same packages again,
 * so that noise, places and the machine's drift can be told apart, together with packages of the
 * sizes that a plan for this job would use, where the prediction is most sensitive, and of sizes
 * between which a cost breaks. Where there is time for less, there are fewer sets of places, then
 * fewer sizes, and in the end nothing but what was scouted, again (allotment.h).
 */
#ifndef CALIBRATE_CAMPAIGN_H
#define CALIBRATE_CAMPAIGN_H

#include "calibrate/fit/design.h"
#include "calibrate/fit/sample.h"
#include "calibrate/probe.h"
#include "calibrate/rank_peaks.h"
#include "planner/base/failure.h"

/* How thoroughly. */
struct campaign_effort {
    double budget_s;
    bool may_extend; /* where packages take too long for it: nobody has asked for that time */
    double growth;   /* from one package size to the next */
    int sets;        /* of places; two passes each */
    int copies_most; /* packages of one size for a worker in a pass */
};

/* Says how far it is; may be called often. Pass -1: it is still finding out what can be probed. */
struct campaign_watch {
    void (*tell)(void *self, int pass, int passes, double left_s);
    void (*say)(void *self, const char *sentence); /* once, something that users should know */
    void *self;
};

/* What packages cost, as far as scouting has found out. */
struct scouting {
    double latency_s, s_per_task; /* of a package on the slowest worker, or the master */
    double latency_least_s; /* that it surely has: the least of all workers and pairs of sizes */
    double start_s;         /* until a worker can begin, beside its first package */
    double overhead_s;      /* of a probe, beside what its packages take */
    double lead;            /* by how much the fastest worker beats the mean of all; 1: not */
    int64_t largest;        /* core tasks in a package; 0: nothing is known */
    double largest_s;       /* that one took on the slowest worker */
};

struct campaign {
    struct prober prober;
    struct campaign_effort effort;
    struct campaign_watch watch;
    int workers;
    int64_t tasks;         /* of the job */
    int64_t package_most;  /* core tasks, for what a package's memory is */
    bool master_computes;  /* measured, too */
    bool write_behind;     /* workers compute while results are written */
    int setting;           /* for the samples */
    int first_pass;        /* numbers its passes from here */
    uint64_t seed;         /* of places and orders */
    struct scouting known; /* by an earlier campaign of this setting */
};

enum { CAMPAIGN_SETS_MOST = 8 };

/* Core tasks that the master computed while it fed workers. */
struct own_timings {
    int64_t count;
    double sum_s, squares_s2;
};

struct campaign_outcome {
    struct scouting scouting;
    int64_t largest; /* package size probed */
    int64_t most;    /* that a plan for all workers may have */
    /* Costs are known up to there, and packages of so many would have to be timed to know more,
     * which takes such a budget; 0: there is no need. */
    int64_t wanted;
    double wanted_s;
    /* Of workers' time in packages of a plan's sizes: waiting for the store (0: nobody asked). */
    double stalled_share;
    struct own_timings own;
    int64_t tasks, failed;        /* core tasks computed, and of these such that could not be */
    struct rank_peaks rank_peaks; /* of workers, beside packages */
    struct profile_peaks peaks;   /* without these */
    double seal_s;      /* of the whole job's output, as the largest package says that did: */
    int64_t seal_tasks; /* of so many; 0: none did */
    struct rejection rejections[RUN_REJECTIONS]; /* some of these */
    int rejection_count;
};

/* Local to the master, the workers being ready for its probes. Adds to *samples. Takes its budget
 * and hardly more, but for what the first packages take, however long that is. FAILURE_FAILED where
 * every core task failed that was tried. */
bool campaign_run(const struct campaign *campaign, struct samples *samples,
                  struct campaign_outcome *outcome, struct failure *failure);

#endif
