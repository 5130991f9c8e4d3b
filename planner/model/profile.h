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
#include "planner/model/topology.h"
#include "planner/model/trace.h"

/* `count` equal workers. */
struct profile_worker {
    char *name;    /* owned; NULL when not given */
    int64_t count; /* >= 1 */
    struct measured_cost link, receive, compute, output;
    struct measured_cost request; /* of packages dealt on request: from the end of one until a
                                   * waiting master has taken in the report and decided */
    struct measured_cost start;   /* before its first package, once and whatever its size: a latency
                                   * without a rate, in every window the same */
};

struct profile_window {
    int64_t least, greatest; /* package sizes, core tasks, 1 <= least <= greatest */
    struct measured_cost envelope, send;
    struct profile_worker *workers; /* owned */
    size_t worker_count;            /* classes, not workers */
    struct measured_cost answer; /* the master's own part of a request, while it does nothing else
                                  */
};

/* What a worker must hold for packages of x core tasks: bytes + bytes_per_task * x. */
struct memory {
    double bytes, bytes_per_task; /* both 0 when not given */
};

/* By how much the time of computing a package of so many core tasks differs from place to place:
 * relative standard deviation. */
struct spread {
    int64_t tasks;
    double deviation;
};

/* How well the fit foretells packages that it has not seen. */
struct score {
    double held_out; /* relative error of predicting their times */
    double noise;    /* the floor below it: relative deviation between two timings of one package */
};

/* Packages of more core tasks than that were not timed, and windows for them are extrapolated; 0:
 * there are none. Such a budget of a calibration would be enough, seconds; 0: not said. */
struct extrapolation {
    int64_t above;
    double budget_s;
};

enum { SPREADS_MOST = 64, HISTORY_MOST = 32 };

struct profile_setting {
    struct parameter_list parameters; /* in place of, or beside, the profile's own */
    struct memory memory;
    struct spread *spreads; /* owned; ascending in tasks; NULL when not given */
    size_t spread_count;
    struct cost_map map; /* of the job that was calibrated; no tasks: not given */
    bool write_behind;   /* what the profile's parameters say for settings that do not say it: are
                          * results written while workers go on (platform.h) */
    int threads;         /* of a worker when this was measured; 0: as the profile's host says */
    struct score score;  /* both 0 when not given */
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
    /* Key "node_kinds" of "host": of all nodes; none where all are like the master's. */
    struct topology_kinds kinds;
    char *mpi, *created, *version;
};

/* What processes have had in memory at most, bytes; 0 when not given. */
struct profile_peaks {
    double rank, command; /* of a rank; of a command that a core task runs */
};

/* What a run takes around its packages. */
struct overhead {
    double start_s; /* from the start of the processes, MPI's included, to the first package */
    double seal_s;  /* from the last package until the output is whole and closed */
};

struct profile {
    char *kernel;                 /* owned; name of the core task */
    char *plugin, *plugin_sha256; /* owned; the plug-in that it is from, NULL for a built-in one */
    struct parameter_list parameters; /* of all settings */
    struct profile_origin origin;
    struct profile_setting *settings; /* owned */
    size_t setting_count;
    double *history; /* owned; by how much runs drifted from the profile, the latest last: makespan
                      * with a run's own costs over makespan with the profile's, minus 1 */
    size_t history_count;       /* at most HISTORY_MOST */
    struct profile_peaks peaks; /* key "memory_bytes" */
    struct overhead overhead;   /* both 0 when not measured */
    int64_t beyond;    /* so many workers behind the others, the last class of every window, were
                        * never measured and stand in no file (beyond.h) */
    int64_t like_rank; /* of a measured worker, whom those are like; 0: not said */
};

/* Of each the greater. */
struct profile_peaks peaks_most(struct profile_peaks a, struct profile_peaks b);
/* Is none of the setting's own parameters among these with another value? */
bool profile_setting_suits(const struct profile_setting *setting,
                           const struct parameter_list *parameters);
/* The relative deviation of packages of `tasks` core tasks, between the sizes measured in
 * proportion to the size's logarithm; 0 where nothing is known. */
double profile_setting_deviation(const struct profile_setting *setting, double tasks);
/* The same of packages anywhere in the job, whose regions differ, too, and may hold what nobody has
 * seen. */
double profile_setting_unequal(const struct profile_setting *setting, double tasks);
/* What of the first neighbouring packages have in common: the part that packages keep as they grow.
 * Tasks that differ each for itself leave 1 / sqrt(n) of a task's deviation in packages of n; what
 * the largest size measured has beyond that, regions of the job have in common. */
double profile_setting_region(const struct profile_setting *setting);
/* How far timings of one and the same package of so many core tasks are apart: relative, of
 * computing, of the class that is the least sure. */
double profile_timing_deviation(const struct profile_setting *setting, double tasks);
/* Both together: of the time of computing a package of so many core tasks anywhere. */
double profile_package_deviation(const struct profile_setting *setting, double tasks);
/* Threads of a worker that the setting holds for; 0 where the profile does not say. */
int profile_threads(const struct profile *profile, const struct profile_setting *setting);
/* Root mean square of the history; 0 without one. */
double profile_drift(const struct profile *profile);
/* The setting whose own parameters are all among these, of several the first with the most of them;
 * failing that, the only one that suits them.
 * With `threads` > 0 those measured with other threads are left out. Borrowed; NULL when there is
 * none, or several. */
const struct profile_setting *profile_find(const struct profile *profile,
                                           const struct parameter_list *parameters, int threads);
/* Workers with counts expanded. */
int64_t profile_workers(const struct profile_window *window);
/* Classes of workers that were measured, the first ones of the window. */
size_t profile_classes(const struct profile *profile, const struct profile_window *window);
/* The class of a worker 0, 1, ... that there is: an index into the window's. */
size_t profile_class(const struct profile_window *window, int64_t worker);

/* What a package costs a worker and the master, in the order of the operations. Borrowed. */
struct profile_costs {
    const struct measured_cost *items[OPERATION_IDLE];
};
struct profile_costs profile_costs(const struct profile_window *window,
                                   const struct profile_worker *worker);
void profile_setting_release(struct profile_setting *setting);
void profile_release(struct profile *profile);

#endif
