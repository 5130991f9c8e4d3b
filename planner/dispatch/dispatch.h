/*
 * What to send next, and to whom: the decision that the real master and the event simulation both
 * ask. No clock, no I/O, no threads: the caller says what happened and when.
 *
 * Core tasks are handed out in ascending order, each exactly once; only a list of packages, and
 * what is left of a job, say themselves which.
 */
#ifndef PLANNER_DISPATCH_DISPATCH_H
#define PLANNER_DISPATCH_DISPATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "planner/base/failure.h"
#include "planner/dispatch/deadline.h"
#include "planner/model/plan.h"
#include "planner/model/platform.h"
#include "planner/model/task_range.h"

struct package {
    int64_t index;  /* 0, 1, ... in order of sending */
    int64_t round;  /* 0, 1, ... */
    int64_t worker; /* index into the profile's workers; its rank is worker + 1 */
    int64_t first;  /* first core task */
    int64_t count;  /* core tasks, >= 1 */
};

enum dispatch_answer {
    DISPATCH_SEND,         /* *package is the next one */
    DISPATCH_WAIT,         /* nothing until a worker reports */
    DISPATCH_DEALT,        /* every core task is handed out; none comes back but by a loss */
    DISPATCH_FINISHED,     /* every core task has been handed out */
    DISPATCH_OUT_OF_MEMORY /* of those that must remember one package more */
};

struct dispatch;

/* Execute `plan` (borrowed; it must outlive the object; whole loads). NULL: out of memory. */
struct dispatch *dispatch_new_plan(const struct plan *plan);
/* Hand out exactly these packages (borrowed; they must outlive the object): to every worker its
 * own, in their order, at most `ahead` >= 1 that it has not reported; index is set to the order of
 * sending. NULL: out of memory. */
struct dispatch *dispatch_new_list(const struct package *packages, int64_t count, int64_t workers,
                                   int ahead);
/* Hand out no more of that list. */
void dispatch_list_end(struct dispatch *dispatch);
/* Deal what is left of a job: the tasks of these ranges (borrowed; they must outlive the object).
 * `inner` (owned; freed also when this fails) decides as if they were a job of their own, its task
 * k being the k-th of theirs. A package that crosses the end of a range is sent in pieces. NULL:
 * out of memory. */
struct dispatch *dispatch_new_ranges(struct dispatch *inner, const struct task_range *ranges,
                                     int64_t count);
/* Asked again before anything has happened, the time of dispatch_due_s included, it says
 * DISPATCH_WAIT again and changes nothing: who waits may ask as often as it likes. */
enum dispatch_answer dispatch_next(struct dispatch *dispatch, double now_s,
                                   struct package *package);
/* Who waits asks again then, if nothing has happened before: that a report has not come says
 * something, too. Later than the last time of asking; HUGE_VAL: time alone changes nothing. */
double dispatch_due_s(const struct dispatch *dispatch);
/* Worker `worker` has worked on `package` from start_s to end_s. */
void dispatch_done(struct dispatch *dispatch, const struct package *package, double start_s,
                   double end_s);
/* Does it decide by what it is told was done? A plan does not. */
bool dispatch_listens(const struct dispatch *dispatch);
/* Worker `worker` is lost: it gets nothing more, and what it had and had not reported is handed out
 * again. Only a recovering dispatch knows how; the others ignore it. */
void dispatch_lost(struct dispatch *dispatch, int64_t worker);

/* Workers that may be lost on one core task before it is given up. */
enum { DISPATCH_LOSSES_MOST = 2 };

/* What comes next, as far as it repeats itself: turns of packages that are like the last ones, the
 * size of every worker's package the same. A plan's turn is a round, in which workers have their
 * places; a rule's is one package, for whoever asks. */
struct dispatch_run {
    int64_t turns;    /* 0: nothing is known to repeat itself, or not from here */
    int64_t packages; /* of a turn */
    int64_t tasks;    /* of a turn, at most */
    int64_t series;   /* turns of another series are not like those before */
    bool asked;       /* who asks is dealt to; else workers have their places */
};

struct dispatch_run dispatch_run(const struct dispatch *dispatch);

/* Turns that are not dealt one by one, their packages and core tasks; and, borrowed, by how much
 * later each worker's clocks are then. */
struct dispatch_skip {
    int64_t turns, packages, tasks;
    const double *later_s;
};

/* Go on as if so much of dispatch_run's had been dealt and reported as before. */
void dispatch_skip(struct dispatch *dispatch, const struct dispatch_skip *skip);

/* How many workers have been lost on the core tasks of a package. */
struct dispatch_blame {
    int losses;
    bool given_up; /* on a single core task too many: nobody gets it any more */
};

/* Worker package->worker, which is about to be called lost, was working on this package. What of it
 * is handed out again comes after all else and in small pieces, so that the core task that it was
 * turns out with the next loss. Only a recovering dispatch knows how; the others say nothing. */
struct dispatch_blame dispatch_blame(struct dispatch *dispatch, const struct package *package);
void dispatch_free(struct dispatch **dispatch);

/* A request-driven rule: a worker gets its next package when it has reported one. */
struct dispatch_setup {
    const char *rule; /* one of dispatch_rule_name, its options behind a comma: "gss,least=10" */
    int64_t tasks, workers;
    int ahead;                 /* packages that a worker has at a time, >= 1 */
    const double *weights;     /* relative speeds, borrowed for the call; NULL: all equal */
    const double *latencies_s; /* of a package's work, whatever its size; as weights; NULL: 0 */
    double overhead_s;         /* of one package: FSC's h */
    double deviation_s;        /* of one task's time: FSC's sigma */
    int64_t least, most;       /* package sizes that may be sent; the last package may be smaller */
};

/* What rules want to know of a platform, for the setup's tasks and workers: weights, latencies,
 * overhead, and package sizes, which lie in its windows and are no more than an even share.
 * Returns the weights, latencies behind them, which are to be freed when the dispatch has been
 * made; NULL: out of memory. */
double *dispatch_setup_platform(struct dispatch_setup *setup, const struct platform *platform);
/* Is there such a rule, with such options? If not: usage, and the nearest is named. */
bool dispatch_rule_check(const char *text, struct failure *failure);
/* NULL with *failure set: no such rule or option (the nearest is named), or out of memory. */
struct dispatch *dispatch_new_rule(const struct dispatch_setup *setup, struct failure *failure);

struct dispatch_rule_name {
    const char *name, *summary;
};

/* The request-driven rules, 0 <= index < count; static. */
size_t dispatch_rule_count(void);
struct dispatch_rule_name dispatch_rule_name(size_t index);

/* An option of a rule: a number, or one of two words, of which the preset is the place. */
struct dispatch_rule_option {
    const char *name, *meaning;
    const char *usual; /* the preset in words where it is no number, or NULL */
    int64_t preset;
    const char *words[2]; /* NULL: a number */
};

/* A rule's options in turn, place = 0, 1, ...; false: it has no more. */
bool dispatch_rule_option(size_t index, int place, struct dispatch_rule_option *found);

/* What `head` decides (owned; freed also when this fails), which hands out less than the whole, and
 * then setup->tasks by a rule: who has reported all but setup->ahead packages can ask. NULL with
 * *failure set, as dispatch_new_rule. */
struct dispatch *dispatch_new_tail(struct dispatch *head, const struct dispatch_setup *setup,
                                   struct failure *failure);
/* The dispatch that a tail comes after. */
const struct dispatch *dispatch_tail_head(const struct dispatch *tail);

/* What `inner` (owned; freed also when this fails) decides, as long as no worker is lost; then the
 * tasks that come back are handed out again, half of what is left over the living workers at a
 * time, those that `inner` does not use among them. Core tasks then no longer come in ascending
 * order, and `inner` is not told of those handed out again. Finished when all are reported. NULL:
 * out of memory. */
struct dispatch *dispatch_new_recovery(struct dispatch *inner, int64_t workers);
/* Of a recovering dispatch: hand out these core tasks, too, which are not among those of `inner`,
 * as if so many workers had been lost on them. False: out of memory.
 */
bool dispatch_recovery_suspect(struct dispatch *recovery, struct task_range range, int losses);
/* Of a recovering dispatch: what it hands out again has at most so many core tasks a package. */
void dispatch_recovery_limit(struct dispatch *recovery, int64_t most);
/* Of a recovering dispatch, before it is asked: hand out nothing that would not end in time. Of a
 * package that does not fit, as much as does goes to its worker, and the rest to whoever has time
 * for it. Finished when nothing more fits and all that is out is reported. False: out of memory. */
bool dispatch_recovery_deadline(struct dispatch *recovery, const struct deadline_setup *setup);
/* Has a recovering dispatch finished so, with core tasks that nobody has been given? */
bool dispatch_recovery_over(const struct dispatch *recovery);

#endif
