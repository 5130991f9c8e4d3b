#include "calibrate/patience.h"

#include <math.h>

/* Is it work, and has it been seen how long that takes? */
static bool is_work(const struct trace_event *event)
{
    return event->operation == OPERATION_RECEIVE || event->operation == OPERATION_COMPUTE ||
           event->operation == OPERATION_OUTPUT;
}

void patience_expect(const struct patience *patience, int64_t largest)
{
    const double expected_s = fmax(patience->longest_s, patience->s_per_task * (double)largest);
    liveness_patience(patience->liveness, liveness_deadline(patience->least_s, expected_s));
}

void patience_learn(struct patience *patience, const struct trace *trace)
{
    for (size_t i = 0; i < trace->count; i++) {
        const struct trace_event *event = &trace->events[i];
        const double took_s = event->end_s - event->start_s;
        if (is_work(event) || event->operation == OPERATION_START)
            patience->longest_s = fmax(patience->longest_s, took_s);
        if (is_work(event) && event->tasks > 0)
            patience->s_per_task = fmax(patience->s_per_task, took_s / (double)event->tasks);
    }
}

void patience_end(const struct patience *patience)
{
    liveness_patience(patience->liveness, 0);
}
