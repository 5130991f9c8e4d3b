#include "planner/report/causes.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* Where a worker is between two blocks. */
struct place {
    bool begun;                /* it has worked */
    double at_s;               /* until then */
    double prepared_s;         /* the end of its start; -HUGE_VAL: it has none */
    struct trace_event before; /* its last operation */
};

/* The master at work. */
struct stint {
    int64_t package;
    double start_s, end_s;
};

struct cause_division {
    const struct cause_taker *taker; /* borrowed; NULL: nobody reads the spans */
    struct cause_span span;          /* not handed on: the next one may go on with it */
    bool spanned;                    /* there is one */
    bool counted;                    /* nobody sends packages */
    struct causes causes;            /* without spans */
    struct passage *passages;        /* owned; of the block before and of the one at hand */
    int64_t first;                   /* of the packages */
    int64_t block_first;             /* of those of the block at hand */
    int64_t passage_count;
    struct stint *stints; /* owned; of the same packages */
    size_t stint_count, stint_capacity;
    double sent_s;        /* of the package before the first one */
    struct phase *phases; /* owned; by time */
    size_t phase_count;
    /* Owned; workers' operations of the block at hand, which are divided when the next one comes:
     * it is known then that there is one. */
    struct trace_event *work;
    size_t work_count;
    struct place *places; /* owned; by worker */
    double start_s, end_s;
    bool started; /* start_s is known */
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

/* As trace_summary.h counts time: what takes none, and what rank 0 of a tree packs, is in no
 * simulation's trace. */
static bool is_first(const struct trace_event *event)
{
    return event->operation == OPERATION_ENVELOPE || event->operation == OPERATION_SEND ||
           event->operation == OPERATION_LINK;
}

/* NULL: no run numbers its packages so. */
static struct passage *passage_find(const struct cause_division *division, int64_t package)
{
    return package >= division->first && package - division->first < division->passage_count
               ? &division->passages[package - division->first]
               : NULL;
}

static void event_take(struct cause_division *division, const struct trace_event *event)
{
    struct passage *passage = passage_find(division, event->package);
    if (is_work(event) && event->end_s >= event->start_s) {
        division->work[division->work_count++] = *event;
        division->end_s = fmax(division->end_s, event->end_s);
    }
    if (event->operation == OPERATION_START && event->rank > 0)
        division->places[event->rank - 1].prepared_s = event->end_s;
    if (is_first(event) && !division->started)
        division->start_s = fmin(division->start_s, event->start_s);
    if (passage && is_masters(event))
        passage->sent_s = fmax(passage->sent_s, event->end_s);
    if (passage && event->operation == OPERATION_LINK) {
        passage->left_s = event->start_s;
        passage->arrived_s = event->end_s;
    }
    if (is_masters(event))
        division->stints[division->stint_count++] =
            (struct stint){event->package, event->start_s, event->end_s};
}

/* The master takes one after the other, and so does the port. */
static void passages_complete(struct cause_division *division)
{
    double sent_s = fmax(division->start_s, division->sent_s), carried_s = HUGE_VAL;
    for (int64_t k = 0; k < division->passage_count; k++) {
        struct passage *passage = &division->passages[k];
        passage->sent_s = sent_s = fmax(sent_s, passage->sent_s);
    }
    for (int64_t k = division->passage_count; k-- > 0;) {
        struct passage *passage = &division->passages[k];
        passage->carried_s = carried_s = fmin(carried_s, passage->arrived_s);
    }
}

/* Room for it is there. */
static void passages_make(struct cause_division *division, const struct trace *block)
{
    division->work_count = 0;
    for (size_t k = 0; k < block->count; k++)
        event_take(division, &block->events[k]);
    if (!isfinite(division->start_s))
        division->start_s = 0;
    division->started = true;
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
static void phases_fill(struct cause_division *division, const struct change *changes, size_t count)
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

/* Room for the changes: two intervals for every package, one whenever the master works. */
static bool phases_make(struct cause_division *division)
{
    const size_t most = 2 * (2 * (size_t)division->passage_count + division->stint_count);
    struct change *changes = calloc(most + 1, sizeof *changes);
    size_t count = 0;
    free(division->phases);
    division->phases = calloc(most + 1, sizeof *division->phases);
    division->phase_count = 0;
    if (changes && division->phases) {
        for (size_t k = 0; k < division->stint_count; k++)
            interval_add(changes, &count, ACTIVITY_MASTER, division->stints[k].start_s,
                         division->stints[k].end_s);
        for (int64_t k = 0; k < division->passage_count; k++) {
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

/* Hand on the span that nothing goes on with. */
static bool span_pass(struct cause_division *division)
{
    const bool there = division->spanned;
    division->spanned = false;
    return !there || division->taker->take(division->taker->self, &division->span);
}

static bool span_add(struct cause_division *division, enum cause cause,
                     const struct trace_event *event, double start_s, double end_s)
{
    struct cause_span *last = &division->span;
    if (!(end_s > start_s))
        return true;
    division->causes.workers[event->rank - 1].seconds[cause] += end_s - start_s;
    if (!division->taker)
        return true;
    if (division->spanned && last->cause == cause && last->gap.rank == event->rank &&
        last->gap.package == event->package && last->gap.end_s == start_s) {
        last->gap.end_s = end_s;
        return true;
    }
    const bool good = span_pass(division);
    *last = (struct cause_span){cause, *event};
    last->gap.operation = OPERATION_IDLE;
    last->gap.start_s = start_s;
    last->gap.end_s = end_s;
    division->spanned = good;
    return good;
}

/* How many phases have begun by then. */
static size_t phases_begun(const struct cause_division *division, double at_s)
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

void cause_division_counted(struct cause_division *division)
{
    division->counted = division->started = true;
    division->start_s = 0;
}

/* While the package has not begun to travel. */
static bool wait_divide(struct cause_division *division, const struct trace_event *next,
                        double sent_s, double start_s, double end_s)
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

static bool gap_divide(struct cause_division *division, const struct trace_event *next,
                       double start_s)
{
    const double end_s = next->start_s;
    const struct passage *passage = passage_find(division, next->package);
    if (!passage || division->counted)
        return span_add(division, division->counted ? CAUSE_TRANSFER : CAUSE_NOISE, next, start_s,
                        end_s);
    const bool seen = !isnan(passage->left_s);
    const double left_s = seen ? within(passage->left_s, start_s, end_s) : end_s;
    const double arrived_s = seen ? within(passage->arrived_s, left_s, end_s) : end_s;
    return wait_divide(division, next, passage->sent_s, start_s, left_s) &&
           span_add(division, CAUSE_TRANSFER, next, left_s, arrived_s) &&
           span_add(division, CAUSE_NOISE, next, arrived_s, end_s);
}

static int work_compare(const void *a, const void *b)
{
    const struct trace_event *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    if (x->start_s != y->start_s)
        return x->start_s < y->start_s ? -1 : 1;
    return (x->end_s > y->end_s) - (x->end_s < y->end_s);
}

/* The operations [first, end) of one worker, and what lies between. */
static bool worker_divide(struct cause_division *division, size_t first, size_t end)
{
    const int32_t index = division->work[first].rank - 1;
    struct worker_causes *worker = &division->causes.workers[index];
    struct place *place = &division->places[index];
    const struct trace_event *before = place->begun ? &place->before : NULL;
    double at_s = place->at_s;
    if (!before) {
        at_s = within(place->prepared_s, division->start_s, division->end_s);
        worker->busy_s = at_s - division->start_s;
    }
    for (size_t k = first; k < end; k++) {
        const struct trace_event *event = &division->work[k];
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
    *place = (struct place){true, at_s, place->prepared_s, division->work[end - 1]};
    return true;
}

/* After its last package. */
static bool worker_end(struct cause_division *division, int64_t worker)
{
    const struct place *place = &division->places[worker];
    return !place->begun ||
           span_add(division, CAUSE_END, &place->before, place->at_s, division->end_s);
}

/* What the block at hand ends; `last`: no other one follows. */
static bool workers_divide(struct cause_division *division, bool last)
{
    bool good = true;
    size_t first = 0;
    if (division->work_count > 0)
        qsort(division->work, division->work_count, sizeof *division->work, work_compare);
    for (int64_t k = 0; good && k < division->causes.worker_count; k++) {
        size_t end = first;
        while (end < division->work_count && division->work[end].rank == k + 1)
            end++;
        good = (end == first || worker_divide(division, first, end)) &&
               (!last || worker_end(division, k));
        first = end;
    }
    division->work_count = 0;
    return good && span_pass(division);
}

static void causes_sum(struct causes *causes)
{
    for (int64_t k = 0; k < causes->worker_count; k++)
        for (int cause = 0; cause < CAUSE_COUNT; cause++)
            causes->seconds[cause] += causes->workers[k].seconds[cause];
}

/* ---- blocks -------------------------------------------------------------------------------- */

/* The workers of the block, too. */
static bool workers_reserve(struct cause_division *division, const struct trace *block)
{
    struct causes *causes = &division->causes;
    int64_t count = causes->worker_count;
    for (size_t k = 0; k < block->count; k++)
        count = block->events[k].rank > count ? block->events[k].rank : count;
    if (count == causes->worker_count && division->places && causes->workers)
        return true;
    struct worker_causes *workers = realloc(causes->workers, ((size_t)count + 1) * sizeof *workers);
    causes->workers = workers ? workers : causes->workers;
    struct place *places = realloc(division->places, ((size_t)count + 1) * sizeof *places);
    division->places = places ? places : division->places;
    if (!workers || !places)
        return false;
    for (int64_t k = causes->worker_count; k <= count; k++) {
        workers[k] = (struct worker_causes){.busy_s = 0};
        places[k] = (struct place){.prepared_s = -HUGE_VAL};
    }
    causes->worker_count = count;
    return true;
}

/* Those before the block that was at hand are not asked for any more. */
static void packages_forget(struct cause_division *division)
{
    const int64_t gone = division->block_first - division->first;
    size_t kept = 0;
    if (gone > 0) {
        division->sent_s = division->passages[gone - 1].sent_s;
        memmove(division->passages, division->passages + gone,
                (size_t)(division->passage_count - gone) * sizeof *division->passages);
        division->passage_count -= gone;
    }
    division->first = division->block_first;
    division->block_first = division->first + division->passage_count;
    for (size_t k = 0; k < division->stint_count; k++)
        if (division->stints[k].package >= division->first)
            division->stints[kept++] = division->stints[k];
    division->stint_count = kept;
}

static bool passages_reserve(struct cause_division *division, const struct trace *block)
{
    const struct passage unknown = {(double)NAN, (double)NAN, (double)NAN, (double)NAN};
    int64_t count = division->passage_count;
    for (size_t k = 0; k < block->count; k++) {
        const int64_t at = block->events[k].package - division->block_first;
        if (at >= 0 && at < (int64_t)block->count &&
            division->block_first - division->first + at >= count)
            count = division->block_first - division->first + at + 1;
    }
    struct passage *passages = realloc(division->passages, ((size_t)count + 1) * sizeof *passages);
    if (!passages)
        return false;
    division->passages = passages;
    for (; division->passage_count < count; division->passage_count++)
        passages[division->passage_count] = unknown;
    return true;
}

/* For the block's events. */
static bool events_reserve(struct cause_division *division, const struct trace *block)
{
    size_t work = 0;
    for (size_t k = 0; k < block->count; k++)
        work += is_work(&block->events[k]);
    struct stint *stints = array_reserve(division->stints, &division->stint_capacity,
                                         division->stint_count + block->count + 1, sizeof *stints);
    division->stints = stints ? stints : division->stints;
    free(division->work);
    division->work = calloc(work + 1, sizeof *division->work);
    return stints && division->work;
}

struct cause_division *cause_division_new(const struct cause_taker *taker, struct failure *failure)
{
    struct cause_division *division = calloc(1, sizeof *division);
    if (!division) {
        failure_memory(failure, "reading a trace");
        return NULL;
    }
    division->taker = taker;
    division->start_s = HUGE_VAL;
    division->end_s = division->sent_s = -HUGE_VAL;
    return division;
}

bool cause_division_take(struct cause_division *division, const struct trace *block,
                         struct failure *failure)
{
    if (!workers_divide(division, false))
        return false;
    packages_forget(division);
    if (!workers_reserve(division, block) || !passages_reserve(division, block) ||
        !events_reserve(division, block))
        return failure_memory(failure, "reading a trace");
    passages_make(division, block);
    return phases_make(division) || failure_memory(failure, "reading a trace");
}

bool cause_division_end(struct cause_division *division, struct causes *causes)
{
    if (!workers_divide(division, true))
        return false;
    causes_sum(&division->causes);
    *causes = division->causes;
    division->causes = (struct causes){0};
    return true;
}

void cause_division_free(struct cause_division **division)
{
    if (!*division)
        return;
    causes_release(&(*division)->causes);
    free((*division)->passages);
    free((*division)->stints);
    free((*division)->phases);
    free((*division)->work);
    free((*division)->places);
    free(*division);
    *division = NULL;
}

/* ---- lists --------------------------------------------------------------------------------- */

/* Spans of the first packages, as many as there is room for. */
struct cause_list {
    struct cause_span *spans; /* owned */
    size_t count, capacity;
    int64_t packages; /* those with a number below this are listed */
    struct failure *failure;
};

/* Of half of the packages that are listed. */
static void list_halve(struct cause_list *list)
{
    int64_t last = 0;
    size_t kept = 0;
    for (size_t k = 0; k < list->count; k++)
        last = list->spans[k].gap.package > last ? list->spans[k].gap.package : last;
    list->packages = (last + 1) / 2;
    for (size_t k = 0; k < list->count; k++)
        if (list->spans[k].gap.package < list->packages)
            list->spans[kept++] = list->spans[k];
    list->count = kept;
}

static bool list_take(void *self, const struct cause_span *span)
{
    struct cause_list *list = self;
    while (list->count >= CAUSE_SPANS_MOST && list->packages > 1)
        list_halve(list);
    if (span->gap.package >= list->packages)
        return true;
    struct cause_span *spans =
        array_reserve(list->spans, &list->capacity, list->count + 1, sizeof *spans);
    if (!spans)
        return failure_memory(list->failure, "reading a trace");
    list->spans = spans;
    list->spans[list->count++] = *span;
    return true;
}

bool causes_make(const struct trace *trace, bool counted, struct causes *causes,
                 struct failure *failure)
{
    struct cause_list list = {.packages = INT64_MAX, .failure = failure};
    const struct cause_taker taker = {list_take, &list};
    struct cause_division *division = cause_division_new(&taker, failure);
    if (division && counted)
        cause_division_counted(division);
    const bool good = division && cause_division_take(division, trace, failure) &&
                      cause_division_end(division, causes);
    cause_division_free(&division);
    if (!good) {
        free(list.spans);
        return false;
    }
    causes->spans = list.spans;
    causes->count = list.count;
    causes->packages = list.packages;
    return true;
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
