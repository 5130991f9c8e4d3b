#define _GNU_SOURCE /* pipe2 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "kernel/command/worker.h"

enum { REFUSALS_MOST = 50, DRAIN_READS = 4, SHELL_KILLED = 128 + SIGKILL };

static const double refused_s = 0.1; /* until the next try */

void slot_init(struct slot *slot, int number)
{
    *slot = (struct slot){.number = number, .input = -1, .outputs = {-1, -1}};
}

static void descriptor_close(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

void slot_close(struct slot *slot)
{
    descriptor_close(&slot->input);
    descriptor_close(&slot->outputs[0]);
    descriptor_close(&slot->outputs[1]);
    slot->unwritten_size = 0;
}

bool slot_idle(const struct slot *slot)
{
    return slot->next == slot->end;
}

bool slot_able(const struct worker *worker, const struct slot *slot)
{
    if (!slot->running)
        return worker->now_s >= slot->wake_s;
    return worker->job->form.mode->lasting && slot_idle(slot) && !slot->ended &&
           slot->kill == KILL_NOT && slot->input >= 0;
}

/* Ours does not block, the command's does. */
static bool pipe_make(int *ours, int *its, bool input)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    *ours = ends[input];
    *its = ends[!input];
    return fcntl(*ours, F_SETFL, O_NONBLOCK) == 0;
}

/* Lines are written to its input: it was not told them by its words. */
static bool slot_reads(const struct job *job)
{
    return job->form.mode->answers || !job->form.template.places;
}

/* The path, the words and the variables; how many bytes, and where they begin in *words. */
static size_t words_write(struct worker *worker, const struct slot *slot, char **words,
                          int *variables)
{
    const struct job *job = worker->job;
    char *const at = worker->words + PATH_SIZE + job->words_most;
    const size_t size = template_print(&job->form.template, slot->line,
                                       slot->line ? lines_size(&worker->lines, slot->next) : 0,
                                       worker->batch->package_first + slot->next + 1, at);
    const char *path = worker->program[0] ? worker->program : at;
    const size_t path_size = strlen(path) + 1;
    *words = at - path_size;
    memcpy(*words, path, path_size);
    return path_size + size + variables_print(worker, slot, at + size, variables);
}

static bool request_send(struct worker *worker, struct slot *slot, const int32_t fds[3])
{
    const int threads = worker->batch->threads / worker->slot_count;
    char *words;
    int variables;
    struct spawner_request request = {.verb = SPAWNER_START,
                                      .slot = slot->number,
                                      .number = threads > 0 ? threads : 1,
                                      .words = worker->job->form.template.words,
                                      .fds = {fds[0], fds[1], fds[2]}};
    request.size = words_write(worker, slot, &words, &variables);
    request.variables = variables;
    return spawner_ask(&worker->spawner, &request, words);
}

/* Where the process that starts commands has ended, nothing is said here: that is seen where its
 * reports are read. */
static void spawner_unreached(struct worker *worker)
{
    if (!spawner_ended(errno))
        worker_fail(worker, "reach the process that starts commands", errno);
}

void slot_start(struct worker *worker, struct slot *slot)
{
    int32_t fds[SPAWNER_STREAMS] = {-1, -1, -1};
    const bool piped = pipe_make(&slot->outputs[0], &fds[0], false) &&
                       pipe_make(&slot->outputs[1], &fds[1], false) &&
                       (!slot_reads(worker->job) || pipe_make(&slot->input, &fds[2], true));
    if (!piped)
        worker_fail(worker,
                    "make pipes for a command (raise the number of open files with ulimit -n, or "
                    "lower --jobs)",
                    errno);
    else
        slot->running = request_send(worker, slot, fds);
    if (piped && !slot->running)
        spawner_unreached(worker);
    for (int i = 0; i < SPAWNER_STREAMS; i++)
        descriptor_close(&fds[i]);
    slot->ended = slot->retired = slot->partial = false;
    slot->excess = slot->flooded = slot->timed_out = slot->out_of_memory = slot->lost = false;
    slot->error = slot->exit = slot->answered = 0;
    slot->peak_kib = 0;
    slot->kill = KILL_NOT;
    slot->closed_s = 0;
    slot->begun = slot->next;
    slot->start_s = slot->turn_s = worker->now_s;
    if (!slot->running)
        slot_close(slot);
    else if (slot->input >= 0)
        slot_feed(worker, slot);
}

void slot_feed(struct worker *worker, struct slot *slot)
{
    slot->unwritten = slot->line;
    slot->unwritten_size = 0;
    for (int64_t i = slot->next; i < slot->given; i++)
        slot->unwritten_size += lines_size(&worker->lines, i) + 1;
    slot_write(worker, slot);
}

/* It closed a pipe: it takes or gives no more. */
static void slot_retire(struct worker *worker, struct slot *slot)
{
    descriptor_close(&slot->input);
    slot->retired = true;
    slot->unwritten_size = 0;
    slot->kill_s = worker->now_s + worker->job->grace_s;
}

void slot_write(struct worker *worker, struct slot *slot)
{
    const ssize_t written = write(slot->input, slot->unwritten, slot->unwritten_size);
    if (written >= 0) {
        slot->unwritten += written;
        slot->unwritten_size -= (size_t)written;
    } else if (errno != EAGAIN && errno != EINTR) {
        slot_retire(worker, slot);
    }
    if (slot->unwritten_size == 0 && !worker->job->form.mode->lasting)
        descriptor_close(&slot->input);
}

/* The line that it is at, or was at last. */
static int64_t slot_line(const struct slot *slot)
{
    return slot->next < slot->given ? slot->next : slot->given - 1;
}

/* False: there was nothing to read. */
static bool slot_take(struct worker *worker, struct slot *slot, int stream)
{
    char *const bytes = worker->buffer + COMMAND_HEADER_SIZE;
    const ssize_t count = read(slot->outputs[stream], bytes, BUFFER_SIZE);
    if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR))
        descriptor_close(&slot->outputs[stream]);
    if (slot->outputs[0] < 0 && worker->job->form.mode->lasting && !slot->retired)
        slot_retire(worker, slot);
    if (count <= 0 || worker->status != SCOW_OK)
        return count > 0;
    if (stream == 0)
        worker->job->form.mode->take(worker, slot, bytes, (size_t)count);
    else
        result_add(worker, slot, slot_line(slot), COMMAND_STDERR, bytes, (size_t)count);
    return true;
}

void slot_read(struct worker *worker, struct slot *slot, int stream)
{
    slot_take(worker, slot, stream);
}

/* What is there without another wait: a command that has ended has closed its output, as a rule. */
static void slot_drain(struct worker *worker, struct slot *slot)
{
    for (int stream = 0; stream < 2; stream++)
        for (int reads = 0; reads < DRAIN_READS && slot->outputs[stream] >= 0; reads++)
            if (!slot_take(worker, slot, stream))
                break;
}

static void slot_ask(struct worker *worker, const struct slot *slot, enum spawner_verb verb,
                     int signal)
{
    const struct spawner_request request = {
        .verb = (int32_t)verb, .slot = slot->number, .number = signal};
    if (!spawner_ask(&worker->spawner, &request, NULL))
        spawner_unreached(worker);
}

void slot_end(struct worker *worker, struct slot *slot)
{
    slot_ask(worker, slot, SPAWNER_END, 0);
}

void slot_kill(struct worker *worker, struct slot *slot)
{
    slot_ask(worker, slot, SPAWNER_KILL, SIGTERM);
    slot->kill = KILL_ASKED;
    slot->kill_s = worker->now_s + worker->job->grace_s;
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
        slot_ask(worker, slot, SPAWNER_KILL, SIGKILL);
        slot->kill = KILL_FORCED;
    } else if (slot_late(worker, slot)) {
        slot->timed_out = true;
        slot_kill(worker, slot);
    } else if (worker->job->form.mode->lasting) {
        lasting_check(worker, slot);
    }
}
