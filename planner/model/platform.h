/*
 * The star platform as schedulers and the simulation see it: numbers only, one affine cost of each
 * operation per window of package sizes. Equal neighbouring workers are one class, so that 100,000
 * of them stay cheap.
 */
#ifndef PLANNER_MODEL_PLATFORM_H
#define PLANNER_MODEL_PLATFORM_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/base/text.h"
#include "planner/model/cost.h"
#include "planner/model/operating.h"
#include "planner/model/profile.h"

/* The parameter of a setting or of its profile, "yes" or "no": are results written asynchronously,
 * while the worker computes its next package (simulate/star.h)? */
#define PLATFORM_WRITE_BEHIND "write-behind"

/* Which operations of a package occupy its worker; they bound the worker's time from below. */
enum platform_holds {
    PLATFORM_HOLDS_ALL,     /* r + w + o */
    PLATFORM_HOLDS_COMPUTE, /* r + w; results are written meanwhile, and take less */
    PLATFORM_HOLDS_OUTPUT   /* o, which takes longer than r + w */
};

struct platform_class {
    int64_t first, count; /* workers first .. first + count - 1 of the profile, counts expanded */
    struct cost link, receive, compute, output;
    struct cost result;        /* zero where results do not come back */
    struct cost request;       /* until a waiting master has answered; for packages on request */
    enum platform_holds holds; /* the same in every window of a worker, because times of packages
                                * from several windows are added */
    double start_s;            /* before its first package (star.h); the same in every window */
    double fetch_s;            /* for a package's number, where no master is asked; 0: a request's
                                * way; likewise */
};

/* One affine mapping and the package sizes for which it holds. */
struct platform_window {
    int64_t least, greatest; /* core tasks */
    struct cost envelope, send;
    struct platform_class *classes; /* owned */
    int64_t class_count;
    struct cost answer;  /* the master's part of a request */
    struct cost collect; /* zero where results do not come back */
};

struct platform {
    struct platform_window *windows; /* owned, ascending, disjoint */
    int64_t window_count;
    int64_t worker_count;
    int buffers; /* B: packages that may wait at a worker, or be on the way to it, while it works on
                  * another */
    bool write_behind;
    enum results results;
    enum operating operating;
    /* Owned: how costs of computing vary along a job of work_tasks core tasks. Simulations use it;
     * schedulers and evaluators plan in units of it, and so see equal core tasks. */
    struct work work;
    struct work bytes; /* owned: how what is sent varies along it; evaluators see equal ones, too */
    double work_tasks;
    double work_first; /* core tasks of the job before these; 0 but for a part of a job */
    bool weighed;      /* that is by weights that are known of each of these */
};

/* The default of B: the number of receives that workers post and that predictions assume. */
enum { PLATFORM_BUFFERS = 2 };
/* The master holds a message for each of these, and one that is being packed; bytes of all together
 * at most, but for two. */
#define PLATFORM_MESSAGES_MOST 256e6

/* Bytes that a worker needs for the greatest packages of the setting's windows. */
double memory_greatest(const struct profile_setting *setting);
/* Bytes of a message with a package of so many core tasks. */
static inline double memory_message(const struct memory *memory, double tasks)
{
    return memory->message + memory->message_per_task * tasks;
}
/* Bytes that a master with so many workers holds for messages with packages of `largest` core
 * tasks, as its workers receive so many ahead. */
double memory_messages(const struct memory *memory, double largest, int64_t workers, int buffers);

/* Are the setting's results written asynchronously? */
bool platform_writes_behind(const struct profile_setting *setting);
/* Do the setting's results come back? Where neither it nor its profile says, each package's do if a
 * worker has a cost for it. Not RESULTS_UNSAID. */
enum results platform_returns(const struct profile_setting *setting);
/* Add a line that says how results come back, or that their cost is ignored; nothing where a
 * profile does not speak of them. */
void platform_describe_results(const struct profile_setting *setting, struct text *text);
/* The first `worker_most` workers of a setting (0: all), with PLATFORM_BUFFERS. */
bool platform_init(struct platform *platform, const struct profile_setting *setting,
                   int64_t worker_most, struct failure *failure);
void platform_release(struct platform *platform);
/* Copy what is known of the setting's core tasks for simulations of a job of `tasks` core tasks.
 * False: out of memory. */
bool platform_map(struct platform *platform, const struct profile_setting *setting, double tasks,
                  struct failure *failure);
/* Mean work of the core tasks [first, first + count), relative to that of all of them. */
double platform_work(const struct platform *platform, double first, double count);
/* Computing time of the core tasks [first, first + load) over that of as many mean ones, by their
 * work; `compute` is the cost of computing, whose latency does not depend on the tasks. */
double platform_weight(const struct platform *platform, struct cost compute, double first,
                       double load);
/* The same of what is sent of them; `transfer` is the cost of envelope, send, link or receive. */
double platform_bulk(const struct platform *platform, struct cost transfer, double first,
                     double load);
/* Does it make a difference where in the job the core tasks of a package are? */
static inline bool platform_differs(const struct platform *platform)
{
    return work_differs(&platform->work) || work_differs(&platform->bytes);
}
/* The same where it makes none: it borrows all from that. */
struct platform platform_unplaced(const struct platform *from);
/* `workers` >= 1 of its workers after the first `before`, as if there were no others. To be
 * released by platform_part_release, and before `from`, of which it borrows what is known of the
 * core tasks. False: out of memory, nothing to release. */
bool platform_part(const struct platform *from, int64_t before, int64_t workers,
                   struct platform *part);
void platform_part_release(struct platform *part);
/* Do as many workers cost the same, in the same order, on two platforms of one setting? */
bool platform_alike(const struct platform *a, const struct platform *b);
/* The window that holds packages of `load` tasks; NULL when none does. */
const struct platform_window *platform_find(const struct platform *platform, double load);
/* That window, or the nearest one for a size that no plan would use, such as the last package of a
 * rule. */
const struct platform_window *platform_nearest(const struct platform *platform, double load);
/* The class of a worker; binary search. */
const struct platform_class *platform_worker(const struct platform_window *window, int64_t worker);
/* Start-up time of a worker before its first package, seconds. */
double platform_start(const struct platform *platform, int64_t worker);
/* The longest start-up time of all workers; *equal (may be NULL): are they all the same? */
double platform_start_most(const struct platform *platform, bool *equal);
/* Lower bound of the makespan with the largest packages, seconds: perfectly balanced work, rates
 * without latencies, by the operations that occupy the workers. */
double platform_ideal(const struct platform *platform, double tasks);

/* r + w + o: from the start of a package until its results are written, without waiting. */
static inline struct cost platform_class_whole(const struct platform_class *class)
{
    return cost_sum(cost_sum(class->receive, class->compute), class->output);
}

/* What a package takes of its way to the master of a group, whatever its size: that master is told
 * which core tasks it gets, packs what it assigns by itself and starts nothing. */
struct platform_told {
    double send_s, link_s;
};
static inline struct platform_told platform_told(const struct platform_window *window,
                                                 const struct platform_class *class)
{
    return (struct platform_told){window->send.latency_s, class->link.latency_s};
}

/* The operations that occupy a worker of the class: all, or, with asynchronous writing, the longer
 * of computing and writing for the largest packages. */
static inline struct cost platform_class_work(const struct platform_class *class)
{
    if (class->holds == PLATFORM_HOLDS_ALL)
        return platform_class_whole(class);
    return class->holds == PLATFORM_HOLDS_OUTPUT ? class->output
                                                 : cost_sum(class->receive, class->compute);
}

/* The other operations, which overlap with these except for the first or last package. */
static inline struct cost platform_class_beside(const struct platform_class *class)
{
    if (class->holds == PLATFORM_HOLDS_ALL)
        return (struct cost){0, 0};
    return class->holds == PLATFORM_HOLDS_OUTPUT ? cost_sum(class->receive, class->compute)
                                                 : class->output;
}
/* Whoever is free adds one to a counter that all share, which takes fetch_s or, where that is not
 * known, a request's way without the master's part, and knows its package: nothing is packed, sent
 * or answered. */
void platform_leave_master_out(struct platform *platform);

#endif
