#include "planner/report/figures.h"

/* Whose rounds the run's are; NULL: it dealt on request. */
static const struct plan *periods_plan(const struct run_record *record)
{
    return record->rule ? NULL : &record->plan;
}

bool figures_init(struct figures *figures, const struct run_record *record, struct failure *failure)
{
    *figures = (struct figures){.failure = failure};
    trace_summing_init(&figures->summing, periods_plan(record));
    request_finding_init(&figures->requests, record->rule ? record->ahead : 0);
    figures->taker = (struct trace_taker){figures_take, figures};
    figures->made.on = &figures->taker;
    figures->division = cause_division_new(false, failure);
    return figures->division != NULL;
}

static bool requests_take(struct figures *figures, const struct trace *block)
{
    struct requests requests = {NULL, 0, 0};
    if (figures->requests.ahead < 1)
        return true;
    const bool good = request_finding_take(&figures->requests, block, &requests);
    for (size_t k = 0; k < requests.count; k++)
        figures->request_s += requests.items[k].seconds;
    figures->request_count += (int64_t)requests.count;
    requests_release(&requests);
    return good || failure_memory(figures->failure, "reading a trace");
}

bool figures_take(void *self, const struct trace *block)
{
    struct figures *figures = self;
    return trace_summing_take(&figures->summing, block, figures->failure) &&
           cause_division_take(figures->division, block, figures->failure) &&
           requests_take(figures, block);
}

bool figures_end(struct figures *figures, struct trace_summary *summary, struct causes *causes)
{
    if (!cause_division_end(figures->division, causes, figures->failure))
        return false;
    trace_summing_end(&figures->summing, summary);
    return true;
}

void figures_release(struct figures *figures)
{
    trace_summing_release(&figures->summing);
    cause_division_free(&figures->division);
    request_finding_release(&figures->requests);
    trace_release(&figures->made);
}
