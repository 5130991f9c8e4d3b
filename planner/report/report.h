/*
 * Predicted beside measured: per operation, per worker, per round, and the totals.
 */
#ifndef PLANNER_REPORT_REPORT_H
#define PLANNER_REPORT_REPORT_H

#include <stdbool.h>

#include "planner/base/failure.h"
#include "planner/model/part.h"
#include "planner/model/plan.h"
#include "planner/model/profile.h"
#include "planner/model/task_range.h"
#include "planner/model/trace.h"
#include "planner/model/usage.h"

/* Core tasks that went from one of several masters' workers to another's. */
struct run_move {
    int64_t from, to; /* ranks of masters */
    int64_t tasks;
};

/* A worker that was lost. */
struct run_loss {
    int64_t worker;
    double time_s; /* when that was noticed */
    bool left;     /* as it had said that it would */
};

/* A worker that joined while the run went on. */
struct run_member {
    int64_t worker, packages, tasks; /* that it did */
    double joined_s, gone_s;         /* gone_s: 0: it stayed until the end */
    bool lost;                       /* it had not said that it leaves */
    char host[64], why[80];          /* why it left, or was lost */
};

/* In place of a part's number: the first part, and of traces only those that a plan follows from.
 */
enum { RUN_PLAN_ONLY = -1 };

/* A trace that is too long for memory: it is read anew, block by block, whenever it is asked for.
 */
struct run_trace {
    void *self; /* owned */
    bool (*read)(void *self, const struct trace_taker *taker, struct failure *failure);
    void (*release)(void *self);
    int64_t ranks, packages; /* the greatest that worked, and the number after the last package */
};

/* Everything a finished run left behind. */
struct run_record {
    struct plan plan;
    struct profile profile; /* released and empty when the run had none (has_profile false) */
    bool has_profile;
    struct trace trace;          /* in one block; empty where long_trace is not */
    struct run_trace long_trace; /* read NULL: there is none */
    char *input;                 /* owned: name of the input; NULL: none */
    char *input_sha256;          /* owned, 64 hexadecimal digits; NULL: not said */
    char *kernel;                /* owned */
    char *plugin;                /* owned: path of the core task's plug-in; NULL: built in */
    char *outcome;               /* owned: of a reduction, JSON; NULL: none */
    char *version;               /* owned: of the program that ran */
    char *command_line;          /* owned: that started it, as it could be typed; NULL: not said */
    char *isa;                   /* owned: instruction set(s) the workers used */
    char *rule; /* owned: assigned packages on request in place of the plan's rounds; NULL: none */
    char *tail; /* owned: assigned the plan's end on request; NULL: none */
    char *replan; /* owned: the tolerance with which the plan was watched; NULL: not said */
    char *told, *replanned; /* owned: when and why what remained was planned anew, lines and a JSON
                             * array; NULL: the plan was not watched */
    struct run_changes {
        int64_t count; /* how often what remained was planned anew; with none, the others are 0 */
        int64_t round; /* the first one of the first new plan */
        double end_s;  /* the makespan that the last new plan promised */
    } changes;
    char *ended;             /* owned: what ended the part before all was done; NULL: not said */
    char *lost_told, *lost;  /* owned: workers that were lost, lines and a JSON array; NULL: none */
    struct run_loss *losses; /* owned; the same, in order of time */
    int64_t loss_count;
    char *joined;               /* owned: workers that joined, a JSON array; NULL: all were there */
    struct run_member *members; /* owned; the same, by number */
    int64_t member_count;
    char *moved; /* owned: core tasks that went from one of several masters to another, a JSON
                  * array; NULL: none did */
    struct run_move *moves; /* owned; the same, in order of time */
    int64_t move_count;
    /* Owned; of each worker, the share of its processors that it had while it computed, 0 where
     * that is not known; NULL: of none. */
    double *had;
    int64_t had_count;
    struct parameter_list changed; /* of the core task, given to the run (the last part) in place of
                                    * the plan's */
    int ahead;                     /* packages that a worker then had at a time */
    bool counted;                  /* workers took them by a counter, and nobody sent them */
    char *method;                  /* owned: how tasks were computed; NULL: not said */
    char *processor;               /* owned: the master's; NULL: not said */
    int threads, workers_per_node; /* 0: not said */
    int64_t tasks, tasks_done, tasks_failed; /* from the ledger */
    struct task_range *not_done;             /* owned: those that are not, ascending; NULL: none */
    int64_t not_done_count;
    struct run_request requested; /* of the batch system */
    struct run_usage used;
    int resumed;            /* how often the run went on after it had been stopped or killed */
    struct run_part *parts; /* owned; of a run that went on, as far as is known; NULL: none is */
    int64_t part_count;
    /* Plan, profile and trace, and what is of them, are one part's: */
    int64_t part;   /* its number, from 1; 0: the last one, in files of older versions */
    bool cut_short; /* it ended before all of its plan was done */
    bool sent;      /* the plan is that of the packages in the trace, as they were sent */
    bool spread;    /* these were too many to be listed, and the plan has each worker's core tasks
                     * spread evenly over as many rounds */
    struct run_record *others; /* owned; the other parts, as far as they left something, by number:
                                * with nothing of the run as a whole */
    int64_t other_count;
    /* Owned; of a search in levels, those up to this one that are still there, by number. */
    struct run_level {
        int64_t level, tasks, done, failed; /* core tasks */
        bool complete;                      /* its run reached its end */
        char *path;                         /* owned: of its output */
        double predicted_s;                 /* as it began; 0: not known */
        double measured_s;                  /* of all its parts */
        /* Where the first one was planned; 0: not known. */
        double expected_tasks, expected_s;
    } * levels;
    int64_t level_count;
    bool level_last; /* no level follows this one; false: that is not known */
    bool star; /* it is one of several masters' part of a run (star_views.h): the plan's core tasks
                * stand in the job where the plan says */
    int64_t star_last; /* then: the rank of its last worker, that of its master being the plan's */
    bool surveyed; /* measured while it worked: the plan is that of its packages as they were sent,
                    * and what it predicts was said when the first of them were done */
    bool complete; /* it reached its end: nothing is left for scow run --resume */
    uint64_t checksum;
    /* Bytes of memory that one had at most; 0: not known. Of a worker, or of any rank where the
     * master's is not known. */
    int64_t rank_peak, command_peak, master_peak;
    double finish_s;  /* after the last package: reduction, normalised image, close */
    double startup_s; /* before the first one, since the master's process began; 0: not known */
};

void run_record_release(struct run_record *record);
/* What its processes had in memory at most, the master's messages included. */
struct profile_peaks run_record_peaks(const struct run_record *record);
/* Has it a trace? */
bool run_record_traced(const struct run_record *record);
/* The greatest rank that worked; 0: none. */
int64_t run_record_ranks(const struct run_record *record);
/* Which share of its processors the worker had while it computed; 0: not known. */
double run_record_had(const struct run_record *record, int64_t worker);
/* All events of the trace, block by block. False: `taker` said so, or they cannot be read. */
bool run_trace_read(const struct run_record *record, const struct trace_taker *taker,
                    struct failure *failure);
/* By what its user goes on with a run, for sentences: "scow run --resume". Static. */
const char *run_record_again(const struct run_record *record);

/* Text for people, or exactly one JSON value ("scow-report-1"); owned, to be freed. NULL with
 * *failure set when the record cannot be reported on. */
char *report_text(const struct run_record *record, struct failure *failure);
char *report_json(const struct run_record *record, struct failure *failure);
/* The measured events and, where they can be simulated, the predicted ones, as a JSON array in the
 * Trace Event Format of Chrome and Perfetto: process 1 is the run, process 2 its plan, a thread is
 * what a rank does, or the transfers to it, and another of the same name and a number where these
 * overlap; times are microseconds. Owned; NULL as above. */
char *report_chrome_trace(const struct run_record *record, struct failure *failure);

#endif
