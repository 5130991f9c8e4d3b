#include "planner/report/causes.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "planner/base/array.h"

/* ---- packages ------------------------------------------------------------------------------ */

/* What the trace says of a package on its way; NaN: nothing, for what takes no time is left out. */
struct passage {
    double sent_s; /* the master is done with it */
    double left_s, arrived_s;
    double carried_s; /* the port was done with it: workers that compute look up late, so at the
                       * latest when one that was sent after it had arrived */
};

/* ---- all that workers wait for ------------------------------------------------------------- */

enum activity { ACTIVITY_MASTER, ACTIVITY_PORT, ACTIVITY_HELD, ACTIVITY_COUNT };

/* So many more of an activity from then on. */
struct change {
    double at_s;
    enum activity activity;
    int by;
};

/* From then until the next one's start. */
struct phase {
    double start_s;
    bool on[ACTIVITY_COUNT];
};

struct division {
    const struct trace *trace; /* borrowed */
    bool sums_only;
    struct causes *causes;
    struct passage *passages; /* owned */
    size_t passage_count;
    struct phase *phases; /* owned; by time */
    size_t phase_count;
    const struct trace_event **work; /* owned; workers' operations by worker and time */
    size_t work_count;
    double *prepared_s; /* owned; of each worker, the end of its start; -HUGE_VAL: it has none */
    double start_s, end_s;
};

const char *cause_name(enum cause cause)
{
    static const char *const names[CAUSE_COUNT] = {"start",    "master", "port", "buffer",
                                                   "transfer", "noise",  "end"};
    assert(cause < CAUSE_COUNT);
    return names[cause];
}

const char *cause_words(enum cause cause)
{
    static const char *const words[CAUSE_COUNT] = {
        "first package", "the master",  "other transfers",   "others' buffers",
        "own transfer",  "unexplained", "done before others"};
    assert(cause < CAUSE_COUNT);
    return words[cause];
}

static bool is_work(const struct trace_event *event)
{
    return event->rank > 0 &&
           (event->operation == OPERATION_RECEIVE || event->operation == OPERATION_COMPUTE ||
            event->operation == OPERATION_OUTPUT);
}

static bool is_masters(const struct trace_event *event)
{
    return event->rank == 0 &&
           (event->operation == OPERATION_ENVELOPE || event->operation == OPERATION_SEND);
}

/* NULL: no run numbers its packages so. */
static struct passage *passage_find(const struct division *division, int64_t package)
{
    return package >= 0 && (size_t)package < division->passage_count ? &division->passages[package]
                                                                     : NULL;
}

static void event_take(struct division *division, const struct trace_event *event)
{
    struct passage *passage = passage_find(division, event->package);
    if (is_work(event) && event->end_s >= event->start_s) {
        division->work[division->work_count++] = event;
        division->end_s = fmax(division->end_s, event->end_s);
    }
    if (event->operation == OPERATION_START && event->rank > 0)
        division->prepared_s[event->rank - 1] = event->end_s;
    if (event->operation == OPERATION_ENVELOPE)
        division->start_s = fmin(division->start_s, event->start_s);
    if (passage && is_masters(event))
        passage->sent_s = fmax(passage->sent_s, event->end_s);
    if (passage && event->operation == OPERATION_LINK) {
        passage->left_s = event->start_s;
        passage->arrived_s = event->end_s;
    }
}

/* The master takes one after the other, and so does the port. */
static void passages_complete(struct division *division)
{
    double sent_s = division->start_s, carried_s = HUGE_VAL;
    for (size_t k = 0; k < division->passage_count; k++) {
        struct passage *passage = &division->passages[k];
        passage->sent_s = sent_s = fmax(sent_s, passage->sent_s);
    }
    for (size_t k = division->passage_count; k-- > 0;) {
        struct passage *passage = &division->passages[k];
        passage->carried_s = carried_s = fmin(carried_s, passage->arrived_s);
    }
}

static void passages_make(struct division *division)
{
    const struct passage unknown = {(double)NAN, (double)NAN, (double)NAN, (double)NAN};
    division->start_s = HUGE_VAL;
    division->end_s = -HUGE_VAL;
    for (int64_t k = 0; k < division->causes->worker_count; k++)
        division->prepared_s[k] = -HUGE_VAL;
    for (size_t k = 0; k < division->passage_count; k++)
        division->passages[k] = unknown;
    for (size_t k = 0; k < division->trace->count; k++)
        event_take(division, &division->trace->events[k]);
    if (!isfinite(division->start_s))
        division->start_s = 0;
    passages_complete(division);
}

static void interval_add(struct change *changes, size_t *count, enum activity activity,
                         double start_s, double end_s)
{
    if (!(end_s > start_s)) /* also of what is unknown */
        return;
    changes[(*count)++] = (struct change){start_s, activity, 1};
    changes[(*count)++] = (struct change){end_s, activity, -1};
}

static int change_compare(const void *a, const void *b)
{
    const struct change *x = a, *y = b;
    return (x->at_s > y->at_s) - (x->at_s < y->at_s);
}

/* Sorted changes at one time make one phase. */
static void phases_fill(struct division *division, const struct change *changes, size_t count)
{
    int on[ACTIVITY_COUNT] = {0};
    for (size_t k = 0; k < count; k++) {
        on[changes[k].activity] += changes[k].by;
        if (k + 1 < count && changes[k + 1].at_s == changes[k].at_s)
            continue;
        struct phase *phase = &division->phases[division->phase_count++];
        phase->start_s = changes[k].at_s;
        for (int activity = 0; activity < ACTIVITY_COUNT; activity++)
            phase->on[activity] = on[activity] > 0;
    }
}

/* Room for the changes: two intervals for every package, one for every event of the master. */
static bool phases_make(struct division *division)
{
    const struct trace *trace = division->trace;
    const size_t most = 2 * (2 * division->passage_count + trace->count);
    struct change *changes = calloc(most + 1, sizeof *changes);
    size_t count = 0;
    division->phases = calloc(most + 1, sizeof *division->phases);
    if (changes && division->phases) {
        for (size_t k = 0; k < trace->count; k++)
            if (is_masters(&trace->events[k]))
                interval_add(changes, &count, ACTIVITY_MASTER, trace->events[k].start_s,
                             trace->events[k].end_s);
        for (size_t k = 0; k < division->passage_count; k++) {
            const struct passage *passage = &division->passages[k];
            interval_add(changes, &count, ACTIVITY_HELD, passage->sent_s, passage->left_s);
            interval_add(changes, &count, ACTIVITY_PORT, passage->left_s, passage->carried_s);
        }
        qsort(changes, count, sizeof *changes, change_compare);
        phases_fill(division, changes, count);
    }
    free(changes);
    return changes && division->phases;
}

/* ---- gaps ---------------------------------------------------------------------------------- */

static bool span_add(struct division *division, enum cause cause, const struct trace_event *event,
                     double start_s, double end_s)
{
    struct causes *causes = division->causes;
    if (!(end_s > start_s))
        return true;
    struct trace_event gap = *event;
    gap.operation = OPERATION_IDLE;
    gap.start_s = start_s;
    gap.end_s = end_s;
    causes->workers[event->rank - 1].seconds[cause] += end_s - start_s;
    if (division->sums_only)
        return true;
    struct cause_span *last = causes->count > 0 ? &causes->spans[causes->count - 1] : NULL;
    if (last && last->cause == cause && last->gap.rank == gap.rank &&
        last->gap.package == gap.package && last->gap.end_s == start_s) {
        last->gap.end_s = end_s;
        return true;
    }
    struct cause_span *spans =
        array_reserve(causes->spans, &causes->capacity, causes->count + 1, sizeof *spans);
    if (!spans)
        return false;
    causes->spans = spans;
    causes->spans[causes->count++] = (struct cause_span){cause, gap};
    return true;
}

/* How many phases have begun by then. */
static size_t phases_begun(const struct division *division, double at_s)
{
    size_t low = 0, high = division->phase_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (division->phases[middle].start_s <= at_s)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Before a package's transfer. What nothing explains once it is sent is a port that waits: the
 * worker that idles has room. */
static enum cause cause_of(const struct phase *phase, bool sent)
{
    static const bool nothing[ACTIVITY_COUNT] = {false};
    const bool *on = phase ? phase->on : nothing;
    if (!sent && on[ACTIVITY_MASTER])
        return CAUSE_MASTER;
    if (on[ACTIVITY_PORT])
        return CAUSE_PORT;
    return sent || on[ACTIVITY_HELD] ? CAUSE_BUFFER : CAUSE_MASTER;
}

/* While the package has not begun to travel. */
static bool wait_divide(struct division *division, const struct trace_event *next, double sent_s,
                        double start_s, double end_s)
{
    size_t begun = phases_begun(division, start_s);
    for (double at_s = start_s; at_s < end_s;) {
        const struct phase *phase = begun > 0 ? &division->phases[begun - 1] : NULL;
        double until_s =
            begun < division->phase_count ? fmin(division->phases[begun].start_s, end_s) : end_s;
        const bool sent = at_s >= sent_s;
        if (!sent && sent_s < until_s)
            until_s = sent_s;
        else
            begun++;
        if (!span_add(division, cause_of(phase, sent), next, at_s, until_s))
            return false;
        at_s = until_s;
    }
    return true;
}

static double within(double value, double least, double greatest)
{
    return fmin(fmax(value, least), greatest);
}

static bool gap_divide(struct division *division, const struct trace_event *next, double start_s)
{
    const double end_s = next->start_s;
    const struct passage *passage = passage_find(division, next->package);
    if (!passage)
        return span_add(division, CAUSE_NOISE, next, start_s, end_s);
    const bool seen = !isnan(passage->left_s);
    const double left_s = seen ? within(passage->left_s, start_s, end_s) : end_s;
    const double arrived_s = seen ? within(passage->arrived_s, left_s, end_s) : end_s;
    return wait_divide(division, next, passage->sent_s, start_s, left_s) &&
           span_add(division, CAUSE_TRANSFER, next, left_s, arrived_s) &&
           span_add(division, CAUSE_NOISE, next, arrived_s, end_s);
}

static int work_compare(const void *a, const void *b)
{
    const struct trace_event *x = *(const struct trace_event *const *)a;
    const struct trace_event *y = *(const struct trace_event *const *)b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    if (x->start_s != y->start_s)
        return x->start_s < y->start_s ? -1 : 1;
    return (x->end_s > y->end_s) - (x->end_s < y->end_s);
}

/* The operations [first, end) of one worker, and what lies between. */
static bool worker_divide(struct division *division, size_t first, size_t end)
{
    struct worker_causes *worker = &division->causes->workers[division->work[first]->rank - 1];
    const struct trace_event *before = NULL;
    double at_s = within(division->prepared_s[division->work[first]->rank - 1], division->start_s,
                         division->end_s);
    worker->busy_s = at_s - division->start_s;
    for (size_t k = first; k < end; k++) {
        const struct trace_event *event = division->work[k];
        bool good;
        if (!before)
            good = span_add(division, CAUSE_START, event, at_s, event->start_s);
        else if (before->package == event->package)
            good = span_add(division, CAUSE_NOISE, event, at_s, event->start_s);
        else
            good = !(event->start_s > at_s) || gap_divide(division, event, at_s);
        if (!good)
            return false;
        at_s = fmax(at_s, event->start_s);
        worker->busy_s += fmax(event->end_s - at_s, 0);
        at_s = fmax(at_s, event->end_s);
        before = event;
    }
    return span_add(division, CAUSE_END, before, at_s, division->end_s);
}

static bool workers_divide(struct division *division)
{
    qsort(division->work, division->work_count, sizeof(void *), work_compare);
    for (size_t first = 0, end; first < division->work_count; first = end) {
        for (end = first + 1; end < division->work_count; end++)
            if (division->work[end]->rank != division->work[first]->rank)
                break;
        if (!worker_divide(division, first, end))
            return false;
    }
    return true;
}

static void causes_sum(struct causes *causes)
{
    for (int64_t k = 0; k < causes->worker_count; k++)
        for (int cause = 0; cause < CAUSE_COUNT; cause++)
            causes->seconds[cause] += causes->workers[k].seconds[cause];
}

static void extent_find(const struct trace *trace, struct division *division)
{
    for (size_t k = 0; k < trace->count; k++) {
        const struct trace_event *event = &trace->events[k];
        if (event->rank > division->causes->worker_count)
            division->causes->worker_count = event->rank;
        if (event->package >= 0 && (size_t)event->package < trace->count &&
            (size_t)event->package >= division->passage_count)
            division->passage_count = (size_t)event->package + 1;
    }
}

static bool division_make(const struct trace *trace, bool sums_only, struct causes *causes,
                          struct failure *failure)
{
    struct causes made = {0};
    struct division division = {.trace = trace, .sums_only = sums_only, .causes = &made};
    extent_find(trace, &division);
    made.workers = calloc((size_t)made.worker_count + 1, sizeof *made.workers);
    division.passages = calloc(division.passage_count + 1, sizeof *division.passages);
    division.work = calloc(trace->count + 1, sizeof(void *));
    division.prepared_s = calloc((size_t)made.worker_count + 1, sizeof *division.prepared_s);
    bool good = made.workers && division.passages && division.work && division.prepared_s;
    if (good) {
        passages_make(&division);
        good = phases_make(&division) && workers_divide(&division);
    }
    free(division.passages);
    free(division.phases);
    free(division.work);
    free(division.prepared_s);
    if (!good) {
        causes_release(&made);
        return failure_memory(failure, "reading a trace");
    }
    causes_sum(&made);
    *causes = made;
    return true;
}

bool causes_make(const struct trace *trace, struct causes *causes, struct failure *failure)
{
    return division_make(trace, false, causes, failure);
}

bool causes_total(const struct trace *trace, struct causes *causes, struct failure *failure)
{
    return division_make(trace, true, causes, failure);
}

void causes_release(struct causes *causes)
{
    free(causes->spans);
    free(causes->workers);
    *causes = (struct causes){0};
}

struct worker_causes causes_worker(const struct causes *causes, int64_t worker)
{
    return worker < causes->worker_count ? causes->workers[worker] : (struct worker_causes){{0}, 0};
}
