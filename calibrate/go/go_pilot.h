/*
 * The pilot of scow go (spmd/run/pilot.h): fits what the survey's packages took, plans what they
 * leave, says what to expect, and leaves profile and plan beside the output.
 */
#ifndef CALIBRATE_GO_GO_PILOT_H
#define CALIBRATE_GO_GO_PILOT_H

#include "calibrate/go/pilot_fit.h"
#include "planner/report/report.h"
#include "spmd/run/decider.h"

struct go_pilot {
    struct pilot base; /* first */
    struct pilot_origin origin;
    const char *plan_path; /* borrowed; where the plan of what remains goes */
    bool quiet;
    struct samples samples;            /* owned; what the survey's packages took */
    struct pilot_levels levels;        /* owned; as these tell */
    struct profile profile, remaining; /* owned; of the job, and of what remains of it */
    struct task_weights *weights;      /* owned; of what remains; NULL: not known */
    struct plan plan;                  /* owned; of what remains */
    const char *rule;   /* assigns that on request, not by the plan; static; NULL: the plan does */
    char *profile_text; /* owned; of the first */
    struct decider decider;    /* of that plan; points into this object, which is not to be moved */
    struct dispatch *dispatch; /* borrowed: the decider's; NULL: nothing could be planned */
};

/* All that the origin and the path say is borrowed. */
void go_pilot_init(struct go_pilot *pilot, const struct pilot_origin *origin, const char *plan_path,
                   bool quiet);
/* After a run that is complete: what its processes had in memory, and what it took beside its
 * packages, goes into the profile that was left, if one was. */
void go_pilot_complete(struct go_pilot *pilot, const struct run_record *record);
/* After the run's dispatch is gone. */
void go_pilot_release(struct go_pilot *pilot);

#endif
