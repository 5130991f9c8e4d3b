/* A process for a package, or for each of as many parts of it as run at a time. Lines that it left
 * unanswered when it failed are tried again one by one, so that those after a bad one are done. */
#include "kernel/command/worker.h"

/* The next part of the batch that has lines. */
static void part_take(struct worker *worker, struct slot *slot)
{
    const int64_t first = worker->batch->first - worker->batch->package_first;
    while (slot_idle(slot) && worker->parts < worker->slot_count) {
        worker->parts++;
        slot->line = worker->lines.line;
        slot->next = worker->lines.index;
        slot->end = first + worker->batch->count * worker->parts / worker->slot_count;
        slot->attempt = 1;
        slot->alone = false;
        lines_skip(&worker->lines, slot->end - slot->next);
    }
}

static void package_give(struct worker *worker, struct slot *slot)
{
    if (slot_idle(slot))
        part_take(worker, slot);
    if (slot_idle(slot))
        return;
    slot->given = slot->alone ? slot->next + 1 : slot->end;
    slot_start(worker, slot);
}

static void step_back(struct worker *worker, struct slot *slot)
{
    slot->next--;
    slot->line -= lines_size(&worker->lines, slot->next) + 1;
    worker->finished--;
    result_reset(worker, slot->next);
}

/* Lines that were answered stay so, unless it wrote too much to tell which they were. A process
 * that failed after its last answer failed at its last line. */
static void unanswered_find(struct worker *worker, struct slot *slot)
{
    if (slot->excess)
        while (slot->next > slot->begun)
            step_back(worker, slot);
    else if (slot->next == slot->given && slot->next > slot->begun)
        step_back(worker, slot);
}

static void package_over(struct worker *worker, struct slot *slot)
{
    const bool good = slot_succeeded(slot) && !slot->excess;
    result_weigh(worker, slot);
    if (good && slot->partial)
        answers_next(worker, slot, worker->now_s - slot->turn_s);
    if (good && slot->next == slot->given)
        return;
    if (!good)
        unanswered_find(worker, slot);
    if (slot->alone ? slot->attempt <= worker->job->retries : worker->job->retries > 0) {
        slot->attempt = slot->alone ? slot->attempt + 1 : 2;
        slot->alone = true;
        for (int64_t i = slot->next; i < slot->given; i++)
            result_reset(worker, i);
        return;
    }
    while (slot->next < slot->given)
        answers_fail(worker, slot);
}

const struct mode mode_package = {.method = "a process for each package, which answers its lines",
                                  .answers = true,
                                  .give = package_give,
                                  .take = answers_take,
                                  .over = package_over};
