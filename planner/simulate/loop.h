/*
 * The event loop: whoever knows what is sent next, and what it costs, is its source (a plan's
 * cursor, a dispatch, a list, a recorded trace); the loop says when everything happens. Every
 * simulation goes through it; only the evaluation of plans that are tried out by the thousand has a
 * short cut of its own (evaluate.h).
 *
 * A master that computes core tasks of its own makes a package when it has a buffer for it, and not
 * while it is in a core task; one that does not is taken to run ahead, for then nothing is won by
 * making it later.
 *
 * Where results do not come back and the operating model is single-port, all times of a package
 * follow from those before it (star.h), and a package costs some nanoseconds. Else the loop goes
 * from event to event (events.h).
 */
#ifndef PLANNER_SIMULATE_LOOP_H
#define PLANNER_SIMULATE_LOOP_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/base/failure.h"
#include "planner/model/trace.h"
#include "planner/simulate/own_share.h"
#include "planner/simulate/star.h"

/* A package, as its source says. */
struct loop_package {
    int64_t worker;               /* of the star */
    int64_t rank;                 /* in the trace; above 0 */
    double first, load;           /* core tasks */
    int64_t round, index;         /* 0, 1, ... */
    bool unawaited;               /* nobody waited for it: its trace has no idle time */
    bool last;                    /* its worker gets no other: results at the end are ready then */
    const struct star_cost *cost; /* borrowed until the next one; of results at the end, where the
                                   * platform has windows, it says so */
};

enum loop_answer {
    LOOP_SEND,       /* *package is next */
    LOOP_WAIT,       /* ask again when the master has heard of something */
    LOOP_HANDED_OUT, /* the same, and more is sent only if a worker is lost: results at the end are
                      * returned */
    LOOP_PAUSE,      /* loop_run returns, and goes on when it is called again */
    LOOP_END,        /* there is no other package */
    LOOP_FAILED      /* *failure is set */
};

struct loop;

/* Members that may be NULL say so. */
struct loop_source {
    /* The master is free at loop->star.master_s, which may be put off. *package holds what the
     * source has left in it, all 0 at first. */
    enum loop_answer (*next)(void *self, struct loop *loop, struct loop_package *package,
                             struct failure *failure);
    /* All times of the package are known until its worker has reported it, with its result where
     * each package's comes back. NULL: nobody asks. */
    bool (*sent)(void *self, struct loop *loop, const struct loop_package *package,
                 const struct star_times *times, struct failure *failure);
    /* Results at the end have been taken in: those of the package's worker, up to the package.
     * NULL: nobody asks. */
    bool (*returned)(void *self, const struct loop_package *package, double taken_s,
                     struct failure *failure);
    /* From when on the worker is gone: nothing is returned by it then. NULL: never. */
    double (*gone_s)(void *self, int64_t worker);
    /* After LOOP_WAIT: when the master hears of the next thing that is known so far, and when it
     * would go on by itself; HUGE_VAL: never. NULL: it never waits. */
    double (*event_s)(void *self);
    double (*due_s)(void *self);
    /* The master waited for so many seconds. NULL: nobody asks. */
    void (*waited)(void *self, double seconds);
    /* The master, free at at_s, computes core tasks of its own, the last of which begins before
     * until_s; false: it has none left. NULL: it computes none. */
    bool (*computes)(void *self, double at_s, double until_s, struct own_span *span);
    /* How long an operation lasts that begins at start_s and would take `seconds` if nothing
     * changed in time; worker -1: the master's. NULL: so long. */
    double (*lasts)(void *self, int64_t worker, enum operation operation, double start_s,
                    double seconds);
    void *self; /* borrowed */
};

struct events;

struct loop {
    struct star star;
    struct loop_package package; /* the source's */
    struct trace *trace;         /* borrowed; NULL: nobody traces */
    int32_t master;              /* its rank in the trace */
    struct events *events;       /* owned; NULL: all times follow from the packages before */
    int64_t messages; /* that the master has buffers for: one for each worker, and one more */
    /* Of a master that computes: when the last packages arrived, as many as that. Owned, a ring;
     * NULL: nobody has asked. */
    double *arrivals;
    int64_t arrival_next;
};

/* For so many workers of the platform's kind; loop_restart follows. False: out of memory. */
bool loop_init(struct loop *loop, const struct platform *platform, int64_t workers);
void loop_release(struct loop *loop);
/* Nothing has been sent yet; as star_restart. */
void loop_restart(struct loop *loop, const struct platform *platform, const int64_t *workers);
/* Until the source ends or pauses. */
bool loop_run(struct loop *loop, const struct loop_source *source, struct failure *failure);
/* Append what happened to the package to the loop's trace. False: out of memory. */
bool loop_trace(struct loop *loop, const struct loop_package *package,
                const struct star_times *times);
/* A master that is free computes core tasks of its own, the last of which begins before then. */
bool loop_compute(struct loop *loop, const struct loop_source *source, double until_s,
                  struct failure *failure);
/* The last end of all that was simulated. */
double loop_makespan(const struct loop *loop);

/* Must platforms like this one be simulated from event to event? */
bool loop_needs_events(const struct platform *platform);

#endif
