/* A long-lived process, which outlives packages. It is given as many lines at a time as it answers
 * in a few milliseconds: one where they take long, so that none waits for another; hundreds where
 * passing them on would take longer than they do. */
#include "kernel/command/worker.h"

enum { LINES_MOST = 1024 };

static const double ahead_s = 0.002;

/* Where few are left, all processes get some. */
static int64_t lines_ahead(const struct worker *worker, const struct slot *slot)
{
    const double lines = slot->line_s > 0 ? ahead_s / slot->line_s : 1;
    const int64_t ahead = lines < LINES_MOST ? (int64_t)lines : LINES_MOST;
    const int64_t left = (worker->end - worker->lines.index) / (2 * (int64_t)worker->slot_count);
    const int64_t count = ahead < left ? ahead : left;
    return count > 1 ? count : 1;
}

static void lines_take(struct worker *worker, struct slot *slot)
{
    const int64_t count = slot->given - slot->begun;
    slot->line_s = slot->running && count > 0 ? (slot->turn_s - slot->fed_s) / (double)count : 0;
    const int64_t ahead = lines_ahead(worker, slot);
    slot->line = worker->lines.line;
    slot->next = worker->lines.index;
    slot->end = slot->next + ahead;
    slot->attempt = 1;
    lines_skip(&worker->lines, ahead);
}

static void worker_give(struct worker *worker, struct slot *slot)
{
    if (slot_idle(slot)) {
        if (worker->lines.index == worker->end)
            return;
        lines_take(worker, slot);
    }
    slot->given = slot->end;
    slot->fed_s = slot->turn_s = worker->now_s;
    if (slot->running) {
        slot->begun = slot->next;
        slot_feed(worker, slot);
    } else {
        slot_start(worker, slot);
    }
}

/* It is at fault for the line that it was at; but one that ends well after answers, to begin
 * afresh, is not. */
static void worker_over(struct worker *worker, struct slot *slot)
{
    if (slot->next == slot->given)
        return;
    const bool blameless = slot_succeeded(slot) && slot->answered > 0;
    if (!blameless && slot->attempt > worker->job->retries) {
        answers_fail(worker, slot);
        return;
    }
    slot->attempt += !blameless;
    result_reset(worker, slot->next);
}

const struct mode mode_worker = {.method = "a long-lived process, which answers lines",
                                 .answers = true,
                                 .lasting = true,
                                 .give = worker_give,
                                 .take = answers_take,
                                 .over = worker_over};
