/*
 * Private to recovering dispatches, lowest first: what is out and what comes back
 * (recovery_lists.c), what core tasks are worth (recovery_worth.c), copies of what is overdue
 * (recovery_copies.c), what is handed out (dispatch_recovery.c), and what moves to others side by
 * side (recovery_shares.c).
 */
#ifndef PLANNER_DISPATCH_RECOVERY_PARTS_H
#define PLANNER_DISPATCH_RECOVERY_PARTS_H

#include "planner/dispatch/dispatch_kind.h"

/* `original` is as the inner dispatch handed it out; its count is 0 where it does not know of it.
 */
struct recovery_entry {
    struct package package, original;
    int losses;    /* of workers that were working on it; 0: it is not suspect */
    int64_t piece; /* of suspects: core tasks to be handed out at a time */
    bool given_up;
    bool done;    /* and kept by its worker */
    bool claimed; /* its result is there, and counts */
    size_t group; /* 1, 2, ...: of a package that is overdue, and its copies; 0: of none */
    bool copy;    /* of that package, or of a part of it */
};

struct recovery_list {
    struct recovery_entry *items; /* owned */
    size_t count, capacity;
};

struct dispatch_recovery {
    struct dispatch base;
    struct dispatch *inner; /* owned */
    int64_t workers, living;
    bool *lost;               /* owned, per worker */
    int64_t *busy;            /* owned, per worker: packages out */
    struct recovery_list out; /* handed out and not reported, or kept */
    size_t *places; /* owned; by the last digits of a package's number, where it is there, unless
                     * a later one has the same: then it is searched for */
    size_t place_count;            /* a power of two */
    struct recovery_list returned; /* to be handed out again; index and worker are old */
    int64_t returned_tasks;
    struct recovery_list suspects; /* the same, of which workers were lost */
    int alone;                     /* packages out of which there may be one */
    int64_t most;  /* core tasks of a package that is handed out again; 0: not limited */
    int64_t limit; /* of any, whatever the inner one gives; 0: none */
    struct deadline *deadline;      /* owned; NULL: there is no time by which to end */
    bool over;                      /* it has come */
    bool apart;                     /* what comes back is never joined */
    bool keeps;                     /* workers keep results */
    bool joins;                     /* more workers may come */
    bool open;                      /* core tasks may come from others, and go to them */
    bool handed_out;                /* the inner one has handed out everything */
    struct recovery_copies *copies; /* owned; NULL: none are made */
    int64_t index, round;           /* of the next package, of the last one */
    int64_t ahead;                /* packages of the inner one that a worker may have out; 0: any */
    struct package held;          /* the inner one's, for which its worker has no room yet */
    bool holds;                   /* there is such a package */
    const struct work *worth;     /* borrowed; of the job's core tasks; NULL: they are alike */
    double inner_work, done_work; /* units: the inner one's, not handed out; what counts */
};

/* ---- what is out and what comes back (recovery_lists.c) -------------------------------------- */

/* Is it a single core task that earlier losses could not tell apart from others? */
static inline bool recovery_is_alone(const struct recovery_entry *entry)
{
    return entry->package.count == 1 && entry->losses >= DISPATCH_LOSSES_MOST;
}

/* Room for one more package, out or returned, and for all that are out to return. False: out of
 * memory. What follows needs room that is there. */
bool recovery_reserve(struct dispatch_recovery *self);
/* It is to be handed out again; joined with the one that came back last, where it follows that. */
void recovery_return(struct dispatch_recovery *self, const struct package *package);
/* The same as a copy of that group. */
void recovery_return_copy(struct dispatch_recovery *self, const struct package *package,
                          size_t group);
/* The same of a suspect. */
void recovery_suspect_add(struct dispatch_recovery *self, const struct recovery_entry *entry);
/* It is with a worker, at that place of what is out. */
void recovery_put(struct dispatch_recovery *self, size_t place, const struct recovery_entry *entry);
/* What is out with that number; NULL: it is not with a worker. */
struct recovery_entry *recovery_find(const struct dispatch_recovery *self, int64_t index);
/* Removes it from what is out. */
void recovery_take(struct dispatch_recovery *self, const struct recovery_entry *entry);
/* Has some worker nothing to do? */
bool recovery_is_idle(const struct dispatch_recovery *self);

/* ---- what core tasks are worth (recovery_worth.c) -------------------------------------------- */

/* Units that core tasks are worth. */
double recovery_worth(const struct dispatch_recovery *self, struct task_range range);
/* The fewest of the range's last core tasks that are worth so much, or all of them. */
int64_t recovery_last_worth(const struct dispatch_recovery *self, struct task_range range,
                            double units);
double recovery_given_worth(const struct dispatch_recovery *self,
                            const struct dispatch_given *given);
/* Appends all of `cut` and releases it. False: out of memory. */
bool recovery_given_join(struct dispatch_given *given, struct dispatch_given *cut);
/* Of what came back, half of a living worker's share, in core tasks of that entry. */
int64_t recovery_share(const struct dispatch_recovery *self, const struct recovery_entry *from);
/* The inner one's, to be done otherwise. False: out of memory. */
bool recovery_cut(struct dispatch_recovery *self, int64_t tasks, struct dispatch_given *given);

/* ---- what is handed out (dispatch_recovery.c) ------------------------------------------------ */

/* Where no worker lives: what the inner one has comes back, all of it. False: out of memory. */
bool recovery_drain(struct dispatch_recovery *self);

/* ---- copies; without them, nothing (recovery_copies.c) --------------------------------------- */

/* Nothing is to be handed out: is something of what is out to be waited for? */
bool recovery_is_awaited(const struct dispatch_recovery *self);
void recovery_copies_free(struct dispatch_recovery *self);
/* A package, of that group or of none, is handed out, or reported. */
void recovery_copies_sent(struct dispatch_recovery *self, const struct package *package,
                          size_t group, double now_s);
/* What the inner one is to hear because a package is done: that another one is, too, by copies. Its
 * original's count is 0: nothing. */
struct recovery_told {
    struct package package, original;
    double start_s;
};
struct recovery_told recovery_copies_done(struct dispatch_recovery *self,
                                          const struct recovery_entry *entry, double start_s,
                                          double end_s);
/* That worker is lost, and not late any more. */
void recovery_copies_lost(struct dispatch_recovery *self, int64_t worker);
/* Is nothing to be expected of the worker, whose packages are copied? */
bool recovery_copies_late(const struct dispatch_recovery *self, int64_t worker);
/* A decision begins. */
void recovery_copies_begin(struct dispatch_recovery *self);
enum recovery_copying {
    RECOVERY_COPIES_NONE,
    RECOVERY_COPIES_NEW, /* some worker has become late */
    RECOVERY_COPIES_OUT_OF_MEMORY
};
/* There is nothing else to be handed out now: where a worker has nothing to do, what is overdue by
 * such a share elsewhere comes back, to be handed out once more. */
enum recovery_copying recovery_copies_make(struct dispatch_recovery *self, double now_s,
                                           double longer);
/* So many core tasks at least in place of `tasks`, as a piece of what came back: that what every
 * package costs is little beside them. */
int64_t recovery_copies_least(const struct dispatch_recovery *self, int64_t tasks);
/* How many core tasks of what came back a worker is to have that has nothing else to do, so that
 * all who are there end together; at least `tasks`. */
int64_t recovery_copies_share(const struct dispatch_recovery *self, int64_t worker, int64_t tasks,
                              double now_s);
/* When there may be something overdue next; HUGE_VAL: never, unless something happens before. */
double recovery_copies_due_s(const struct dispatch_recovery *self);
/* The result of that entry is there: does it count? */
bool recovery_copies_claim(struct dispatch_recovery *self, struct recovery_entry *entry);
/* Would the result of that entry count no more? */
bool recovery_copies_void(const struct dispatch_recovery *self, const struct recovery_entry *entry);
/* Its worker is lost: is it done elsewhere, or about to be? */
bool recovery_copies_drop(struct dispatch_recovery *self, const struct recovery_entry *entry);

#endif
