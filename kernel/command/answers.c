#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "kernel/command/worker.h"

enum { INPUT_PROBES = 2 };

static const double at_once_s = 1;

static int64_t newlines_count(const char *bytes, size_t size)
{
    int64_t count = 0;
    const char *const end = bytes + size;
    while ((bytes = memchr(bytes, '\n', (size_t)(end - bytes)))) {
        count++;
        bytes++;
    }
    return count;
}

static void line_leave(struct worker *worker, struct slot *slot)
{
    slot->line += lines_size(&worker->lines, slot->next) + 1;
    slot->next++;
    slot->attempt = slot->alone ? 2 : 1;
    slot->turn_s = worker->now_s;
    slot->partial = false;
}

void answers_next(struct worker *worker, struct slot *slot, double seconds)
{
    result_done(worker, slot, slot->next, seconds);
    readiness_note(worker, slot, seconds);
    if (slot->answered < INT_MAX)
        slot->answered++;
    line_leave(worker, slot);
}

void answers_fail(struct worker *worker, struct slot *slot)
{
    result_failed(worker, slot, slot->next, worker->now_s - slot->turn_s);
    line_leave(worker, slot);
}

/* Has it a line to answer, of which at least the beginning has been written to it? */
static bool slot_asked(const struct slot *slot)
{
    return slot->next < slot->given && (slot->unwritten_size == 0 || slot->line < slot->unwritten);
}

/* It has written more lines than it was given, so nobody knows which of them answer which. */
static void slot_exceeds(struct worker *worker, struct slot *slot)
{
    const struct scow_host *host = worker->host;
    slot->excess = true;
    if (worker->job->form.mode->lasting)
        worker->status =
            host->fail(host,
                       "the command '%s' writes more lines than it reads: with --per worker it "
                       "must write one line for every line that it reads, and nothing else",
                       worker->job->command);
    else if (!slot->ended && slot->kill == KILL_NOT)
        slot_kill(worker, slot);
}

/* A program that passes lines on only once its input has ended would be waited for without end. So
 * the input of one that has long been silent is closed: if the answer comes at once, that may be
 * it, and one that is started later is probed, too, after another while, which a program that is
 * merely slow does not keep to. Twice is enough. If it comes later, the program may be slow, or the
 * machine: the next one is left twice as long. */
void answers_await(struct worker *worker, struct slot *slot)
{
    static const double graces[INPUT_PROBES] = {10, 25};
    if (worker->answered || worker->input_probes == INPUT_PROBES || slot->next == slot->given ||
        slot->unwritten_size > 0)
        return;
    const double grace_s = worker->job->grace_s * worker->input_patience;
    if (worker->now_s < slot->turn_s + graces[worker->input_probes] * grace_s)
        return;
    close(slot->input);
    slot->input = -1;
    slot->closed_s = worker->now_s;
    slot->input_probe = worker->input_probes + 1;
    slot->input_patience = worker->input_patience;
}

/* True: it passes lines on too late, and the run cannot go on. */
static bool answer_sound(struct worker *worker, const struct slot *slot)
{
    const struct scow_host *host = worker->host;
    if (slot->closed_s <= 0) {
        worker->answered = true;
        return false;
    }
    if (worker->now_s > slot->closed_s + at_once_s) {
        worker->input_patience = 2 * slot->input_patience;
        return false;
    }
    if (slot->answered == 0)
        worker->input_probes = slot->input_probe;
    if (worker->input_probes < INPUT_PROBES)
        return false;
    worker->status = host->fail(
        host,
        "the command '%s' answers lines only once its input has ended: have it pass on every line "
        "at once (python3 -u, stdbuf -oL, mawk -W interactive), or use --per package",
        worker->job->command);
    return true;
}

void answers_take(struct worker *worker, struct slot *slot, char *bytes, size_t size)
{
    if (worker->job->form.mode->lasting && answer_sound(worker, slot))
        return;
    const int64_t count = newlines_count(bytes, size);
    const double seconds = count > 0 ? (worker->now_s - slot->turn_s) / (double)count : 0;
    while (size > 0 && worker->status == SCOW_OK && !slot->excess && !slot->flooded) {
        if (!slot_asked(slot)) {
            slot_exceeds(worker, slot);
            return;
        }
        const char *newline = memchr(bytes, '\n', size);
        const size_t part = newline ? (size_t)(newline - bytes) + 1 : size;
        result_add(worker, slot, slot->next, COMMAND_STDOUT, bytes, part);
        slot->partial = true;
        if (newline)
            answers_next(worker, slot, seconds);
        bytes += part;
        size -= part;
    }
}
