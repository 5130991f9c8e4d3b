/* A list of packages as a dispatch: every worker gets its own packages in their order, a few at a
 * time. */
#include <math.h>
#include <stdlib.h>

#include "planner/dispatch/dispatch_kind.h"

struct list_worker {
    int64_t next; /* index of its next package in the list; the list's length: none is left */
    int outstanding;
};

struct dispatch_list {
    struct dispatch base;
    const struct package *packages; /* borrowed */
    int64_t *following;             /* owned; of each package, the worker's next one */
    int64_t count, worker_count;
    int ahead;
    int64_t sent, turn; /* packages handed out; the worker to look at first */
    bool over;
    int64_t own_tasks, own; /* what the master computes of the job; how many of them so far */
    struct list_worker workers[];
};

static enum dispatch_answer list_next(struct dispatch *dispatch, double now_s,
                                      struct package *package)
{
    struct dispatch_list *self = (struct dispatch_list *)dispatch;
    (void)now_s;
    if (self->over || self->sent == self->count)
        return DISPATCH_FINISHED;
    for (int64_t k = 0; k < self->worker_count; k++) {
        const int64_t worker = (self->turn + k) % self->worker_count;
        struct list_worker *to = &self->workers[worker];
        if (to->next == self->count || to->outstanding == self->ahead)
            continue;
        *package = self->packages[to->next];
        package->index = self->sent++;
        to->next = self->following[to->next];
        to->outstanding++;
        self->turn = (worker + 1) % self->worker_count;
        return DISPATCH_SEND;
    }
    return DISPATCH_WAIT;
}

static void list_done(struct dispatch *dispatch, const struct package *package,
                      struct dispatch_times times)
{
    struct dispatch_list *self = (struct dispatch_list *)dispatch;
    (void)times;
    self->workers[package->worker].outstanding--;
}

static bool list_busy(const struct dispatch_list *self)
{
    int64_t outstanding = 0;
    for (int64_t worker = 0; worker < self->worker_count; worker++)
        outstanding += self->workers[worker].outstanding;
    return outstanding > 0;
}

/* The master's core tasks are spread over the job at multiples of the golden section, which are
 * spread evenly however many there are (Knuth, The Art of Computer Programming 3, 6.4, theorem
 * S). */
static bool list_own(struct dispatch *dispatch, double now_s, int64_t most, struct package *package)
{
    static const double GOLDEN = 0.6180339887498949;
    struct dispatch_list *self = (struct dispatch_list *)dispatch;
    (void)now_s;
    (void)most;
    if (self->over || self->own_tasks == 0 || !list_busy(self))
        return false;
    const double multiple = (double)++self->own * GOLDEN;
    const int64_t first = (int64_t)((multiple - floor(multiple)) * (double)self->own_tasks);
    *package = (struct package){.index = -1,
                                .round = -1,
                                .worker = -1,
                                .first = first < self->own_tasks ? first : self->own_tasks - 1,
                                .count = 1};
    return true;
}

static struct plan_master list_master(const struct dispatch *dispatch)
{
    return (struct plan_master){(double)((const struct dispatch_list *)dispatch)->own_tasks, 0};
}

static void list_free(struct dispatch *dispatch)
{
    free(((struct dispatch_list *)dispatch)->following);
    free(dispatch);
}

/* Links every worker's packages, from the last to the first. */
static void packages_link(struct dispatch_list *self)
{
    for (int64_t worker = 0; worker < self->worker_count; worker++)
        self->workers[worker].next = self->count;
    for (int64_t at = self->count - 1; at >= 0; at--) {
        struct list_worker *worker = &self->workers[self->packages[at].worker];
        self->following[at] = worker->next;
        worker->next = at;
    }
}

struct dispatch *dispatch_new_list(const struct package *packages, int64_t count, int64_t workers,
                                   int ahead)
{
    static const struct dispatch_kind kind = {.next = list_next,
                                              .done = list_done,
                                              .free = list_free,
                                              .own = list_own,
                                              .master = list_master};
    struct dispatch_list *self =
        calloc(1, sizeof *self + (size_t)workers * sizeof self->workers[0]);
    if (!self)
        return NULL;
    self->base.kind = &kind;
    self->following = calloc((size_t)count + 1, sizeof *self->following);
    if (!self->following) {
        free(self);
        return NULL;
    }
    self->packages = packages;
    self->count = count;
    self->worker_count = workers;
    self->ahead = ahead;
    packages_link(self);
    return &self->base;
}

void dispatch_list_end(struct dispatch *dispatch)
{
    ((struct dispatch_list *)dispatch)->over = true;
}

void dispatch_list_own(struct dispatch *dispatch, int64_t tasks)
{
    ((struct dispatch_list *)dispatch)->own_tasks = tasks;
}
