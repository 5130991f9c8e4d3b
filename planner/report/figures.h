/* A trace in figures, block by block: what it sums up to, what workers waited for, and what
 * requests cost where packages were dealt on request. */
#ifndef PLANNER_REPORT_FIGURES_H
#define PLANNER_REPORT_FIGURES_H

#include "planner/model/requests.h"
#include "planner/report/causes.h"
#include "planner/report/report.h"
#include "planner/report/trace_summary.h"

struct figures {
    struct trace_summing summing;
    struct cause_division *division; /* owned */
    struct request_finding requests;
    double request_s; /* sum over packages, as requests.h says */
    int64_t request_count;
    struct failure *failure;
    /* Of a trace that is made: it hands its blocks on to these figures. */
    struct trace_taker taker;
    struct trace made; /* owned */
};

/* Of a trace of that run, or of its plan; to be released. It must not be moved. False: out of
 * memory. */
bool figures_init(struct figures *figures, const struct run_record *record,
                  struct failure *failure);
/* `self` is the figures: the next block. */
bool figures_take(void *self, const struct trace *block);
/* Both to be released. */
bool figures_end(struct figures *figures, struct trace_summary *summary, struct causes *causes);
void figures_release(struct figures *figures);

#endif
