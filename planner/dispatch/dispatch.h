/*
 * Decides which package is sent next and to which worker, for the real master and for the event
 * simulation alike. No clock, no I/O, no threads: the caller says what happened and when.
 *
 * Core tasks are handed out in ascending order, each exactly once; a list of packages and the
 * remaining ranges of a job have an order of their own.
 */
#ifndef PLANNER_DISPATCH_DISPATCH_H
#define PLANNER_DISPATCH_DISPATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "planner/base/failure.h"
#include "planner/base/text.h"
#include "planner/dispatch/deadline.h"
#include "planner/model/plan.h"
#include "planner/model/platform.h"
#include "planner/model/task_range.h"

/* Core tasks that the master computes itself have index, round and worker -1. */
struct package {
    int64_t index;  /* 0, 1, ... in order of sending */
    int64_t round;  /* 0, 1, ... */
    int64_t worker; /* index into the profile's workers; its rank is worker + 1 */
    int64_t first;  /* first core task */
    int64_t count;  /* core tasks, >= 1 */
};

static inline struct task_range package_range(const struct package *package)
{
    return (struct task_range){package->first, package->count};
}

enum dispatch_answer {
    DISPATCH_SEND,         /* *package is the next one */
    DISPATCH_WAIT,         /* nothing until a worker reports */
    DISPATCH_HANDED_OUT,   /* every core task is handed out; more follow only if a worker is lost */
    DISPATCH_FINISHED,     /* every core task has been handed out */
    DISPATCH_OUT_OF_MEMORY /* there is no memory to record one more package */
};

struct dispatch;

/* Execute `plan` (borrowed; it must outlive the object; whole loads). NULL: out of memory. */
struct dispatch *dispatch_new_plan(const struct plan *plan);
/* The same plan, whose long packages are handed out in parts, so that of what a worker has that
 * stops little is lost: as small ones as cost little of the run's time by the setup's costs, which
 * must be known; what they point at must outlive the object. NULL: out of memory. */
struct dispatch *dispatch_new_parts(const struct plan *plan, const struct deadline_setup *setup);
/* Seconds by which its parts keep a worker longer at most than whole packages would; 0: all go out
 * whole. False: out of memory. */
bool dispatch_parts_cost(const struct plan *plan, const struct deadline_setup *setup,
                         double *cost_s);
/* Hand out exactly these packages (borrowed; they must outlive the object): each to its worker, in
 * their order, at most `ahead` >= 1 unreported ones at a time; index is set to the order of
 * sending. NULL: out of memory. */
struct dispatch *dispatch_new_list(const struct package *packages, int64_t count, int64_t workers,
                                   int ahead);
/* Hand out no more of that list. */
void dispatch_list_end(struct dispatch *dispatch);
/* As long as packages of that list are out, the master computes core tasks of a job of so many, all
 * over it: to measure what they take it. */
void dispatch_list_own(struct dispatch *dispatch, int64_t tasks);
/* Hand out the remaining tasks of a job: those of these ranges (borrowed; they must outlive the
 * object). `inner` (owned; freed also when this fails) decides as if they were a job of their own,
 * whose task k is the k-th of these, and whose workers are 0 to `workers` - 1. A package that
 * crosses the end of a range is sent in pieces. NULL: out of memory. */
struct dispatch *dispatch_new_ranges(struct dispatch *inner, const struct task_range *ranges,
                                     int64_t count, int64_t workers);
/* The next decision. After DISPATCH_WAIT it may be called any number of times: until something
 * happens or dispatch_due_s is reached, it returns DISPATCH_WAIT again and changes nothing. */
enum dispatch_answer dispatch_next(struct dispatch *dispatch, double now_s,
                                   struct package *package);
/* After DISPATCH_WAIT: the time at which to call dispatch_next again if nothing happens before,
 * because an overdue report is information, too. Later than the last call; HUGE_VAL: never. */
double dispatch_due_s(const struct dispatch *dispatch);
/* When a worker worked on a package. Where start and end are the same, nothing was to be done
 * (weighted.h), which tells nothing of the worker. */
struct dispatch_times {
    double start_s, end_s;
    double share; /* that it had of its processors meanwhile, above 0, at most 1; 0: not known */
};

/* Its worker has worked on `package` then. */
void dispatch_report(struct dispatch *dispatch, const struct package *package,
                     struct dispatch_times times);
/* The same where nobody knows the share that it had. */
void dispatch_done(struct dispatch *dispatch, const struct package *package, double start_s,
                   double end_s);
/* The result of a package is there: does it count? Not where the same core tasks have been done by
 * another package meanwhile (dispatch_recovery_copy). Asked once, before dispatch_report. */
bool dispatch_claim(struct dispatch *dispatch, const struct package *package);
/* Of a package that dispatch_next has just given its worker nothing was sent, for none of it would
 * end in time: it is handed out otherwise, and its end is not told. A worker of rules on request
 * gets nothing more from this dispatch unless it reports another package. */
void dispatch_unsent(struct dispatch *dispatch, const struct package *package);
/* Its worker has returned the results of a package that was reported before. Ignored by a
 * dispatch that does not wait for them (dispatch_recovery_keep). */
void dispatch_returned(struct dispatch *dispatch, const struct package *package);
/* The next core tasks that the master computes itself (plan_master), at most `most` neighbours.
 * False: it has none left, or none that ends in time. They are in no other package, and nobody is
 * told of their end. */
bool dispatch_own(struct dispatch *dispatch, double now_s, int64_t most, struct package *package);
/* How many there are in all, and the mean seconds of one. */
struct plan_master dispatch_master(const struct dispatch *dispatch);
/* Do its decisions depend on reports? Those of a plan do not. */
bool dispatch_listens(const struct dispatch *dispatch);
/* Could that worker get another package, as far as is known? Of a plan, one of its rounds that are
 * still to come; what others leave undone may go to it all the same. */
bool dispatch_gives_more(const struct dispatch *dispatch, int64_t worker);
/* Worker `worker` is lost: it gets nothing more, and its unreported packages are handed out again.
 * Ignored by a dispatch that is not recovering (dispatch_new_recovery). */
void dispatch_lost(struct dispatch *dispatch, int64_t worker);

/* Worker `worker`, which was not there yet (dispatch_recovery_empty), takes part from now on. It
 * takes what the platform says of worker `like`, as a rule itself, or DISPATCH_UNKNOWN: nobody
 * knows. */
enum { DISPATCH_UNKNOWN = -1 };
void dispatch_joined(struct dispatch *dispatch, int64_t worker, int64_t like, double now_s);

/* Workers that may be lost on one core task before it is given up. */
enum { DISPATCH_LOSSES_MOST = 2 };

/* Repetition in what comes next: turns with packages of the same sizes as the last ones. A turn of
 * a plan is a round, with a package for each of its workers; a turn of a rule is one package, for
 * the worker that requests it. */
struct dispatch_run {
    int64_t turns;    /* 0: no repetition is known from here on */
    int64_t packages; /* of a turn */
    int64_t tasks;    /* of a turn, at most */
    int64_t series;   /* number of the series: turns are alike within a series */
    bool asked; /* a worker that requests gets the package; else its place in the round decides */
};

struct dispatch_run dispatch_run(const struct dispatch *dispatch);

/* Turns that are skipped, with their packages and core tasks; later_s (borrowed): by how much each
 * worker's times move. */
struct dispatch_skip {
    int64_t turns, packages, tasks;
    const double *later_s;
};

/* Continue as if these turns had been handed out and reported like those before. */
void dispatch_skip(struct dispatch *dispatch, const struct dispatch_skip *skip);

/* How many workers have been lost on the core tasks of a package. */
struct dispatch_blame {
    int losses;
    bool given_up; /* too many were lost on this single core task: it is not handed out again */
};

/* Call before dispatch_lost: worker package->worker was working on this package. It is handed out
 * again after all other work and in small pieces, so that a further loss shows which core task is
 * the cause. Other than recovering dispatches return zeros. */
struct dispatch_blame dispatch_blame(struct dispatch *dispatch, const struct package *package);
void dispatch_free(struct dispatch **dispatch);

/* A request-driven rule: a worker gets its next package when it has reported one. What it needs to
 * know: */
struct dispatch_setup {
    const char *rule; /* one of dispatch_rule_name, its options after a comma: "gss,least=10" */
    int64_t tasks, workers;
    int ahead;             /* packages that a worker has at a time, >= 1 */
    const double *weights; /* relative speeds, borrowed for the call; NULL: all equal */
    const double
        *latencies_s;    /* latency of a package's work, by worker; borrowed likewise; NULL: 0 */
    double overhead_s;   /* of one package: FSC's h */
    double deviation_s;  /* of one task's time: FSC's sigma */
    int64_t least, most; /* package sizes that may be sent; the last package may be smaller */
    int64_t first;       /* core tasks of the job before these, that others hand out */
    int64_t before;      /* those before what `work` is of; 0 but for a part of a job */
    /* What the job's core tasks are worth, of which these are the last; a rule then counts in units
     * of work in place of core tasks, and gets as many of these as are worth what it says.
     * Borrowed, and must outlive the dispatch; NULL: all are alike. */
    const struct work *work;
    /* The size of each package follows from its number alone, as where workers count packages
     * without asking a master (dispatch_rule_is_closed). */
    bool closed;
};

/* Fill in what rules need to know of a platform, for the setup's tasks and workers: weights,
 * latencies, overhead, and package sizes, which lie in its windows and are at most what the fastest
 * worker gets where all end together; where weights are known of the platform's core tasks, its
 * work, which must outlive the setup.
 * Returns one block that holds weights and latencies, to be freed after the dispatch has been made;
 * NULL: out of memory. */
double *dispatch_setup_platform(struct dispatch_setup *setup, const struct platform *platform);
/* Is there such a rule, with such options? If not: usage, and the nearest is named. */
bool dispatch_rule_check(const char *text, struct failure *failure);
/* Add a sentence, without its end, where the setup's rule takes an option for another value than
 * was given; nothing otherwise. */
void dispatch_rule_note(const struct dispatch_setup *setup, struct text *text);
/* Can that rule, with its options, do so? If not: usage, and those that can are named. */
bool dispatch_rule_is_closed(const char *text, struct failure *failure);
/* NULL with *failure set: no such rule or option (the nearest is named), or out of memory. */
struct dispatch *dispatch_new_rule(const struct dispatch_setup *setup, struct failure *failure);
/* The same rule, that of `setup`, whose long packages are handed out in parts as a plan's
 * (dispatch_new_parts); of parts it hears when all of them are reported. `rule` is owned; freed
 * also when this fails. NULL: out of memory. */
struct dispatch *dispatch_new_rule_parts(struct dispatch *rule, const struct dispatch_setup *setup,
                                         const struct deadline_setup *costs);
/* Of a rule with setup->closed, for who has counted to its package number `step` = 0, 1, ... and
 * asks it for nothing else: the package, but for its worker. Steps must ascend from call to call.
 * False: there are fewer packages. */
bool dispatch_rule_package(struct dispatch *rule, int64_t step, struct package *package);

struct dispatch_rule_name {
    const char *name, *summary;
};

/* The request-driven rules, 0 <= index < count; static. */
size_t dispatch_rule_count(void);
struct dispatch_rule_name dispatch_rule_name(size_t index);

enum { DISPATCH_WORDS_MOST = 4 };

/* An option of a rule: a number, or one of a few words; then the preset is the word's index. */
struct dispatch_rule_option {
    const char *name, *meaning;
    const char *usual; /* the preset described in words, or NULL */
    int64_t preset;
    const char *words[DISPATCH_WORDS_MOST]; /* those that there are */
    bool number;                            /* it may be a number */
};

/* A rule's options in turn, place = 0, 1, ...; false: it has no more. */
bool dispatch_rule_option(size_t index, int place, struct dispatch_rule_option *found);

/* First what `head` decides (owned; freed also when this fails), which hands out a part of the job,
 * from core task setup->first on, then the remaining setup->tasks by a rule: a worker may request
 * when at most setup->ahead of its packages are unreported. NULL with *failure set, as
 * dispatch_new_rule. */
struct dispatch *dispatch_new_tail(struct dispatch *head, const struct dispatch_setup *setup,
                                   struct failure *failure);
/* The `head` of a dispatch made by dispatch_new_tail. Borrowed. */
const struct dispatch *dispatch_tail_head(const struct dispatch *tail);

/* A recovering dispatch: decides as `inner` (owned; freed also when this fails) until a worker is
 * lost. The lost worker's tasks are then handed out again to all living workers, including those
 * that `inner` does not use, half of them at a time. Core tasks are no longer in ascending order
 * then, and `inner` is not told of those handed out again. Finished when all are reported. NULL:
 * out of memory. */
struct dispatch *dispatch_new_recovery(struct dispatch *inner, int64_t workers);
/* Of a recovering dispatch: also hand out these core tasks, which `inner` does not, as if `losses`
 * workers had been lost on them. False: out of memory. */
bool dispatch_recovery_suspect(struct dispatch *recovery, struct task_range range, int losses);
/* Of a recovering dispatch: also hand out these core tasks, which `inner` does not and nobody has,
 * in packages whose numbers begin with `index` or later. False: out of memory. */
bool dispatch_recovery_add(struct dispatch *recovery, struct task_range range, int64_t index);
/* Of a recovering dispatch, before it is asked: what comes back is handed out again in the packages
 * that it was in, or parts of them, and never joined. */
void dispatch_recovery_apart(struct dispatch *recovery);
/* Of a recovering dispatch: a package that it did not hand out was worked on from start_s to end_s.
 */
void dispatch_recovery_counted(struct dispatch *recovery, const struct package *package,
                               double start_s, double end_s);
/* Of a recovering dispatch: would every living worker complete so many core tasks in time that it
 * begins now? */
bool dispatch_recovery_fits(const struct dispatch *recovery, int64_t tasks, double now_s);
/* Of a recovering dispatch, before it is asked: a worker has at most so many packages out; until it
 * reports one, or others take what it has, those behind wait. */
void dispatch_recovery_ahead(struct dispatch *recovery, int64_t ahead);
/* Of a recovering dispatch, before it is asked: no package has more than `most` core tasks,
 * whatever is handed out. */
void dispatch_recovery_limit(struct dispatch *recovery, int64_t most);
/* Of a recovering dispatch, before it is asked: hand out nothing that would not end in time. A
 * package that does not fit is divided: its worker gets the part that fits, the remaining part goes
 * to any worker that has time for it. Finished when nothing more fits and every package is
 * reported. False: out of memory. */
bool dispatch_recovery_deadline(struct dispatch *recovery, const struct deadline_setup *setup);
/* Of a recovering dispatch: workers keep the results of what they have done, so that it is lost
 * with them until dispatch_returned, and nothing is finished before. */
void dispatch_recovery_keep(struct dispatch *recovery);
/* Of a recovering dispatch, before it is asked: when nothing can be handed out and some worker has
 * nothing to do, the packages of workers that are overdue, by the margins below beyond the setup's
 * costs and what was measured, are handed out once more, and others get what `inner` has for them
 * until they report. The first result of a core task counts (dispatch_claim), and when all have
 * one, the dispatch is finished, whatever is still out. Not
 * where results are kept, and only where two workers may write the results of one core task. False:
 * out of memory. */
bool dispatch_recovery_copy(struct dispatch *recovery, const struct deadline_setup *setup);

enum dispatch_first {
    DISPATCH_NONE_YET,
    DISPATCH_ORIGINAL_FIRST, /* the copies do not count */
    DISPATCH_COPY_FIRST      /* the original does not */
};

/* A package that was handed out once more. */
struct dispatch_copied {
    struct package package; /* the original */
    double overdue_s;       /* when it was found overdue */
    int64_t copies;         /* packages in which its core tasks were handed out */
    int64_t left;           /* core tasks of which no copy is done */
    double worked_s;        /* that copies which count took, in all */
    enum dispatch_first first;
};

/* In order of time; borrowed until the dispatch is asked again. */
const struct dispatch_copied *dispatch_recovery_copied(const struct dispatch *recovery,
                                                       size_t *count);
/* One line, where there are any; and the packages as a JSON array, or nothing. Times are moved by
 * begun_s, workers' numbers by `before`. */
void dispatch_copied_tell(const struct dispatch *recovery, struct text *text);
void dispatch_copied_json(const struct dispatch *recovery, double begun_s, int64_t before,
                          struct text *text);
/* Longer than expected by so much is overdue, once everything is handed out: a copy that is not
 * needed costs an idle worker's time and nothing else, one that is made late the makespan. */
#define DISPATCH_COPY_MARGIN 0.1
/* As long as others wait because who decides waits for a report, a copy that is not needed delays
 * what comes next. */
#define DISPATCH_WAITING_MARGIN 1
/* Of a recovering dispatch, before it is asked: no worker is there yet; each takes part from
 * dispatch_joined on, and where the last one is lost, what remains waits for another. */
void dispatch_recovery_empty(struct dispatch *recovery);
/* Of several dispatches side by side, each recovering and with workers of its own, which hand out
 * parts of one job: what is not handed out may move from one to another (moves.h). */

/* Core tasks that are taken from one dispatch, to be done by others. */
struct dispatch_part {
    struct task_range range;
    int losses; /* of workers that were working on them */
};

struct dispatch_given {
    struct dispatch_part *items; /* owned */
    size_t count, capacity;
    int64_t tasks; /* in all */
};

/* What joins the last range of them in front is one with it. False: out of memory. */
bool dispatch_given_add(struct dispatch_given *given, struct task_range range, int losses);
void dispatch_given_release(struct dispatch_given *given);

/* What others may know of it. Work is in units (work.h), and as much as core tasks where nobody has
 * said what these are worth. */
struct dispatch_share {
    int64_t left;     /* core tasks that have not been handed out, as far as others can have them */
    double left_work; /* that these are worth */
    double out_work;  /* that is handed out and not done */
    double done_work; /* the results of which count */
    int64_t living;   /* workers */
    bool wants;       /* everything is handed out, and some worker has nothing to do */
    bool finished;    /* nothing is left or out */
};

/* Before it is asked: it is one of several. More may be given to it as long as it is not closed:
 * until then it is not finished, and where its last worker is lost, all that it has can be taken
 * away. */
void dispatch_recovery_open(struct dispatch *recovery);
void dispatch_recovery_close(struct dispatch *recovery);
/* Before it is asked: what the job's core tasks are worth (borrowed; it must outlive the object),
 * and how much of it the inner one has to hand out. */
void dispatch_recovery_weigh(struct dispatch *recovery, const struct work *work, double units);
struct dispatch_share dispatch_recovery_share(const struct dispatch *recovery);
/* So much of what is left is not handed out any more: as few core tasks as are worth that. Where no
 * worker lives, all that there is. False: out of memory. */
bool dispatch_recovery_give(struct dispatch *recovery, double units, struct dispatch_given *given);
/* What another one has given is handed out, too. False: out of memory. */
bool dispatch_recovery_take(struct dispatch *recovery, const struct dispatch_given *given);

/* Must a recovering dispatch finish by some time? */
bool dispatch_recovery_ends(const struct dispatch *recovery);
/* Has a recovering dispatch finished at the deadline, with core tasks that were not handed out? */
bool dispatch_recovery_over(const struct dispatch *recovery);

#endif
