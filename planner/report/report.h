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
#include "planner/model/trace.h"

/* A worker that was lost. */
struct run_loss {
    int64_t worker;
    double time_s; /* when that was noticed */
};

/* Everything a finished run left behind. */
struct run_record {
    struct plan plan;
    struct profile profile; /* released and empty when the run had none (has_profile false) */
    bool has_profile;
    struct trace trace;
    char *input;        /* owned: name of the input; NULL: none */
    char *input_sha256; /* owned, 64 hexadecimal digits; NULL: not said */
    char *kernel;       /* owned */
    char *plugin;       /* owned: path of the kernel's plug-in; NULL: built in */
    char *outcome;      /* owned: of a reduction, JSON; NULL: none */
    char *version;      /* owned: of the program that ran */
    char *command_line; /* owned: that started it, as it could be typed; NULL: not said */
    char *isa;          /* owned: instruction set(s) the workers used */
    char *rule;   /* owned: dealt packages on request in place of the plan's rounds; NULL: none */
    char *tail;   /* owned: dealt the plan's end on request; NULL: none */
    char *replan; /* owned: the tolerance with which the plan was watched; NULL: not said */
    char *told, *replanned; /* owned: when and why the rest was planned anew, lines and a JSON
                             * array; NULL: the plan was not watched */
    struct run_changes {
        int64_t count; /* how often the rest was planned anew; with none, the others are 0 */
        int64_t round; /* the first one of the first new plan */
        double end_s;  /* the makespan that the last new plan promised */
    } changes;
    char *lost_told, *lost;  /* owned: workers that were lost, lines and a JSON array; NULL: none */
    struct run_loss *losses; /* owned; the same, in order of time */
    int64_t loss_count;
    int ahead;                               /* packages that a worker then had at a time */
    char *method;                            /* owned: how tasks were computed; NULL: not said */
    char *processor;                         /* owned: the master's; NULL: not said */
    int threads, workers_per_node;           /* 0: not said */
    int64_t tasks, tasks_done, tasks_failed; /* from the ledger */
    int resumed; /* how often the run went on after it had been stopped or killed: the trace and,
                  * then, the plan are those of the last part */
    struct run_part *parts; /* owned; of a run that went on, as far as is known; NULL: none is */
    int64_t part_count;
    bool complete; /* it reached its end: nothing is left for scow run --resume */
    uint64_t checksum;
    double finish_s; /* after the last package: reduction, normalised image, close */
};

void run_record_release(struct run_record *record);

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
