/* A slot and the process of its command: started, fed, read, ended. */
#define _GNU_SOURCE /* pipe2 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "kernel/command/worker.h"

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

ssize_t slot_read(struct worker *worker, struct slot *slot, int stream, char *bytes)
{
    const ssize_t count = read(slot->outputs[stream], bytes, BUFFER_SIZE);
    if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR))
        descriptor_close(&slot->outputs[stream]);
    if (slot->outputs[0] < 0 && worker->job->form.mode->lasting && !slot->retired)
        slot_retire(worker, slot);
    return count;
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

void slot_force(struct worker *worker, struct slot *slot)
{
    slot_ask(worker, slot, SPAWNER_KILL, SIGKILL);
    slot->kill = KILL_FORCED;
}
