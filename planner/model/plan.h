/*
 * A plan: which worker gets how many core tasks, in which order and how often.
 * Fixed before the run; the run and the simulation execute the same object.
 *
 * Where one master cannot feed all workers, a plan has several masters side by side: its stars,
 * each a plan with a master, workers and a part of the core tasks of its own. Such a plan itself
 * has no workers and no rounds.
 *
 * Where starting many workers takes long, a plan may be a tree: its workers are masters of groups,
 * and assign what they get to workers of their own, by plans of their own (children).
 */
#ifndef PLANNER_MODEL_PLAN_H
#define PLANNER_MODEL_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "planner/base/failure.h"
#include "planner/base/parameter.h"
#include "planner/model/operating.h"
#include "planner/model/results.h"
#include "planner/model/weights.h"

struct plan_round {
    int64_t repeat; /* >= 1 */
    double *loads;  /* owned; core tasks for each worker in activation order, 0: no package.
                     * Whole numbers, exact up to 2^53, unless the plan is real-valued. */
};

/* What the event simulation predicts for exactly these loads. */
struct plan_prediction {
    bool known;                 /* false in a plan written by hand */
    double makespan_s;          /* output included; the median where variation matters */
    double without_variation_s; /* then: the makespan by the costs alone, without what they vary by
                                 * (studies/interval.h); 0: makespan_s is that */
    double period_s;            /* of one full round */
    double worker_utilization;  /* in the periods (simulate/periods.h), 0..1 */
    double master_utilization;  /* there, of the master or the links */
    double utilization;         /* both together, 0..2 */
    double worker_busy_share;   /* mean share of the makespan in which a worker works, 0..1 */
    double network_utilization;
    double lower_bound_s; /* on any schedule's makespan */
    double gap;           /* makespan / lower bound - 1 */
    double output_s;      /* output's share of the busiest worker's time */
    double cpu_s;         /* sum of what workers are busy; 0: as below */
    double charge;        /* for all ranks that the job starts; 0: no rank has a price */
    double energy_j;      /* of all ranks by the profile's watts; 0: it has none */
    double turnaround_s;  /* from submission on; 0: waits in the queue are not known */
    double interval_s[2]; /* 90 % interval of the makespan by the profile's uncertainties; both 0:
                           * the profile has none */
};

/* By the costs alone, as plans are compared. */
struct plan_prediction plan_prediction_steady(const struct plan_prediction *predicted);

/* Workers that the plan assumes and that its profile did not measure (beyond.h). */
struct plan_beyond {
    int64_t measured; /* workers of the profile */
    int64_t workers;  /* further ones; 0: none, and the other members are not set */
    int64_t rank;     /* of the measured worker that they are assumed to equal, 1 to `measured` */
    char *name;       /* its class's, owned where a plan holds it; NULL: it has none */
};

/* Neighbouring workers of a profile. */
struct plan_run {
    int64_t first, last;
};

/* The workers of the profile (those beyond it included) that the job starts, where these are not
 * its first ones (selection.h); no runs: they are. Runs ascend and do not touch. */
struct plan_selection {
    struct plan_run *runs; /* owned where a plan holds them */
    size_t count;
};

/* Which share of its processor each of these workers of the profile, ranks from 1 on, will have, of
 * what it had when it was measured, and the standard deviation of that; and the same of the
 * bandwidth to it, 0 where that is taken to be what it was (shared.h). */
struct plan_shared {
    int64_t first_rank, last_rank;
    double share, deviation;
    double bandwidth, bandwidth_deviation;
};

/* What the master computes itself, one core task after the other between its packages: the last
 * ones of the job. A package may begin so much later as a core task takes. */
struct plan_master {
    double tasks;  /* 0: it computes none */
    double task_s; /* that one takes by the profile; 0: not known */
};

/* How many workers the job is worth (studies/choice.h). All 0: not known. */
struct plan_choice {
    int64_t workers;              /* p: that there are */
    int64_t mp_workers;           /* q: that one master can use for maximal production */
    double mp_makespan_s;         /* with them */
    double mp_worker_utilization; /* in a period */
    int64_t pwu_workers; /* of the `workers`, for perfect utilization; 0: no number of them */
    double pwu_makespan_s, pwu_worker_utilization;
    /* Where one worker is as good as any number, and nothing else is given. */
    double send_s_per_task, compute_s_per_task;
};

/* The best plan with another setting of the profile. */
struct plan_other {
    struct parameter_list parameters; /* owned; the setting's own */
    int threads;                      /* of a worker; 0: the profile does not say */
    double makespan_s;
};

/* A level of a search, as it is expected where the first one is planned. */
struct plan_level {
    double tasks;      /* a whole number */
    double makespan_s; /* planned for so many; 0: not known */
};

struct plan {
    char *kernel;                 /* owned; name of the core task */
    char *plugin, *plugin_sha256; /* owned; the plug-in that it is from, NULL for a built-in one */
    struct parameter_list parameters;
    char *scheduler; /* owned */
    char *objective; /* owned; a name of objective.h; NULL: none was asked for */
    double deadline_s,
        budget;            /* that were asked for, of the whole job; 0: none. The deadline is for
                            * the makespan or, where waits are predicted, from submission on */
    double production;     /* of scow-mu: the least share of the maximal production that was asked
                            * for; 0: as usual */
    double tasks;          /* X, a whole number */
    struct plan *children; /* owned; of each place in the activation order the plan of its group,
                            * for all core tasks that it gets, as stars are */
    size_t child_count;    /* 0: workers compute; else worker_count */
    double first;          /* core tasks of the job before the plan's own; 0 but for stars */
    int64_t master;        /* the rank of its master; 0 but for stars */
    struct plan *stars; /* owned; in the order of their core tasks; of the other members they have
                         * those that stand in their table of fields (files/plan_json.c), and what
                         * is inherited: real_valued, buffers, operating, threads */
    size_t star_count;  /* 0: there is one master; else at least 2 */
    bool real_valued;   /* loads may be fractional: such a plan cannot be run */
    char *profile; /* owned; the profile's file, as it was named when the plan was made, for the
                    * run to keep; NULL when not given */
    char *profile_sha256; /* owned, 64 hexadecimal digits; NULL when not given */
    int64_t *workers;     /* owned; indices into the profile's workers, counts expanded, in
                           * activation order, all different */
    int64_t worker_count;
    struct plan_round *rounds; /* owned */
    size_t round_count;        /* entries; a run has sum of repeat rounds */
    struct plan_master own;    /* its core tasks are in no round */
    int buffers;               /* packages that a worker receives ahead; 0: PLATFORM_BUFFERS */
    enum operating operating;  /* the model that it was made for */
    int threads;               /* of a worker, where the profile's setting says so; 0: any */
    char *tail; /* owned; "RULE" or "RULE:SHARE": the end is assigned on request by it, in place of
                 * the rounds there, also in the prediction; NULL: it is not */
    struct plan_beyond beyond;
    struct plan_selection selected; /* the workers' indices count only these */
    struct task_weights *weights;   /* owned: what its packages were cut by, with the plan's tasks;
                                     * NULL: the profile's map, or their number */
    struct plan_shared *shared;     /* owned; NULL: they have what they had */
    size_t shared_count;
    struct plan_prediction predicted;
    struct plan_choice choice;
    struct plan_other
        *others; /* owned; settings that were planned for the same job but not chosen */
    size_t other_count;
    struct plan_level *levels; /* owned; of a search in levels, the first one, which is the plan's
                                * own, and those that are expected after it; NULL: none are */
    size_t level_count;        /* 0, or 1 to LEVELS_MOST */
    bool more_levels;          /* after these there are others, of which nothing is known */
};

/* Are there masters beside the first one, side by side or below it? */
bool plan_is_several(const struct plan *plan);
/* Masters side by side, at least 1. */
size_t plan_masters(const struct plan *plan);
/* Groups with a master of their own, in all levels of a tree. */
size_t plan_groups(const struct plan *plan);
/* Plans of masters whose workers compute: of stars side by side, of a tree's groups that have no
 * groups below them, in the order in which the tree is walked, or the plan itself. */
size_t plan_leaves(const struct plan *plan);
const struct plan *plan_leaf(const struct plan *plan, size_t number);
/* Of so many ranks, those that work for that master: between it and the next one. */
int64_t plan_workers_behind(const struct plan *plan, int64_t master, int64_t ranks);
/* Is that rank one of several masters, side by side or of a group? */
bool plan_has_master(const struct plan *plan, int64_t rank);
/* How many of the ranks from `first` to before `end` are masters: the job's, those of stars, and
 * those of groups. */
int64_t plan_masters_among(const struct plan *plan, int64_t first, int64_t end);
/* Have stars and children what they inherit from the plan, and stars their places in the job. */
void plan_inherit(struct plan *plan);
/* Packages that a worker receives ahead: the plan's, or PLATFORM_BUFFERS. */
int plan_buffers(const struct plan *plan);
/* Are results written asynchronously (platform.h)? */
bool plan_writes_behind(const struct plan *plan);
/* Do results come back to the master? Not RESULTS_UNSAID. */
enum results plan_returns(const struct plan *plan);
/* Does the worker of this place in the activation order get a package? */
bool plan_slot_loaded(const struct plan *plan, int64_t slot);
/* 1 + the highest worker index with a load: how many workers a run must have, beside rank 0; ranks
 * that are masters of stars are among them. */
int64_t plan_workers_needed(const struct plan *plan);
/* Packages in the whole plan; in a tree those that workers compute. */
int64_t plan_packages(const struct plan *plan);
/* Rounds of the whole plan, repeats counted. */
int64_t plan_rounds_total(const struct plan *plan);
/* Workers that get a package to compute. */
int64_t plan_workers_used(const struct plan *plan);
/* Does `tail` equal the plan's own (NULL: none), so that the plan's prediction holds for it? */
bool plan_tail_own(const struct plan *plan, const char *tail);
/* The largest package that a worker computes, core tasks. */
double plan_largest_load(const struct plan *plan);
/* The plan's first packages that hold at most `tasks` core tasks in all; head->tasks says how many.
 * Only workers, rounds and tasks are filled in; to be released. False: out of memory. */
bool plan_head(const struct plan *plan, double tasks, struct plan *head);
/* Exchange the rounds of two plans with the same workers. */
void plan_take_rounds(struct plan *plan, struct plan *from);
void plan_release(struct plan *plan);

#endif
