/* A process for every line. */
#include "kernel/command/worker.h"

static void task_give(struct worker *worker, struct slot *slot)
{
    if (slot_idle(slot)) {
        if (worker->lines.index == worker->end)
            return;
        slot->line = worker->lines.line;
        slot->next = worker->lines.index;
        slot->end = slot->next + 1;
        slot->attempt = 1;
        lines_skip(&worker->lines, 1);
    }
    slot->given = slot->end;
    slot_start(worker, slot);
}

static void task_take(struct worker *worker, struct slot *slot, char *bytes, size_t size)
{
    result_add(worker, slot, slot->next, COMMAND_STDOUT, bytes, size);
}

static void task_over(struct worker *worker, struct slot *slot)
{
    if (slot_succeeded(slot)) {
        result_done(worker, slot, slot->next++, slot->seconds);
    } else if (slot->attempt <= worker->job->retries) {
        slot->attempt++;
        result_reset(worker, slot->next);
    } else {
        result_failed(worker, slot, slot->next++, slot->seconds);
    }
}

const struct mode mode_task = {
    .method = "a process for each line", .give = task_give, .take = task_take, .over = task_over};
