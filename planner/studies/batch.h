/*
 * What a run of a plan asks the batch system for, and the lines that say so to Slurm and to PBS.
 */
#ifndef PLANNER_STUDIES_BATCH_H
#define PLANNER_STUDIES_BATCH_H

#include "planner/studies/advice.h"

struct batch {
    int64_t ranks;           /* masters and workers; more are started where they fill no node */
    int64_t masters;         /* all of them, those of groups included */
    int64_t node_masters[2]; /* on a node, at least and at most */
    int64_t nodes;           /* 0: the profile does not say how ranks were spread */
    int64_t ranks_per_node;  /* of a full node, as in the calibration; 0: as above */
    int64_t threads;         /* of a rank; 0: the profile does not say */
    double node_bytes;       /* of memory on a full node; 0: the profile does not say */
    int64_t warning_s;  /* before the walltime's end: a round, and the output's way to the disk */
    int64_t walltime_s; /* whole minutes; in it start-up, the makespan that is exceeded at the
                         * advice's risk, the warning and Slurm's earliness with it */
    double startup_s, most_s; /* the first two of these */
    double risk, pace;        /* the advice's */
    int64_t gpus;             /* of a worker; 0: none are asked for */
};

/* Of a plan with a prediction. Ranks are spread as in the calibration: as many on a node. */
void batch_find(const struct advice *advice, struct batch *batch);
/* "#SBATCH --nodes=4" ... in lines, a remark before them. */
void batch_slurm(const struct batch *batch, struct text *text);
/* "#PBS -l select=4:..." ... PBS warns nobody: SCOW_STOP_AFTER says to jobs/pbs/run.pbs after how
 * many seconds a run must be asked to stop. */
void batch_pbs(const struct batch *batch, struct text *text);

#endif
