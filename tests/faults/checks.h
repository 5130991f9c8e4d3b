/*
 * A run under faults as it stands (trial.c), its output (output.c), and what must be true of it
 * after every part (checks.c); who simulates parts of it (one.c, several.c) includes this, too.
 */
#ifndef TESTS_FAULTS_CHECKS_H
#define TESTS_FAULTS_CHECKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spmd/input/input.h"
#include "spmd/job/job.h"
#include "spmd/layout/intact.h"
#include "spmd/layout/trace_file.h"
#include "spmd/output/outputfile.h"
#include "spmd/resume/remaining.h"
#include "tests/faults/trial.h"
#include "tests/faults/world.h"

/* The one that there is. */
extern struct trial {
    int64_t tasks, largest;
    struct job *job;
    struct input *input; /* that there is none */
    struct output_places places;
    size_t size;
    double patience_s;
    const char *rule;       /* NULL: equal packages, as a plan sends them */
    bool surveyed, watched; /* decides.h */
    double master_share;    /* there */
    int ahead, buffers;
    bool one_by_one;
    double collecting;  /* probability that in a part the master writes */
    bool collects;      /* in this part */
    int unready;        /* the rank that cannot begin this part; -1: all can */
    bool keeps;         /* workers keep their results as long as they can */
    bool sleeps;        /* every operation, as a profile says (models.h) */
    bool loaded;        /* on processors that others load, too */
    bool copies;        /* what is overdue is handed out once more */
    bool counted;       /* in this part workers take packages by a counter */
    const char *plan;   /* JSON, borrowed: that is run, in place of one that is drawn; NULL: none */
    double most;        /* how far, relatively, a calm run's time may be from what is expected */
    int64_t packages;   /* reported */
    size_t master_peak; /* bytes of memory that the master had at most */
    double makespan_s;
    bool search;          /* in levels (searches.h): what stands here is of the one at hand */
    int64_t before_tasks; /* core tasks of the level before it */
    bool several;         /* parts are simulated whole, by one master or several (several.h) */
    bool resumed;
    bool running;  /* the part before did not say how it ended */
    bool unmended; /* power was lost, and nobody has gone on since */
    bool sealed;
    int64_t times;          /* that the output has been gone on with */
    struct run_part last;   /* as the output has it */
    struct trace_part part; /* that runs now */
    struct remaining remaining;
    struct summary before;
    char outcome[256]; /* of a reduction, as sealed */
    struct trial_counts *counts;
} trial;

/* When, by the clock of the world, the part's time began; 0: it has not. */
double trial_began_s(void);

/* Of a reduction, that the output has room for. */
enum { SLOTS = RANKS_MOST };

/* What there is in the output, by that job (borrowed), as remaining_read finds it in a file of
 * HDF5. */
void output_remaining(struct remaining *remaining, const struct job *job);

/* The output of another level, of so many core tasks, takes the place of what there was. */
void trial_level(int64_t tasks);
/* Of each core task. */
uint8_t *ledger(void);
/* Where packages, losses and the trace have positions. */
int64_t task_at(int64_t position);

/* Whoever opens the file now is alone with it. */
void closed_check(void);
/* The ledger is never ahead of the data: of what it calls done, the file holds the result. */
void ledger_check(void);
/* What an undisturbed run comes to, but for core tasks that were given up. */
void totals_check(const struct summary *summary, const char *outcome);
/* What is compared with its digests; what is emitted is to be closed. */
struct intact_subject subject_of(void);
/* Digests agree with what they are of. */
void digests_check(void);

/* What the file beside the output says, as far as it is whole: only of core tasks that there are,
 * and that one has been computed only once the ledger calls it done. */
struct trace_seen {
    bool there, torn;
    int64_t packages, tasks; /* computed */
};

/* `safe`: the file is as it was written, whatever became of the machine. */
struct trace_seen trace_check(bool safe);
/* Of a part that ends: every package that was reported is there, unless writing has failed. */
void trace_whole_check(const struct output_outcome *outcome);

#endif
