/*
 * A cluster profile: what calibration measured, or what a user wrote by hand.
 * One setting for each combination of parameters measured; per setting, affine windows: intervals
 * of package sizes in which one affine mapping per operation holds.
 */
#ifndef PLANNER_MODEL_PROFILE_H
#define PLANNER_MODEL_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "planner/base/failure.h"
#include "planner/base/parameter.h"
#include "planner/model/cost.h"
#include "planner/model/cost_map.h"
#include "planner/model/operating.h"
#include "planner/model/results.h"
#include "planner/model/topology.h"
#include "planner/model/trace.h"
#include "planner/model/weights.h"

/* What who asks for a rank is charged, in any currency, or in joules where a second costs watts. */
struct price {
    double price_s; /* for each second of a run */
    double fee;     /* once, for the rank's start */
    double watts;   /* of its share of its node; 0: not known */
};

/* `count` equal workers. */
struct profile_worker {
    char *name;    /* owned; NULL when not given */
    int64_t count; /* >= 1 */
    struct measured_cost link, receive, compute, output;
    struct measured_cost result;  /* on the wire back to the master, by the tasks whose results it
                                   * takes at once */
    struct measured_cost request; /* for packages assigned on request: from the end of one until a
                                   * waiting master has received the report and decided */
    struct measured_cost start; /* start-up before its first package: a latency without a rate, the
                                 * same in every window */
    struct price price;         /* the same in every window; both 0 when not given */
    double availability; /* the share of its processors that it had when it was measured, and the
                          * bandwidth to it, bytes a second (spmd/transport/bandwidth.h); the same
                          * in every window; 0 when not given */
    double bandwidth;
    double fetch_s; /* what taking a package's number from a counter that all share takes it
                     * (spmd/transport/fetch.h), the same in every window; 0 when not given */
};

struct profile_window {
    int64_t least, greatest; /* package sizes, core tasks, 1 <= least <= greatest */
    struct measured_cost envelope, send;
    struct profile_worker *workers; /* owned */
    size_t worker_count;            /* classes, not workers */
    struct measured_cost
        answer; /* the master's part of a request, during which it does nothing else */
    struct measured_cost collect; /* the master takes a result in and writes it */
};

/* Memory that a worker needs for packages of x core tasks: bytes + bytes_per_task * x. Of these, a
 * message with such a package takes message + message_per_task * x; the master holds many of them.
 */
struct memory {
    double bytes, bytes_per_task;     /* both 0 when not given */
    double message, message_per_task; /* both 0 when not given */
};

/* Relative standard deviation of the computing time of packages of `tasks` core tasks between
 * places in the job. */
struct spread {
    int64_t tasks;
    double deviation;
};

/* How well the fit predicts packages that were left out of it. */
struct score {
    double held_out; /* relative error of predicting their times */
    double noise;    /* the floor below it: relative deviation between two timings of one package */
};

/* Packages of more than `above` core tasks were not timed, their window is extrapolated; 0: there
 * is none. A calibration with a budget of `budget_s` seconds would time them; 0: not known. */
struct extrapolation {
    int64_t above;
    double budget_s;
};

/* What a sample of the core tasks of a search's level has told. */
struct level_sample {
    int64_t tasks;  /* in the sample */
    double compute; /* what computing one takes, in those of the first level */
    double next;    /* core tasks of the next level that one leads to; 0: this level is the last */
};

enum { SPREADS_MOST = 64, HISTORY_MOST = 32, LEVELS_MOST = 64 };

struct profile_setting {
    struct parameter_list parameters; /* they override the profile's parameters */
    struct memory memory;
    struct spread *spreads; /* owned; ascending in tasks; NULL when not given */
    size_t spread_count;
    struct cost_map map; /* of the job that was calibrated; no tasks: not given */
    /* Borrowed: of the job's core tasks, as their plan knows them; they take the place of the map's
     * regions, and explain their part of the spreads. In no file; NULL: not known. */
    const struct task_weights *weights;
    struct weighing weighing;    /* where the profile was measured with weights: costs are of core
                                  * tasks of mean weight, and spreads are what weights leave */
    struct level_sample *levels; /* owned; of the first ones, in order; NULL when not given */
    size_t level_count;
    double heaviness;     /* what rates were multiplied by for the weights' mean; 0: by nothing */
    double bulk;          /* the same of the rates of what is sent */
    bool write_behind;    /* asynchronous writing (platform.h) by the profile's parameters; the
                           * setting's own, if any, take precedence */
    enum results results; /* by the profile's parameters, likewise */
    enum operating operating; /* what goes on side by side */
    /* What the master takes for a core task that it computes between two packages, one at a time;
     * all 0: not known. */
    struct measured_cost master;
    int threads;        /* of a worker when this was measured; 0: as the profile's host says */
    struct score score; /* both 0 when not given */
    struct extrapolation extrapolation;
    char *method;                   /* owned: how tasks were computed, NULL when not given */
    struct profile_window *windows; /* owned, ascending, disjoint */
    size_t window_count;
};

/* Where and when it was measured; every string owned and NULL when not given. */
struct profile_origin {
    char *host_name, *processor, *isa; /* keys "name", "processor", "isa" of "host" */
    int threads;                       /* key "threads" of "host"; 0 when not given */
    int workers_per_node;              /* a key of "host", too; on the master's; 0: not given */
    char *machine; /* key "machine" of "host": processors and cores, by ranks where these differ */
    int nodes;     /* key "nodes" of "host": on which the ranks were; 0 when not given */
    struct topology topology; /* key "topology" of "host": of the master's node */
    /* Key "node_kinds" of "host": of all nodes; empty if all are like the master's. */
    struct topology_kinds kinds;
    char *mpi, *created, *version;
};

/* Peak memory of processes, bytes; 0 when not given. */
struct profile_peaks {
    double rank;    /* of a worker with the greatest packages of its setting's windows; of any rank
                     * where the master's is not given */
    double command; /* of a command that a core task runs */
    double master;  /* beside messages under way */
};

/* Time of a run before its first and after its last package. */
struct overhead {
    double start_s; /* from the start of the processes, MPI's included, to the first package */
    double seal_s;  /* from the last package until the output is whole and closed */
};

/* Of b bytes between neighbouring workers, sent and received by both at once: latency_s +
 * s_per_byte x b; both 0 when not measured. */
struct exchange {
    double latency_s, s_per_byte;
    double stderr_latency_s, stderr_s_per_byte; /* standard errors; 0 in a profile by hand */
};

struct profile {
    char *kernel;                 /* owned; name of the core task */
    char *plugin, *plugin_sha256; /* owned; the plug-in that it is from, NULL for a built-in one */
    struct parameter_list parameters; /* of all settings */
    struct profile_origin origin;
    struct weights_name weights;      /* of the core tasks that were timed */
    struct profile_setting *settings; /* owned */
    size_t setting_count;
    double *history; /* owned; drift of each run from the profile, the latest last: makespan by the
                      * run's own costs over makespan by the profile's, minus 1 */
    size_t history_count;       /* at most HISTORY_MOST */
    struct profile_peaks peaks; /* key "memory_bytes" */
    struct overhead overhead;   /* both 0 when not measured */
    struct price master;        /* key "master": of the master's rank; both 0 when not given */
    struct exchange exchange;
    int64_t beyond; /* how many of the last workers, one class in every window, were not measured
                     * and are in no file (beyond.h) */
    bool shared;    /* its workers' computing is that of a plan's shares (shared.h); in no file */
    int64_t like_rank; /* of the measured worker that they are assumed to equal; 0: not given */
};

/* The larger value of each member. */
struct profile_peaks peaks_most(struct profile_peaks a, struct profile_peaks b);
/* Does none of these parameters contradict the setting's own? */
bool profile_setting_suits(const struct profile_setting *setting,
                           const struct parameter_list *parameters);
/* Are weights known, and tell something of what core tasks take? */
static inline bool profile_setting_weighed(const struct profile_setting *setting)
{
    return setting->weights && setting->weighing.constant < 1;
}
/* Regions of the job's core tasks: of equal weight, or the map's. */
static inline size_t profile_setting_regions(const struct profile_setting *setting)
{
    return profile_setting_weighed(setting) ? setting->weights->work.region_count
                                            : setting->map.work.region_count;
}
/* What is known of the job's core tasks, by the weights or by the map: a copy, to be released.
 * False: out of memory. */
bool profile_setting_work(const struct profile_setting *setting, struct work *work);
/* Is it known of each core task of a job of so many what it takes: by weights, or by regions that
 * differ by more than their total may be off, of just such a job? */
bool profile_setting_placed(const struct profile_setting *setting, double tasks);
/* What is sent of the job's core tasks; NULL: nobody knows, or as much of each. Borrowed. */
static inline const struct work *profile_setting_bytes(const struct profile_setting *setting)
{
    return setting->weights && setting->weights->bytes ? &setting->weights->bytes->work : NULL;
}
/* Relative standard deviation of core tasks by that. */
double profile_setting_known(const struct profile_setting *setting);
/* What heavy core tasks that nobody has seen could add; none where all weights are known. */
static inline double profile_setting_unseen(const struct profile_setting *setting)
{
    return profile_setting_weighed(setting) ? 0 : setting->map.unseen;
}
/* The setting sees the job with these weights (borrowed; NULL: without), and costs what core tasks
 * of their mean do. */
void profile_setting_weigh(struct profile_setting *setting, const struct task_weights *weights);
/* The same of all settings. */
void profile_weigh(struct profile *profile, const struct task_weights *weights);
/* Of a profile as it was measured, at the first level: all settings cost what core tasks of that
 * level do, or those of the last one that is known. Without samples of levels nothing changes. */
void profile_level(struct profile *profile, int64_t level);
/* Relative deviation of packages of `tasks` core tasks, interpolated between the measured sizes by
 * the logarithm of the size, without what weights explain of it; 0 if nothing is known. */
double profile_setting_deviation(const struct profile_setting *setting, double tasks);
/* The same including differences between regions of the job and the part that was not sampled. */
double profile_setting_unequal(const struct profile_setting *setting, double tasks);
/* The part of that deviation which neighbouring packages share. If tasks differed independently,
 * packages of n would have 1 / sqrt(n) of a task's deviation; what the largest measured size has
 * beyond that is common to regions of the job. */
double profile_setting_region(const struct profile_setting *setting);
/* By how much a worker's speed in a run may be off from what is known of it, relative, in packages
 * of `tasks`: its rate's standard error and its own drift, of the worker that is the least sure. */
double profile_speed_deviation(const struct profile_setting *setting, double tasks);
/* Relative deviation between timings of computing one and the same package of `tasks` core tasks;
 * of the class with the largest. */
double profile_timing_deviation(const struct profile_setting *setting, double tasks);
/* Both together: relative deviation of the time of computing a package of `tasks` core tasks
 * anywhere in the job. */
double profile_package_deviation(const struct profile_setting *setting, double tasks);
/* Seconds that a master which computes takes for one core task; 0: not known. */
static inline double profile_setting_master_s(const struct profile_setting *setting)
{
    return cost_of(setting->master.cost, 1);
}
/* Threads of a worker for which the setting was measured; 0 if the profile does not say. */
int profile_threads(const struct profile *profile, const struct profile_setting *setting);
/* Root mean square of the history; 0 without one. */
double profile_drift(const struct profile *profile);
/* The setting whose own parameters are all among these; if there are several, the first of those
 * with the most parameters; if there is none, the only one that suits them (profile_setting_suits).
 * With `threads` > 0, settings measured with other threads are left out. Borrowed; NULL: none, or
 * not unique. */
const struct profile_setting *profile_find(const struct profile *profile,
                                           const struct parameter_list *parameters, int threads);
/* Workers with counts expanded. */
int64_t profile_workers(const struct profile_window *window);
/* How many of the window's classes were measured; these are its first ones. */
size_t profile_classes(const struct profile *profile, const struct profile_window *window);
/* The class of an existing worker 0, 1, ...: an index into the window's. */
size_t profile_class(const struct profile_window *window, int64_t worker);

/* All costs of a package, by operation. Borrowed. */
struct profile_costs {
    const struct measured_cost *items[OPERATION_IDLE];
};
struct profile_costs profile_costs(const struct profile_window *window,
                                   const struct profile_worker *worker);
/* Tell the settings what the profile's parameters say for all of them. */
void profile_inherit(struct profile *profile);
/* Have all settings this operating model in place of their own. */
void profile_operate(struct profile *profile, enum operating operating);
void profile_setting_release(struct profile_setting *setting);
void profile_release(struct profile *profile);

#endif
