/* The events of a run and of its plan, for what draws or lists them. */
#ifndef PLANNER_REPORT_EVENTS_H
#define PLANNER_REPORT_EVENTS_H

#include <stdint.h>
#include <stdio.h>

#include "planner/base/failure.h"
#include "planner/base/text.h"
#include "planner/model/trace.h"
#include "planner/report/report.h"

/* The first packages of a trace, which is read or made block by block. */
struct events_head {
    struct trace trace; /* theirs */
    struct trace made;  /* to be made, and ended by trace_finish: it hands its blocks on */
    struct trace_taker taker;
    int64_t most;            /* packages that are kept */
    int64_t packages;        /* of the whole trace */
    const struct plan *plan; /* borrowed: whose workers wait for which master; NULL: for rank 0 */
    bool counted;            /* workers took them by themselves */
    struct failure *failure; /* borrowed, while it is read; NULL: events are not checked */
};

/* To be released; it must not be moved. Keeps what `most` packages are drawn with. */
void events_head_init(struct events_head *head, int64_t most);
void events_head_release(struct events_head *head);
/* The first packages of the run; *has: and of its plan. Both are initialised. False: out of memory,
 * or a run that cannot be reported on. */
bool events_heads_read(const struct run_record *record, struct events_head *measured,
                       struct events_head *predicted, bool *has, struct failure *failure);

/* One JSON object: "operations" and "causes" (their words), "packages", "drawn" (of them, the first
 * ones, so that at most `most` events of each kind are there), and "measured" and "predicted",
 * null or an object of equally long columns: "rank", "operation", "cause" (of an idle time, else
 * -1), "round", "package", "first", "tasks", "start_ns", "length_ns". An idle time is of the
 * package that ended it. False: out of memory, or events that no run can have. */
bool events_print(const struct run_record *record, int64_t most, struct text *text,
                  struct failure *failure);
/* The same of a plan's trace, whose head keeps events_packages(most) packages. */
bool events_print_plan(const struct events_head *predicted, int64_t most, struct text *text,
                       struct failure *failure);
int64_t events_packages(int64_t most);
/* Comma-separated values of all events, measured and predicted, one a line, with a first line of
 * names; times in seconds. */
bool events_csv(const struct run_record *record, FILE *stream, struct failure *failure);

#endif
