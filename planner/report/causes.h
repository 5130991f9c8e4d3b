/*
 * Where the workers' time goes: from the start to the makespan, every moment of a worker that had a
 * package is an operation's or has one cause. Together they are the makespan, of every worker.
 *
 * The causes follow the event semantics (simulate/star.h), backwards from the package that ends the
 * gap. It was on its way, or on a worker that did not begin; before that the master was not done
 * with it, or it waited for the port, which carried another one or was held up by one sent before,
 * whose worker had no room. Traces of runs and of simulations are divided by the same rules; in one
 * of a simulation nothing is left unexplained.
 */
#ifndef PLANNER_REPORT_CAUSES_H
#define PLANNER_REPORT_CAUSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "planner/base/failure.h"
#include "planner/model/plan.h"
#include "planner/model/trace.h"

enum cause {
    CAUSE_START,    /* before the worker's first package */
    CAUSE_MASTER,   /* the package was not packed and sent yet, or the master had none itself */
    CAUSE_PORT,     /* another transfer was under way */
    CAUSE_BUFFER,   /* one sent before waited for room at its worker */
    CAUSE_TRANSFER, /* the package itself was on its way */
    CAUSE_NOISE,    /* it was there: no rule says why the worker did not begin */
    CAUSE_END,      /* the worker had done its last package */
    CAUSE_COUNT
};

struct cause_span {
    enum cause cause;
    struct trace_event gap; /* idle; of the package that ended it, or of the last one */
};

struct worker_causes {
    double seconds[CAUSE_COUNT];
    double busy_s; /* starting and in operations, those that overlap counted once; all together the
                    * makespan */
};

struct causes {
    struct cause_span *spans; /* owned; of causes_make, by worker and time, none empty */
    size_t count;
    int64_t packages; /* spans are those of packages with a number below this: of the first ones, if
                       * all would be too many */
    struct worker_causes *workers; /* owned; all zero for those without a package */
    int64_t worker_count;          /* 1 + the highest worker in the trace */
    double seconds[CAUSE_COUNT];   /* of all workers */
};

/* As people read it: "other transfers". */
const char *cause_words(enum cause cause);
/* As a key: "port". */
const char *cause_name(enum cause cause);
/* Spans that causes_make lists: what each of many workers waits for is divided by what the master
 * does for all others, and a package has as many as there are workers. */
enum { CAUSE_SPANS_MOST = 1 << 17 };
/* Events as trace_summary_make takes them; `plan` as cause_division_new, `counted` as
 * cause_division_counted. False: out of memory. */
bool causes_make(const struct trace *trace, const struct plan *plan, bool counted,
                 struct causes *causes, struct failure *failure);

/* Who reads what workers wait for, span by span. False: it cannot go on. */
struct cause_taker {
    bool (*take)(void *self, const struct cause_span *span);
    void *self;
};

/* A trace that is divided block by block. What a worker waited for is looked for among the packages
 * of the same block and of the one before it. */
struct cause_division;
/* Owned. Whose workers wait for which master `plan`, borrowed for the call, says: of several
 * masters side by side, or of a tree, each one's for it alone; NULL, or a plan for one: rank 0's.
 * `taker`, borrowed, gets a block's spans, as many as packages times workers, by worker and time,
 * when the next block comes or there is none, and those at a worker's end with the last block's;
 * NULL: only what they sum up to. NULL: out of memory. */
struct cause_division *cause_division_new(const struct plan *plan, const struct cause_taker *taker,
                                          struct failure *failure);
/* Workers took their packages by themselves, from time 0 on: what they waited for was how to know
 * which. */
void cause_division_counted(struct cause_division *division);
/* False: out of memory, or the taker cannot go on, which has set its own failure. */
bool cause_division_take(struct cause_division *division, const struct trace *block,
                         struct failure *failure);
/* *causes, to be released, gets the sums. False as cause_division_take has it. */
bool cause_division_end(struct cause_division *division, struct causes *causes,
                        struct failure *failure);
void cause_division_free(struct cause_division **division);
void causes_release(struct causes *causes);
/* Worker `worker`; all zero when it is not in there. */
struct worker_causes causes_worker(const struct causes *causes, int64_t worker);

#endif
