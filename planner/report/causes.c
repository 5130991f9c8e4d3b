#include "planner/report/causes.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/array.h"

/* ---- packages ------------------------------------------------------------------------------ */

/* What the trace says of a package's way to its worker. NaN: nothing, because operations that take
 * no time are left out. */
struct passage {
    double sent_s; /* when the master has sent it */
    double left_s, arrived_s;
    double carried_s; /* when the port has sent it. Workers that compute notice arrivals late, so
                         that this is at the latest when a package that was sent after it arrived */
};

/* ---- all that workers wait for ------------------------------------------------------------- */

enum activity { ACTIVITY_MASTER, ACTIVITY_PORT, ACTIVITY_HELD, ACTIVITY_COUNT };

/* From at_s on, `by` more of an activity are under way. */
struct change {
    double at_s;
    enum activity activity;
    int by;
};

/* The activities from start_s on, until the next phase begins. */
struct phase {
    double start_s;
    bool on[ACTIVITY_COUNT];
};

/* What is kept of a worker between two blocks. */
struct place {
    bool begun;                /* it has begun to work */
    double at_s;               /* when its last operation ended */
    double prepared_s;         /* the end of its start; -HUGE_VAL: it has none */
    struct trace_event before; /* its last operation */
};

/* An interval in which the master works. */
struct stint {
    int64_t package;
    double start_s, end_s;
};

/* A master and the workers that get packages from it: ranks from `master` to before `end`. */
struct star_division {
    int64_t master, end;
    const struct cause_taker *taker; /* borrowed; NULL: nobody reads the spans */
    struct cause_span span;          /* the last span, which the next one may continue */
    bool spanned;                    /* there is a last span */
    bool counted;                    /* packages are numbers of a counter: nobody sends them */
    struct causes causes;            /* without spans */
    struct passage *passages;        /* owned; of the last block and of this one */
    int64_t first;                   /* number of the first of these packages */
    int64_t block_first;             /* number of this block's first package */
    int64_t passage_count;
    struct stint *stints; /* owned; of the same packages */
    size_t stint_count, stint_capacity;
    double sent_s;        /* when the package before the first one was sent */
    struct phase *phases; /* owned; by time */
    size_t phase_count;
    /* Owned. Workers' operations of this block; they are divided when the next block comes, since
     * only then it is known whether there is one. */
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

static bool is_own(const struct star_division *star, const struct trace_event *event)
{
    return event->rank >= star->master && event->rank < star->end;
}

static bool is_work(const struct star_division *star, const struct trace_event *event)
{
    return event->rank > star->master && event->rank < star->end &&
           (event->operation == OPERATION_RECEIVE || event->operation == OPERATION_COMPUTE ||
            event->operation == OPERATION_OUTPUT);
}

static bool is_masters(const struct star_division *star, const struct trace_event *event)
{
    return event->rank == star->master &&
           (event->operation == OPERATION_ENVELOPE || event->operation == OPERATION_SEND);
}

/* As in trace_summary.h: operations that take no time, and what rank 0 of a tree packs, are not in
 * a simulation's trace and are left out. */
static bool is_first(const struct trace_event *event)
{
    return event->operation == OPERATION_ENVELOPE || event->operation == OPERATION_SEND ||
           event->operation == OPERATION_LINK;
}

/* The entry of the worker of that rank. */
static struct place *place_of(const struct star_division *star, int64_t rank)
{
    return &star->places[rank - star->master - 1];
}

static struct worker_causes *causes_of(const struct star_division *star, int64_t rank)
{
    return &star->causes.workers[rank - star->master - 1];
}

/* NULL: no run has a package of that number. */
static struct passage *passage_find(const struct star_division *star, int64_t package)
{
    return package >= star->first && package - star->first < star->passage_count
               ? &star->passages[package - star->first]
               : NULL;
}

static void work_take(struct star_division *star, const struct trace_event *event)
{
    star->work[star->work_count++] = *event;
    star->end_s = fmax(star->end_s, event->end_s);
}

static void passage_note(struct star_division *star, const struct trace_event *event)
{
    struct passage *passage = passage_find(star, event->package);
    if (passage && is_masters(star, event))
        passage->sent_s = fmax(passage->sent_s, event->end_s);
    if (passage && event->operation == OPERATION_LINK) {
        passage->left_s = event->start_s;
        passage->arrived_s = event->end_s;
    }
}

/* Takes an event; of other stars only when the run began and ended. */
static void event_take(struct star_division *star, const struct trace_event *event)
{
    if (is_first(event) && !star->started)
        star->start_s = fmin(star->start_s, event->start_s);
    if (!is_own(star, event)) {
        if (event->rank > 0)
            star->end_s = fmax(star->end_s, event->end_s);
        return;
    }
    if (is_work(star, event) && event->end_s >= event->start_s)
        work_take(star, event);
    if (event->operation == OPERATION_START && event->rank > star->master)
        place_of(star, event->rank)->prepared_s = event->end_s;
    passage_note(star, event);
    if (is_masters(star, event))
        star->stints[star->stint_count++] =
            (struct stint){event->package, event->start_s, event->end_s};
}

/* Completes times that are not known: the master, and the port, take one package after the
 * other. */
static void passages_complete(struct star_division *star)
{
    double sent_s = fmax(star->start_s, star->sent_s), carried_s = HUGE_VAL;
    for (int64_t k = 0; k < star->passage_count; k++) {
        struct passage *passage = &star->passages[k];
        passage->sent_s = sent_s = fmax(sent_s, passage->sent_s);
    }
    for (int64_t k = star->passage_count; k-- > 0;) {
        struct passage *passage = &star->passages[k];
        passage->carried_s = carried_s = fmin(carried_s, passage->arrived_s);
    }
}

/* Fills in the packages of the block; there is room for them. */
static void passages_make(struct star_division *star, const struct trace *block)
{
    star->work_count = 0;
    for (size_t k = 0; k < block->count; k++)
        event_take(star, &block->events[k]);
    if (!isfinite(star->start_s))
        star->start_s = 0;
    star->started = true;
    passages_complete(star);
}

static void interval_add(struct change *changes, size_t *count, enum activity activity,
                         double start_s, double end_s)
{
    if (!(end_s > start_s)) /* also where a time is NaN */
        return;
    changes[(*count)++] = (struct change){start_s, activity, 1};
    changes[(*count)++] = (struct change){end_s, activity, -1};
}

static int change_compare(const void *a, const void *b)
{
    const struct change *x = a, *y = b;
    return (x->at_s > y->at_s) - (x->at_s < y->at_s);
}

/* Makes phases of sorted changes; changes at the same time make one phase. */
static void phases_fill(struct star_division *star, const struct change *changes, size_t count)
{
    int on[ACTIVITY_COUNT] = {0};
    for (size_t k = 0; k < count; k++) {
        on[changes[k].activity] += changes[k].by;
        if (k + 1 < count && changes[k + 1].at_s == changes[k].at_s)
            continue;
        struct phase *phase = &star->phases[star->phase_count++];
        phase->start_s = changes[k].at_s;
        for (int activity = 0; activity < ACTIVITY_COUNT; activity++)
            phase->on[activity] = on[activity] > 0;
    }
}

/* Makes the phases of this block. There is room for the changes: two intervals for every package,
 * and one for each interval of the master's work. */
static bool phases_make(struct star_division *star)
{
    const size_t most = 2 * (2 * (size_t)star->passage_count + star->stint_count);
    struct change *changes = calloc(most + 1, sizeof *changes);
    size_t count = 0;
    free(star->phases);
    star->phases = calloc(most + 1, sizeof *star->phases);
    star->phase_count = 0;
    if (changes && star->phases) {
        for (size_t k = 0; k < star->stint_count; k++)
            interval_add(changes, &count, ACTIVITY_MASTER, star->stints[k].start_s,
                         star->stints[k].end_s);
        for (int64_t k = 0; k < star->passage_count; k++) {
            const struct passage *passage = &star->passages[k];
            interval_add(changes, &count, ACTIVITY_HELD, passage->sent_s, passage->left_s);
            interval_add(changes, &count, ACTIVITY_PORT, passage->left_s, passage->carried_s);
        }
        qsort(changes, count, sizeof *changes, change_compare);
        phases_fill(star, changes, count);
    }
    free(changes);
    return changes && star->phases;
}

/* ---- gaps ---------------------------------------------------------------------------------- */

/* Passes on the last span, which nothing continues. */
static bool span_pass(struct star_division *star)
{
    const bool there = star->spanned;
    star->spanned = false;
    return !there || star->taker->take(star->taker->self, &star->span);
}

static bool span_add(struct star_division *star, enum cause cause, const struct trace_event *event,
                     double start_s, double end_s)
{
    struct cause_span *last = &star->span;
    if (!(end_s > start_s))
        return true;
    causes_of(star, event->rank)->seconds[cause] += end_s - start_s;
    if (!star->taker)
        return true;
    if (star->spanned && last->cause == cause && last->gap.rank == event->rank &&
        last->gap.package == event->package && last->gap.end_s == start_s) {
        last->gap.end_s = end_s;
        return true;
    }
    const bool good = span_pass(star);
    *last = (struct cause_span){cause, *event};
    last->gap.operation = OPERATION_IDLE;
    last->gap.start_s = start_s;
    last->gap.end_s = end_s;
    star->spanned = good;
    return good;
}

/* How many phases have begun by then. */
static size_t phases_begun(const struct star_division *star, double at_s)
{
    size_t low = 0, high = star->phase_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (star->phases[middle].start_s <= at_s)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The cause of a wait before a package's transfer. Once the package is sent, a wait that nothing
 * else explains is that of the port for a buffer of another worker: the one that idles has room. */
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

static void star_counted(struct star_division *star)
{
    star->counted = star->started = true;
    star->start_s = 0;
}

/* Divides the wait for a package that has not begun to travel. */
static bool wait_divide(struct star_division *star, const struct trace_event *next, double sent_s,
                        double start_s, double end_s)
{
    size_t begun = phases_begun(star, start_s);
    for (double at_s = start_s; at_s < end_s;) {
        const struct phase *phase = begun > 0 ? &star->phases[begun - 1] : NULL;
        double until_s =
            begun < star->phase_count ? fmin(star->phases[begun].start_s, end_s) : end_s;
        const bool sent = at_s >= sent_s;
        if (!sent && sent_s < until_s)
            until_s = sent_s;
        else
            begun++;
        if (!span_add(star, cause_of(phase, sent), next, at_s, until_s))
            return false;
        at_s = until_s;
    }
    return true;
}

static double within(double value, double least, double greatest)
{
    return fmin(fmax(value, least), greatest);
}

static bool gap_divide(struct star_division *star, const struct trace_event *next, double start_s)
{
    const double end_s = next->start_s;
    const struct passage *passage = passage_find(star, next->package);
    if (!passage || star->counted)
        return span_add(star, star->counted ? CAUSE_TRANSFER : CAUSE_NOISE, next, start_s, end_s);
    const bool seen = !isnan(passage->left_s);
    const double left_s = seen ? within(passage->left_s, start_s, end_s) : end_s;
    const double arrived_s = seen ? within(passage->arrived_s, left_s, end_s) : end_s;
    return wait_divide(star, next, passage->sent_s, start_s, left_s) &&
           span_add(star, CAUSE_TRANSFER, next, left_s, arrived_s) &&
           span_add(star, CAUSE_NOISE, next, arrived_s, end_s);
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

/* Divides the time between the operations [first, end) of one worker. */
static bool worker_divide(struct star_division *star, size_t first, size_t end)
{
    const int32_t rank = star->work[first].rank;
    struct worker_causes *worker = causes_of(star, rank);
    struct place *place = place_of(star, rank);
    const struct trace_event *before = place->begun ? &place->before : NULL;
    double at_s = place->at_s;
    if (!before) {
        at_s = within(place->prepared_s, star->start_s, star->end_s);
        worker->busy_s = at_s - star->start_s;
    }
    for (size_t k = first; k < end; k++) {
        const struct trace_event *event = &star->work[k];
        bool good;
        if (!before)
            good = span_add(star, CAUSE_START, event, at_s, event->start_s);
        else if (before->package == event->package)
            good = span_add(star, CAUSE_NOISE, event, at_s, event->start_s);
        else
            good = !(event->start_s > at_s) || gap_divide(star, event, at_s);
        if (!good)
            return false;
        at_s = fmax(at_s, event->start_s);
        worker->busy_s += fmax(event->end_s - at_s, 0);
        at_s = fmax(at_s, event->end_s);
        before = event;
    }
    *place = (struct place){true, at_s, place->prepared_s, star->work[end - 1]};
    return true;
}

/* Divides the time after the worker's last package. */
static bool worker_end(struct star_division *star, int64_t worker)
{
    const struct place *place = &star->places[worker];
    return !place->begun || span_add(star, CAUSE_END, &place->before, place->at_s, star->end_s);
}

/* Divides what the new block completes; `last`: no other block follows. */
static bool workers_divide(struct star_division *star, bool last)
{
    bool good = true;
    size_t first = 0;
    if (star->work_count > 0)
        qsort(star->work, star->work_count, sizeof *star->work, work_compare);
    for (int64_t k = 0; good && k < star->causes.worker_count; k++) {
        size_t end = first;
        while (end < star->work_count && star->work[end].rank == star->master + k + 1)
            end++;
        good = (end == first || worker_divide(star, first, end)) && (!last || worker_end(star, k));
        first = end;
    }
    star->work_count = 0;
    return good && span_pass(star);
}

static void causes_sum(struct causes *causes)
{
    for (int64_t k = 0; k < causes->worker_count; k++)
        for (int cause = 0; cause < CAUSE_COUNT; cause++)
            causes->seconds[cause] += causes->workers[k].seconds[cause];
}

/* ---- blocks -------------------------------------------------------------------------------- */

/* Makes room for the workers of the block as well. */
static bool workers_reserve(struct star_division *star, const struct trace *block)
{
    struct causes *causes = &star->causes;
    int64_t count = causes->worker_count;
    for (size_t k = 0; k < block->count; k++)
        if (is_own(star, &block->events[k]) && block->events[k].rank - star->master > count)
            count = block->events[k].rank - star->master;
    if (count == causes->worker_count && star->places && causes->workers)
        return true;
    struct worker_causes *workers = realloc(causes->workers, ((size_t)count + 1) * sizeof *workers);
    causes->workers = workers ? workers : causes->workers;
    struct place *places = realloc(star->places, ((size_t)count + 1) * sizeof *places);
    star->places = places ? places : star->places;
    if (!workers || !places)
        return false;
    for (int64_t k = causes->worker_count; k <= count; k++) {
        workers[k] = (struct worker_causes){.busy_s = 0};
        places[k] = (struct place){.prepared_s = -HUGE_VAL};
    }
    causes->worker_count = count;
    return true;
}

/* Forgets packages before the last block: they are not needed any more. */
static void packages_forget(struct star_division *star)
{
    const int64_t gone = star->block_first - star->first;
    size_t kept = 0;
    if (gone > 0) {
        star->sent_s = star->passages[gone - 1].sent_s;
        memmove(star->passages, star->passages + gone,
                (size_t)(star->passage_count - gone) * sizeof *star->passages);
        star->passage_count -= gone;
    }
    star->first = star->block_first;
    star->block_first = star->first + star->passage_count;
    for (size_t k = 0; k < star->stint_count; k++)
        if (star->stints[k].package >= star->first)
            star->stints[kept++] = star->stints[k];
    star->stint_count = kept;
}

static bool passages_reserve(struct star_division *star, const struct trace *block)
{
    const struct passage unknown = {(double)NAN, (double)NAN, (double)NAN, (double)NAN};
    int64_t count = star->passage_count;
    for (size_t k = 0; k < block->count; k++) {
        const int64_t at = block->events[k].package - star->block_first;
        if (is_own(star, &block->events[k]) && at >= 0 && at < (int64_t)block->count &&
            star->block_first - star->first + at >= count)
            count = star->block_first - star->first + at + 1;
    }
    struct passage *passages = realloc(star->passages, ((size_t)count + 1) * sizeof *passages);
    if (!passages)
        return false;
    star->passages = passages;
    for (; star->passage_count < count; star->passage_count++)
        passages[star->passage_count] = unknown;
    return true;
}

/* Makes room for the events of the block. */
static bool events_reserve(struct star_division *star, const struct trace *block)
{
    size_t work = 0;
    for (size_t k = 0; k < block->count; k++)
        work += is_work(star, &block->events[k]);
    struct stint *stints = array_reserve(star->stints, &star->stint_capacity,
                                         star->stint_count + block->count + 1, sizeof *stints);
    star->stints = stints ? stints : star->stints;
    free(star->work);
    star->work = calloc(work + 1, sizeof *star->work);
    return stints && star->work;
}

/* To be released by star_end in any case. */
static void star_begin(struct star_division *star, int64_t master, int64_t end,
                       const struct cause_taker *taker)
{
    *star = (struct star_division){.master = master,
                                   .end = end,
                                   .taker = taker,
                                   .start_s = HUGE_VAL,
                                   .end_s = -HUGE_VAL,
                                   .sent_s = -HUGE_VAL};
}

static bool star_take(struct star_division *star, const struct trace *block,
                      struct failure *failure)
{
    if (!workers_divide(star, false))
        return false;
    packages_forget(star);
    if (!workers_reserve(star, block) || !passages_reserve(star, block) ||
        !events_reserve(star, block))
        return failure_memory(failure, "reading a trace");
    passages_make(star, block);
    return phases_make(star) || failure_memory(failure, "reading a trace");
}

static void star_release(struct star_division *star)
{
    causes_release(&star->causes);
    free(star->passages);
    free(star->stints);
    free(star->phases);
    free(star->work);
    free(star->places);
}

/* ---- all stars ----------------------------------------------------------------------------- */

struct cause_division {
    size_t count;
    struct star_division stars[]; /* by rank */
};

/* Where the ranks end that belong to that master; a large number where it is not known. */
static int64_t ranks_end(const struct plan *plan, int64_t master)
{
    int64_t end = INT32_MAX;
    for (size_t k = 0; k < plan_leaves(plan); k++) {
        const int64_t other = plan_leaf(plan, k)->master;
        if (other > master && other < end)
            end = other;
    }
    return end;
}

struct cause_division *cause_division_new(const struct plan *plan, const struct cause_taker *taker,
                                          struct failure *failure)
{
    const bool several = plan && (plan->star_count > 0 || plan->child_count > 0);
    const size_t count = several ? plan_leaves(plan) : 1;
    struct cause_division *division = calloc(1, sizeof *division + count * sizeof *division->stars);
    if (!division) {
        failure_memory(failure, "reading a trace");
        return NULL;
    }
    for (; division->count < count; division->count++) {
        const int64_t master = several ? plan_leaf(plan, division->count)->master : 0;
        star_begin(&division->stars[division->count], master,
                   several ? ranks_end(plan, master) : INT32_MAX, taker);
    }
    return division;
}

void cause_division_counted(struct cause_division *division)
{
    for (size_t k = 0; k < division->count; k++)
        star_counted(&division->stars[k]);
}

bool cause_division_take(struct cause_division *division, const struct trace *block,
                         struct failure *failure)
{
    bool good = true;
    for (size_t k = 0; good && k < division->count; k++)
        good = star_take(&division->stars[k], block, failure);
    return good;
}

/* Adds the causes of one star: its workers get their numbers in the whole run. */
static bool star_join(struct causes *all, const struct star_division *star, struct failure *failure)
{
    const struct causes *own = &star->causes;
    const int64_t count = star->master + own->worker_count;
    if (count > all->worker_count) {
        struct worker_causes *room = realloc(all->workers, ((size_t)count + 1) * sizeof *room);
        if (!room)
            return failure_memory(failure, "reading a trace");
        memset(room + all->worker_count, 0, (size_t)(count + 1 - all->worker_count) * sizeof *room);
        all->workers = room;
        all->worker_count = count;
    }
    for (int64_t k = 0; k < own->worker_count; k++)
        all->workers[star->master + k] = own->workers[k];
    return true;
}

bool cause_division_end(struct cause_division *division, struct causes *causes,
                        struct failure *failure)
{
    bool good = true;
    *causes = (struct causes){0};
    for (size_t k = 0; good && k < division->count; k++)
        good = workers_divide(&division->stars[k], true) &&
               star_join(causes, &division->stars[k], failure);
    if (good)
        causes_sum(causes);
    else
        causes_release(causes);
    return good;
}

void cause_division_free(struct cause_division **division)
{
    for (size_t k = 0; *division && k < (*division)->count; k++)
        star_release(&(*division)->stars[k]);
    free(*division);
    *division = NULL;
}

/* ---- lists --------------------------------------------------------------------------------- */

/* The spans of the first packages, as many as there is room for. */
struct cause_list {
    struct cause_span *spans; /* owned */
    size_t count, capacity;
    int64_t packages; /* packages with a number below this are listed */
    struct failure *failure;
};

/* Keeps only the first half of the packages that are listed. */
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

bool causes_make(const struct trace *trace, const struct plan *plan, bool counted,
                 struct causes *causes, struct failure *failure)
{
    struct cause_list list = {.packages = INT64_MAX, .failure = failure};
    const struct cause_taker taker = {list_take, &list};
    struct cause_division *division = cause_division_new(plan, &taker, failure);
    if (division && counted)
        cause_division_counted(division);
    const bool good = division && cause_division_take(division, trace, failure) &&
                      cause_division_end(division, causes, failure);
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
