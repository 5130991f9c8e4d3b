#include "planner/report/report.h"

#include <inttypes.h>

#include "planner/base/text.h"
#include "planner/report/residuals.h"

enum { PROCESS_RUN = 1, PROCESS_PLAN = 2 };

/* What the viewer calls a process. */
static void process_add(struct text *text, int process, const char *name)
{
    text_add(text,
             "{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": %d, \"tid\": 0, \"args\": "
             "{\"name\": \"%s\"}}",
             process, name);
}

static void event_add(struct text *text, int process, const struct trace_event *event)
{
    text_add(text, ",\n{\"ph\": \"X\", \"name\": \"%s\", \"pid\": %d, \"tid\": %d, \"ts\": ",
             operation_name((enum operation)event->operation), process, (int)event->rank);
    text_add_number(text, 1e6 * event->start_s);
    text_add(text, ", \"dur\": ");
    text_add_number(text, 1e6 * (event->end_s - event->start_s));
    text_add(text,
             ", \"args\": {\"round\": %" PRId64 ", \"package\": %" PRId64 ", \"first\": %" PRId64
             ", \"tasks\": "
             "%" PRId64 "}}",
             event->round, event->package, event->first, event->tasks);
}

static void trace_print(struct text *text, int process, const struct trace *trace)
{
    for (size_t k = 0; k < trace->count; k++)
        event_add(text, process, &trace->events[k]);
}

char *report_chrome_trace(const struct run_record *record, struct failure *failure)
{
    struct residuals residuals;
    struct trace predicted = {NULL, 0, 0};
    struct text text = TEXT_INIT;
    /* Refuses events that have no name. */
    if (!residuals_make(record, &residuals, failure))
        return NULL;
    bool has_predicted = residuals.has_predicted;
    residuals_release(&residuals);
    if (has_predicted && !residuals_predict(record, &predicted, failure))
        return NULL;
    text_add(&text, "[");
    process_add(&text, PROCESS_RUN, "measured");
    text_add(&text, ",\n");
    process_add(&text, PROCESS_PLAN, "predicted");
    trace_print(&text, PROCESS_RUN, &record->trace);
    trace_print(&text, PROCESS_PLAN, &predicted);
    text_add(&text, "]\n");
    trace_release(&predicted);
    char *words = text_take(&text);
    if (!words)
        failure_memory(failure, "writing a trace");
    return words;
}
