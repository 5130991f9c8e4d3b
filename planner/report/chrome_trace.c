#include "planner/report/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "planner/base/array.h"
#include "planner/base/json_text.h"
#include "planner/base/text.h"
#include "planner/report/causes.h"
#include "planner/report/events.h"

enum { PROCESS_RUN = 1, PROCESS_PLAN = 2, PROCESS_COUNT = 2 };
/* At most so many packages of the run and of the plan each: viewers are slow with more than some
 * hundred thousand events. */
enum { PACKAGES_MOST = 1 << 14 };

/* What a row shows: what a rank does itself, transfers to it, or writing of its results where that
 * goes on while it computes. */
enum lane { LANE_OWN, LANE_LINK, LANE_OUTPUT };

/* An event or the cause of a wait, with its row; in whole nanoseconds, which is the resolution of
 * viewers. */
struct span {
    const struct trace_event *event; /* borrowed */
    const char *name;
    int64_t start_ns, end_ns;
    enum lane lane;
    size_t row;
};

/* A row of a viewer: spans within a row must not overlap. */
struct row {
    int32_t rank;
    enum lane lane;
    int64_t number; /* among the rows with the same rank and lane, from 1 */
    int64_t end_ns;
};

struct lanes {
    bool writes_behind;
    int64_t packages; /* the first so many packages are shown */
    struct causes causes;
    struct span *spans; /* owned */
    size_t span_count;
    struct row *rows; /* owned */
    size_t row_count, row_capacity;
};

/* Sorts by rank and lane, then by time. */
static int span_compare(const void *a, const void *b)
{
    const struct span *x = a, *y = b;
    if (x->event->rank != y->event->rank)
        return x->event->rank < y->event->rank ? -1 : 1;
    if (x->lane != y->lane)
        return x->lane < y->lane ? -1 : 1;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    return (x->end_ns > y->end_ns) - (x->end_ns < y->end_ns);
}

/* The first row of the span's lane that is free at its beginning, or a new row. */
static bool span_place(struct lanes *lanes, struct span *span)
{
    int64_t number = 1;
    size_t k = lanes->row_count;
    while (k > 0 && lanes->rows[k - 1].rank == span->event->rank &&
           lanes->rows[k - 1].lane == span->lane)
        k--;
    for (; k < lanes->row_count; k++, number++)
        if (lanes->rows[k].end_ns <= span->start_ns)
            break;
    if (k == lanes->row_count) {
        struct row *rows = array_reserve(lanes->rows, &lanes->row_capacity, k + 1, sizeof *rows);
        if (!rows)
            return false;
        lanes->rows = rows;
        lanes->rows[k] = (struct row){span->event->rank, span->lane, number, 0};
        lanes->row_count++;
    }
    lanes->rows[k].end_ns = span->end_ns;
    span->row = k;
    return true;
}

static void lanes_release(struct lanes *lanes)
{
    causes_release(&lanes->causes);
    free(lanes->spans);
    free(lanes->rows);
}

static void span_add(struct lanes *lanes, const struct trace_event *event, const char *name)
{
    const int64_t start_ns = llround(1e9 * event->start_s);
    const int64_t end_ns = llround(1e9 * fmax(event->start_s, event->end_s));
    const enum lane lane = event->operation == OPERATION_LINK ? LANE_LINK
                           : (event->operation == OPERATION_OUTPUT && lanes->writes_behind) ||
                                   event->operation == OPERATION_RESULT
                               ? LANE_OUTPUT
                               : LANE_OWN;
    lanes->spans[lanes->span_count++] = (struct span){event, name, start_ns, end_ns, lane, 0};
}

/* Replaces the trace's idle events by idle times with their causes. */
static void spans_fill(struct lanes *lanes, const struct trace *trace)
{
    for (size_t k = 0; k < trace->count; k++) {
        const enum operation operation = (enum operation)trace->events[k].operation;
        if (operation != OPERATION_IDLE && trace->events[k].package < lanes->packages)
            span_add(lanes, &trace->events[k], operation_name(operation));
    }
    for (size_t k = 0; k < lanes->causes.count; k++) {
        const struct cause_span *span = &lanes->causes.spans[k];
        if (span->gap.package < lanes->packages)
            span_add(lanes, &span->gap, cause_words(span->cause));
    }
}

static bool lanes_init(struct lanes *lanes, const struct events_head *head, bool writes_behind,
                       struct failure *failure)
{
    const struct trace *trace = &head->trace;
    bool good = true;
    *lanes = (struct lanes){.writes_behind = writes_behind};
    if (!causes_make(trace, head->plan, head->counted, &lanes->causes, failure))
        return false;
    lanes->packages =
        lanes->causes.packages < PACKAGES_MOST ? lanes->causes.packages : PACKAGES_MOST;
    lanes->spans = calloc(trace->count + lanes->causes.count + 1, sizeof *lanes->spans);
    if (!lanes->spans)
        return failure_memory(failure, "writing a trace");
    spans_fill(lanes, trace);
    qsort(lanes->spans, lanes->span_count, sizeof *lanes->spans, span_compare);
    for (size_t k = 0; good && k < lanes->span_count; k++)
        good = span_place(lanes, &lanes->spans[k]);
    return good || failure_memory(failure, "writing a trace");
}

/* The number of a row in the file. Perfetto treats thread 0 as thread 1, finds names by threads
 * alone whatever their process, and shows first the thread whose number is that of the process. */
static size_t thread_of(int process, size_t index)
{
    return (size_t)process + PROCESS_COUNT * index;
}

/* Begins a metadata event about a process or one of its rows; `args` is left open. */
static struct json_text fact_open(struct json_text *events, const char *name, int process,
                                  size_t thread, struct json_text *args)
{
    struct json_text fact = json_open_in(events, NULL, "{", ", ");
    json_word(&fact, "ph", "M");
    json_word(&fact, "name", name);
    json_count(&fact, "pid", process);
    json_count(&fact, "tid", (int64_t)thread);
    *args = json_open_in(&fact, "args", "{", ", ");
    return fact;
}

static void fact_close(struct json_text *fact, struct json_text *args)
{
    json_close(args, "}");
    json_close(fact, "}");
}

/* Adds a process's name or label, as `key` says. */
static void process_add(struct json_text *events, int process, const char *kind, const char *key,
                        const char *words)
{
    struct json_text args;
    struct json_text fact = fact_open(events, kind, process, (size_t)process, &args);
    json_word(&args, key, words);
    fact_close(&fact, &args);
}

/* Adds a row's name and its place. */
static void row_add(struct json_text *events, int process, size_t index, const struct row *row)
{
    static const char *const words[] = {"worker", "link to worker", "output of worker"};
    char number[24] = "", name[80];
    struct json_text args, fact;
    if (row->number > 1)
        snprintf(number, sizeof number, " (%" PRId64 ")", row->number);
    if (row->rank == 0)
        snprintf(name, sizeof name, "%s%s", row->lane == LANE_LINK ? "links" : "master", number);
    else
        snprintf(name, sizeof name, "%s %d%s", words[row->lane], (int)row->rank, number);
    fact = fact_open(events, "thread_name", process, thread_of(process, index), &args);
    json_word(&args, "name", name);
    fact_close(&fact, &args);
    fact = fact_open(events, "thread_sort_index", process, thread_of(process, index), &args);
    json_count(&args, "sort_index", (int64_t)index);
    fact_close(&fact, &args);
}

/* Writes nanoseconds as microseconds, exactly. */
static void microseconds_add(struct json_text *json, const char *key, int64_t ns)
{
    const int64_t size = ns < 0 ? -ns : ns, fraction = size % 1000;
    const char digits[] = {'.', (char)('0' + fraction / 100), (char)('0' + fraction / 10 % 10),
                           (char)('0' + fraction % 10)};
    struct text *text = json_next(json, key);
    text_add_bytes(text, "-", ns < 0);
    text_add_count(text, size / 1000);
    text_add_bytes(text, digits, sizeof digits);
}

static void span_print(struct json_text *events, int process, const struct span *span)
{
    const struct trace_event *event = span->event;
    struct json_text shown = json_open_in(events, NULL, "{", ", ");
    json_word(&shown, "ph", "X");
    json_word(&shown, "name", span->name);
    json_count(&shown, "pid", process);
    json_count(&shown, "tid", (int64_t)thread_of(process, span->row));
    microseconds_add(&shown, "ts", span->start_ns);
    microseconds_add(&shown, "dur", span->end_ns - span->start_ns);
    struct json_text args = json_open_in(&shown, "args", "{", ", ");
    json_count(&args, "round", event->round);
    json_count(&args, "package", event->package);
    json_count(&args, "first", event->first);
    json_count(&args, "tasks", event->tasks);
    json_close(&args, "}");
    json_close(&shown, "}");
}

/* Says how many of all packages are shown, where that is not all. */
static void rest_tell(struct json_text *events, const struct lanes *lanes,
                      const struct events_head *head, int process)
{
    char words[96];
    if (head->packages <= lanes->packages)
        return;
    snprintf(words, sizeof words, "the first %" PRId64 " of %" PRId64 " packages; --csv lists all",
             lanes->packages, head->packages);
    process_add(events, process, "process_labels", "labels", words);
}

static bool trace_print(struct json_text *events, int process, const struct events_head *head,
                        bool writes_behind, struct failure *failure)
{
    struct lanes lanes;
    const char *name = process == PROCESS_RUN ? "measured" : "predicted";
    const bool good = lanes_init(&lanes, head, writes_behind, failure);
    process_add(events, process, "process_name", "name", name);
    for (size_t k = 0; good && k < lanes.row_count; k++)
        row_add(events, process, k, &lanes.rows[k]);
    for (size_t k = 0; good && k < lanes.span_count; k++)
        span_print(events, process, &lanes.spans[k]);
    if (good)
        rest_tell(events, &lanes, head, process);
    lanes_release(&lanes);
    return good;
}

char *report_chrome_trace(const struct run_record *record, struct failure *failure)
{
    struct events_head measured, predicted;
    struct text text = TEXT_INIT;
    const bool behind = plan_writes_behind(&record->plan);
    bool has = false;
    events_head_init(&measured, PACKAGES_MOST);
    events_head_init(&predicted, PACKAGES_MOST);
    struct json_text events = json_open(&text, "[", ",\n");
    const bool good = events_heads_read(record, &measured, &predicted, &has, failure) &&
                      trace_print(&events, PROCESS_RUN, &measured, behind, failure) &&
                      (!has || trace_print(&events, PROCESS_PLAN, &predicted, behind, failure));
    json_close(&events, "]\n");
    events_head_release(&measured);
    events_head_release(&predicted);
    return text_finish(&text, good, "writing a trace", failure);
}
