/*
 * A dispatch that survives the loss of workers: what lost workers had comes back, and is handed out
 * again.
 *
 * What a lost worker was working on is suspected of having caused the loss. Suspects are handed out
 * when nothing else is left, a package of up to PIECES (recovery_lists.c) core tasks one by one, a
 * larger one in PIECES pieces: so a core task that kills every worker that begins it costs two of
 * them (four, where its package had more than PIECES^3), and is then given up. Halving would need
 * fewer messages, but a worker for each half. The last living worker gets suspects one at a time,
 * after everything else is reported. Single core tasks that earlier runs could not tell apart are
 * handed out one at a time, so that the next loss decides.
 *
 * Where everything must end by some time, what does not fit comes back at once, and is handed out
 * again in pieces that do.
 *
 * Where copies are made (dispatch_recovery_copy), what is overdue is handed out once more, and its
 * first result counts.
 */
#include <math.h>
#include <stdlib.h>

#include "planner/dispatch/recovery_parts.h"
#include "planner/model/platform.h"

/* Takes back what a lost worker had. */
static void entry_return(struct dispatch_recovery *self, const struct recovery_entry *entry)
{
    self->alone -= recovery_is_alone(entry);
    if (recovery_copies_drop(self, entry) || entry->given_up)
        return;
    if (entry->losses > 0)
        recovery_suspect_add(self, entry);
    else if (entry->copy)
        recovery_return_copy(self, &entry->package, entry->group);
    else
        recovery_return(self, &entry->package);
}

static void package_out(struct dispatch_recovery *self, struct package *package,
                        const struct recovery_entry *from, double now_s)
{
    recovery_copies_sent(self, package, from->group, now_s);
    if (self->deadline)
        deadline_sent(self->deadline, package->worker, package->count, now_s);
    package->index = self->index++;
    self->round = package->round;
    self->busy[package->worker]++;
    struct recovery_entry entry = *from;
    entry.package = *package;
    self->alone += recovery_is_alone(&entry);
    recovery_put(self, self->out.count++, &entry);
}

/* How many of these core tasks the worker can do in time. */
static int64_t count_fit(const struct dispatch_recovery *self, int64_t worker, int64_t count,
                         double now_s)
{
    return self->deadline ? deadline_fit(self->deadline, worker, count, now_s) : count;
}

/* Does the worker get nothing more, because it is lost, or because others do what it has? */
static bool is_out_of_use(const struct dispatch_recovery *self, int64_t worker)
{
    return self->lost[worker] || recovery_copies_late(self, worker);
}

/* Chooses the living worker with the fewest packages, at most `most`, that can do some of these
 * core tasks in time: *count of them. -1: there is none. */
static int64_t worker_choose(const struct dispatch_recovery *self, int64_t most, double now_s,
                             int64_t tasks, int64_t *count)
{
    int64_t chosen = -1;
    for (int64_t k = 0; k < self->workers; k++) {
        if (is_out_of_use(self, k) || self->busy[k] > most ||
            (chosen >= 0 && self->busy[k] >= self->busy[chosen]))
            continue;
        const int64_t fit = count_fit(self, k, tasks, now_s);
        if (fit > 0) {
            chosen = k;
            *count = fit;
        }
    }
    return chosen;
}

/* No worker can take what there is. */
static enum dispatch_answer nobody(struct dispatch_recovery *self)
{
    if (self->out.count > 0 || !self->deadline)
        return DISPATCH_WAIT;
    self->over = true;
    return DISPATCH_FINISHED;
}

/* A copy goes only to a worker that has nothing else to do. */
static int64_t most_out(const struct recovery_entry *from)
{
    return from->copy ? 0 : PLATFORM_BUFFERS - 1;
}

/* Sends the first core tasks of a range, at most `count`, to a worker that may have them. */
static enum dispatch_answer piece_send(struct dispatch_recovery *self, struct recovery_entry *from,
                                       int64_t count, double now_s, struct package *package)
{
    struct package *range = &from->package;
    if (count > range->count)
        count = range->count;
    if (self->most > 0 && count > self->most)
        count = self->most;
    const int64_t worker = worker_choose(self, most_out(from), now_s, count, &count);
    if (worker < 0)
        return nobody(self);
    *package = *range;
    package->worker = worker;
    package->round = self->round;
    package->count = count;
    range->first += count;
    range->count -= count;
    const struct recovery_entry sent = {
        .losses = from->losses, .group = from->group, .copy = from->copy};
    package_out(self, package, &sent, now_s);
    return DISPATCH_SEND;
}

/* How much of what came back to send at once: half of it divided among the living workers. If one
 * of them has nothing to do, all of it is divided among those that will soon be idle. */
static int64_t returned_piece(const struct dispatch_recovery *self,
                              const struct recovery_entry *from, double now_s)
{
    const int64_t share = recovery_share(self, from);
    const int64_t least = recovery_copies_least(self, share);
    int64_t fit = 0;
    const int64_t worker =
        self->copies ? worker_choose(self, 0, now_s, from->package.count, &fit) : -1;
    return worker >= 0 ? recovery_copies_share(self, worker, least, now_s) : least;
}

/* Sends a piece of the range that came back last. */
static enum dispatch_answer returned_next(struct dispatch_recovery *self, double now_s,
                                          struct package *package)
{
    struct recovery_entry *from = &self->returned.items[self->returned.count - 1];
    const int64_t piece = returned_piece(self, from, now_s);
    const enum dispatch_answer answer = piece_send(self, from, piece, now_s, package);
    if (answer == DISPATCH_SEND) {
        self->returned_tasks -= package->count;
        self->returned.count -= from->package.count == 0;
    }
    return answer;
}

/* The last suspect that may be handed out now; NULL: there is none. */
static struct recovery_entry *suspect_choose(const struct dispatch_recovery *self)
{
    size_t k = self->suspects.count;
    if (self->living == 1 && self->out.count > 0)
        return NULL;
    while (k > 0 && self->alone > 0 && recovery_is_alone(&self->suspects.items[k - 1]))
        k--;
    return k > 0 ? &self->suspects.items[k - 1] : NULL;
}

static enum dispatch_answer suspect_next(struct dispatch_recovery *self, double now_s,
                                         struct package *package)
{
    struct recovery_entry *entry = suspect_choose(self);
    if (!entry)
        return DISPATCH_WAIT;
    const enum dispatch_answer answer = piece_send(self, entry, entry->piece, now_s, package);
    if (answer == DISPATCH_SEND && entry->package.count == 0)
        *entry = self->suspects.items[--self->suspects.count];
    return answer;
}

/* The inner dispatch's next package, once its worker has room. All others wait for that too,
 * because the inner dispatch's packages are sent in its order. */
static enum dispatch_answer inner_next(struct dispatch_recovery *self, double now_s,
                                       struct package *package)
{
    if (!self->holds) {
        const enum dispatch_answer answer = dispatch_next(self->inner, now_s, &self->held);
        if (answer != DISPATCH_SEND)
            return answer;
        self->inner_work -= recovery_worth(self, package_range(&self->held));
    }
    const int64_t worker = self->held.worker;
    self->holds =
        self->ahead > 0 && self->busy[worker] >= self->ahead && !is_out_of_use(self, worker);
    *package = self->held;
    return self->holds ? DISPATCH_WAIT : DISPATCH_SEND;
}

/* Takes as many core tasks of the inner dispatch's package as its worker can do; the rest comes
 * back. False: it can do none. */
static bool inner_take(struct dispatch_recovery *self, double now_s, struct package *package)
{
    const struct package original = *package;
    const int64_t most =
        self->limit > 0 && original.count > self->limit ? self->limit : original.count;
    const int64_t count =
        is_out_of_use(self, package->worker) ? 0 : count_fit(self, package->worker, most, now_s);
    struct package remaining = original;
    if (most > self->most)
        self->most = most;
    remaining.first += count;
    remaining.count -= count;
    if (remaining.count > 0)
        recovery_return(self, &remaining);
    package->count = count;
    const struct recovery_entry from = {.original = original};
    if (count > 0)
        package_out(self, package, &from, now_s);
    else if (!self->lost[package->worker])
        dispatch_unsent(self->inner, &original);
    return count > 0;
}

/* Takes back all packages of the inner dispatch whose workers are lost. False: out of memory. */
static bool inner_drain(struct dispatch_recovery *self, enum dispatch_answer *answer)
{
    struct package package;
    for (;;) {
        if (!recovery_reserve(self))
            return false;
        *answer = inner_next(self, 0, &package);
        if (*answer != DISPATCH_SEND)
            return true;
        inner_take(self, 0, &package);
    }
}

/* A rule waits for requests, and no worker is left to make one: takes all its core tasks back.
 * False: out of memory. */
static bool inner_empty(struct dispatch_recovery *self)
{
    struct dispatch_given given = {.items = NULL};
    bool good = recovery_cut(self, dispatch_left(self->inner), &given);
    for (size_t k = 0; good && k < given.count; k++) {
        const struct task_range range = given.items[k].range;
        good = recovery_reserve(self);
        if (good)
            recovery_return(self,
                            &(const struct package){.first = range.first, .count = range.count});
    }
    dispatch_given_release(&given);
    return good;
}

bool recovery_drain(struct dispatch_recovery *self)
{
    enum dispatch_answer answer;
    if (!inner_drain(self, &answer))
        return false;
    if (answer == DISPATCH_WAIT && dispatch_left(self->inner) > 0 &&
        (!inner_empty(self) || !inner_drain(self, &answer)))
        return false;
    self->handed_out = answer == DISPATCH_FINISHED;
    return answer != DISPATCH_OUT_OF_MEMORY;
}

/* A worker whose package of a rule did not fit into the time requests no other before it reports
 * one. Has no worker anything to report? */
static bool is_stuck(const struct dispatch_recovery *self)
{
    return self->deadline && self->returned.count == 0 && !self->holds &&
           !recovery_is_awaited(self) && dispatch_left(self->inner) > 0 &&
           !isfinite(dispatch_due_s(self->inner));
}

/* Everything is reported. */
static enum dispatch_answer all_done(const struct dispatch_recovery *self)
{
    return self->open ? DISPATCH_HANDED_OUT : DISPATCH_FINISHED;
}

/* No worker is there: what remains waits for one that joins, or goes to other masters. */
static enum dispatch_answer empty_next(struct dispatch_recovery *self)
{
    if (self->open && !recovery_drain(self))
        return DISPATCH_OUT_OF_MEMORY;
    return self->handed_out && self->returned.count == 0 && self->suspects.count == 0
               ? all_done(self)
               : DISPATCH_WAIT;
}

static enum dispatch_answer recovery_next(struct dispatch *dispatch, double now_s,
                                          struct package *package)
{
    struct dispatch_recovery *self = (struct dispatch_recovery *)dispatch;
    enum dispatch_answer answer;
    recovery_copies_begin(self);
    if (self->living == 0)
        return empty_next(self);
    for (;;) {
        if (!recovery_reserve(self))
            return DISPATCH_OUT_OF_MEMORY;
        answer = inner_next(self, now_s, package);
        if (answer != DISPATCH_SEND)
            break;
        if (inner_take(self, now_s, package))
            return DISPATCH_SEND;
    }
    if (answer == DISPATCH_OUT_OF_MEMORY ||
        (answer == DISPATCH_WAIT && is_stuck(self) && !inner_empty(self)))
        return DISPATCH_OUT_OF_MEMORY;
    self->handed_out = answer == DISPATCH_FINISHED;
    if (self->returned.count > 0)
        return returned_next(self, now_s, package);
    if (answer != DISPATCH_WAIT && self->suspects.count > 0)
        return suspect_next(self, now_s, package);
    const bool hears = !self->handed_out && !self->holds && dispatch_hears(self->inner);
    const enum recovery_copying copying =
        recovery_copies_make(self, now_s, hears ? DISPATCH_WAITING_MARGIN : DISPATCH_COPY_MARGIN);
    if (copying == RECOVERY_COPIES_OUT_OF_MEMORY)
        return DISPATCH_OUT_OF_MEMORY;
    if (copying == RECOVERY_COPIES_NEW)
        return recovery_next(dispatch, now_s, package);
    if (answer != DISPATCH_FINISHED)
        return answer;
    return recovery_is_awaited(self) ? DISPATCH_HANDED_OUT : all_done(self);
}

/* Of a part of a package, the inner dispatch is told what the whole would have taken. */
static void inner_tell(const struct dispatch_recovery *self, const struct package *package,
                       const struct package *original, struct dispatch_times times)
{
    const double whole = (double)original->count / (double)package->count;
    if (original->count != package->count)
        times.start_s = times.end_s - whole * (times.end_s - times.start_s);
    dispatch_report(self->inner, original, times);
}

static void recovery_returned(struct dispatch *dispatch, const struct package *package)
{
    struct dispatch_recovery *self = (struct dispatch_recovery *)dispatch;
    const struct recovery_entry *entry = recovery_find(self, package->index);
    if (entry)
        recovery_take(self, entry);
}

static void recovery_done(struct dispatch *dispatch, const struct package *package,
                          struct dispatch_times times)
{
    struct dispatch_recovery *self = (struct dispatch_recovery *)dispatch;
    struct recovery_entry *entry = recovery_find(self, package->index);
    if (!entry || entry->done)
        return;
    const struct package original = entry->original;
    const struct recovery_told told = recovery_copies_done(self, entry, times.start_s, times.end_s);
    entry->done = true;
    if (!self->keeps)
        recovery_take(self, entry);
    self->busy[package->worker]--;
    if (self->deadline)
        deadline_done(self->deadline, package->worker, package->count, times.start_s, times.end_s);
    if (original.count > 0)
        inner_tell(self, package, &original, times);
    if (told.original.count > 0)
        inner_tell(self, &told.package, &told.original,
                   (struct dispatch_times){told.start_s, times.end_s, 0});
}

static void recovery_lost(struct dispatch *dispatch, int64_t worker)
{
    struct dispatch_recovery *self = (struct dispatch_recovery *)dispatch;
    size_t kept = 0;
    if (worker >= self->workers || self->lost[worker] ||
        (self->living == 1 && !self->joins && !self->open))
        return; /* the last worker cannot be replaced */
    self->lost[worker] = true;
    self->living--;
    recovery_copies_lost(self, worker);
    dispatch_lost(self->inner, worker);
    for (size_t k = 0; k < self->out.count; k++) {
        if (self->out.items[k].package.worker == worker)
            entry_return(self, &self->out.items[k]);
        else
            recovery_put(self, kept++, &self->out.items[k]);
    }
    self->out.count = kept;
    self->busy[worker] = 0;
}

static void recovery_joined(struct dispatch *dispatch, int64_t worker, int64_t like, double now_s)
{
    struct dispatch_recovery *self = (struct dispatch_recovery *)dispatch;
    if (worker >= self->workers || !self->lost[worker])
        return;
    self->lost[worker] = false;
    self->living++;
    dispatch_joined(self->inner, worker, like, now_s);
}

static struct dispatch_blame recovery_blame(struct dispatch *dispatch,
                                            const struct package *package)
{
    struct dispatch_recovery *self = (struct dispatch_recovery *)dispatch;
    struct recovery_entry *entry = recovery_find(self, package->index);
    if (!entry || (entry->group > 0 && !entry->copy) || recovery_copies_void(self, entry))
        return (struct dispatch_blame){0, false}; /* others do that package */
    self->alone -= recovery_is_alone(entry);
    entry->losses++;
    entry->given_up = recovery_is_alone(entry);
    self->alone += recovery_is_alone(entry);
    if (entry->given_up)
        recovery_copies_claim(self, entry); /* counts as a failed core task */
    return (struct dispatch_blame){entry->losses, entry->given_up};
}

static bool recovery_claim(struct dispatch *dispatch, const struct package *package)
{
    struct dispatch_recovery *self = (struct dispatch_recovery *)dispatch;
    struct recovery_entry *entry = recovery_find(self, package->index);
    const bool counts = !entry || recovery_copies_claim(self, entry);
    if (counts)
        self->done_work += recovery_worth(self, package_range(package));
    return counts;
}

static double recovery_due(const struct dispatch *dispatch)
{
    const struct dispatch_recovery *self = (const struct dispatch_recovery *)dispatch;
    const double copies_s = recovery_copies_due_s(self);
    return self->holds ? copies_s : fmin(dispatch_due_s(self->inner), copies_s);
}

static bool recovery_own(struct dispatch *dispatch, double now_s, int64_t most,
                         struct package *package)
{
    struct dispatch_recovery *self = (struct dispatch_recovery *)dispatch;
    const struct plan_master master = dispatch_master(self->inner);
    if (self->deadline && master.tasks > 0 &&
        !deadline_fit_master(self->deadline, master.task_s, now_s)) {
        self->over = true;
        return false;
    }
    return dispatch_own(self->inner, now_s, most, package);
}

/* The turns of a rule may be skipped, as they come before what losses bring back. Those of a plan
 * may not: its workers are fixed, and who replaces lost ones is decided package by package. */
static struct dispatch_run recovery_run(const struct dispatch *dispatch)
{
    const struct dispatch_recovery *self = (const struct dispatch_recovery *)dispatch;
    const struct dispatch_run none = {0}, run = dispatch_run(self->inner);
    if (self->holds || self->copies || self->deadline || self->keeps || self->joins || self->open)
        return none;
    return run.asked ? run : none;
}

static void recovery_skip(struct dispatch *dispatch, const struct dispatch_skip *skip)
{
    struct dispatch_recovery *self = (struct dispatch_recovery *)dispatch;
    self->index += skip->packages;
    dispatch_skip(self->inner, skip);
}

static const struct dispatch *recovery_inner(const struct dispatch *dispatch)
{
    return ((const struct dispatch_recovery *)dispatch)->inner;
}

static void recovery_free(struct dispatch *dispatch)
{
    struct dispatch_recovery *self = (struct dispatch_recovery *)dispatch;
    dispatch_free(&self->inner);
    free(self->lost);
    free(self->busy);
    free(self->out.items);
    free(self->places);
    free(self->returned.items);
    free(self->suspects.items);
    recovery_copies_free(self);
    if (self->deadline)
        deadline_release(self->deadline);
    free(self->deadline);
    free(self);
}

struct dispatch *dispatch_new_recovery(struct dispatch *inner, int64_t workers)
{
    static const struct dispatch_kind kind = {.next = recovery_next,
                                              .done = recovery_done,
                                              .returned = recovery_returned,
                                              .lost = recovery_lost,
                                              .joined = recovery_joined,
                                              .free = recovery_free,
                                              .inner = recovery_inner,
                                              .due = recovery_due,
                                              .claim = recovery_claim,
                                              .blame = recovery_blame,
                                              .run = recovery_run,
                                              .skip = recovery_skip,
                                              .own = recovery_own};
    struct dispatch_recovery *self = calloc(1, sizeof *self);
    if (!self) {
        dispatch_free(&inner);
        return NULL;
    }
    *self = (struct dispatch_recovery){
        .base = {&kind}, .inner = inner, .workers = workers, .living = workers};
    self->lost = calloc((size_t)workers, sizeof *self->lost);
    self->busy = calloc((size_t)workers, sizeof *self->busy);
    if (!self->lost || !self->busy) {
        recovery_free(&self->base);
        return NULL;
    }
    return &self->base;
}

void dispatch_recovery_empty(struct dispatch *recovery)
{
    struct dispatch_recovery *self = (struct dispatch_recovery *)recovery;
    self->joins = true;
    for (int64_t k = 0; k < self->workers; k++)
        recovery_lost(recovery, k);
}

void dispatch_recovery_keep(struct dispatch *recovery)
{
    ((struct dispatch_recovery *)recovery)->keeps = true;
}

void dispatch_recovery_ahead(struct dispatch *recovery, int64_t ahead)
{
    ((struct dispatch_recovery *)recovery)->ahead = ahead;
}

void dispatch_recovery_limit(struct dispatch *recovery, int64_t most)
{
    struct dispatch_recovery *self = (struct dispatch_recovery *)recovery;
    self->most = self->limit = most;
}

void dispatch_recovery_apart(struct dispatch *recovery)
{
    ((struct dispatch_recovery *)recovery)->apart = true;
}

void dispatch_recovery_counted(struct dispatch *recovery, const struct package *package,
                               double start_s, double end_s)
{
    const struct dispatch_recovery *self = (const struct dispatch_recovery *)recovery;
    if (!self->deadline)
        return;
    deadline_sent(self->deadline, package->worker, package->count, start_s);
    deadline_done(self->deadline, package->worker, package->count, start_s, end_s);
}

bool dispatch_recovery_fits(const struct dispatch *recovery, int64_t tasks, double now_s)
{
    const struct dispatch_recovery *self = (const struct dispatch_recovery *)recovery;
    for (int64_t k = 0; k < self->workers; k++)
        if (!self->lost[k] && count_fit(self, k, tasks, now_s) < tasks)
            return false;
    return true;
}

bool dispatch_recovery_deadline(struct dispatch *recovery, const struct deadline_setup *setup)
{
    struct dispatch_recovery *self = (struct dispatch_recovery *)recovery;
    self->deadline = calloc(1, sizeof *self->deadline);
    return self->deadline && deadline_init(self->deadline, setup);
}

bool dispatch_recovery_ends(const struct dispatch *recovery)
{
    return ((const struct dispatch_recovery *)recovery)->deadline != NULL;
}

bool dispatch_recovery_over(const struct dispatch *recovery)
{
    return ((const struct dispatch_recovery *)recovery)->over;
}
