/* How many workers are worth it: the same job for every worker count. */
#ifndef PLANNER_STUDIES_SWEEP_H
#define PLANNER_STUDIES_SWEEP_H

#include "planner/base/text.h"
#include "planner/studies/planning.h"

/* At most so many rows, and so many workers if no number is given. */
enum { SWEEP_ROWS_MOST = 40, SWEEP_WORKERS_MOST = 100000 };

struct sweep_row {
    int64_t workers; /* ranks but for rank 0: masters beside it count, too */
    int64_t masters;
    double makespan_s;
    double speedup;      /* over the first worker */
    double efficiency;   /* of all workers' speeds when alone (alone.h), at most 1; where all are
                          * alike: speedup / workers */
    double node_seconds; /* workers * makespan: as if each had a node of its own */
    double node_hours;   /* of the nodes that they fill, as many on each as at calibration */
    bool fed;            /* one master could keep all of them busy */
};

/* Rows that are marked in the table. */
enum sweep_mark {
    SWEEP_KNEE,     /* greatest speedup x efficiency */
    SWEEP_MEASURED, /* as many workers as the profile measured */
    SWEEP_BELOW_90, /* the first row below this efficiency, in % */
    SWEEP_BELOW_75,
    SWEEP_BELOW_50,
    SWEEP_FED, /* the most workers that one master can keep busy (feeding.h) */
    SWEEP_MARKS
};

/* Why the table ends. */
enum sweep_end {
    SWEEP_ASKED,  /* planning->workers said so */
    SWEEP_ENOUGH, /* twice as many save less than a hundredth */
    SWEEP_TASKS,  /* so many core tasks there are */
    SWEEP_LIMIT   /* SWEEP_WORKERS_MOST */
};

struct sweep {
    const char *scheduler;      /* borrowed */
    bool several;               /* rows may have several masters */
    struct sweep_row *rows;     /* owned, by workers */
    size_t count;               /* at most SWEEP_ROWS_MOST */
    int64_t available;          /* workers of the profile */
    struct plan_beyond beyond;  /* those of the last row; the name is the profile's */
    bool alike;                 /* all workers are, those beyond included */
    int64_t workers_per_node;   /* at calibration; 1 where the profile does not say */
    int64_t marks[SWEEP_MARKS]; /* workers of the marked rows; 0: there is none */
    enum sweep_end end;
    size_t regions; /* of the cost map with which plans were simulated; 0: core tasks are equal */
};

/* From one worker to planning->workers or, where that is 0, until more do not help, workers beyond
 * the profile's included; every count up to some 35, and then in even ratios. Marked rows are found
 * by bisection between those, assuming that efficiency only decreases. A row's makespan is that of
 * the best plan for that number of workers or fewer, of those planned for. "auto" is replaced by
 * scow-mp, which plans quickly. All plans together take twice the effort of one (--effort), where
 * that is limited. Fails as planning_make does for one worker. */
bool sweep_make(const struct planning *planning, struct sweep *sweep, struct failure *failure);
/* The same with so many masters, or as many as there are ranks for; MASTERS_AUTO: in each row with
 * as many as are best (masters.h); 0: one. */
bool sweep_make_with(const struct planning *planning, int64_t masters, struct sweep *sweep,
                     struct failure *failure);
/* `plan` has the least makespan that the planning gives; replace it by the one with the fewest
 * worker-seconds (schedule_thriftier) among the plans of all schedulers, and those for fewer
 * workers, that take at most `within` longer, relative. */
bool sweep_within(const struct planning *planning, double within, struct plan *plan,
                  struct failure *failure);
void sweep_text(const struct sweep *sweep, struct text *text);
/* One JSON value, "scow-sweep-1". */
void sweep_json(const struct sweep *sweep, struct text *text);
void sweep_release(struct sweep *sweep);

/* The plan with the fewest workers whose predicted makespan is at most `deadline_s`, to be
 * released; FAILURE_INFEASIBLE with the least makespan seen when there is none. The number is found
 * by halving and then by steps of up to three workers down: fewer may do only where more workers
 * take longer over more than three workers on end. */
bool sweep_deadline(const struct planning *planning, double deadline_s, struct plan *plan,
                    struct failure *failure);

#endif
