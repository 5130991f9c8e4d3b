#include "planner/report/events.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "planner/report/causes.h"
#include "planner/report/residuals.h"

/* An event, or what a worker waited for. */
struct span {
    struct trace_event event;
    int cause; /* -1: none */
};

struct spans {
    struct causes causes;
    struct span *rows; /* owned */
    size_t count;
};

/* Idle times with their causes in the place of the trace's own. */
static void spans_fill(struct spans *spans, const struct trace *trace, int64_t packages_most)
{
    for (size_t k = 0; k < trace->count; k++)
        if (trace->events[k].operation != OPERATION_IDLE &&
            trace->events[k].package < packages_most)
            spans->rows[spans->count++] = (struct span){trace->events[k], -1};
    for (size_t k = 0; k < spans->causes.count; k++)
        if (spans->causes.spans[k].gap.package < packages_most)
            spans->rows[spans->count++] =
                (struct span){spans->causes.spans[k].gap, (int)spans->causes.spans[k].cause};
}

static bool spans_init(struct spans *spans, const struct trace *trace, int64_t packages_most,
                       struct failure *failure)
{
    *spans = (struct spans){.count = 0};
    if (!causes_make(trace, &spans->causes, failure))
        return false;
    spans->rows = calloc(trace->count + spans->causes.count + 1, sizeof *spans->rows);
    if (!spans->rows)
        return failure_memory(failure, "listing events");
    spans_fill(spans, trace, packages_most);
    return true;
}

static void spans_release(struct spans *spans)
{
    causes_release(&spans->causes);
    free(spans->rows);
}

static int64_t packages_count(const struct trace *trace)
{
    int64_t count = 0;
    for (size_t k = 0; trace && k < trace->count; k++)
        if (trace->events[k].package >= count)
            count = trace->events[k].package + 1;
    return count;
}

static int64_t nanoseconds(double seconds)
{
    return llround(1e9 * seconds);
}

static int64_t span_rank(const struct span *span)
{
    return span->event.rank;
}
static int64_t span_operation(const struct span *span)
{
    return span->cause < 0 ? span->event.operation : OPERATION_IDLE;
}
static int64_t span_cause(const struct span *span)
{
    return span->cause;
}
static int64_t span_round(const struct span *span)
{
    return span->event.round;
}
static int64_t span_package(const struct span *span)
{
    return span->event.package;
}
static int64_t span_first(const struct span *span)
{
    return span->event.first;
}
static int64_t span_tasks(const struct span *span)
{
    return span->event.tasks;
}
static int64_t span_start(const struct span *span)
{
    return nanoseconds(span->event.start_s);
}
static int64_t span_length(const struct span *span)
{
    return nanoseconds(fmax(span->event.start_s, span->event.end_s)) -
           nanoseconds(span->event.start_s);
}

static const struct {
    const char *key;
    int64_t (*of)(const struct span *span);
} columns[] = {{"rank", span_rank},   {"operation", span_operation}, {"cause", span_cause},
               {"round", span_round}, {"package", span_package},     {"first", span_first},
               {"tasks", span_tasks}, {"start_ns", span_start},      {"length_ns", span_length}};

enum { COLUMN_COUNT = sizeof columns / sizeof *columns };

static void columns_add(struct text *text, const struct spans *spans)
{
    text_add(text, "{");
    for (size_t c = 0; c < COLUMN_COUNT; c++) {
        text_add(text, "%s\"%s\": [", c > 0 ? ",\n" : "", columns[c].key);
        for (size_t k = 0; k < spans->count; k++)
            text_add(text, "%s%" PRId64, k > 0 ? "," : "", columns[c].of(&spans->rows[k]));
        text_add(text, "]");
    }
    text_add(text, "}");
}

static bool trace_columns(struct text *text, const char *key, const struct trace *trace,
                          int64_t packages_most, struct failure *failure)
{
    struct spans spans;
    text_add(text, ",\n\"%s\": ", key);
    if (!trace) {
        text_add(text, "null");
        return true;
    }
    const bool good = spans_init(&spans, trace, packages_most, failure);
    if (good)
        columns_add(text, &spans);
    spans_release(&spans);
    return good;
}

static void names_add(struct text *text)
{
    text_add(text, "{\"operations\": [");
    for (int k = 0; k < OPERATION_COUNT; k++)
        text_add(text, "%s\"%s\"", k > 0 ? ", " : "", operation_name((enum operation)k));
    text_add(text, "], \"causes\": [");
    for (int k = 0; k < CAUSE_COUNT; k++)
        text_add(text, "%s\"%s\"", k > 0 ? ", " : "", cause_words((enum cause)k));
    text_add(text, "]");
}

/* The events of a package: one of each operation, and those of its causes, which are few. */
bool events_print_traces(const struct trace *measured, const struct trace *predicted, int64_t most,
                         struct text *text, struct failure *failure)
{
    const int64_t in_run = packages_count(measured), in_plan = packages_count(predicted);
    const int64_t packages = in_run > in_plan ? in_run : in_plan;
    const int64_t packages_most = most / OPERATION_COUNT;
    names_add(text);
    text_add(text, ", \"packages\": %" PRId64 ", \"drawn\": %" PRId64, packages,
             packages < packages_most ? packages : packages_most);
    const bool good = trace_columns(text, "measured", measured, packages_most, failure) &&
                      trace_columns(text, "predicted", predicted, packages_most, failure);
    text_add(text, "}\n");
    return good;
}

/* *has: the run has a prediction, and *predicted its trace, to be released. */
static bool prediction_find(const struct run_record *record, struct trace *predicted, bool *has,
                            struct failure *failure)
{
    struct residuals residuals;
    /* Refuses events that have no name. */
    if (!residuals_make(record, &residuals, failure))
        return false;
    *has = residuals.has_predicted;
    residuals_release(&residuals);
    return !*has || residuals_predict(record, predicted, failure);
}

bool events_print(const struct run_record *record, int64_t most, struct text *text,
                  struct failure *failure)
{
    struct trace predicted = {NULL, 0, 0};
    bool has = false;
    if (!prediction_find(record, &predicted, &has, failure))
        return false;
    const bool good =
        events_print_traces(&record->trace, has ? &predicted : NULL, most, text, failure);
    trace_release(&predicted);
    return good;
}

static bool csv_add(struct text *text, const char *name, const struct trace *trace,
                    struct failure *failure)
{
    struct spans spans;
    const bool good = spans_init(&spans, trace, INT64_MAX, failure);
    for (size_t k = 0; good && k < spans.count; k++) {
        const struct span *span = &spans.rows[k];
        const struct trace_event *event = &span->event;
        text_add(text, "%s,%d,%s,%s,%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",", name,
                 (int)event->rank, operation_name((enum operation)span_operation(span)),
                 span->cause < 0 ? "" : cause_name((enum cause)span->cause), event->round,
                 event->package, event->first, event->tasks);
        text_add_number(text, event->start_s);
        text_add(text, ",");
        text_add_number(text, event->end_s);
        text_add(text, "\n");
    }
    spans_release(&spans);
    return good;
}

char *events_csv(const struct run_record *record, struct failure *failure)
{
    struct trace predicted = {NULL, 0, 0};
    struct text text = TEXT_INIT;
    bool has = false;
    if (!prediction_find(record, &predicted, &has, failure))
        return NULL;
    text_add(&text, "trace,rank,operation,cause,round,package,first,tasks,start_s,end_s\n");
    const bool good = csv_add(&text, "measured", &record->trace, failure) &&
                      (!has || csv_add(&text, "predicted", &predicted, failure));
    trace_release(&predicted);
    return text_finish(&text, good, "listing events", failure);
}
