/* A list of packages as a dispatch: to every worker its own, in their order, a few at a time. */
#include <stdlib.h>

#include "planner/dispatch/dispatch_kind.h"

struct list_worker {
    int64_t next; /* place in the list of its next package; the list's length: none is left */
    int outstanding;
};

struct dispatch_list {
    struct dispatch base;
    const struct package *packages; /* borrowed */
    int64_t count, worker_count;
    int ahead;
    int64_t sent, turn; /* packages handed out; the worker to ask first */
    struct list_worker workers[];
};

static int64_t find_next(const struct dispatch_list *self, int64_t worker, int64_t from)
{
    while (from < self->count && self->packages[from].worker != worker)
        from++;
    return from;
}

static enum dispatch_answer list_next(struct dispatch *dispatch, double now_s,
                                      struct package *package)
{
    struct dispatch_list *self = (struct dispatch_list *)dispatch;
    (void)now_s;
    if (self->sent == self->count)
        return DISPATCH_FINISHED;
    for (int64_t k = 0; k < self->worker_count; k++) {
        const int64_t worker = (self->turn + k) % self->worker_count;
        struct list_worker *to = &self->workers[worker];
        if (to->next == self->count || to->outstanding == self->ahead)
            continue;
        *package = self->packages[to->next];
        package->index = self->sent++;
        to->next = find_next(self, worker, to->next + 1);
        to->outstanding++;
        self->turn = (worker + 1) % self->worker_count;
        return DISPATCH_SEND;
    }
    return DISPATCH_WAIT;
}

static void list_done(struct dispatch *dispatch, const struct package *package, double start_s,
                      double end_s)
{
    struct dispatch_list *self = (struct dispatch_list *)dispatch;
    (void)start_s;
    (void)end_s;
    self->workers[package->worker].outstanding--;
}

static void list_free(struct dispatch *dispatch)
{
    free(dispatch);
}

struct dispatch *dispatch_new_list(const struct package *packages, int64_t count, int64_t workers,
                                   int ahead)
{
    static const struct dispatch_kind kind = {list_next, list_done, NULL, list_free};
    struct dispatch_list *self =
        calloc(1, sizeof *self + (size_t)workers * sizeof self->workers[0]);
    if (!self)
        return NULL;
    self->base.kind = &kind;
    self->packages = packages;
    self->count = count;
    self->worker_count = workers;
    self->ahead = ahead;
    for (int64_t worker = 0; worker < workers; worker++)
        self->workers[worker].next = find_next(self, worker, 0);
    return &self->base;
}
