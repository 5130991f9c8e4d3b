/*
 * A calibration under way, on each rank: what calibration.c measures one setting after the other,
 * what the profile says of them (session_profile.c), and what people are told meanwhile
 * (session_tell.c).
 */
#ifndef CALIBRATE_SESSION_H
#define CALIBRATE_SESSION_H

#include "calibrate/calibration.h"
#include "calibrate/campaign.h"
#include "calibrate/place.h"
#include "spmd/launch/making.h"
#include "spmd/launch/progress.h"
#include "spmd/run/energy.h"

enum { SESSION_PATH = 4096, SESSION_MORE = 2 };

struct session {
    struct comm *comm;
    const struct calibration_request *request;
    struct calibration *result;
    struct making making;
    char **names; /* the master's: of the workers, owned */
    struct place place;
    char scratch[SESSION_PATH];
    int64_t leader;                    /* the master's process, in whose name that file is made */
    int setting;                       /* the job at hand's; -1: none yet */
    int64_t *tasks;                    /* owned; by setting, the job's */
    struct campaign_outcome *outcomes; /* owned; the master's: by setting, of its last campaign */
    /* Owned, and on every rank: after the request's settings those that turned out to be worth
     * measuring: one of them in another order, and one with its results written behind computing.
     */
    struct setting more[SESSION_MORE];
    int more_count;
    bool has_behind, has_order;
    struct task_weights *weights; /* owned; the master's: the core task's own, if they are wanted */
    struct progress progress;
    struct run_had_list had;     /* owned; the master's: of workers' processors */
    struct energy_watch *energy; /* since then; NULL: another rank watches the node */
    double begun_s, later_s;     /* when; how long the settings after this one will take */
    int64_t seen;                /* samples that the slowest worker is known from */
    int slowest;                 /* from 0; -1: not known */
    double slowest_excess;       /* over the mean */
};

/* Local. So many, those that were added included. */
int session_settings(const struct session *session);
const struct setting *session_setting(const struct session *session, int index);
/* Local. Of the setting at hand, on one rank. */
int session_threads(const struct session *session);

/* Local to the master. Of the job at hand; in place of what was there before. Unchanged on failure.
 */
bool session_setting_put(struct session *session, int index, struct failure *failure);
/* Local to the master. What is not one setting's. */
bool session_profile(struct session *session, struct failure *failure);

/* Local to the master; `self` is the session: struct campaign_watch. */
void session_tell(void *self, int pass, int passes, double left_s);
void session_say(void *self, const char *sentence);

#endif
