#include "planner/report/star_views.h"

#include <math.h>
#include <stdlib.h>

struct star_views {
    size_t count;
    struct star_view items[];
};

static bool is_of(const struct star_view *view, int64_t rank)
{
    return rank >= view->master && rank < view->end;
}

/* Passes on the star's part of a block; in it, the star's master is rank 0. */
static bool view_take(void *self, const struct trace *block)
{
    struct star_view *view = self;
    view->here.count = 0;
    for (size_t k = 0; k < block->count; k++) {
        struct trace_event event = block->events[k];
        if (!is_of(view, event.rank))
            continue;
        if (event.operation == OPERATION_ENVELOPE)
            view->begun_s = fmin(view->begun_s, event.start_s);
        if (event.rank == view->master)
            event.rank = 0;
        if (!trace_add(&view->here, &event))
            return false;
    }
    return view->here.count == 0 || view->taker->take(view->taker->self, &view->here);
}

static bool view_read(void *self, const struct trace_taker *taker, struct failure *failure)
{
    struct star_view *view = self;
    const struct trace_taker own = {view_take, view};
    view->taker = taker;
    return run_trace_read(view->whole, &own, failure);
}

/* The star's ranks end where those of the next master begin. */
static int64_t ranks_end(const struct plan *plan, int64_t master)
{
    int64_t end = INT32_MAX;
    for (size_t k = 0; k < plan->star_count; k++)
        if (plan->stars[k].master > master && plan->stars[k].master < end)
            end = plan->stars[k].master;
    return end;
}

/* The star's part of the plan, with what holds for the whole plan. */
static struct plan plan_of(const struct plan *whole, const struct plan *star)
{
    struct plan plan = *whole;
    plan.stars = NULL;
    plan.star_count = 0;
    plan.scheduler = star->scheduler;
    plan.tasks = star->tasks;
    plan.first = star->first;
    plan.master = star->master;
    plan.workers = star->workers;
    plan.worker_count = star->worker_count;
    plan.rounds = star->rounds;
    plan.round_count = star->round_count;
    plan.predicted = star->predicted;
    return plan;
}

static bool losses_take(struct star_view *view)
{
    const struct run_record *whole = view->whole;
    view->losses = calloc((size_t)whole->loss_count + 1, sizeof *view->losses);
    view->record.losses = view->losses;
    view->record.loss_count = 0;
    for (int64_t k = 0; view->losses && k < whole->loss_count; k++)
        if (is_of(view, whole->losses[k].worker + 1))
            view->losses[view->record.loss_count++] = whole->losses[k];
    return view->losses != NULL;
}

bool star_view_init(struct star_view *view, const struct run_record *whole, size_t k)
{
    const struct plan *star = &whole->plan.stars[k];
    *view = (struct star_view){.record = *whole,
                               .whole = whole,
                               .master = star->master,
                               .end = ranks_end(&whole->plan, star->master),
                               .begun_s = HUGE_VAL};
    view->record.plan = plan_of(&whole->plan, star);
    view->record.star = true;
    view->record.star_last =
        view->end - 1 < run_record_ranks(whole) ? view->end - 1 : run_record_ranks(whole);
    view->record.trace = (struct trace){.count = 0};
    view->record.long_trace = (struct run_trace){.self = view,
                                                 .read = view_read,
                                                 .ranks = run_record_ranks(whole),
                                                 .packages = whole->long_trace.packages};
    return losses_take(view);
}

void star_view_release(struct star_view *view)
{
    free(view->losses);
    trace_release(&view->here);
}

void star_views_free(struct star_views **views)
{
    for (size_t k = 0; *views && k < (*views)->count; k++)
        star_view_release(&(*views)->items[k]);
    free(*views);
    *views = NULL;
}

struct star_views *star_views_new(const struct run_record *record)
{
    const size_t count = record->plan.star_count;
    struct star_views *views = calloc(1, sizeof *views + count * sizeof *views->items);
    for (bool good = views != NULL; good && views->count < count;) {
        good = star_view_init(&views->items[views->count], record, views->count);
        views->count++;
        if (!good)
            star_views_free(&views);
    }
    return views;
}

const struct run_record *star_views_record(const struct star_views *views, size_t k)
{
    return &views->items[k].record;
}
