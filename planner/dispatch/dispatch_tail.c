/* A plan whose end is assigned on request. */
#include <math.h>
#include <stdlib.h>

#include "planner/dispatch/dispatch_kind.h"

struct dispatch_tail {
    struct dispatch base;
    struct dispatch *head, *rule; /* owned */
    int64_t workers, ahead;
    int64_t *out;        /* owned; per worker: packages of the head that it has not reported */
    struct package next; /* index, round and first of the rule's first package */
    int64_t from;        /* where the rule's core tasks begin, if the head can be cut */
    bool over;           /* the head has handed out everything */
};

static void rule_begin(struct dispatch_tail *self)
{
    self->over = true;
    for (int64_t place = 0; place < self->ahead; place++)
        for (int64_t k = 0; k < self->workers; k++)
            if (self->out[k] + place < self->ahead)
                dispatch_rule_ask(self->rule, k);
}

static enum dispatch_answer tail_next(struct dispatch *dispatch, double now_s,
                                      struct package *package)
{
    struct dispatch_tail *self = (struct dispatch_tail *)dispatch;
    enum dispatch_answer answer = DISPATCH_FINISHED;
    if (!self->over)
        answer = dispatch_next(self->head, now_s, package);
    if (answer == DISPATCH_SEND) {
        self->out[package->worker]++;
        self->next.index = package->index + 1;
        if (package->first + package->count > self->next.first)
            self->next.first = package->first + package->count;
        if (package->round >= self->next.round)
            self->next.round = package->round + 1;
    }
    if (answer != DISPATCH_FINISHED)
        return answer;
    if (!self->over)
        rule_begin(self);
    answer = dispatch_next(self->rule, now_s, package);
    if (answer == DISPATCH_SEND) {
        package->index += self->next.index;
        package->round += self->next.round;
        package->first += self->next.first;
    }
    return answer;
}

static double tail_due(const struct dispatch *dispatch)
{
    const struct dispatch_tail *self = (const struct dispatch_tail *)dispatch;
    return self->over ? HUGE_VAL : dispatch_due_s(self->head);
}

static void tail_done(struct dispatch *dispatch, const struct package *package,
                      struct dispatch_times times)
{
    struct dispatch_tail *self = (struct dispatch_tail *)dispatch;
    const int64_t worker = package->worker;
    if (self->over && package->first >= self->next.first) {
        dispatch_report(self->rule, package, times);
        return;
    }
    dispatch_report(self->head, package, times);
    dispatch_rule_learn(self->rule, package, times);
    self->out[worker]--;
    if (self->over && self->out[worker] < self->ahead)
        dispatch_rule_ask(self->rule, worker);
}

static void tail_unsent(struct dispatch *dispatch, const struct package *package)
{
    struct dispatch_tail *self = (struct dispatch_tail *)dispatch;
    if (self->over && package->first >= self->next.first) {
        dispatch_unsent(self->rule, package);
        return;
    }
    dispatch_unsent(self->head, package);
    self->out[package->worker]--;
}

static void tail_lost(struct dispatch *dispatch, int64_t worker)
{
    struct dispatch_tail *self = (struct dispatch_tail *)dispatch;
    dispatch_lost(self->head, worker);
    dispatch_lost(self->rule, worker);
}

static void tail_late(struct dispatch *dispatch, int64_t worker, bool late)
{
    struct dispatch_tail *self = (struct dispatch_tail *)dispatch;
    dispatch_late(self->head, worker, late);
    dispatch_late(self->rule, worker, late);
}

static void tail_joined(struct dispatch *dispatch, int64_t worker, int64_t like, double now_s)
{
    struct dispatch_tail *self = (struct dispatch_tail *)dispatch;
    dispatch_joined(self->head, worker, like, now_s);
    dispatch_joined(self->rule, worker, like, now_s);
}

static void tail_busy(struct dispatch *dispatch, int64_t worker, double until_s, bool over)
{
    dispatch_busy(((struct dispatch_tail *)dispatch)->head, worker, until_s, over);
}

/* Numbers of a rule's series come after all numbers of the plan's. */
static struct dispatch_run tail_run(const struct dispatch *dispatch)
{
    const struct dispatch_tail *self = (const struct dispatch_tail *)dispatch;
    struct dispatch_run run = dispatch_run(self->over ? self->rule : self->head);
    if (self->over)
        run.series = -1 - run.series;
    return run;
}

static void tail_skip(struct dispatch *dispatch, const struct dispatch_skip *skip)
{
    struct dispatch_tail *self = (struct dispatch_tail *)dispatch;
    dispatch_skip(self->over ? self->rule : self->head, skip);
    if (self->over)
        return;
    dispatch_rule_later(self->rule, skip->later_s);
}

static int64_t tail_left(const struct dispatch *dispatch)
{
    const struct dispatch_tail *self = (const struct dispatch_tail *)dispatch;
    const int64_t head = self->over ? 0 : dispatch_left(self->head);
    return dispatch_cuts(self->head) ? head + dispatch_left(self->rule) : 0;
}

/* Cuts the rule's core tasks, which follow all of the head's. */
static bool rule_cut(struct dispatch_tail *self, int64_t tasks, struct dispatch_given *given)
{
    struct dispatch_given numbers = {.items = NULL};
    bool good = dispatch_cut(self->rule, tasks, &numbers);
    for (size_t k = 0; good && k < numbers.count; k++) {
        struct task_range range = numbers.items[k].range;
        range.first += self->from;
        good = dispatch_given_add(given, range, numbers.items[k].losses);
    }
    dispatch_given_release(&numbers);
    return good;
}

/* Cuts the head only for what the rule lacks, so that what is left stays in one piece. */
static bool tail_cut(struct dispatch *dispatch, int64_t tasks, struct dispatch_given *given)
{
    struct dispatch_tail *self = (struct dispatch_tail *)dispatch;
    const int64_t enough = given->tasks + tasks;
    if (!dispatch_cuts(self->head)) /* it is not known where the rule's core tasks begin */
        return true;
    if (!rule_cut(self, tasks, given))
        return false;
    return self->over || given->tasks >= enough ||
           dispatch_cut(self->head, enough - given->tasks, given);
}

static void tail_free(struct dispatch *dispatch)
{
    struct dispatch_tail *self = (struct dispatch_tail *)dispatch;
    dispatch_free(&self->head);
    dispatch_free(&self->rule);
    free(self->out);
    free(self);
}

struct dispatch *dispatch_new_tail(struct dispatch *head, const struct dispatch_setup *setup,
                                   struct failure *failure)
{
    static const struct dispatch_kind kind = {.next = tail_next,
                                              .done = tail_done,
                                              .unsent = tail_unsent,
                                              .lost = tail_lost,
                                              .late = tail_late,
                                              .joined = tail_joined,
                                              .free = tail_free,
                                              .due = tail_due,
                                              .busy = tail_busy,
                                              .run = tail_run,
                                              .skip = tail_skip,
                                              .left = tail_left,
                                              .cut = tail_cut};
    struct dispatch_tail *self = calloc(1, sizeof *self);
    int64_t *out = calloc((size_t)setup->workers, sizeof *out);
    struct dispatch_setup numbered = *setup;
    numbered.first = 0; /* places count from its own beginning */
    struct dispatch *rule = self && out ? dispatch_new_rule(&numbered, failure) : NULL;
    if (!rule) {
        if (failure->code == FAILURE_NONE)
            failure_memory(failure, "starting a rule");
        dispatch_free(&head);
        free(out);
        free(self);
        return NULL;
    }
    *self = (struct dispatch_tail){.base = {&kind},
                                   .head = head,
                                   .rule = rule,
                                   .workers = setup->workers,
                                   .ahead = setup->ahead,
                                   .out = out,
                                   .next = {.first = setup->first},
                                   .from = setup->first + dispatch_left(head)};
    dispatch_rule_hold(rule);
    return &self->base;
}

const struct dispatch *dispatch_tail_head(const struct dispatch *tail)
{
    return ((const struct dispatch_tail *)tail)->head;
}
