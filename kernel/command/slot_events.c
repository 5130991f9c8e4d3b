/* What a slot's command does, and what follows for its lines: output, reports, ends, limits. */
#include <errno.h>
#include <signal.h>

#include "kernel/command/worker.h"

enum { REFUSALS_MOST = 50, DRAIN_READS = 4, SHELL_KILLED = 128 + SIGKILL };

static const double refused_s = 0.1; /* until the next try */

/* The line that it is at, or was at last. */
static int64_t slot_line(const struct slot *slot)
{
    return slot->next < slot->given ? slot->next : slot->given - 1;
}

bool slot_take(struct worker *worker, struct slot *slot, int stream)
{
    char *const bytes = worker->buffer + COMMAND_HEADER_SIZE;
    const ssize_t count = slot_read(worker, slot, stream, bytes);
    if (count <= 0 || worker->status != SCOW_OK)
        return count > 0;
    if (stream == 0)
        worker->job->form.mode->take(worker, slot, bytes, (size_t)count);
    else
        result_add(worker, slot, slot_line(slot), COMMAND_STDERR, bytes, (size_t)count);
    return true;
}

/* What is there without another wait: a command that has ended has closed its output, as a rule. */
static void slot_drain(struct worker *worker, struct slot *slot)
{
    for (int stream = 0; stream < 2; stream++)
        for (int reads = 0; reads < DRAIN_READS && slot->outputs[stream] >= 0; reads++)
            if (!slot_take(worker, slot, stream))
                break;
}

/* Short of something that others may give back soon. */
static bool error_passes(int error)
{
    return error == EAGAIN || error == ENOMEM || error == EMFILE || error == ENFILE;
}

void slot_report(struct worker *worker, const struct spawner_report *report)
{
    struct slot *slot = &worker->slots[report->slot];
    slot->peak_kib = report->peak_kib > slot->peak_kib ? report->peak_kib : slot->peak_kib;
    worker->peak_kib = slot->peak_kib > worker->peak_kib ? slot->peak_kib : worker->peak_kib;
    if (report->look) {
        worker->looks--;
        return;
    }
    slot->ended = true;
    slot->ended_s = worker->now_s;
    slot->error = report->error;
    slot->exit = report->exit;
    slot->seconds = report->seconds;
    slot->start_s = report->start_s;
    slot->out_of_memory = slot->kill == KILL_NOT &&
                          (slot->exit == -SIGKILL || slot->exit == SHELL_KILLED) &&
                          memory_ended(worker);
    slot_drain(worker, slot);
    if (!error_passes(report->error) || ++slot->refusals == REFUSALS_MOST) {
        slot->refusals = 0;
    } else {
        slot_close(slot);
        slot->running = false;
        slot->given = slot->next;
        slot->wake_s = worker->now_s + refused_s;
    }
}

/* A line has one attempt more than if its command had failed: the first loss was not its fault. */
void slot_lose(struct worker *worker, struct slot *slot)
{
    slot_close(slot);
    slot->running = false;
    for (int64_t i = slot->next; i < slot->given; i++)
        result_reset(worker, i);
    if (slot->next == slot->given)
        return;
    if (slot->attempt <= worker->job->retries + 1) {
        slot->attempt++;
        return;
    }
    slot->ended = slot->lost = true;
    slot->exit = -SIGKILL;
    answers_fail(worker, slot);
}

static bool slot_over(const struct worker *worker, const struct slot *slot)
{
    const bool closed = slot->outputs[0] < 0 && slot->outputs[1] < 0;
    return slot->ended &&
           (slot->error || closed || worker->now_s >= slot->ended_s + worker->job->grace_s);
}

static void slot_finish(struct worker *worker, struct slot *slot)
{
    if (!slot->error && (slot->outputs[0] >= 0 || slot->outputs[1] >= 0))
        slot_end(worker, slot);
    slot_close(slot);
    slot->running = false;
    if (worker->status == SCOW_OK)
        worker->job->form.mode->over(worker, slot);
}

/* Of a long-lived command the limit holds for the line that it is at; of any other for all of its
 * lines together, as the sum of their limits. */
static bool slot_late(struct worker *worker, struct slot *slot)
{
    const bool lasting = worker->job->form.mode->lasting;
    if (worker->job->timeout.value <= 0 || (lasting && slot->next == slot->given))
        return false;
    const double lines = lasting ? 1 : (double)(slot->given - slot->begun);
    slot->limit_s =
        lines * limit_seconds(&worker->job->timeout, &worker->durations, worker->others.median_s);
    return worker->now_s - (lasting ? slot->turn_s : slot->start_s) >= slot->limit_s;
}

/* A long-lived command that can be given no more lines has a grace to end. */
static bool slot_lingers(const struct worker *worker, const struct slot *slot)
{
    if (slot->retired)
        return worker->now_s >= slot->kill_s;
    return slot->next == slot->given && worker->now_s >= slot->turn_s + worker->job->grace_s;
}

static void lasting_check(struct worker *worker, struct slot *slot)
{
    if (slot->input >= 0)
        answers_await(worker, slot);
    else if (slot_lingers(worker, slot))
        slot_kill(worker, slot);
}

void slot_check(struct worker *worker, struct slot *slot)
{
    if (!slot->running)
        return;
    if (slot_over(worker, slot)) {
        slot_finish(worker, slot);
    } else if (slot->ended || slot->kill == KILL_FORCED) {
        return;
    } else if (slot->kill == KILL_ASKED) {
        if (worker->now_s < slot->kill_s)
            return;
        slot_force(worker, slot);
    } else if (slot_late(worker, slot)) {
        slot->timed_out = true;
        slot_kill(worker, slot);
    } else if (worker->job->form.mode->lasting) {
        lasting_check(worker, slot);
    }
}
