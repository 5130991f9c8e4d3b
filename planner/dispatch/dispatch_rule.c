/* Request-driven rules as a dispatch: a worker that has reported a package waits in a queue for the
 * next one. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/nearest.h"
#include "planner/dispatch/dispatch_kind.h"
#include "planner/dispatch/rule.h"

static const struct rule *const rules[] = {
    &rule_ss,      &rule_fsc,   &rule_gss,   &rule_tss,   &rule_fiss,  &rule_fac,
    &rule_wf,      &rule_dtss,  &rule_dfss,  &rule_dfiss, &rule_dtfss, &rule_tree,
    &rule_monitor, &rule_awf_b, &rule_awf_c, &rule_awf_d, &rule_awf_e, &rule_af};

_Static_assert((int)DISPATCH_WORDS_MOST == (int)RULE_WORDS_MOST, "the words of an option");

enum { RULE_COUNT = sizeof rules / sizeof rules[0], RULE_NAME_SIZE = 64 };

/* Sizes that the rule has said, before they were limited to what may be sent. */
struct asked {
    double least, most;
    int64_t packages;
};

struct dispatch_rule {
    struct dispatch base;
    struct rule_state state;
    int ahead;
    int64_t least, most;
    int64_t *line; /* owned; ring buffer of waiting workers, p * ahead entries */
    int64_t line_first, line_count;
    double *sent_s;    /* owned; per worker, a ring of `ahead` times of sending */
    int64_t *sent;     /* owned; per worker, packages handed out */
    int64_t *reported; /* owned; per worker, how many of these it has reported */
    int64_t *held; /* owned; per worker, requests that wait until other work is over, or until it is
                      no longer late */
    bool *late;    /* owned; per worker */
    char *own;     /* owned; the rule's memory, for itself and for each worker */
    double *ended_s;      /* owned; per worker, end of the last package reported */
    struct package after; /* index, round and first of the package after the last one handed out */
    int64_t outstanding;
    bool follows; /* another dispatch says which workers request */
    bool refused; /* all waiting workers got nothing, and nothing has happened since */
    struct asked asked,
        before; /* of the last packages, at most one for each worker; of those before them */
    int64_t series;
    const struct work *work; /* borrowed: of the job; without regions, the rule counts core tasks */
    int64_t unsent;          /* core tasks that are not handed out yet */
    int64_t work_first;      /* core tasks of the job before it */
    int64_t offset;          /* place of its first core task less that of the first package */
    bool closed;             /* sizes follow from the number of the request alone */
};

/* ---- units of work -------------------------------------------------------------------------- */

/* A package worth less than this tells nothing about its worker's speed. */
static const double UNITS_LEAST = 1e-6;

/* What these core tasks of the job are worth, in units. */
static double units_of(const struct dispatch_rule *self, int64_t first, int64_t count)
{
    if (!work_differs(self->work))
        return (double)count;
    return fmax(0, work_before(self->work, (double)(first + count)) -
                       work_before(self->work, (double)first));
}

/* The same in whole units, as rules count: at least 1 where any core task is left. */
static int64_t units_whole(const struct dispatch_rule *self, int64_t first, int64_t count)
{
    const int64_t units = llround(units_of(self, first, count));
    return count > 0 && units < 1 ? 1 : units;
}

/* How many core tasks from `first` on are worth about `units`: at least one, of `left`. */
static int64_t tasks_of(const struct dispatch_rule *self, int64_t first, double units, int64_t left)
{
    const struct work *work = self->work;
    if (!work_differs(work))
        return units < (double)left ? (int64_t)units : left;
    if (self->state.rule->single)
        return 1;
    const int64_t end =
        work_nearest(work, work->tasks, work_before(work, (double)first) + units, first + 1);
    const int64_t most = self->most < left ? self->most : left;
    return end - first < most ? end - first : most;
}

/* ---- packages ------------------------------------------------------------------------------- */

static void line_push(struct dispatch_rule *self, int64_t worker)
{
    int64_t places = self->state.workers * self->ahead;
    self->line[(self->line_first + self->line_count++) % places] = worker;
}

static int64_t line_pop(struct dispatch_rule *self)
{
    int64_t places = self->state.workers * self->ahead;
    int64_t worker = self->line[self->line_first];
    self->line_first = (self->line_first + 1) % places;
    self->line_count--;
    return worker;
}

static void asked_add(struct dispatch_rule *self, double tasks)
{
    struct asked *asked = &self->asked;
    if (asked->packages == self->state.workers) {
        self->before = *asked;
        asked->packages = 0;
    }
    asked->least = asked->packages > 0 ? fmin(asked->least, tasks) : tasks;
    asked->most = asked->packages > 0 ? fmax(asked->most, tasks) : tasks;
    asked->packages++;
}

static void package_hand(struct dispatch_rule *self, int64_t worker, double tasks, double now_s,
                         struct package *package)
{
    struct rule_state *state = &self->state;
    const double count = fmin(fmax(tasks, (double)self->least), (double)self->most);
    const int64_t at = self->offset + self->after.first;
    asked_add(self, tasks);
    *package = self->after;
    package->worker = worker;
    package->count = tasks_of(self, at, count, self->unsent);
    package->round = state->requests / state->workers;
    self->unsent -= package->count;
    state->left = units_whole(self, at + package->count, self->unsent);
    state->worker[worker].queued += units_whole(self, at, package->count);
    state->requests++;
    self->sent_s[worker * self->ahead + self->sent[worker]++ % self->ahead] = now_s;
    self->outstanding++;
    self->after.index++;
    self->after.first += package->count;
}

static enum dispatch_answer rule_next(struct dispatch *dispatch, double now_s,
                                      struct package *package)
{
    struct dispatch_rule *self = (struct dispatch_rule *)dispatch;
    struct rule_state *state = &self->state;
    if (self->unsent == 0)
        return DISPATCH_FINISHED;
    /* What a rule says may depend on how often it is asked, which depends on how its caller waits:
     * it is not asked again before something has happened. */
    if (self->refused)
        return DISPATCH_WAIT;
    for (int64_t waiting = self->line_count; waiting > 0; waiting--) {
        int64_t worker = line_pop(self);
        double tasks = self->closed ? state->rule->closed(state, state->requests)
                                    : state->rule->chunk(state, worker);
        /* No worker has a package, so none would ever report and request again. */
        if (!(tasks >= 1) && self->outstanding == 0 && waiting == 1)
            tasks = 1;
        if (tasks >= 1) {
            package_hand(self, worker, tasks, now_s, package);
            return DISPATCH_SEND;
        }
        line_push(self, worker);
    }
    self->refused = true;
    return DISPATCH_WAIT;
}

/* ---- packages by their number alone --------------------------------------------------------- */

/* Will a rule that said this size always say the same, once it is limited to what may be sent? */
static bool closed_stays(const struct dispatch_rule *self, double asked)
{
    const enum rule_sizes sizes = self->state.rule->sizes;
    if (work_differs(self->work))
        return false;
    return sizes == RULE_SIZES_STAY ||
           (sizes == RULE_SIZES_GROW ? asked >= (double)self->most : asked <= (double)self->least);
}

/* So many packages of that size were taken by other workers. */
static void closed_pass(struct dispatch_rule *self, int64_t packages, int64_t tasks)
{
    self->state.requests += packages;
    self->after.index += packages;
    self->after.first += packages * tasks;
    self->unsent -= packages * tasks;
}

bool dispatch_rule_package(struct dispatch *rule, int64_t step, struct package *package)
{
    struct dispatch_rule *self = (struct dispatch_rule *)rule;
    const struct rule_state *state = &self->state;
    while (self->unsent > 0) {
        const double asked = state->rule->closed(state, state->requests);
        const double size = fmin(fmax(asked, (double)self->least), (double)self->most);
        const int64_t count = tasks_of(self, self->offset + self->after.first, size, self->unsent);
        const int64_t alike = closed_stays(self, asked) ? self->unsent / count : 1;
        const int64_t before = step - state->requests;
        if (before == 0) {
            *package = self->after;
            package->count = count;
            package->round = step / state->workers;
            closed_pass(self, 1, count);
            return true;
        }
        closed_pass(self, before < alike ? before : alike, count);
    }
    return false;
}

/* ---- reports --------------------------------------------------------------------------------- */

/* Updates mean and squared deviations, weighted by core tasks (D. H. D. West, Commun. ACM 22(9),
 * 1979). */
static void times_add(struct rule_worker *worker, double tasks, double work_s)
{
    double per_task_s = fmax(work_s - worker->latency_s, 0) / tasks;
    double before_s = per_task_s - worker->mean_s;
    worker->last_s = per_task_s;
    worker->packages++;
    worker->tasks += tasks;
    worker->mean_s += before_s * tasks / worker->tasks;
    worker->squares_s2 += tasks * before_s * (per_task_s - worker->mean_s);
}

/* Updates what the rule knows with a package that the worker could have had from could_s on. */
static void package_learn(struct dispatch_rule *self, const struct package *package, double could_s,
                          struct dispatch_times times)
{
    const int64_t at = package->worker;
    const double work_s = times.end_s - times.start_s;
    const double total_s = times.end_s - fmax(could_s, self->ended_s[at]);
    const double units = units_of(self, package->first - self->work_first, package->count);
    self->refused = false;
    if (units > UNITS_LEAST) {
        times_add(&self->state.worker[at], units, work_s);
        self->state.worker[at].last_share = times.share;
        if (self->state.rule->report)
            self->state.rule->report(&self->state, at, units, work_s, total_s);
    }
    self->ended_s[at] = times.end_s;
}

static void rule_done(struct dispatch *dispatch, const struct package *package,
                      struct dispatch_times times)
{
    struct dispatch_rule *self = (struct dispatch_rule *)dispatch;
    int64_t at = package->worker;
    const int64_t place = at * self->ahead + self->reported[at]++ % self->ahead;
    self->state.worker[at].queued -=
        units_whole(self, package->first - self->work_first, package->count);
    package_learn(self, package, self->sent_s[place], times);
    self->outstanding--;
    dispatch_rule_ask(dispatch, at);
}

static void rule_unsent(struct dispatch *dispatch, const struct package *package)
{
    struct dispatch_rule *self = (struct dispatch_rule *)dispatch;
    const int64_t at = package->worker;
    self->state.worker[at].queued -=
        units_whole(self, package->first - self->work_first, package->count);
    self->sent[at]--;
    self->outstanding--;
    self->refused = false;
    self->held[at] += self->late[at];
}

/* What the lost worker had no longer concerns the rule: it is handed out again without asking
 * it. */
static void rule_lost(struct dispatch *dispatch, int64_t at)
{
    struct dispatch_rule *self = (struct dispatch_rule *)dispatch;
    struct rule_worker *worker = &self->state.worker[at];
    if (worker->lost)
        return;
    worker->lost = true;
    worker->queued = 0;
    self->late[at] = false;
    self->held[at] = 0;
    self->refused = false;
    if (self->state.rule->lost)
        self->state.rule->lost(&self->state, at);
    self->outstanding -= self->sent[at] - self->reported[at];
    for (int64_t waiting = self->line_count; waiting > 0; waiting--) {
        const int64_t asks = line_pop(self);
        if (asks != at)
            line_push(self, asks);
    }
}

/* A new worker requests as many packages as all workers did at the beginning. Where another
 * dispatch makes the requests, it makes these as well. */
static void rule_joined(struct dispatch *dispatch, int64_t at, int64_t like, double now_s)
{
    struct dispatch_rule *self = (struct dispatch_rule *)dispatch;
    (void)like;
    (void)now_s;
    struct rule_worker *worker = &self->state.worker[at];
    const bool lost = worker->lost;
    worker->lost = false;
    if (lost && self->state.rule->joined)
        self->state.rule->joined(&self->state, at);
    for (int k = 0; !self->follows && k < self->ahead; k++)
        dispatch_rule_ask(dispatch, at);
}

/* Removes all but `staying` of the worker's requests from the queue, and keeps them. */
static void requests_hold(struct dispatch_rule *self, int64_t worker, int64_t staying)
{
    for (int64_t waiting = self->line_count; waiting > 0; waiting--) {
        const int64_t asks = line_pop(self);
        if (asks == worker && staying-- <= 0)
            self->held[worker]++;
        else
            line_push(self, asks);
    }
}

/* Makes the requests that were kept. */
static void requests_resume(struct dispatch_rule *self, int64_t worker)
{
    const int64_t held = self->held[worker];
    self->held[worker] = 0;
    for (int64_t k = 0; k < held; k++)
        dispatch_rule_ask(&self->base, worker);
}

/* A worker that is busy for long will find less left when it is free: only its first request is
 * kept in the queue, whose package counts as if it began at once. */
static void rule_busy(struct dispatch *dispatch, int64_t worker, double until_s, bool over)
{
    struct dispatch_rule *self = (struct dispatch_rule *)dispatch;
    (void)until_s;
    if (over)
        requests_resume(self, worker);
    else
        requests_hold(self, worker, 1);
}

/* While a worker is late, others share what is left; afterwards it requests as before. */
static void rule_late(struct dispatch *dispatch, int64_t worker, bool late)
{
    struct dispatch_rule *self = (struct dispatch_rule *)dispatch;
    self->late[worker] = late;
    if (late)
        requests_hold(self, worker, 0);
    else
        requests_resume(self, worker);
}

static int64_t rule_left(const struct dispatch *dispatch)
{
    return ((const struct dispatch_rule *)dispatch)->unsent;
}

/* Gives away the last core tasks. The rule goes on with those that stay. */
static bool rule_cut(struct dispatch *dispatch, int64_t tasks, struct dispatch_given *given)
{
    struct dispatch_rule *self = (struct dispatch_rule *)dispatch;
    const int64_t count = tasks < self->unsent ? tasks : self->unsent;
    if (count <= 0)
        return true;
    self->unsent -= count;
    self->state.left = units_whole(self, self->offset + self->after.first, self->unsent);
    self->refused = false;
    if (self->state.rule->cut)
        self->state.rule->cut(&self->state);
    return dispatch_given_add(given, (struct task_range){self->after.first + self->unsent, count},
                              0);
}

void dispatch_rule_hold(struct dispatch *dispatch)
{
    struct dispatch_rule *self = (struct dispatch_rule *)dispatch;
    self->line_count = 0;
    self->follows = true;
}

void dispatch_rule_ask(struct dispatch *dispatch, int64_t worker)
{
    struct dispatch_rule *self = (struct dispatch_rule *)dispatch;
    self->refused = false;
    if (self->late[worker])
        self->held[worker]++;
    else if (!self->state.worker[worker].lost &&
             self->line_count < self->state.workers * self->ahead)
        line_push(self, worker);
}

void dispatch_rule_learn(struct dispatch *dispatch, const struct package *package,
                         struct dispatch_times times)
{
    package_learn((struct dispatch_rule *)dispatch, package, times.start_s, times);
}

/* Has the rule said one size for a while, because it has reached its least size or is near it? */
static bool asked_alike(const struct dispatch_rule *self)
{
    return self->asked.least == self->asked.most && self->before.least == self->asked.most &&
           self->before.most == self->asked.most;
}

/* How many core tasks can be assigned before packages change their size, now that they are limited
 * by the most or by the least that may be sent. */
static double cut_tasks(const struct dispatch_rule *self)
{
    /* A size may fall faster than what is left, where a rule has new measurements: SAFE allows for
     * it. */
    static const double SAFE = 3, ALIKE = 0.25;
    const double left = (double)self->state.left;
    const double least = fmin(self->asked.least, self->before.least);
    const double most = fmax(self->asked.most, self->before.most);
    const enum rule_sizes sizes = self->state.rule->sizes;
    if (sizes == RULE_SIZES_STAY || (sizes == RULE_SIZES_SHRINK && most <= (double)self->least) ||
        (sizes == RULE_SIZES_GROW && least >= (double)self->most))
        return left;
    if (sizes == RULE_SIZES_GROW || !(least > 0))
        return 0;
    return fmax(asked_alike(self) ? ALIKE * left : 0,
                left * (1 - SAFE * (double)self->most / least));
}

/* Has every package one core task, whatever it is worth? */
static bool goes_singly(const struct dispatch_rule *self)
{
    return self->most == 1 || self->state.rule->single;
}

/* The next core tasks that are together worth about `units` at most. */
static double tasks_within(const struct dispatch_rule *self, double units)
{
    const struct work *work = self->work;
    const int64_t at = self->offset + self->after.first;
    if (!work_differs(work))
        return units;
    const double until = work_before(work, (double)at) + units;
    return (double)(work_nearest(work, work->tasks, until, at) - at);
}

static struct dispatch_run rule_run(const struct dispatch *dispatch)
{
    const struct dispatch_rule *self = (const struct dispatch_rule *)dispatch;
    const struct rule *rule = self->state.rule;
    const bool differs = work_differs(self->work);
    const bool closed = self->closed && rule->same; /* its sizes depend on other packages */
    if (self->before.packages == 0 || closed || (differs && !goes_singly(self)))
        return (struct dispatch_run){0};
    const double asked = fmin(fmax(self->asked.most, (double)self->least), (double)self->most);
    const double size = differs ? 1 : asked;
    const double most = (double)self->unsent / size;
    const double packages = fmin(most, rule->same ? rule->same(&self->state)
                                                  : tasks_within(self, cut_tasks(self)) / size);
    return (struct dispatch_run){.turns = (int64_t)packages,
                                 .packages = 1,
                                 .tasks = (int64_t)size,
                                 .series = self->series,
                                 .asked = true};
}

void dispatch_rule_later(struct dispatch *dispatch, const double *later_s)
{
    struct dispatch_rule *self = (struct dispatch_rule *)dispatch;
    for (int64_t k = 0; k < self->state.workers; k++) {
        self->ended_s[k] += later_s[k];
        for (int place = 0; place < self->ahead; place++)
            self->sent_s[k * self->ahead + place] += later_s[k];
    }
}

/* What was measured before the skip stands for the skipped packages, too. */
static void rule_skip(struct dispatch *dispatch, const struct dispatch_skip *skip)
{
    struct dispatch_rule *self = (struct dispatch_rule *)dispatch;
    self->after.index += skip->packages;
    self->after.first += skip->tasks;
    self->unsent -= skip->tasks;
    self->state.left = units_whole(self, self->offset + self->after.first, self->unsent);
    self->state.requests += skip->packages;
    if (self->state.rule->skip)
        self->state.rule->skip(&self->state, (double)skip->packages);
    self->asked.packages = self->before.packages = 0;
    self->series++;
    dispatch_rule_later(dispatch, skip->later_s);
}

static void rule_free(struct dispatch *dispatch)
{
    struct dispatch_rule *self = (struct dispatch_rule *)dispatch;
    free(self->state.worker);
    free(self->line);
    free(self->sent_s);
    free(self->sent);
    free(self->reported);
    free(self->held);
    free(self->late);
    free(self->ended_s);
    free(self->own);
    free(self);
}

/* Finds a rule by its name, which may be followed by a comma and options. */
static const struct rule *rule_find(const char *text, struct failure *failure)
{
    char name[RULE_NAME_SIZE], hint[NEAREST_HINT_SIZE];
    struct nearest nearest = {.word = name};
    snprintf(name, sizeof name, "%.*s", (int)strcspn(text, ","), text);
    for (size_t k = 0; k < RULE_COUNT; k++) {
        if (strcmp(name, rules[k]->name) == 0)
            return rules[k];
        nearest_try(&nearest, rules[k]->name);
    }
    failure_set(failure, FAILURE_USAGE, "unknown rule '%s': %s", name,
                nearest_hint(&nearest, "", "see 'scow simulate --help'", hint));
    return NULL;
}

/* Finds the rule, and reads the values of its options. */
static const struct rule *rule_read(const char *text, int64_t *values, struct failure *failure)
{
    const struct rule *rule = rule_find(text, failure);
    const size_t length = strcspn(text, ",");
    if (!rule || !rule_options_read(rule, text + length + (text[length] == ','), values, failure))
        return NULL;
    const char *wrong = rule->wrong ? rule->wrong(values) : NULL;
    if (wrong)
        failure_set(failure, FAILURE_USAGE, "%s: %s", rule->name, wrong);
    return wrong ? NULL : rule;
}

bool dispatch_rule_check(const char *text, struct failure *failure)
{
    int64_t values[RULE_OPTIONS_MOST];
    return rule_read(text, values, failure) != NULL;
}

static bool closed_refuse(const struct rule *rule, struct failure *failure)
{
    struct text names = TEXT_INIT;
    for (size_t k = 0; k < RULE_COUNT; k++)
        if (rules[k]->closed)
            text_add(&names, "%s%s", names.length > 0 ? ", " : "", rules[k]->name);
    failure_set(
        failure, FAILURE_USAGE,
        "the packages of '%s' do not follow from their numbers alone: without a master that "
        "is asked for each, take one of %s",
        rule->name, names.bytes ? names.bytes : "others");
    text_release(&names);
    return false;
}

bool dispatch_rule_is_closed(const char *text, struct failure *failure)
{
    int64_t values[RULE_OPTIONS_MOST];
    const struct rule *rule = rule_read(text, values, failure);
    return rule && (rule->closed || closed_refuse(rule, failure));
}

void dispatch_rule_note(const struct dispatch_setup *setup, struct text *text)
{
    int64_t values[RULE_OPTIONS_MOST];
    struct failure none = FAILURE_INIT;
    const struct rule *rule = rule_read(setup->rule, values, &none);
    if (rule && rule->note)
        rule->note(setup->least, values, text);
}

static void workers_fill(struct rule_state *state, const struct dispatch_setup *setup)
{
    const double *weights = setup->weights;
    double sum = 0;
    for (int64_t k = 0; k < state->workers; k++)
        sum += weights ? weights[k] : 1;
    for (int64_t k = 0; k < state->workers; k++) {
        state->worker[k].weight = (weights ? weights[k] : 1) * (double)state->workers / sum;
        state->worker[k].latency_s = setup->latencies_s ? setup->latencies_s[k] : 0;
    }
}

/* Rounds up so that any type may begin behind it. */
static size_t aligned(size_t size)
{
    const size_t unit = _Alignof(max_align_t);
    return (size + unit - 1) / unit * unit;
}

/* Allocates the rule's memory, all 0. False: out of memory. */
static bool own_fill(struct dispatch_rule *self)
{
    struct rule_state *state = &self->state;
    const struct rule *rule = state->rule;
    const size_t workers = (size_t)state->workers, first = aligned(rule->state_size);
    const size_t each = rule->worker_size ? aligned(rule->worker_size(state->option)) : 0;
    self->own = calloc(1, first + workers * each + 1);
    for (size_t k = 0; self->own && k < workers; k++)
        state->worker[k].own = self->own + first + k * each;
    state->own = self->own;
    return self->own != NULL;
}

/* A worker, and how early the rule wants it. */
struct wanted {
    double first;
    int64_t worker;
};

static int wanted_compare(const void *a, const void *b)
{
    const struct wanted *p = a, *q = b;
    if (p->first != q->first)
        return p->first > q->first ? -1 : 1;
    return (p->worker > q->worker) - (p->worker < q->worker);
}

/* Makes every worker wait for as many packages as it may have. False: out of memory. */
static bool line_begin(struct dispatch_rule *self)
{
    const struct rule_state *state = &self->state;
    struct wanted *wanted = calloc((size_t)state->workers, sizeof *wanted);
    if (!wanted)
        return false;
    for (int64_t k = 0; k < state->workers; k++)
        wanted[k] = (struct wanted){state->rule->first ? state->rule->first(state, k) : 0, k};
    qsort(wanted, (size_t)state->workers, sizeof *wanted, wanted_compare);
    for (int64_t k = 0; k < state->workers * self->ahead; k++)
        line_push(self, wanted[k % state->workers].worker);
    free(wanted);
    return true;
}

static void work_fill(struct dispatch_rule *self, const struct dispatch_setup *setup)
{
    static const struct work alike = {.tasks = 0};
    const bool differs = setup->work && work_differs(setup->work);
    self->work = differs ? setup->work : &alike;
    self->work_first = differs ? setup->before : 0;
    self->offset = differs ? setup->work->tasks - setup->tasks - setup->first : 0;
}

struct dispatch *dispatch_new_rule(const struct dispatch_setup *setup, struct failure *failure)
{
    static const struct dispatch_kind kind = {.next = rule_next,
                                              .done = rule_done,
                                              .unsent = rule_unsent,
                                              .lost = rule_lost,
                                              .late = rule_late,
                                              .joined = rule_joined,
                                              .free = rule_free,
                                              .busy = rule_busy,
                                              .run = rule_run,
                                              .skip = rule_skip,
                                              .left = rule_left,
                                              .cut = rule_cut};
    int64_t values[RULE_OPTIONS_MOST];
    const struct rule *rule = rule_read(setup->rule, values, failure);
    struct dispatch_rule *self;
    if (!rule || (setup->closed && !dispatch_rule_is_closed(setup->rule, failure)))
        return NULL;
    self = calloc(1, sizeof *self);
    if (!self) {
        failure_memory(failure, "starting a rule");
        return NULL;
    }
    size_t workers = (size_t)setup->workers, places = workers * (size_t)setup->ahead;
    *self = (struct dispatch_rule){.base = {&kind},
                                   .ahead = setup->ahead,
                                   .least = setup->least,
                                   .most = setup->most,
                                   .after = {.first = setup->first},
                                   .unsent = setup->tasks,
                                   .closed = setup->closed};
    self->state = (struct rule_state){.rule = rule,
                                      .tasks = setup->tasks,
                                      .left = setup->tasks,
                                      .workers = setup->workers,
                                      .least = (double)setup->least,
                                      .most = (double)setup->most,
                                      .overhead_s = setup->overhead_s,
                                      .deviation_s = setup->deviation_s};
    memcpy(self->state.option, values, sizeof values);
    self->state.worker = calloc(workers, sizeof *self->state.worker);
    self->line = calloc(places, sizeof *self->line);
    self->sent_s = calloc(places, sizeof *self->sent_s);
    self->sent = calloc(workers, sizeof *self->sent);
    self->reported = calloc(workers, sizeof *self->reported);
    self->held = calloc(workers, sizeof *self->held);
    self->late = calloc(workers, sizeof *self->late);
    self->ended_s = calloc(workers, sizeof *self->ended_s);
    work_fill(self, setup);
    if (!self->held || !self->late || !self->state.worker || !self->line || !self->sent_s ||
        !self->sent || !self->reported || !self->ended_s || !own_fill(self)) {
        rule_free(&self->base);
        failure_memory(failure, "starting a rule");
        return NULL;
    }
    workers_fill(&self->state, setup);
    self->state.tasks = self->state.left =
        units_whole(self, self->offset + self->after.first, setup->tasks);
    if (rule->start)
        rule->start(&self->state);
    if (!line_begin(self)) {
        rule_free(&self->base);
        failure_memory(failure, "starting a rule");
        return NULL;
    }
    return &self->base;
}

size_t dispatch_rule_count(void)
{
    return RULE_COUNT;
}

struct dispatch_rule_name dispatch_rule_name(size_t index)
{
    return (struct dispatch_rule_name){rules[index]->name, rules[index]->summary};
}

bool dispatch_rule_option(size_t index, int place, struct dispatch_rule_option *found)
{
    if (place >= RULE_OPTIONS_MOST || !rules[index]->options[place].name)
        return false;
    const struct rule_option *option = &rules[index]->options[place];
    *found = (struct dispatch_rule_option){.name = option->name,
                                           .meaning = option->meaning,
                                           .usual = option->usual,
                                           .preset = option->preset,
                                           .number = option->most > 0};
    memcpy(found->words, option->words, sizeof found->words);
    return true;
}
