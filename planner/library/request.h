/* What is to be planned with a profile: what the options of `scow plan` say, and the fields of
 * scow_plan_request (scow-plan.h). */
#ifndef PLANNER_LIBRARY_REQUEST_H
#define PLANNER_LIBRARY_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/base/failure.h"
#include "planner/forecast/observations.h"
#include "planner/model/grouping.h"
#include "planner/model/objective.h"
#include "planner/model/profile.h"
#include "planner/model/waits.h"

/* All borrowed. */
struct plan_request {
    const char *path;      /* of the profile; its name in messages */
    const char *digest;    /* of the profile's text; NULL: the plan names none */
    bool unnamed;          /* the plan does not say where its profile is */
    const char *scheduler; /* "auto" or a name of the table */
    const char *set;       /* NAME=VALUE,...: settings with these parameters; NULL: all */
    int64_t block;         /* settings with this block; 0: all */
    const char *model;     /* operating model; NULL: the profile's */
    const char *tail;      /* RULE[,...][:SHARE], or "none"; NULL: chosen automatically */
    const char *like; /* class or rank that workers beyond the profile are like; NULL: the last */
    int64_t tasks;    /* of the job; 0: `count` says, for each setting */
    int64_t workers;  /* use that many; may be more than the profile has; 0: all of it */
    int64_t masters;  /* side by side, or MASTERS_AUTO; 0: one */
    int64_t tree;     /* groups with masters of their own, or TREE_AUTO; 0: none */
    bool several;     /* where nothing of this is given: as many, side by side or in a tree, as take
                       * the least time, where that saves enough (studies/several.h) */
    const struct group *grouping; /* the same, as `grouping_path` has them; NULL: it is not given */
    const char *grouping_path;
    int64_t buffers;       /* packages that a worker receives ahead; 0: as usual */
    double deadline_s;     /* the fewest workers that keep it; 0: none */
    const char *within;    /* "5%": accept a plan that takes at most this much longer and has fewer
                            * worker-seconds; NULL: SCHEDULE_WITHIN */
    const char *objective; /* a name of objective.h; NULL: by what else is asked for
                            * (plan_request_objective) */
    double budget;         /* of the charge; 0: none */
    const char *require, *exclude, *at_most; /* as kinds_wish; NULL: all classes */
    const char *price;         /* CLASS=P,... a second, "master" among them, or P for every rank;
                                * NULL: those of the profile */
    const struct waits *waits; /* in the queue; NULL: not known */
    bool front;                /* also look for all compromises between makespan and charge */
    bool why;                  /* also say why workers are left out */
    double effort_s;           /* what "auto" may take (planning.h) */
    const struct observations *load;    /* of the workers' nodes; NULL: they are one's own */
    const char *load_path;              /* where these are from */
    const struct task_weights *weights; /* of the job's core tasks; NULL: not known */
    bool real_valued;
    double production;    /* with scow-mu (schedule.h); 0: as usual */
    const char *levels;   /* expected_levels.h; NULL: the profile's samples say */
    bool master_computes; /* the master computes core tasks itself, too */
    bool bare;            /* for studies of many plans: no automatic tail, no interval */
    /* Core tasks of the job with the setting's parameters. */
    bool (*count)(const void *context, const struct profile *profile,
                  const struct profile_setting *setting, int64_t *tasks, struct failure *failure);
    const void *context;
};

/* Is the request valid? If not, FAILURE_USAGE with the wrong option. */
bool plan_request_check(const struct plan_request *request, struct failure *failure);
/* request->within, relative; -1 where it is NULL. The request has been checked. */
double plan_request_within(const struct plan_request *request);
/* Are workers to be chosen, by an objective or within limits? */
bool plan_request_chooses(const struct plan_request *request);
/* The objective that was asked for or, where none was: with a deadline the fewest workers, with
 * waits the least time from submission on, else the least makespan. The request has been checked.
 */
const struct objective *plan_request_objective(const struct plan_request *request);
/* The requested tail; NULL: none. */
const char *plan_request_tail(const struct plan_request *request);
/* May the plan get a tail automatically? */
bool plan_request_tail_open(const struct plan_request *request);

#endif
